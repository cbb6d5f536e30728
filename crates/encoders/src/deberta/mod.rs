//! DeBERTa versions 2 and 3: attention that treats words and distances separately.
//!
//! He et al., "DeBERTa: Decoding-enhanced BERT with Disentangled Attention", ICLR 2021, section 3.1,
//! and "DeBERTaV3", ICLR 2023. A score of attention is a sum of up to three: word to word, word to
//! distance (c2p) and distance to word (p2c), over √(their number × width). Distances have
//! embeddings of their own, the same for all layers, in which far ones share rows. Version 2 adds
//! a convolution over neighbouring tokens to the first layer.
//!
//! It runs on tensors, everywhere, and without dropout.

mod read;
mod shape;

pub(crate) use shape::DebertaConfig;

use self::shape::ConvolutionShape;
use super::Tokens;
use super::config::Config;
use super::engine::Pass;
use super::ops;
use super::parameters::{DenseParameters, LayerNormParameters, LayerParameters};
use super::tensors::{Layers, dense, finish, join, norm, rows, split};
use candle_core::{Device, Result, Tensor};

/// DeBERTa's encoder.
pub(super) struct Deberta {
    config: Config,
    relative: DebertaConfig,
    words: Tensor,
    positions: Option<Tensor>,
    types: Option<Tensor>,
    /// From the embeddings' width to the hidden one, (hidden, embedding), where they differ.
    project: Option<Tensor>,
    norm: LayerNormParameters,
    layers: Vec<DebertaLayer>,
    convolution: Option<Convolution>,
}

/// One layer.
struct DebertaLayer {
    layer: LayerParameters,
    /// The keys of distances, (heads, 2 span, width), where words attend to them.
    keys: Option<Tensor>,
    /// The queries of distances, in the same shape, where they attend to words.
    queries: Option<Tensor>,
}

/// The convolution over neighbouring tokens that is added to the first layer.
struct Convolution {
    shape: ConvolutionShape,
    /// (hidden, hidden / groups, kernel).
    weight: Tensor,
    /// (hidden).
    bias: Tensor,
    norm: LayerNormParameters,
}

impl Deberta {
    fn embed(&self, tokens: &Tokens) -> Result<Tensor> {
        let each: Vec<[usize; 3]> = self.config.rows(tokens).collect();
        let mut x = rows(&self.words, &each, 0)?;
        if let Some(positions) = &self.positions {
            x = (x + rows(positions, &each, 2)?)?;
        }
        if let Some(types) = &self.types {
            x = (x + rows(types, &each, 1)?)?;
        }
        if let Some(project) = &self.project {
            x = x.matmul(&project.t()?)?;
        }
        norm(&self.norm, &x)
    }

    /// The row of the distance embedding for every query and key, (heads, queries, keys), and
    /// the same by keys. `None` where attention has no distances.
    fn distances(&self, n: usize) -> Result<Option<[Tensor; 2]>> {
        if self.relative.span == 0 {
            return Ok(None);
        }
        let rows = self.relative.rows(n);
        // Row n − 1 + i − j is that of query i and key j.
        let each = (0..n).flat_map(|i| rows[i..i + n].iter().rev().copied());
        let by_queries = Tensor::from_iter(each, self.words.device())?.reshape((n, n))?;
        let everywhere = |rows: &Tensor| rows.expand((self.config.heads, n, n))?.contiguous();
        Ok(Some([
            everywhere(&by_queries)?,
            everywhere(&by_queries.t()?)?,
        ]))
    }

    fn attend(
        &self,
        layer: &DebertaLayer,
        x: &Tensor,
        distances: Option<&[Tensor; 2]>,
    ) -> Result<Tensor> {
        let of = |part: &DenseParameters| split(&dense(part, x)?, 1, self.config.heads);
        let (queries, keys) = (of(&layer.layer.queries)?, of(&layer.layer.keys)?);
        let width = self.config.hidden / self.config.heads;
        let mut scores = queries.matmul(&keys.t()?)?;
        if let Some([by_queries, by_keys]) = distances {
            if let Some(places) = &layer.keys {
                scores = (scores + queries.matmul(&places.t()?)?.gather(by_queries, 2)?)?;
            }
            if let Some(places) = &layer.queries {
                scores = (scores + keys.matmul(&places.t()?)?.gather(by_keys, 2)?.t()?)?;
            }
        }
        let scale = 1.0 / ((width * self.relative.parts()) as f64).sqrt();
        let weights = ops::softmax(&(scores * scale)?)?;
        join(&weights.matmul(&of(&layer.layer.values)?)?, 1)
    }
}

impl Layers for Deberta {
    fn config(&self) -> &Config {
        &self.config
    }

    fn device(&self) -> &Device {
        self.words.device()
    }

    fn takes_several(&self) -> bool {
        false
    }

    fn states(&self, passes: &[Pass<'_>], depth: usize) -> Result<Vec<Tensor>> {
        let tokens = passes[0].tokens;
        let mut states = vec![self.embed(tokens)?];
        let distances = self.distances(tokens.ids.len())?;
        for (number, layer) in self.layers[..depth].iter().enumerate() {
            let x = &states[number];
            let context = self.attend(layer, x, distances.as_ref())?;
            let mut out = finish(&layer.layer, &self.config, number, &context, x, passes)?;
            if let Some(convolution) = self.convolution.as_ref().filter(|_| number == 0) {
                out = convolution.add(x, &out)?;
            }
            states.push(out);
        }
        Ok(states)
    }
}

impl Convolution {
    /// Adds the convolution of `x` to `out`.
    fn add(&self, x: &Tensor, out: &Tensor) -> Result<Tensor> {
        let ConvolutionShape { kernel, groups, .. } = self.shape;
        let columns = x.t()?.unsqueeze(0)?.contiguous()?;
        let seen = columns.conv1d(&self.weight, kernel / 2, 1, 1, groups)?;
        let seen = seen.squeeze(0)?.t()?.broadcast_add(&self.bias)?;
        norm(
            &self.norm,
            &(out + ops::activate(&seen, self.shape.activation)?)?,
        )
    }
}
