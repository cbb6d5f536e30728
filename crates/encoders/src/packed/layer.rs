//! One layer: attention and feed-forward network, each normalised after its residual.

use super::attention::{AttentionScratch, SequenceAttention};
use super::linear::PackedLinear;
use super::norm::PackedLayerNorm;
use super::rows::AlignedMatrix;
use super::simd::Level;
use crate::config::{Activation, Config};
use crate::distances::RelativePositionBias;
use crate::dropout::{DropoutSite, Mask};
use crate::engine::Pass;
use std::ops::Range;

/// A layer's parameters.
pub(crate) struct PackedLayer {
    /// The place of the layer, from 0.
    pub number: usize,
    pub queries: PackedLinear,
    pub keys_values: PackedLinear,
    pub attention_output: PackedLinear,
    pub attention_norm: PackedLayerNorm,
    pub intermediate: PackedLinear,
    pub output: PackedLinear,
    pub output_norm: PackedLayerNorm,
}

/// Sequences laid end to end, each with the rows of its tokens. Passes that share all layers
/// below one share their rows there.
pub(crate) type SequenceGroup<'a> = [(Pass<'a>, Range<usize>)];

/// Activations of one group, reused between calls.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// The input of a layer, then its output.
    pub x: AlignedMatrix,
    /// Embeddings before they are projected.
    pub embedded: AlignedMatrix,
    queries: AlignedMatrix,
    keys_values: AlignedMatrix,
    context: AlignedMatrix,
    inner: AlignedMatrix,
    added: AlignedMatrix,
    first: AlignedMatrix,
    attention: AttentionScratch,
}

impl PackedLayer {
    /// Runs `buffers.x` through the layer. With `narrow`, the output has only the first token of every
    /// pass, one row each: the others are needed only as keys and values.
    pub(super) fn run(
        &self,
        level: Level,
        config: &Config,
        biases: Option<&RelativePositionBias>,
        group: &SequenceGroup<'_>,
        narrow: bool,
        buffers: &mut Buffers,
    ) {
        self.keys_values
            .apply(&buffers.x, None, &mut buffers.keys_values);
        if narrow {
            keep_first(group, buffers);
        }
        let asking = |i: usize| match narrow {
            true => i..i + 1,
            false => group[i].1.clone(),
        };
        self.queries.apply(&buffers.x, None, &mut buffers.queries);
        self.attend(level, config, biases, group, narrow, buffers);
        let Buffers {
            x,
            context,
            inner,
            added,
            ..
        } = buffers;
        let rate = config.dropout.hidden;
        self.attention_output.apply(context, None, added);
        for (i, (pass, _)) in group.iter().enumerate() {
            let mask = pass.mask(DropoutSite::AttentionOutput(self.number), rate);
            self.attention_norm.add(x, added, mask, asking(i));
        }
        let activation: Option<Activation> = Some(config.activation);
        self.intermediate.apply(x, activation, inner);
        self.output.apply(inner, None, added);
        for (i, (pass, _)) in group.iter().enumerate() {
            let mask = pass.mask(DropoutSite::Output(self.number), rate);
            self.output_norm.add(x, added, mask, asking(i));
        }
    }

    /// Computes the context from queries, keys and values, sequence by sequence.
    fn attend(
        &self,
        level: Level,
        config: &Config,
        biases: Option<&RelativePositionBias>,
        group: &SequenceGroup<'_>,
        narrow: bool,
        buffers: &mut Buffers,
    ) {
        let hidden = config.hidden;
        buffers.context.shape(buffers.x.count(), hidden);
        let mut first = 0;
        for alike in group.chunk_by(|(_, one), (_, other)| one == other) {
            let (_, tokens) = &alike[0];
            let asking = match narrow {
                true => first..first + alike.len(),
                false => tokens.clone(),
            };
            first += alike.len();
            let mask = |(pass, _): &(Pass<'_>, _)| {
                pass.mask(
                    DropoutSite::Attention(self.number),
                    config.dropout.attention,
                )
            };
            let masks: Vec<Option<Mask>> = alike.iter().map(mask).collect();
            SequenceAttention {
                heads: (config.heads, hidden / config.heads),
                asking: asking.len(),
                tokens: tokens.len(),
                queries: buffers.queries.view(asking.start, 0),
                keys: buffers.keys_values.view(tokens.start, 0),
                values: buffers.keys_values.view(tokens.start, hidden),
                biases,
                masks: &masks,
                context: buffers.context.view_mut(asking.start, 0),
            }
            .run(level, &mut buffers.attention);
        }
    }
}

/// Keeps only the first row of every pass in `x`.
fn keep_first(group: &SequenceGroup<'_>, buffers: &mut Buffers) {
    let Buffers { x, first, .. } = buffers;
    first.shape(group.len(), x.width());
    for (i, (_, tokens)) in group.iter().enumerate() {
        first.row_mut(i).copy_from_slice(x.row(tokens.start));
    }
    std::mem::swap(x, first);
}
