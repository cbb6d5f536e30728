//! Whether the outputs at hand are all there is, or a sample of what a system could write.
//!
//! Source: Cochran, "Sampling Techniques", 1977, section 2.6. When C of N outputs are judged, each at
//! most once and chosen without replacement, the variance of their mean as an estimate of the mean
//! that judging all N in the same way would give is smaller by the factor 1 − C/N; with C = N nothing
//! is left to estimate. That is of *these answers* (`population=finite`). The same annotators might have answered
//! otherwise: of *these items* (`--items these`) the factor is on the variance between outputs only, and what
//! judgments of one output vary by is left, whatever C. It is that of outputs judged more than once; where there are none,
//! nothing tells it from the outputs' own, and the variance stays as it is.

use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::scope::ItemScope;

/// What the estimated mean is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Extent {
    /// Of all that the system would write: no correction, intervals on the wide side.
    #[default]
    Infinite,
    /// Of the outputs in the data set, judged without replacement, as these annotators judge them.
    Finite,
    /// Of the same outputs, whatever these annotators would answer another time.
    #[serde(skip)]
    TheseItems,
}

impl Extent {
    /// The same where a result is to be about certain items.
    pub(super) fn over(self, items: ItemScope) -> Self {
        match (self, items) {
            (Self::Infinite, ItemScope::These) => Self::TheseItems,
            (extent, _) => extent,
        }
    }
}

/// The correction for a population of so many outputs; `None` corrects nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct FiniteCorrection(Option<u64>);

impl FiniteCorrection {
    pub(super) fn new(extent: Extent, outputs: u64) -> Self {
        Self((extent != Extent::Infinite).then_some(outputs))
    }

    /// The share of the outputs that is not judged; 1 of an infinite population.
    pub(super) fn left(self, judged: usize) -> f64 {
        let left = |outputs: u64| (1.0 - judged as f64 / outputs as f64).max(0.0);
        self.0.map_or(1.0, left)
    }

    /// What standard errors are multiplied by when that many items are judged.
    pub(super) fn factor(self, judged: usize) -> f64 {
        self.left(judged).sqrt()
    }

    /// Refuses more judged items than there are outputs.
    pub(super) fn check(self, judged: usize) -> Result<()> {
        match self.0 {
            Some(outputs) if judged as u64 > outputs => Err(Error::usage(format!(
                "only these items, but {judged} items are judged and only {outputs} outputs are known"
            ))
            .with_hint("give all outputs of the system, or leave out population=finite and `items`")),
            _ => Ok(()),
        }
    }
}
