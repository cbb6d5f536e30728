//! How good is a system: its mean human judgment, with an interval, or its strength in comparisons
//! with others ([`bradley_terry`]).
//!
//! Estimates of means are of the mean over *all* outputs of the system in the data set, from judgments of
//! outputs picked at random among them. Judgments of one item are not independent: standard errors
//! are robust to clusters by item, and bootstraps resample whole items. No finite-population
//! correction is made, so intervals are on the wide side when a large share of the outputs is
//! judged.
//!
//! [`analyse`] gives all numbers of one row of the estimates table. An estimator is one file with
//! an `ENTRY`, plus its two lines below.

use crate::error::Result;
use crate::registry::{Entry, Params};
use crate::rng::Seed;
use crate::stats::moments::Moments;

mod analysis;
pub mod bradley_terry;
mod clusters;
mod control_variates;
mod interval;
mod mean;
mod noise;
mod planning;

pub use analysis::{Analysis, analyse};
pub use interval::{Interval, IntervalKind};
pub use noise::{VarianceComponents, variance_components};
pub use planning::{Range, judgments_for_width};

/// One human judgment with the metric's score of the judged output. Both numbers are finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The item judged; judgments with the same number count as one cluster.
    pub item: u32,
    /// The human judgment.
    pub y: f64,
    /// The metric's score of the judged output, on the metric's own scale; 0 without a metric.
    pub g: f64,
}

/// The moments of the metric over *every* output of the system, judged or not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Population {
    /// How many outputs.
    pub n: u64,
    /// Mean score.
    pub mean: f64,
    /// Population variance of the scores (divided by n).
    pub variance: f64,
}

impl Population {
    /// The moments of the scores of all outputs; `None` when there are none.
    pub fn of(scores: impl IntoIterator<Item = f64>) -> Option<Self> {
        let moments: Moments = scores.into_iter().collect();
        Some(Self {
            n: moments.count(),
            mean: moments.mean()?,
            variance: moments.population_variance()?,
        })
    }
}

/// A point estimate with what is known of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate of the mean human judgment.
    pub value: f64,
    /// Judgments used.
    pub n: u64,
    /// The coefficient of the control variate, per standard deviation of the metric, where there
    /// is one.
    pub alpha: Option<f64>,
    /// `None` while too few items are judged to tell. All judgments equal give a width of 0.
    pub interval: Option<Interval>,
}

/// Takes judgments one at a time, so that one pass gives a whole trajectory.
pub trait Estimator: Send {
    /// One more judgment; its numbers must be finite.
    fn push(&mut self, judged: Judged);

    /// The point estimate alone, in constant time; `None` before the first judgment.
    fn value(&self) -> Option<f64>;

    /// The estimate from the judgments so far; `None` before the first. It has no interval unless
    /// 0 < `confidence` < 1.
    fn estimate(&self, confidence: f64) -> Option<Estimate>;
}

/// Builds an estimator. The population of g is an argument, not an option: without it a control
/// variate is worthless, so it cannot be forgotten; `None` says that there is no metric. The seed
/// is that of bootstrap intervals.
pub type BuildEstimator = fn(&Params, Option<Population>, Seed) -> Result<Box<dyn Estimator>>;

/// All estimators.
pub const ESTIMATORS: &[Entry<BuildEstimator>] = &[mean::ENTRY, control_variates::ENTRY];
