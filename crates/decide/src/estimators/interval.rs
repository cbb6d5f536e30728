//! Intervals around an estimate, and the ways to make one.

use super::finite::Extent;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::stats::quantiles;

/// An interval for the mean human judgment.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
    /// Standard error of the point estimate, robust to clusters by item; by formula, also where
    /// the ends come from a bootstrap. `None` where the ends come from no standard error.
    pub standard_error: Option<f64>,
    /// The share of its width that is there only for outputs at an end of the range that no judgment shows.
    pub unseen: f64,
}

impl Interval {
    /// The normal interval around an estimate, for a variance that is known or taken for known; `None` unless
    /// 0 < confidence < 1.
    pub(super) fn of_normal(value: f64, standard_error: f64, confidence: f64) -> Option<Self> {
        let reach = quantiles::normal(0.5 + confidence / 2.0).filter(|_| confidence > 0.0)?;
        Some(Self::around(value, standard_error, reach))
    }

    pub(super) fn around(value: f64, standard_error: f64, reach: f64) -> Self {
        Self {
            lower: value - reach * standard_error,
            upper: value + reach * standard_error,
            standard_error: Some(standard_error),
            unseen: 0.0,
        }
    }

    /// Upper minus lower end.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// The method for the ends of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum IntervalKind {
    /// By the rule for estimates without another request (see `rule`).
    #[default]
    Safe,
    /// As `Normal`, but wider where judgments are skewed or have heavy tails (see `tails`).
    Corrected,
    /// By the central limit theorem, with Student's t in place of the normal quantile since the
    /// variance is estimated (they agree to 1 % from 120 items on).
    Normal,
    /// Percentiles of estimates from resampled items.
    Bootstrap,
}

/// The parameters for the error of an estimate, shared by several estimators.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct UncertaintyParameters {
    pub interval: IntervalKind,
    pub resamples: u64,
    pub population: Extent,
}

impl Default for UncertaintyParameters {
    fn default() -> Self {
        Self {
            interval: IntervalKind::default(),
            resamples: 1000,
            population: Extent::Infinite,
        }
    }
}

impl UncertaintyParameters {
    /// Refuses what cannot be computed.
    pub(super) fn check(&self, estimator: &str) -> Result<()> {
        check_resamples(estimator, self.resamples)
    }
}

/// The interval options of estimators that offer fewer kinds.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct IntervalParameters {
    pub interval: BasicIntervalKind,
}

/// The kind of interval where two are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BasicIntervalKind {
    /// As [`IntervalKind::Safe`].
    #[default]
    Safe,
    /// As [`IntervalKind::Corrected`].
    Corrected,
}

/// The fewest resamples whose tails can be read.
const FEWEST_RESAMPLES: u64 = 100;

/// Refuses a number of resamples too small for percentiles.
fn check_resamples(estimator: &str, resamples: u64) -> Result<()> {
    if resamples >= FEWEST_RESAMPLES {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{estimator}: resamples is {resamples}, expected at least {FEWEST_RESAMPLES}"
    )))
}
