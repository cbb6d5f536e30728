//! DeBERTa's parameters, by their names in a checkpoint.

use super::{Convolution, Deberta, DebertaConfig, DebertaLayer};
use crate::Weights;
use crate::config::Config;
use crate::parameters::{DenseParameters, LayerNormParameters, LayerParameters};
use crate::tensors::{dense, norm, split};
use candle_core::Tensor;
use tiebreak_base::error::Result;

impl Deberta {
    /// Takes its parameters from a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has
    /// another shape.
    pub(crate) fn read(
        weights: &Weights,
        config: &Config,
        relative: &DebertaConfig,
    ) -> Result<Self> {
        let from = DebertaReader {
            prefix: weights.prefix(config.family),
            weights,
            config,
            relative,
        };
        let (width, hidden) = (config.embedding, config.hidden);
        let table =
            |name: &str, rows| from.get(&format!("embeddings.{name}.weight"), &[rows, width]);
        let positions = || table("position_embeddings", config.positions);
        let types = || table("token_type_embeddings", config.types);
        let project = || from.get("embeddings.embed_proj.weight", &[hidden, width]);
        let distances = from.distances()?;
        let layer = |number| from.layer(number, distances.as_ref());
        Ok(Self {
            words: table("word_embeddings", config.vocabulary)?,
            positions: relative.absolute.then(positions).transpose()?,
            types: (config.types > 0).then(types).transpose()?,
            project: (width != hidden).then(project).transpose()?,
            norm: from.norm("embeddings.LayerNorm")?,
            layers: (0..config.layers).map(layer).collect::<Result<_>>()?,
            convolution: from.convolution()?,
            config: config.clone(),
            relative: relative.clone(),
        })
    }
}

/// A checkpoint and the configuration that its tensors must fit.
struct DebertaReader<'a> {
    weights: &'a Weights,
    prefix: String,
    config: &'a Config,
    relative: &'a DebertaConfig,
}

impl DebertaReader<'_> {
    fn get(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        self.weights.get(&format!("{}{name}", self.prefix), shape)
    }

    fn norm(&self, name: &str) -> Result<LayerNormParameters> {
        let read = &mut |name: &str, shape: &[usize]| self.get(name, shape);
        LayerNormParameters::read(read, name, self.config.hidden, self.config.epsilon)
    }

    /// The embeddings of distances, (2 span, hidden), where there are any.
    fn distances(&self) -> Result<Option<Tensor>> {
        let span = self.relative.span;
        if span == 0 {
            return Ok(None);
        }
        // A span without a table must not overflow.
        let rows = span.saturating_mul(2);
        let table = self.get("encoder.rel_embeddings.weight", &[rows, self.config.hidden])?;
        if !self.relative.normed {
            return Ok(Some(table));
        }
        let table = norm(&self.norm("encoder.LayerNorm")?, &table);
        table
            .map(Some)
            .map_err(|source| self.weights.failed(source))
    }

    fn layer(&self, number: usize, distances: Option<&Tensor>) -> Result<DebertaLayer> {
        let read = &mut |name: &str, shape: &[usize]| self.get(name, shape);
        let name = format!("encoder.layer.{number}");
        let layer = LayerParameters::read(read, &name, self.config)?;
        let projected = |wanted: bool, own: &str, shared: &DenseParameters| {
            let own = format!("{name}.attention.self.{own}");
            match distances.filter(|_| wanted) {
                None => Ok(None),
                Some(distances) if self.relative.shared => self.project(shared, distances),
                Some(distances) => self.project(&self.dense(&own)?, distances),
            }
        };
        Ok(DebertaLayer {
            keys: projected(self.relative.to_positions, "pos_key_proj", &layer.keys)?,
            queries: projected(
                self.relative.from_positions,
                "pos_query_proj",
                &layer.queries,
            )?,
            layer,
        })
    }

    fn dense(&self, name: &str) -> Result<DenseParameters> {
        let read = &mut |name: &str, shape: &[usize]| self.get(name, shape);
        DenseParameters::read(read, name, [self.config.hidden; 2])
    }

    fn project(&self, part: &DenseParameters, distances: &Tensor) -> Result<Option<Tensor>> {
        let projected = dense(part, distances).and_then(|all| split(&all, 1, self.config.heads));
        projected
            .map(Some)
            .map_err(|source| self.weights.failed(source))
    }

    fn convolution(&self) -> Result<Option<Convolution>> {
        let Some(shape) = self.relative.convolution else {
            return Ok(None);
        };
        let hidden = self.config.hidden;
        let weight = [hidden, hidden / shape.groups, shape.kernel];
        Ok(Some(Convolution {
            shape,
            weight: self.get("encoder.conv.conv.weight", &weight)?,
            bias: self.get("encoder.conv.conv.bias", &[hidden])?,
            norm: self.norm("encoder.conv.LayerNorm")?,
        }))
    }
}
