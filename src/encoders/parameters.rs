//! What a checkpoint holds of a BERT or ELECTRA encoder, part by part, as both engines read it.

use super::config::Config;
use super::weights::Weights;
use crate::error::Result;
use candle_core::Tensor;

/// A dense layer: x Wᵀ + b.
pub(super) struct Dense {
    /// (out, in).
    pub weight: Tensor,
    /// (out).
    pub bias: Tensor,
}

impl Dense {
    /// Reads `NAME.weight` of `shape` (out, in) and `NAME.bias`.
    pub(super) fn read(weights: &Weights, name: &str, shape: [usize; 2]) -> Result<Self> {
        Ok(Self {
            weight: weights.get(&format!("{name}.weight"), &shape)?,
            bias: weights.get(&format!("{name}.bias"), &shape[..1])?,
        })
    }
}

/// A layer normalisation.
pub(super) struct Norm {
    /// (width).
    pub weight: Tensor,
    /// (width).
    pub bias: Tensor,
    /// Added to the variance.
    pub epsilon: f32,
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
}

/// One layer.
pub(super) struct Layer {
    pub queries: Dense,
    pub keys: Dense,
    pub values: Dense,
    pub attention_output: Dense,
    pub attention_norm: Norm,
    pub intermediate: Dense,
    pub output: Dense,
    pub output_norm: Norm,
}

impl Layer {
    fn read(weights: &Weights, name: &str, config: &Config) -> Result<Self> {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let dense = |part: &str, shape| Dense::read(weights, &format!("{name}.{part}"), shape);
        let norm =
            |part: &str| Norm::read(weights, &format!("{name}.{part}"), hidden, config.epsilon);
        Ok(Self {
            queries: dense("attention.self.query", [hidden, hidden])?,
            keys: dense("attention.self.key", [hidden, hidden])?,
            values: dense("attention.self.value", [hidden, hidden])?,
            attention_output: dense("attention.output.dense", [hidden, hidden])?,
            attention_norm: norm("attention.output.LayerNorm")?,
            intermediate: dense("intermediate.dense", [inner, hidden])?,
            output: dense("output.dense", [hidden, inner])?,
            output_norm: norm("output.LayerNorm")?,
        })
    }
}

/// All of an encoder. Embedding tables are (rows, embedding).
pub(super) struct Parameters {
    pub words: Tensor,
    pub positions: Tensor,
    pub types: Tensor,
    pub norm: Norm,
    /// From the embeddings' width to the hidden one, where they differ.
    pub project: Option<Dense>,
    pub layers: Vec<Layer>,
}

impl Parameters {
    /// Reads them, each checked against the shape that `config` gives it.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) naming the first tensor that is missing or has
    /// another shape.
    pub(super) fn read(weights: &Weights, config: &Config) -> Result<Self> {
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
        Ok(Self {
            words: table("word", config.vocabulary)?,
            positions: table("position", config.positions)?,
            types: table("token_type", config.types)?,
            norm: Norm::read(weights, &norm, config.embedding, config.epsilon)?,
            project,
            layers: (0..config.layers)
                .map(|i| Layer::read(weights, &format!("{prefix}encoder.layer.{i}"), config))
                .collect::<Result<_>>()?,
        })
    }

    /// Shows `see` every tensor, always in the same order.
    #[cfg(test)]
    pub(super) fn each(&mut self, see: &mut impl FnMut(&mut Tensor)) {
        for tensor in [&mut self.words, &mut self.positions, &mut self.types] {
            see(tensor);
        }
        let mut dense: Vec<&mut Dense> = self.project.iter_mut().collect();
        let mut norms = vec![&mut self.norm];
        for layer in &mut self.layers {
            dense.extend([
                &mut layer.queries,
                &mut layer.keys,
                &mut layer.values,
                &mut layer.attention_output,
                &mut layer.intermediate,
                &mut layer.output,
            ]);
            norms.extend([&mut layer.attention_norm, &mut layer.output_norm]);
        }
        for part in dense {
            see(&mut part.weight);
            see(&mut part.bias);
        }
        for part in norms {
            see(&mut part.weight);
            see(&mut part.bias);
        }
    }
}
