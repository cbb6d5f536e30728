//! Intervals around an estimate, and the two ways to make one.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// An interval for the mean human judgment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
    /// Standard error of the point estimate, robust to clusters by item; by formula, also where
    /// the ends come from a bootstrap. `None` where the ends come from no standard error.
    pub standard_error: Option<f64>,
}

impl Interval {
    /// Upper minus lower end.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// How the ends of an interval are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// By the central limit theorem, with Student's t in place of the normal quantile since the
    /// variance is estimated (they agree to 1 % from 120 items on).
    #[default]
    Normal,
    /// Percentiles of estimates from resampled items.
    Bootstrap,
}

impl IntervalKind {
    /// How often to resample, where this kind does.
    pub(super) fn resamples(self, wanted: u64) -> Option<u64> {
        (self == Self::Bootstrap).then_some(wanted)
    }
}

/// The smallest number of resamples whose tails can be told at all.
const FEWEST_RESAMPLES: u64 = 100;

/// Refuses a number of resamples that no percentile can be read from.
pub(super) fn check_resamples(estimator: &str, resamples: u64) -> Result<()> {
    if resamples >= FEWEST_RESAMPLES {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{estimator}: resamples is {resamples}, expected at least {FEWEST_RESAMPLES}"
    )))
}
