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

mod analysis;
pub mod bradley_terry;
mod clusters;
mod control_variates;
mod interval;
mod judged;
mod mean;
mod noise;
mod planning;
mod survey;

pub use analysis::{Analysis, analyse};
pub use interval::{Interval, IntervalKind};
pub use judged::{Judged, Judgments};
pub use noise::{
    Outputs, RatedOutput, VarianceComponents, pooled_components, pooled_correlation,
    variance_components,
};
pub use planning::{Range, judgments_for_width};
pub use survey::{Census, Population, Survey};

/// A point estimate with what is known of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate of the mean human judgment.
    pub value: f64,
    /// Judgments used.
    pub n: u64,
    /// The coefficient of the control variate, per standard deviation of the metric, where there
    /// is exactly one.
    pub alpha: Option<f64>,
    /// `None` while too few items are judged to tell. All judgments equal give a width of 0.
    pub interval: Option<Interval>,
}

/// Takes judgments one at a time, so that one pass gives a whole trajectory.
pub trait Estimator: Send {
    /// One more judgment; its numbers must be finite.
    fn push(&mut self, judged: &Judged<'_>);

    /// The point estimate alone, in time that does not grow with the number of judgments; `None`
    /// before the first judgment.
    fn value(&self) -> Option<f64>;

    /// The estimate from the judgments so far; `None` before the first. It has no interval unless
    /// 0 < `confidence` < 1.
    fn estimate(&self, confidence: f64) -> Option<Estimate>;
}

/// How many metrics an estimator makes use of at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metrics {
    /// None, or none it needs: a metric is only compared with the judgments.
    Unused,
    /// One, which it cannot do without.
    One,
    /// Any number, at least one.
    Several,
}

/// Builds an estimator. The population is an argument, not an option: without it a control variate
/// is worthless, so it cannot be forgotten.
pub type BuildEstimator = fn(&Params, &Survey) -> Result<Box<dyn Estimator>>;

/// How an estimator is made, and of what.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint {
    /// The metrics it uses.
    pub metrics: Metrics,
    /// The constructor.
    pub build: BuildEstimator,
}

/// All estimators.
pub const ESTIMATORS: &[Entry<Blueprint>] = &[mean::ENTRY, control_variates::ENTRY];
