//! The encoder of BERT and ELECTRA, layer by layer.
//!
//! Devlin et al., "BERT", NAACL 2019; Clark et al., "ELECTRA", ICLR 2020. Embeddings of word,
//! type and position, normalised; in ELECTRA projected to the hidden width where theirs is
//! smaller; then layers of attention and feed-forward network, each normalised after its
//! residual. Dropout is where the originals have it: after the embeddings' normalisation, on
//! attention probabilities, and on what attention and feed-forward network add.

use super::config::Config;
use super::dropout::{Dropout, Mask, Site};
use super::{Tokens, Weights, ops};
use crate::error::{Error, Result};
use candle_core::Tensor;
use std::ops::RangeInclusive;

/// A dense layer: x Wᵀ + b, W of shape (out, in).
pub(super) struct Dense {
    weight: Tensor,
    bias: Tensor,
}

impl Dense {
    pub(super) fn read(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self> {
        Ok(Self {
            weight: weights.get(&format!("{name}.weight"), &shape)?,
            bias: weights.get(&format!("{name}.bias"), &shape[..1])?,
        })
    }

    /// Several layers of the same input as one.
    fn join(parts: &[Self]) -> candle_core::Result<Self> {
        let weights: Vec<&Tensor> = parts.iter().map(|part| &part.weight).collect();
        let biases: Vec<&Tensor> = parts.iter().map(|part| &part.bias).collect();
        Ok(Self {
            weight: Tensor::cat(&weights, 0)?,
            bias: Tensor::cat(&biases, 0)?,
        })
    }

    pub(super) fn apply(&self, x: &Tensor) -> candle_core::Result<Tensor> {
        ops::add_bias(x.matmul(&self.weight.t()?)?, &self.bias)
    }
}

struct Norm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f32,
}

impl Norm {
    fn read(weights: &Weights, name: &str, width: usize, epsilon: f32) -> Result<Self> {
        let (weight, bias) = weights.norm(name, width)?;
        Ok(Self {
            weight,
            bias,
            epsilon,
        })
    }

    fn apply(&self, x: Tensor) -> candle_core::Result<Tensor> {
        ops::layer_norm(x, &self.weight, &self.bias, self.epsilon)
    }
}

/// A layer's parameters.
struct Layer {
    /// Queries, keys and values in one.
    attention: Dense,
    attention_output: Dense,
    attention_norm: Norm,
    intermediate: Dense,
    output: Dense,
    output_norm: Norm,
}

impl Layer {
    fn read(weights: &Weights, name: &str, config: &Config) -> Result<Self> {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let dense = |part: &str, shape| Dense::read(weights, &format!("{name}.{part}"), shape);
        let norm =
            |part: &str| Norm::read(weights, &format!("{name}.{part}"), hidden, config.epsilon);
        let parts = [
            dense("attention.self.query", [hidden, hidden])?,
            dense("attention.self.key", [hidden, hidden])?,
            dense("attention.self.value", [hidden, hidden])?,
        ];
        Ok(Self {
            attention: Dense::join(&parts).map_err(Error::failed)?,
            attention_output: dense("attention.output.dense", [hidden, hidden])?,
            attention_norm: norm("attention.output.LayerNorm")?,
            intermediate: dense("intermediate.dense", [inner, hidden])?,
            output: dense("output.dense", [hidden, inner])?,
            output_norm: norm("output.LayerNorm")?,
        })
    }

    fn apply(&self, x: &Tensor, pass: &Pass<'_>, layer: usize) -> candle_core::Result<Tensor> {
        let rate = pass.config.dropout.hidden;
        let context = self.attend(x, pass, layer)?;
        let added = self.attention_output.apply(&context)?;
        let added = ops::dropout(added, pass.mask(Site::AttentionOutput(layer), rate))?;
        let x = self.attention_norm.apply(ops::add(added, x)?)?;
        let inner = ops::activate(self.intermediate.apply(&x)?, pass.config.activation)?;
        let added = self.output.apply(&inner)?;
        let added = ops::dropout(added, pass.mask(Site::Output(layer), rate))?;
        self.output_norm.apply(ops::add(added, &x)?)
    }

    /// Attention of every token to every token, head by head: (tokens, hidden) to the same.
    fn attend(&self, x: &Tensor, pass: &Pass<'_>, layer: usize) -> candle_core::Result<Tensor> {
        let (tokens, hidden) = x.dims2()?;
        let heads = pass.config.heads;
        let width = hidden / heads;
        let all = self.attention.apply(x)?;
        let all = all.reshape((tokens, 3 * heads, width))?.transpose(0, 1)?;
        let part = |i: usize| {
            let part = all.narrow(0, i * heads, heads)?;
            // Only the processor multiplies rows that do not lie end to end.
            let strided = x.device().is_cpu();
            if strided { Ok(part) } else { part.contiguous() }
        };
        let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
        let scores = queries.matmul(&keys.t()?)?;
        let weights = ops::softmax(scores, 1.0 / (width as f32).sqrt())?;
        let mask = pass.mask(Site::Attention(layer), pass.config.dropout.attention);
        let context = ops::dropout(weights, mask)?.matmul(&values)?;
        context.transpose(0, 1)?.reshape((tokens, hidden))
    }
}

/// What stays the same throughout one pass over one sequence.
struct Pass<'a> {
    config: &'a Config,
    dropout: Option<Dropout>,
}

impl Pass<'_> {
    fn mask(&self, site: Site, rate: f64) -> Option<Mask> {
        self.dropout.and_then(|dropout| dropout.mask(site, rate))
    }
}

/// The encoder of BERT or ELECTRA.
pub struct Encoder {
    model: String,
    config: Config,
    words: Tensor,
    positions: Tensor,
    types: Tensor,
    norm: Norm,
    project: Option<Dense>,
    layers: Vec<Layer>,
}

/// Hidden states of one sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Hidden {
    /// Per layer one row-major matrix of tokens by `width`; first what enters the first layer.
    pub layers: Vec<Vec<f32>>,
    /// The width of a row.
    pub width: usize,
}

impl Encoder {
    /// Takes its parameters from the weights of a checkpoint called `model`.
    ///
    /// # Errors
    /// [`Error::Model`] naming the first tensor that is missing or has another shape.
    pub fn new(model: &str, config: &Config, weights: &Weights) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        let table = |name: &str, rows| {
            let name = format!("{prefix}embeddings.{name}_embeddings.weight");
            weights.get(&name, &[rows, config.embedding])
        };
        let norm = format!("{prefix}embeddings.LayerNorm");
        let project = (config.embedding != config.hidden)
            .then(|| {
                let name = format!("{prefix}embeddings_project");
                Dense::read(weights, &name, [config.hidden, config.embedding])
            })
            .transpose()?;
        let layers = (0..config.layers)
            .map(|i| Layer::read(weights, &format!("{prefix}encoder.layer.{i}"), config))
            .collect::<Result<_>>()?;
        Ok(Self {
            model: model.to_string(),
            words: table("word", config.vocabulary)?,
            positions: table("position", config.positions)?,
            types: table("token_type", config.types)?,
            norm: Norm::read(weights, &norm, config.embedding, config.epsilon)?,
            project,
            layers,
            config: config.clone(),
        })
    }

    /// Its shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The hidden states of every layer, in evaluation mode.
    ///
    /// # Errors
    /// [`Error::Model`] for an input that is empty, too long, or has an id out of range.
    pub fn hidden_states(&self, tokens: &Tokens) -> Result<Hidden> {
        self.hidden_states_in(tokens, 0..=self.config.layers)
    }

    /// The hidden states of some layers, in evaluation mode; 0 is what enters the first layer.
    /// Layers above the last of them are not run.
    ///
    /// # Errors
    /// As [`Encoder::hidden_states`].
    ///
    /// # Panics
    /// If there is no such layer.
    pub fn hidden_states_in(
        &self,
        tokens: &Tokens,
        layers: RangeInclusive<usize>,
    ) -> Result<Hidden> {
        let mut states = Vec::with_capacity(layers.clone().count());
        let mut number = 0;
        self.run_to(*layers.end(), tokens, None, |state| {
            if layers.contains(&number) {
                states.push(state.clone());
            }
            number += 1;
        })?;
        let layers = states
            .iter()
            .map(|state| state.flatten_all()?.to_vec1())
            .collect::<candle_core::Result<_>>()
            .map_err(|source| self.failed(source))?;
        Ok(Hidden {
            layers,
            width: self.config.hidden,
        })
    }

    /// The last hidden state, (tokens, hidden), telling `seen` each state on the way.
    pub(super) fn run(
        &self,
        tokens: &Tokens,
        dropout: Option<Dropout>,
        seen: impl FnMut(&Tensor),
    ) -> Result<Tensor> {
        self.run_to(self.layers.len(), tokens, dropout, seen)
    }

    /// The same for the first `depth` layers only.
    fn run_to(
        &self,
        depth: usize,
        tokens: &Tokens,
        dropout: Option<Dropout>,
        mut seen: impl FnMut(&Tensor),
    ) -> Result<Tensor> {
        self.check(tokens)?;
        let pass = Pass {
            config: &self.config,
            dropout,
        };
        let mut run = || {
            let mut state = self.embed(tokens, &pass)?;
            seen(&state);
            for (i, layer) in self.layers[..depth].iter().enumerate() {
                state = layer.apply(&state, &pass, i)?;
                seen(&state);
            }
            Ok(state)
        };
        run().map_err(|source: candle_core::Error| self.failed(source))
    }

    fn embed(&self, tokens: &Tokens, pass: &Pass<'_>) -> candle_core::Result<Tensor> {
        let device = self.words.device();
        let rows = |table: &Tensor, ids: &[u32]| table.index_select(&Tensor::new(ids, device)?, 0);
        let words = rows(&self.words, &tokens.ids)?;
        let typed = ops::add(words, &rows(&self.types, &tokens.types)?)?;
        let placed = ops::add(typed, &self.positions.narrow(0, 0, tokens.ids.len())?)?;
        let mask = pass.mask(Site::Embeddings, self.config.dropout.hidden);
        let state = ops::dropout(self.norm.apply(placed)?, mask)?;
        match &self.project {
            Some(project) => project.apply(&state),
            None => Ok(state),
        }
    }

    fn check(&self, tokens: &Tokens) -> Result<()> {
        let n = tokens.ids.len();
        let fail = |what: String| Err(Error::model(&self.model, what));
        if n == 0 || n > self.config.positions || tokens.types.len() != n {
            return fail(format!(
                "an input of {n} tokens with {} types, expected 1 to {} of both",
                tokens.types.len(),
                self.config.positions
            ));
        }
        let outside =
            |ids: &[u32], rows: usize| ids.iter().find(|&&id| id as usize >= rows).copied();
        if let Some(id) = outside(&tokens.ids, self.config.vocabulary) {
            return fail(format!(
                "token id {id}, expected below {}",
                self.config.vocabulary
            ));
        }
        if let Some(id) = outside(&tokens.types, self.config.types) {
            return fail(format!(
                "token type {id}, expected below {}",
                self.config.types
            ));
        }
        Ok(())
    }

    pub(super) fn failed(&self, source: impl std::fmt::Display) -> Error {
        Error::model(&self.model, source)
    }
}
