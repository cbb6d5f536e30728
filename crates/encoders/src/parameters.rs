//! What a checkpoint holds of a classifier, part by part, and under which names.
//!
//! A part is whatever its reader makes of a name and a shape: a tensor for the two engines, a
//! number in a list for training. Parts are always read in the same order.

use super::config::{Config, Places};
use super::distances::BUCKETS;
use super::weights::Weights;
use candle_core::Tensor;
use tiebreak_base::error::Result;

/// A dense layer: x Wᵀ + b.
pub(super) struct Dense<T = Tensor> {
    /// (out, in).
    pub weight: T,
    /// (out).
    pub bias: T,
}

impl<T> Dense<T> {
    /// Reads `NAME.weight` of `shape` (out, in) and `NAME.bias`.
    pub(super) fn read(read: &mut Read<'_, T>, name: &str, shape: [usize; 2]) -> Result<Self> {
        Ok(Self {
            weight: read(&format!("{name}.weight"), &shape)?,
            bias: read(&format!("{name}.bias"), &shape[..1])?,
        })
    }
}

/// What makes a part of a tensor's name and shape.
pub(super) type Read<'a, T> = dyn FnMut(&str, &[usize]) -> Result<T> + 'a;

/// A layer normalisation.
pub(super) struct Norm<T = Tensor> {
    /// (width).
    pub weight: T,
    /// (width).
    pub bias: T,
    /// Added to the variance.
    pub epsilon: f32,
}

impl<T> Norm<T> {
    /// Reads `NAME.weight` and `NAME.bias` of a width.
    pub(super) fn read(
        read: &mut Read<'_, T>,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> Result<Self> {
        Ok(Self {
            weight: read(&format!("{name}.weight"), &[width])?,
            bias: read(&format!("{name}.bias"), &[width])?,
            epsilon,
        })
    }
}

/// One layer.
pub(super) struct Layer<T = Tensor> {
    pub queries: Dense<T>,
    pub keys: Dense<T>,
    pub values: Dense<T>,
    pub attention_output: Dense<T>,
    pub attention_norm: Norm<T>,
    pub intermediate: Dense<T>,
    pub output: Dense<T>,
    pub output_norm: Norm<T>,
}

impl<T> Layer<T> {
    /// Reads what begins with `name`.
    pub(super) fn read(read: &mut Read<'_, T>, name: &str, config: &Config) -> Result<Self> {
        let (hidden, inner, epsilon) = (config.hidden, config.intermediate, config.epsilon);
        let mut dense = |part: &str, shape| Dense::read(read, &format!("{name}.{part}"), shape);
        let mut asked = |part: &str| dense(&format!("attention.{part}"), [hidden, hidden]);
        let names = config.family.attention();
        let [queries, keys, values] = names.asked;
        let (queries, keys, values) = (asked(queries)?, asked(keys)?, asked(values)?);
        let attention_output = asked(names.output)?;
        let intermediate = dense("intermediate.dense", [inner, hidden])?;
        let output = dense("output.dense", [hidden, inner])?;
        let mut norm = |part: &str| Norm::read(read, &format!("{name}.{part}"), hidden, epsilon);
        Ok(Self {
            queries,
            keys,
            values,
            attention_output,
            attention_norm: norm(&format!("attention.{}", names.norm))?,
            intermediate,
            output,
            output_norm: norm("output.LayerNorm")?,
        })
    }
}

/// All of an encoder. Embedding tables are (rows, embedding).
pub(super) struct Parameters<T = Tensor> {
    pub words: T,
    pub positions: T,
    /// In the families that have token types.
    pub types: Option<T>,
    pub norm: Norm<T>,
    /// From the embeddings' width to the hidden one, where they differ.
    pub project: Option<Dense<T>>,
    /// What distances add to attention scores, (buckets, heads), where they do.
    pub distances: Option<T>,
    pub layers: Vec<Layer<T>>,
}

impl<T> Parameters<T> {
    /// Reads them under the names that begin with `prefix`, in the shapes that `config` gives them.
    ///
    /// # Errors
    /// The first of the reader's.
    pub(super) fn named(config: &Config, prefix: &str, read: &mut Read<'_, T>) -> Result<Self> {
        let mut table = |name: &str, rows| {
            let name = format!("{prefix}embeddings.{name}_embeddings.weight");
            read(&name, &[rows, config.embedding])
        };
        let words = table("word", config.vocabulary)?;
        let positions = table("position", config.position_rows())?;
        let types = (config.types > 0).then(|| table("token_type", config.types));
        let types = types.transpose()?;
        let norm = format!("{prefix}embeddings.LayerNorm");
        let norm = Norm::read(read, &norm, config.embedding, config.epsilon)?;
        let project = (config.embedding != config.hidden)
            .then(|| {
                let name = format!("{prefix}embeddings_project");
                Dense::read(read, &name, [config.hidden, config.embedding])
            })
            .transpose()?;
        let distances = (config.places == Places::Biased).then(|| {
            let name = format!("{prefix}encoder.relative_attention_bias.weight");
            read(&name, &[BUCKETS, config.heads])
        });
        let distances = distances.transpose()?;
        let layer = |i| Layer::read(read, &format!("{prefix}encoder.layer.{i}"), config);
        Ok(Self {
            words,
            positions,
            types,
            norm,
            project,
            distances,
            layers: (0..config.layers).map(layer).collect::<Result<_>>()?,
        })
    }
}

impl Parameters {
    /// Reads the tensors of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has
    /// another shape.
    pub(super) fn read(weights: &Weights, config: &Config) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        Self::named(config, &prefix, &mut |name, shape| weights.get(name, shape))
    }
}

/// The head of a sequence classifier.
pub(super) struct Head<T = Tensor> {
    /// The dense layer before the activation; in BERT the pooler.
    pub dense: Dense<T>,
    /// After the activation, in ModernBERT.
    pub norm: Option<Norm<T>>,
    /// To one logit per label.
    pub project: Dense<T>,
}

impl<T> Head<T> {
    /// Reads it as [`Parameters::named`] does.
    ///
    /// # Errors
    /// The first of the reader's.
    pub(super) fn named(
        config: &Config,
        prefix: &str,
        labels: usize,
        read: &mut Read<'_, T>,
    ) -> Result<Self> {
        let (hidden, family) = (config.hidden, config.family);
        let dense = Dense::read(read, &family.dense(prefix), [hidden, hidden])?;
        let normed = matches!(config.places, Places::Rotary(_));
        let norm = normed.then(|| Norm::read(read, "head.norm", hidden, config.epsilon));
        Ok(Self {
            dense,
            norm: norm.transpose()?,
            project: Dense::read(read, family.projection(), [labels, hidden])?,
        })
    }
}

impl Head {
    /// Reads the tensors of a checkpoint whose head has `labels` logits.
    ///
    /// # Errors
    /// As [`Parameters::read`].
    pub(super) fn read(weights: &Weights, config: &Config, labels: usize) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        Self::named(config, &prefix, labels, &mut reader(weights, config))
    }
}

/// What turns token states into the score of a match: see [`matching`](super::matching).
pub(super) struct Matching<T = Tensor> {
    /// k, (2).
    pub scale: T,
    /// v, (hidden).
    pub worth: T,
}

impl<T> Matching<T> {
    /// The first of its parts.
    pub(super) const FIRST: &'static str = "matching.scale";

    /// Reads it as [`Parameters::named`] does.
    ///
    /// # Errors
    /// The first of the reader's.
    pub(super) fn named(config: &Config, read: &mut Read<'_, T>) -> Result<Self> {
        Ok(Self {
            scale: read(Matching::<T>::FIRST, &[2])?,
            worth: read("matching.worth", &[config.hidden])?,
        })
    }
}

/// What stands on top of an encoder that is trained.
pub(super) enum Top<T = Tensor> {
    /// Logits from the first token.
    Classifier(Head<T>),
    /// A score from all tokens of two texts.
    Matching(Matching<T>),
}

impl<T> Top<T> {
    /// Reads it as [`Parameters::named`] does.
    ///
    /// # Errors
    /// The first of the reader's.
    pub(super) fn named(
        config: &Config,
        prefix: &str,
        output: Output,
        read: &mut Read<'_, T>,
    ) -> Result<Self> {
        Ok(match output {
            Output::Logits(labels) => Self::Classifier(Head::named(config, prefix, labels, read)?),
            Output::Match => Self::Matching(Matching::named(config, read)?),
        })
    }
}

/// What an encoder is trained to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// So many logits of every input.
    Logits(usize),
    /// A score of every input but the last of its example: how it matches the last.
    Match,
}

/// Reads tensors of a checkpoint; zeros for a bias that its kind of model does without.
pub(super) fn reader<'a>(
    weights: &'a Weights,
    config: &'a Config,
) -> impl FnMut(&str, &[usize]) -> Result<Tensor> + 'a {
    move |name, shape| match &config.places {
        Places::Rotary(rotary) if rotary.lacks(name) => weights.zeros(shape),
        _ => weights.get(name, shape),
    }
}
