//! The encoder on the processor: packed matrices, sequences laid end to end.
//!
//! Sequences are put into groups of about 320 tokens, in order and without padding; each group is
//! run by one thread from the embeddings to the last layer, and threads share nothing. So every
//! dense layer is one product over the group, while attention keeps to the rows of a sequence.
//! Weights are packed once, when the model is loaded.
//!
//! The result of a sequence depends on nothing else, bit for bit: every element of a product is
//! summed in one order whatever the number of rows (see [`product`] and [`bf16`]), sums over a row
//! are taken in one fixed order, and dropout masks are functions of the sequence.

mod aligned;
mod attention;
mod bf16;
mod embeddings;
mod factor;
#[cfg(target_arch = "x86_64")]
mod instructions;
mod int8;
mod layer;
mod linear;
mod norm;
mod product;
mod rows;
mod sets;
mod simd;
#[cfg(test)]
mod skipped;

pub(super) use attention::{AttentionScratch, SequenceAttention, Softmax};
#[cfg(test)]
pub(super) use bf16::Bf16Kernel;
pub(super) use factor::{Arithmetic, Factor};
#[cfg(test)]
pub(super) use int8::Int8Kernel;
pub(super) use layer::SequenceGroup;
pub(super) use linear::PackedLinear;
pub(super) use norm::{PackedLayerNorm, SequenceDropout};
pub(super) use product::{F32Panels, Product, activate};
pub(super) use rows::{AlignedMatrix, View, ViewMut};
pub(super) use sets::instruction_sets;
pub(super) use simd::{Level, Simd, Work};
#[cfg(test)]
pub(super) use skipped::say_what_is_skipped;

use self::embeddings::Embeddings;
use self::layer::{Buffers, PackedLayer};
use super::config::Config;
use super::distances::RelativePositionBias;
use super::engine::{EncoderEngine, HiddenStates, Pass, StateSelection};
use super::parameters::{self, EncoderParameters};
use candle_core::{Result, Tensor};
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;

/// The approximate number of tokens of a group: activations stay in the cache, and weights are read once for many.
const GROUP: usize = 320;

thread_local! {
    /// Activations, shared by all encoders.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// An encoder with its weights packed.
pub(super) struct PackedEncoder {
    level: Level,
    config: Config,
    embeddings: Embeddings,
    biases: Option<RelativePositionBias>,
    layers: Vec<PackedLayer>,
}

impl PackedEncoder {
    /// Packs the weights for one instruction set and arithmetic.
    pub(super) fn new(
        level: Level,
        arithmetic: Arithmetic,
        config: &Config,
        from: &EncoderParameters,
    ) -> Result<Self> {
        let layers = from.layers.iter().enumerate();
        Ok(Self {
            level,
            config: config.clone(),
            embeddings: Embeddings::new(level, arithmetic, from)?,
            biases: match &from.distances {
                Some(table) => Some(RelativePositionBias::new(config, &floats(table)?)),
                None => None,
            },
            layers: layers
                .map(|(number, from)| layer(level, arithmetic, number, from))
                .collect::<Result<_>>()?,
        })
    }

    fn run_batch(
        &self,
        batch: &SequenceBatch<'_>,
        wanted: &StateSelection,
        buffers: &mut Buffers,
    ) -> Vec<HiddenStates> {
        let SequenceBatch { trunk, ends } = batch;
        let deepest = match wanted {
            StateSelection::Layers(layers) => *layers.end(),
            StateSelection::First => self.layers.len(),
        };
        // Passes that share a trunk get rows of their own.
        let spread =
            (*wanted != StateSelection::First && ends.len() > trunk.len()).then(|| spread(ends));
        let all = spread.as_ref().unwrap_or(ends);
        let mut states = vec![Vec::new(); ends.len()];
        let mut keep = |number: usize, x: &AlignedMatrix| {
            if matches!(wanted, StateSelection::Layers(layers) if layers.contains(&number)) {
                for (states, (_, tokens)) in states.iter_mut().zip(all) {
                    states.push(x.copy(tokens.clone()));
                }
            }
        };
        self.embeddings
            .run(self.level, &self.config, trunk, buffers);
        keep(0, &buffers.x);
        for layer in &self.layers[..deepest] {
            let last = layer.number + 1 == deepest;
            let narrow = *wanted == StateSelection::First && last;
            if last && spread.is_some() {
                let mut x = AlignedMatrix::default();
                copy(&buffers.x, ends, &mut x);
                buffers.x = x;
            }
            let group = match (narrow, last) {
                (true, _) => ends,
                (false, true) => all,
                (false, false) => trunk,
            };
            let biases = self.biases.as_ref();
            layer.run(self.level, &self.config, biases, group, narrow, buffers);
            keep(layer.number + 1, &buffers.x);
        }
        if *wanted == StateSelection::First {
            for (i, (states, (_, tokens))) in states.iter_mut().zip(ends).enumerate() {
                // Without any layer no rows have been dropped.
                let row = if deepest == 0 { tokens.start } else { i };
                states.push(buffers.x.row(row).to_vec());
            }
        }
        let width = self.config.hidden;
        let hidden = |layers| HiddenStates { layers, width };
        states.into_iter().map(hidden).collect()
    }
}

impl EncoderEngine for PackedEncoder {
    fn run(&self, passes: &[Pass<'_>], wanted: &StateSelection) -> Result<Vec<HiddenStates>> {
        let last = self.layers.len();
        let shared = match wanted {
            StateSelection::Layers(layers) if *layers.start() < last => None,
            StateSelection::First | StateSelection::Layers(_) => last.checked_sub(1),
        };
        let batches: Vec<Vec<HiddenStates>> = batches(passes, shared)
            .par_iter()
            .map(|batch| BUFFERS.with_borrow_mut(|buffers| self.run_batch(batch, wanted, buffers)))
            .collect();
        Ok(batches.into_iter().flatten().collect())
    }
}

/// The sequences that one thread runs together.
struct SequenceBatch<'a> {
    /// The passes run up to the last layer.
    trunk: Vec<(Pass<'a>, Range<usize>)>,
    /// The passes run through the last layer: the same, or several for one of the trunk's.
    ends: Vec<(Pass<'a>, Range<usize>)>,
}

/// Splits passes into batches of whole sequences, in order, as many as fit into a group; a longer one is
/// alone. Adjacent passes that do not differ in the first `shared` layers are one sequence there.
fn batches<'a>(passes: &[Pass<'a>], shared: Option<usize>) -> Vec<SequenceBatch<'a>> {
    let mut batches: Vec<SequenceBatch<'a>> = Vec::new();
    for &pass in passes {
        let last = batches.last_mut().and_then(|batch| {
            let (before, tokens) = batch.ends.last()?.clone();
            Some((batch, before, tokens))
        });
        let length = pass.tokens.ids.len();
        match last {
            Some((batch, before, tokens))
                if shared.is_some_and(|layers| pass.is_like(&before, layers)) =>
            {
                batch.ends.push((pass, tokens));
            }
            Some((batch, _, tokens)) if tokens.end + length <= GROUP => {
                let tokens = tokens.end..tokens.end + length;
                batch.trunk.push((pass, tokens.clone()));
                batch.ends.push((pass, tokens));
            }
            _ => batches.push(SequenceBatch {
                trunk: vec![(pass, 0..length)],
                ends: vec![(pass, 0..length)],
            }),
        }
    }
    batches
}

/// The same sequences, each with rows of its own, laid end to end.
fn spread<'a>(sequences: &SequenceGroup<'a>) -> Vec<(Pass<'a>, Range<usize>)> {
    let mut end = 0;
    let place = |(pass, tokens): &(Pass<'a>, Range<usize>)| {
        let start = end;
        end += tokens.len();
        (*pass, start..end)
    };
    sequences.iter().map(place).collect()
}

/// Copies the rows of sequences, one after the other.
fn copy(from: &AlignedMatrix, sequences: &SequenceGroup<'_>, to: &mut AlignedMatrix) {
    let rows = sequences.iter().flat_map(|(_, tokens)| tokens.clone());
    to.shape(rows.clone().count(), from.width());
    for (i, row) in rows.enumerate() {
        to.row_mut(i).copy_from_slice(from.row(row));
    }
}

fn layer(
    level: Level,
    arithmetic: Arithmetic,
    number: usize,
    from: &parameters::LayerParameters,
) -> Result<PackedLayer> {
    let dense = |from| linear(level, arithmetic, &[from]);
    Ok(PackedLayer {
        number,
        queries: dense(&from.queries)?,
        keys_values: linear(level, arithmetic, &[&from.keys, &from.values])?,
        attention_output: dense(&from.attention_output)?,
        attention_norm: norm(level, &from.attention_norm)?,
        intermediate: dense(&from.intermediate)?,
        output: dense(&from.output)?,
        output_norm: norm(level, &from.output_norm)?,
    })
}

/// Packs several layers of the same input as one.
pub(super) fn linear(
    level: Level,
    arithmetic: Arithmetic,
    parts: &[&parameters::DenseParameters],
) -> Result<PackedLinear> {
    let join = |of: fn(&parameters::DenseParameters) -> &Tensor| {
        let parts = parts.iter().map(|part| floats(of(part)));
        Ok::<_, candle_core::Error>(parts.collect::<Result<Vec<_>>>()?.concat())
    };
    let (weight, bias) = (join(|part| &part.weight)?, join(|part| &part.bias)?);
    Ok(PackedLinear::new(level, arithmetic, &weight, &bias))
}

/// Packs a layer normalisation.
pub(super) fn norm(
    level: Level,
    from: &parameters::LayerNormParameters,
) -> Result<PackedLayerNorm> {
    let (weight, bias) = (floats(&from.weight)?, floats(&from.bias)?);
    Ok(PackedLayerNorm::new(level, weight, bias, from.epsilon))
}

/// A tensor's elements, row by row.
fn floats(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.flatten_all()?.to_vec1()
}
