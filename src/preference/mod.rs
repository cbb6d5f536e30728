//! Two texts to a preference.

use crate::error::Result;
use crate::signature::Signature;

pub mod calibration;
pub mod direct;
pub mod links;
pub mod thresholds;

/// Two outputs for the same input.
#[derive(Debug, Clone, Copy)]
pub struct Contest<'a> {
    /// The output of `system_a`.
    pub a: &'a str,
    /// The output of `system_b`.
    pub b: &'a str,
    /// The input, where it is known.
    pub source: Option<&'a str>,
    /// What people wrote, possibly nothing.
    pub references: &'a [String],
}

/// What a model says about a contest: the preference for `a`.
#[derive(Debug, Clone, PartialEq)]
pub struct Preference {
    /// With dropout off, in [0, 1].
    pub p: f64,
    /// The same under dropout, one per draw; empty for models that cannot be sampled.
    pub draws: Vec<f64>,
}

/// Something that prefers one of two outputs.
pub trait PairwiseModel: Send + Sync {
    /// What produced the numbers.
    fn signature(&self) -> Signature;

    /// One preference per contest, in order. A contest's preference does not depend on the others.
    ///
    /// # Errors
    /// If the model cannot be run on a contest.
    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>>;
}
