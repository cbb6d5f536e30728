//! How good is a system: its mean human judgment, with an interval.

use crate::error::Result;
use crate::registry::{Entry, Params};

/// One human judgment with its metric values and how it came to be sampled.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The item judged.
    pub item: u32,
    /// Who judged, where it is known.
    pub annotator: Option<u32>,
    /// The human judgment.
    pub y: f64,
    /// The metric values of the judged output, in the order of [`Population::mean`].
    pub g: &'a [f64],
}

/// The moments of the metrics over *every* output of the system, judged or not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Population {
    /// How many outputs.
    pub n: u64,
    /// Mean of each metric.
    pub mean: Vec<f64>,
    /// Population variance of each metric.
    pub variance: Vec<f64>,
}

/// A point estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate of the mean human judgment.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
    /// Standard error of `value`.
    pub standard_error: f64,
    /// Judgments used.
    pub n: u64,
    /// The coefficient of the control variate, where there is one.
    pub alpha: Option<f64>,
}

/// Takes judgments one at a time, so that one pass gives a whole trajectory.
pub trait Estimator: Send {
    /// One more judgment.
    fn push(&mut self, judged: &Judged<'_>);

    /// The estimate from the judgments so far, `None` while there are too few.
    fn estimate(&self, confidence: f64) -> Option<Estimate>;
}

/// Builds an estimator. The population of g is an argument, not an option: without it a control
/// variate is worthless, so it cannot be forgotten.
pub type BuildEstimator = fn(&Params, Population) -> Result<Box<dyn Estimator>>;

/// All estimators.
pub const ESTIMATORS: &[Entry<BuildEstimator>] = &[];
