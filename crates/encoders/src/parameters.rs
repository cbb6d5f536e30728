//! The parts of a classifier in a checkpoint, and their names.
//!
//! A part is whatever its reader makes of a name and a shape: a tensor for the two engines, a
//! number in a list for training. Parts are always read in the same order.

use super::config::{Config, PositionEncoding};
use super::distances::BUCKETS;
use super::weights::Weights;
use candle_core::Tensor;
use tiebreak_base::error::Result;

/// A dense layer: x Wᵀ + b.
pub(super) struct DenseParameters<T = Tensor> {
    /// (out, in).
    pub weight: T,
    /// (out).
    pub bias: T,
}

impl<T> DenseParameters<T> {
    /// Reads `NAME.weight` of `shape` (out, in) and `NAME.bias`.
    pub(super) fn read(
        read: &mut PartReader<'_, T>,
        name: &str,
        shape: [usize; 2],
    ) -> Result<Self> {
        Ok(Self {
            weight: read(&format!("{name}.weight"), &shape)?,
            bias: read(&format!("{name}.bias"), &shape[..1])?,
        })
    }
}

/// A reader that makes a part of a tensor's name and shape.
pub(super) type PartReader<'a, T> = dyn FnMut(&str, &[usize]) -> Result<T> + 'a;

/// A layer normalisation.
pub(super) struct LayerNormParameters<T = Tensor> {
    /// (width).
    pub weight: T,
    /// (width).
    pub bias: T,
    /// Added to the variance.
    pub epsilon: f32,
}

impl<T> LayerNormParameters<T> {
    /// Reads `NAME.weight` and `NAME.bias` of a width.
    pub(super) fn read(
        read: &mut PartReader<'_, T>,
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
pub(super) struct LayerParameters<T = Tensor> {
    pub queries: DenseParameters<T>,
    pub keys: DenseParameters<T>,
    pub values: DenseParameters<T>,
    pub attention_output: DenseParameters<T>,
    pub attention_norm: LayerNormParameters<T>,
    pub intermediate: DenseParameters<T>,
    pub output: DenseParameters<T>,
    pub output_norm: LayerNormParameters<T>,
}

impl<T> LayerParameters<T> {
    /// Reads the tensors whose names begin with `name`.
    pub(super) fn read(read: &mut PartReader<'_, T>, name: &str, config: &Config) -> Result<Self> {
        let (hidden, inner, epsilon) = (config.hidden, config.intermediate, config.epsilon);
        let mut dense =
            |part: &str, shape| DenseParameters::read(read, &format!("{name}.{part}"), shape);
        let mut asked = |part: &str| dense(&format!("attention.{part}"), [hidden, hidden]);
        let names = config.family.attention();
        let [queries, keys, values] = names.asked;
        let (queries, keys, values) = (asked(queries)?, asked(keys)?, asked(values)?);
        let attention_output = asked(names.output)?;
        let intermediate = dense("intermediate.dense", [inner, hidden])?;
        let output = dense("output.dense", [hidden, inner])?;
        let mut norm = |part: &str| {
            LayerNormParameters::read(read, &format!("{name}.{part}"), hidden, epsilon)
        };
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

/// All parameters of an encoder. Embedding tables are (rows, embedding).
pub(super) struct EncoderParameters<T = Tensor> {
    pub words: T,
    pub positions: T,
    /// The token types, in the families that have them.
    pub types: Option<T>,
    pub norm: LayerNormParameters<T>,
    /// The projection from the embeddings' width to the hidden one, where they differ.
    pub project: Option<DenseParameters<T>>,
    /// The bias by distance of attention scores, (buckets, heads), if any.
    pub distances: Option<T>,
    pub layers: Vec<LayerParameters<T>>,
}

impl<T> EncoderParameters<T> {
    /// Reads the parts under the names that begin with `prefix`, in the shapes that `config` gives them.
    pub(super) fn read_parts(
        config: &Config,
        prefix: &str,
        read: &mut PartReader<'_, T>,
    ) -> Result<Self> {
        let mut table = |name: &str, rows| {
            let name = format!("{prefix}embeddings.{name}_embeddings.weight");
            read(&name, &[rows, config.embedding])
        };
        let words = table("word", config.vocabulary)?;
        let positions = table("position", config.position_rows())?;
        let types = (config.types > 0).then(|| table("token_type", config.types));
        let types = types.transpose()?;
        let norm = format!("{prefix}embeddings.LayerNorm");
        let norm = LayerNormParameters::read(read, &norm, config.embedding, config.epsilon)?;
        let project = (config.embedding != config.hidden)
            .then(|| {
                let name = format!("{prefix}embeddings_project");
                DenseParameters::read(read, &name, [config.hidden, config.embedding])
            })
            .transpose()?;
        let distances = (config.places == PositionEncoding::Biased).then(|| {
            let name = format!("{prefix}encoder.relative_attention_bias.weight");
            read(&name, &[BUCKETS, config.heads])
        });
        let distances = distances.transpose()?;
        let layer = |i| LayerParameters::read(read, &format!("{prefix}encoder.layer.{i}"), config);
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

impl EncoderParameters {
    /// Reads the tensors of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has
    /// another shape.
    pub(super) fn read(weights: &Weights, config: &Config) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        Self::read_parts(config, &prefix, &mut |name, shape| weights.get(name, shape))
    }
}

/// The head of a sequence classifier.
pub(super) struct ClassifierHeadParameters<T = Tensor> {
    /// The dense layer before the activation; in BERT the pooler.
    pub dense: DenseParameters<T>,
    /// The normalisation after the activation, in ModernBERT.
    pub norm: Option<LayerNormParameters<T>>,
    /// The projection to one logit per label.
    pub project: DenseParameters<T>,
}

impl<T> ClassifierHeadParameters<T> {
    /// Reads the head as [`EncoderParameters::read_parts`] does.
    pub(super) fn read_parts(
        config: &Config,
        prefix: &str,
        labels: usize,
        read: &mut PartReader<'_, T>,
    ) -> Result<Self> {
        let (hidden, family) = (config.hidden, config.family);
        let dense = DenseParameters::read(read, &family.dense(prefix), [hidden, hidden])?;
        let normed = matches!(config.places, PositionEncoding::Rotary(_));
        let norm =
            normed.then(|| LayerNormParameters::read(read, "head.norm", hidden, config.epsilon));
        Ok(Self {
            dense,
            norm: norm.transpose()?,
            project: DenseParameters::read(read, family.projection(), [labels, hidden])?,
        })
    }
}

impl ClassifierHeadParameters {
    /// Reads the tensors of a checkpoint whose head has `labels` logits.
    pub(super) fn read(weights: &Weights, config: &Config, labels: usize) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        Self::read_parts(config, &prefix, labels, &mut reader(weights, config))
    }
}

/// The parameters that turn token states into a match score: see [`matching`](super::matching).
pub(super) struct MatchingHeadParameters<T = Tensor> {
    /// The weights k, (2).
    pub scale: T,
    /// The vector v, (hidden).
    pub worth: T,
}

impl<T> MatchingHeadParameters<T> {
    /// The name of the first part.
    pub(super) const FIRST: &'static str = "matching.scale";

    /// Reads the head as [`EncoderParameters::read_parts`] does.
    pub(super) fn read_parts(config: &Config, read: &mut PartReader<'_, T>) -> Result<Self> {
        Ok(Self {
            scale: read(MatchingHeadParameters::<T>::FIRST, &[2])?,
            worth: read("matching.worth", &[config.hidden])?,
        })
    }
}

/// The head of an encoder that is trained.
pub(super) enum HeadParameters<T = Tensor> {
    /// A head of logits from the first token.
    Classifier(ClassifierHeadParameters<T>),
    /// A head of one score from all tokens of two texts.
    Matching(MatchingHeadParameters<T>),
}

impl<T> HeadParameters<T> {
    /// Reads the head as [`EncoderParameters::read_parts`] does.
    pub(super) fn read_parts(
        config: &Config,
        prefix: &str,
        output: Output,
        read: &mut PartReader<'_, T>,
    ) -> Result<Self> {
        Ok(match output {
            Output::Logits(labels) => Self::Classifier(ClassifierHeadParameters::read_parts(
                config, prefix, labels, read,
            )?),
            Output::Match => Self::Matching(MatchingHeadParameters::read_parts(config, read)?),
        })
    }
}

/// The output that an encoder is trained to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A number of logits for every input.
    Logits(usize),
    /// A score of every input of an example but the last: its match with the last.
    Match,
}

/// Reads tensors of a checkpoint; zeros for a bias that its kind of model does not have.
pub(super) fn reader<'a>(
    weights: &'a Weights,
    config: &'a Config,
) -> impl FnMut(&str, &[usize]) -> Result<Tensor> + 'a {
    move |name, shape| match &config.places {
        PositionEncoding::Rotary(rotary) if rotary.lacks(name) => weights.zeros(shape),
        _ => weights.get(name, shape),
    }
}
