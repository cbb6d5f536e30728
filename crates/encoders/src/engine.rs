//! What runs an encoder's layers: packed matrices on the processor, tensors on a GPU.

use super::dropout::{Dropout, DropoutSite, Mask};
use super::tokenizer::Tokens;
use std::ops::RangeInclusive;

/// One run of the encoder over one sequence.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    /// What is read; not empty, and within the encoder's limits.
    pub tokens: &'a Tokens,
    /// The masks of one draw, or none.
    pub dropout: Option<Dropout>,
}

impl Pass<'_> {
    /// The mask of one site; `None` when nothing is dropped there.
    pub(super) fn mask(&self, site: DropoutSite, rate: f64) -> Option<Mask> {
        self.dropout.and_then(|dropout| dropout.mask(site, rate))
    }

    /// Whether another pass gives the same states up to some layer: both read the same, and neither
    /// drops anything there.
    pub(super) fn is_like(&self, other: &Self, layers: usize) -> bool {
        let plain = |pass: &Self| pass.dropout.is_none_or(|dropout| dropout.spares(layers));
        plain(self)
            && plain(other)
            && (std::ptr::eq(self.tokens, other.tokens) || self.tokens == other.tokens)
    }
}

/// Which hidden states are wanted.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum StateSelection {
    /// Every token's, of these layers; 0 is what enters the first.
    Layers(RangeInclusive<usize>),
    /// The first token's, of the last layer: what a classifier reads.
    First,
}

/// Hidden states of one sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenStates {
    /// Per wanted layer one row-major matrix of tokens by `width`.
    pub layers: Vec<Vec<f32>>,
    /// The width of a row.
    pub width: usize,
}

/// One way to run an encoder. What comes out for a pass depends on nothing but that pass: not on
/// the others, their order, or the number of threads.
pub(super) trait EncoderEngine: Send + Sync {
    /// What is wanted of each pass, in order.
    fn run(
        &self,
        passes: &[Pass<'_>],
        wanted: &StateSelection,
    ) -> candle_core::Result<Vec<HiddenStates>>;
}
