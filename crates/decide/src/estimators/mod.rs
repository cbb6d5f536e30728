//! Estimates of a system's quality: its mean human judgment, with an interval, or its strength in comparisons
//! with others ([`bradley_terry`], [`margins`]).
//!
//! Estimates of means are of the mean over *all* outputs of the system in the data set, from judgments of
//! outputs picked at random among them, in the opinion of the annotators who judged (see `dealing`; of others like
//! them `new_annotators`). Judgments of one item are not independent: standard errors are robust to clusters by item;
//! bootstraps resample whole items. Which interval an estimate gets is decided in `rule`. Unless `population=finite`
//! is asked for, intervals are on the wide side when a large share of the outputs is judged.
//!
//! [`analyse`] gives all numbers of one row of the estimates table. An estimator is one file with
//! an `ENTRY`, plus its two lines below.

use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params};

mod active;
mod analysis;
mod basis;
mod betting;
mod bounded;
pub mod bradley_terry;
mod capital;
mod chosen;
mod clusters;
pub mod contrasts;
mod contributions;
mod control_variates;
mod cross_fitting;
mod dealing;
mod differences;
mod empirical_bernstein;
mod finite;
mod fixed_bets;
mod guarded;
mod in_memory;
mod interval;
mod judged;
mod large_sample;
pub mod margins;
mod mean;
mod new_annotators;
mod noise;
mod paired;
mod people;
mod pilot;
mod planned;
mod ppi;
mod prospect;
mod range;
mod regression;
mod rule;
mod sampling;
pub(crate) mod shares;
mod skewness;
mod stopping;
mod stratified;
mod survey;
mod tails;
mod uneven;
mod unlike;

pub use analysis::{Analysis, AnalysisTerms, analyse, analyse_with, varied_share_of_bets};
pub use basis::InferenceScope;
pub(crate) use basis::IntervalMethod;
pub(crate) use capital::SplitCapital;
pub use contributions::Contributions;
pub(crate) use dealing::UnsharedAnnotator;
pub use dealing::{
    AnnotatorAllocation, AnnotatorLoads, AnnotatorShares, AnnotatorWeights, uneven_shares,
};
pub use differences::{Contender, EstimateDifference, ItemWins, PairComparison};
pub(crate) use finite::Extent;
pub use finite::TheseItems;
pub use interval::Interval;
pub use judged::{Judgments, ScoredJudgment};
pub(crate) use new_annotators::AnnotatorMeans;
pub use new_annotators::NewAnnotators;
pub use noise::{RatedOutput, VarianceComponentSums, VarianceComponents};
pub use paired::PairedDifferences;
pub use people::UnseenOutputs;
pub use pilot::Pilot;
pub use prospect::{Design, DesignTerms, NoDesign, Prospect, ScaleKind, StudyTarget};
pub(crate) use prospect::{ProspectBasis, Widening};
pub use range::Range;
pub use sampling::{UNIFORM, allocate, choose, probabilities};
pub use stopping::{Goal, StoppingPoint, widths};
pub use survey::{Census, Population, Survey};
pub use uneven::{ItemWeights, uneven_items, uneven_sentence};
pub use unlike::UnlikeItems;

/// A point estimate with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The estimate of the mean human judgment.
    pub value: f64,
    /// The number of judgments used.
    pub n: u64,
    /// The coefficient of the control variate, per standard deviation of the metric, where there
    /// is exactly one.
    pub alpha: Option<f64>,
    /// `None` while the judgments are too few, or without a range too much alike. A width of
    /// 0 means certainty: a finite population that is judged in full.
    pub interval: Option<Interval>,
    /// What makes the interval valid.
    pub method: IntervalMethod,
    /// The scope of the interval's claim, as far as the estimator knows.
    pub over: InferenceScope,
}

/// An estimator that takes judgments one at a time, so that one pass gives a whole trajectory.
pub trait Estimator: Send {
    /// Adds a judgment; its numbers must be finite.
    fn push(&mut self, judged: &ScoredJudgment<'_>);

    /// The point estimate alone, in time that does not grow with the number of judgments; `None`
    /// before the first judgment.
    fn value(&self) -> Option<f64>;

    /// The estimate from the judgments so far; `None` before the first. It has no interval unless
    /// 0 < `confidence` < 1.
    fn estimate(&self, confidence: f64) -> Option<MeanEstimate>;

    /// Checks whether this estimator can use the judgments so far.
    ///
    /// # Errors
    /// What is missing or impossible.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether its intervals hold at any time: looking after every judgment costs no confidence, and
    /// the intervals only shrink.
    fn holds_at_any_time(&self) -> bool {
        false
    }

    /// Whether the order of the judgments makes a difference; if so, they must come as
    /// recorded.
    fn minds_order(&self) -> bool {
        false
    }

    /// What may go unseen where judged items stand for different numbers of outputs; `None` where they were picked at
    /// random.
    fn unseen_by_design(&self) -> Option<UnseenOutputs> {
        None
    }

    /// The share of the outputs at hand that is not judged; 1 where they are not all that matter.
    fn unjudged(&self) -> f64 {
        1.0
    }

    /// The adjusted value of one judgment, where the estimate is a mean over judgments.
    fn adjuster(&self) -> Adjuster<'_> {
        Box::new(|_| None)
    }

    /// Whether annotators may be weighted: the interval is by the rule of all estimators, and the estimate is a mean
    /// over judgments.
    fn is_weighable(&self) -> bool {
        true
    }

    /// Whether the error of the estimate is a sum over items, which makes estimates of two systems comparable.
    fn is_comparable(&self) -> bool {
        true
    }

    /// The contribution of each item to the error of the estimate; `None` with too few items, or where the
    /// error is not such a sum.
    fn contributions(&self) -> Option<Contributions> {
        None
    }

    /// What a result about these items alone takes from those contributions; `None` for one about items like these.
    fn these_items(&self) -> Option<TheseItems> {
        None
    }
}

/// A function from one judgment to its adjusted value; `None` where the estimate is no mean over judgments.
pub(crate) type Adjuster<'a> = Box<dyn Fn(&ScoredJudgment<'_>) -> Option<AdjustedJudgment> + 'a>;

/// One judgment's value and weight in an estimate that is a mean over judgments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdjustedJudgment {
    /// The judgment, less the metric's prediction.
    pub value: f64,
    /// The weight beside others, above 0.
    pub weight: f64,
}

impl AdjustedJudgment {
    /// A judgment with the same weight as any other.
    pub fn even(value: f64) -> Self {
        Self { value, weight: 1.0 }
    }
}

/// The number of metrics that an estimator uses at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metrics {
    /// None needed: a metric is only compared with the judgments, or makes the strata that are not given.
    Unused,
    /// Exactly one, required.
    One,
    /// Any number, at least one.
    Several,
}

/// Builds an estimator. The population is an argument, not an option: without it a control variate
/// is worthless, so it cannot be forgotten.
pub(crate) type BuildEstimator = fn(&Params, &Survey) -> Result<Box<dyn Estimator>>;

/// A constructor of an estimator, and the metrics it uses.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EstimatorConstructor {
    /// The metrics it uses.
    pub metrics: Metrics,
    /// The constructor.
    pub build: BuildEstimator,
}

impl EstimatorConstructor {
    const fn new(metrics: Metrics, build: BuildEstimator) -> Self {
        Self { metrics, build }
    }
}

/// All estimators.
pub const ESTIMATORS: &[Entry<EstimatorConstructor>] = &[
    mean::ENTRY,
    control_variates::ENTRY,
    regression::ENTRY,
    guarded::ENTRY,
    ppi::ENTRY,
    stratified::ENTRY,
    active::ENTRY,
    betting::ENTRY,
    empirical_bernstein::ENTRY,
];
