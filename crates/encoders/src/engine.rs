//! The trait of what runs an encoder's layers: packed matrices on the processor, tensors on a GPU.

use super::dropout::{Dropout, DropoutSite, Mask};
use super::tokenizer::Tokens;
use std::ops::RangeInclusive;

/// One run of the encoder over one sequence.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    /// The input; not empty, and within the encoder's limits.
    pub tokens: &'a Tokens,
    /// The masks of one draw, or none.
    pub dropout: Option<Dropout>,
}

impl Pass<'_> {
    /// The mask of one site; `None` when nothing is dropped there.
    pub(super) fn mask(&self, site: DropoutSite, rate: f64) -> Option<Mask> {
        self.dropout.and_then(|dropout| dropout.mask(site, rate))
    }

    /// Whether another pass gives the same states up to some layer: both have the same input, and
    /// neither drops anything there.
    pub(super) fn is_like(&self, other: &Self, layers: usize) -> bool {
        let plain = |pass: &Self| pass.dropout.is_none_or(|dropout| dropout.spares(layers));
        plain(self)
            && plain(other)
            && (std::ptr::eq(self.tokens, other.tokens) || self.tokens == other.tokens)
    }
}

/// The hidden states that are wanted.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum StateSelection {
    /// The states of every token in these layers; 0 is what enters the first.
    Layers(RangeInclusive<usize>),
    /// The state of the first token in the last layer: what a classifier reads.
    First,
}

/// Hidden states of one sequence.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HiddenStates {
    /// One row-major matrix of tokens by `width` per wanted layer.
    pub layers: Vec<Vec<f32>>,
    /// The width of a row.
    pub width: usize,
}

/// The largest difference of two states, which must be alike in everything else.
#[cfg(test)]
pub(super) fn largest_difference(found: &[HiddenStates], expected: &[HiddenStates]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let mut largest = 0.0_f32;
    for (found, expected) in found.iter().zip(expected) {
        let (found, expected) = (found.layers.concat(), expected.layers.concat());
        assert_eq!(found.len(), expected.len());
        for (x, y) in found.iter().zip(expected) {
            let difference = (x - y).abs();
            assert!(difference.is_finite(), "{x}, expected {y}");
            largest = largest.max(difference);
        }
    }
    largest
}

/// A way to run an encoder. The result of a pass depends on nothing but that pass: not on
/// the others, their order, or the number of threads.
pub(super) trait EncoderEngine: Send + Sync {
    /// Runs each pass, and returns the states that are wanted, in order.
    fn run(
        &self,
        passes: &[Pass<'_>],
        wanted: &StateSelection,
    ) -> candle_core::Result<Vec<HiddenStates>>;
}
