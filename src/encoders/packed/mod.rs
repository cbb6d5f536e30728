//! The encoder on the processor: packed matrices, sequences laid end to end.
//!
//! Sequences are put into groups of about 512 tokens, in order and without padding; each group is
//! run by one thread from the embeddings to the last layer, and threads share nothing. So every
//! dense layer is one product over the group, while attention keeps to the rows of a sequence.
//! Weights are packed once, when the model is loaded.
//!
//! What comes out for a sequence depends on nothing else, bit for bit: every element of a product
//! is one chain of multiply-adds whatever the number of rows (see [`product`]), sums over a row
//! are taken in one fixed order, and dropout masks are functions of the sequence.

mod attention;
mod embeddings;
mod layer;
mod norm;
mod product;
mod rows;
mod simd;

pub(super) use attention::{Attention, Scratch, Softmax};
pub(super) use layer::Group;
pub(super) use norm::{Drop, Norm};
pub(super) use product::{Linear, Panels, Product, activate};
pub(super) use rows::{Rows, View, ViewMut};
pub(super) use simd::{Level, Simd, Work};

use self::embeddings::Embeddings;
use self::layer::{Buffers, Layer};
use super::config::Config;
use super::engine::{Engine, Hidden, Pass, Wanted};
use super::parameters::{self, Parameters};
use candle_core::{Result, Tensor};
use rayon::prelude::*;

/// Tokens of a group, about: activations stay in the cache, and weights are read once for many.
const GROUP: usize = 512;

/// An encoder with its weights packed.
pub(super) struct Packed {
    level: Level,
    config: Config,
    embeddings: Embeddings,
    layers: Vec<Layer>,
}

impl Packed {
    /// Packs the weights for one instruction set.
    pub(super) fn new(level: Level, config: &Config, from: &Parameters) -> Result<Self> {
        let layers = from.layers.iter().enumerate();
        Ok(Self {
            level,
            config: config.clone(),
            embeddings: Embeddings::new(level, from)?,
            layers: layers
                .map(|(number, from)| layer(level, number, from))
                .collect::<Result<_>>()?,
        })
    }

    fn run_group(&self, group: &Group<'_>, wanted: &Wanted, buffers: &mut Buffers) -> Vec<Hidden> {
        let deepest = match wanted {
            Wanted::Layers(layers) => *layers.end(),
            Wanted::First => self.layers.len(),
        };
        let mut states = vec![Vec::new(); group.len()];
        let mut keep = |number: usize, x: &Rows| {
            if matches!(wanted, Wanted::Layers(layers) if layers.contains(&number)) {
                for (states, (_, tokens)) in states.iter_mut().zip(group) {
                    states.push(x.copy(tokens.clone()));
                }
            }
        };
        self.embeddings
            .run(self.level, &self.config, group, buffers);
        keep(0, &buffers.x);
        for layer in &self.layers[..deepest] {
            let narrow = *wanted == Wanted::First && layer.number + 1 == deepest;
            layer.run(self.level, &self.config, group, narrow, buffers);
            keep(layer.number + 1, &buffers.x);
        }
        if *wanted == Wanted::First {
            for (i, (states, (_, tokens))) in states.iter_mut().zip(group).enumerate() {
                // Without any layer nothing has been narrowed.
                let row = if deepest == 0 { tokens.start } else { i };
                states.push(buffers.x.row(row).to_vec());
            }
        }
        let width = self.config.hidden;
        let hidden = |layers| Hidden { layers, width };
        states.into_iter().map(hidden).collect()
    }
}

impl Engine for Packed {
    fn run(&self, passes: &[Pass<'_>], wanted: &Wanted) -> Result<Vec<Hidden>> {
        let groups: Vec<Vec<Hidden>> = groups(passes)
            .par_iter()
            .map_init(Buffers::default, |buffers, group| {
                self.run_group(group, wanted, buffers)
            })
            .collect();
        Ok(groups.into_iter().flatten().collect())
    }
}

/// Whole sequences in order, as many as fit into a group; one that is longer has its own.
fn groups<'a>(passes: &[Pass<'a>]) -> Vec<Vec<(Pass<'a>, std::ops::Range<usize>)>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    let mut end = usize::MAX;
    for pass in passes {
        let length = pass.tokens.ids.len();
        if end.saturating_add(length) > GROUP {
            groups.push(Vec::new());
            end = 0;
        }
        groups
            .last_mut()
            .expect("just made")
            .push((*pass, end..end + length));
        end += length;
    }
    groups
}

fn layer(level: Level, number: usize, from: &parameters::Layer) -> Result<Layer> {
    let dense = |from| linear(level, &[from]);
    Ok(Layer {
        number,
        queries: dense(&from.queries)?,
        keys_values: linear(level, &[&from.keys, &from.values])?,
        attention_output: dense(&from.attention_output)?,
        attention_norm: norm(level, &from.attention_norm)?,
        intermediate: dense(&from.intermediate)?,
        output: dense(&from.output)?,
        output_norm: norm(level, &from.output_norm)?,
    })
}

/// Several layers of the same input as one.
pub(super) fn linear(level: Level, parts: &[&parameters::Dense]) -> Result<Linear> {
    let join = |of: fn(&parameters::Dense) -> &Tensor| {
        let parts = parts.iter().map(|part| floats(of(part)));
        Ok::<_, candle_core::Error>(parts.collect::<Result<Vec<_>>>()?.concat())
    };
    let weight = join(|part| &part.weight)?;
    Ok(Linear::new(level, &weight, &join(|part| &part.bias)?))
}

/// A layer normalisation.
pub(super) fn norm(level: Level, from: &parameters::Norm) -> Result<Norm> {
    let (weight, bias) = (floats(&from.weight)?, floats(&from.bias)?);
    Ok(Norm::new(level, weight, bias, from.epsilon))
}

/// A tensor's elements, row by row.
fn floats(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.flatten_all()?.to_vec1()
}
