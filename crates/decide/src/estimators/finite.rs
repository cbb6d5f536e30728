//! Whether the outputs at hand are all there is, or a sample of what a system could write.
//!
//! Source: Cochran, "Sampling Techniques", 1977, section 2.6. When C of N outputs are judged, each at
//! most once and chosen without replacement, the variance of their mean as an estimate of the mean
//! that judging all N in the same way would give is smaller by the factor 1 − C/N; with C = N nothing
//! is left to estimate. That is for *these answers* (`population=finite`). The same annotators might have answered
//! otherwise: for *these items* (`--items these`) the factor applies to the variance between outputs only, and the
//! variance among judgments of one output remains, whatever C. It is estimated from outputs judged more than once;
//! without any it cannot be separated from the outputs' own, and the variance stays as it is.

use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::scope::ItemScope;

/// The population whose mean is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Extent {
    /// All that the system would write: no correction, intervals on the wide side.
    #[default]
    Infinite,
    /// The outputs in the data set, judged without replacement, as these annotators judge them.
    Finite,
    /// The same outputs, whatever these annotators would answer another time.
    #[serde(skip)]
    TheseItems,
}

/// The share of all outputs that can go unseen, from that of an infinite population, where the share `left` is not judged:
/// K outputs of N are all missed with a chance of about `left`^K, and only outputs that are left can be missed.
pub(super) fn hidden(share: f64, left: f64) -> f64 {
    match left {
        left if left >= 1.0 => share,
        left if left > 0.0 => (share * (1.0 - left) / -left.ln()).min(left),
        _ => 0.0,
    }
}

impl Extent {
    /// The population of a result about certain items.
    pub(super) fn over(self, items: ItemScope) -> Self {
        match (self, items) {
            (Self::Infinite, ItemScope::These) => Self::TheseItems,
            (extent, _) => extent,
        }
    }
}

/// The correction for a population of this many outputs; `None` for no correction.
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

    /// The factor of standard errors when this many items are judged.
    pub(super) fn factor(self, judged: usize) -> f64 {
        self.left(judged).sqrt()
    }

    /// Refuses more judged items than there are outputs.
    pub(super) fn check(self, judged: usize) -> Result<()> {
        match self.0 {
            Some(outputs) if judged as u64 > outputs => Err(Error::usage(format!(
                "only these items are meant, but {judged} items are judged and only {outputs} outputs are known"
            ))
            .with_hint(message!(
                "give all outputs of the system, or leave out population=finite and {}",
                Key("items")
            ))),
            _ => Ok(()),
        }
    }
}
