//! The numbers that cells find.

use super::shown::{name_of, spoken};
use crate::report::crosstab::Unit;
use serde::{Deserialize, Serialize};

/// A number that a cell found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Quantity {
    /// Human annotations until 95 % of the runs name the best system, and keep naming it.
    #[default]
    AnnotationComplexity,
    /// Human annotations per run.
    MeanAnnotations,
    /// Hours of people's time until 95 % of the runs name the best system, and keep naming it, where the
    /// comparisons have `seconds`.
    HoursComplexity,
    /// Hours of people's time per run.
    MeanHours,
    /// Money until 95 % of the runs name the best system, and keep naming it, where the comparisons have
    /// `price`.
    PriceComplexity,
    /// Money per run.
    MeanPrice,
    /// Answers of the model per run.
    ModelAnswers,
    /// The share of the runs that name the best system at their end.
    Accuracy,
    /// The share of the runs that stop by their own certificate.
    Certified,
    /// The share of the runs whose certificate names another system than the best.
    WrongProofs,
    /// Systems dropped before the first question.
    Eliminated,
    /// The share of human judgments that a metric or model predicts, over both orders.
    SentenceAccuracy,
    /// The share of decided judgments whose winner is preferred.
    DecidedAccuracy,
    /// Squared error of preferences; a coin has 0.25.
    Brier,
    /// Cross-entropy of preferences in nats; a coin has 0.6931.
    LogLoss,
    /// Expected calibration error.
    CalibrationError,
    /// The worth of rejecting by BALD: 0 as a random order, 1 as an oracle.
    BaldWorth,
    /// The worth of rejecting by STD.
    StdWorth,
    /// The worth of rejecting by 1 − |2p − 1|.
    MarginWorth,
    /// Systems.
    Systems,
    /// Items.
    Items,
    /// Human comparisons.
    Judgments,
    /// The share of comparisons that the system named first lost.
    Losses,
    /// The share of ties.
    Ties,
    /// The share of comparisons that the system named first won.
    Wins,
    /// `σ_f²`, variance of outputs' true means within systems.
    Signal,
    /// `σ_a²`, mean variance of the judgments of one output.
    Noise,
    /// `γ = σ_a²/σ_f²`.
    Gamma,
    /// Pearson's correlation of single judgments and metric, within systems.
    Correlation,
    /// The correlation if people judged without noise.
    Rho,
    /// Pearson's correlation of outputs' mean judgments and metric, all systems together.
    InstanceCorrelation,
    /// Pearson's correlation of systems' mean judgments and mean scores.
    SystemCorrelation,
    /// Mean of the outputs' mean judgments.
    HumanMean,
    /// Mean score of the judged outputs.
    MetricMean,
    /// (1 + γ)/(1 − ρ² + γ), judgments of the plain mean for each one with control variates.
    DataEfficiency,
    /// (1 + γ)/(1 − ρ²), data efficiency with annotators who do not differ.
    NoiselessEfficiency,
    /// (1 + γ)/γ, data efficiency with a metric without fault.
    PerfectEfficiency,
    /// Data efficiency as measured in resampled campaigns.
    MeasuredEfficiency,
    /// Measured data efficiency with annotators who do not differ.
    MeasuredNoiseless,
    /// Measured data efficiency with a metric that knows the mean of each output's judgments.
    MeasuredPerfect,
    /// Measured data efficiency with a metric that knows the mean of an output's other judgments.
    MeasuredLeaveOneOut,
    /// Mean squared error of the plain mean over that of the estimator.
    VarianceRatio,
    /// The share of 95 % intervals that hold the truth.
    Coverage,
    /// People's gain from improvements that the metric does not see, in standard deviations.
    UnseenHumanGain,
    /// The metric's gain from them.
    UnseenMetricGain,
    /// The share of outputs replaced in them.
    UnseenChanged,
    /// People's gain from outputs that the metric likes, in standard deviations.
    HollowHumanGain,
    /// The metric's gain from them.
    HollowMetricGain,
    /// The share of outputs replaced by them.
    HollowChanged,
}

impl Quantity {
    /// The name in the file, with spaces.
    pub(super) fn spoken(self) -> String {
        spoken(&name_of(self))
    }

    /// The unit in which it is written.
    pub(super) fn unit(self) -> Unit {
        match self {
            Self::Accuracy
            | Self::Certified
            | Self::WrongProofs
            | Self::SentenceAccuracy
            | Self::DecidedAccuracy
            | Self::CalibrationError
            | Self::BaldWorth
            | Self::StdWorth
            | Self::MarginWorth
            | Self::Losses
            | Self::Ties
            | Self::Wins
            | Self::Coverage
            | Self::UnseenChanged
            | Self::HollowChanged => Unit::Share,
            Self::Signal
            | Self::Noise
            | Self::HumanMean
            | Self::MetricMean
            | Self::Brier
            | Self::LogLoss => Unit::Number,
            Self::HoursComplexity
            | Self::MeanHours
            | Self::PriceComplexity
            | Self::MeanPrice
            | Self::Gamma
            | Self::Correlation
            | Self::Rho
            | Self::InstanceCorrelation
            | Self::SystemCorrelation
            | Self::DataEfficiency
            | Self::NoiselessEfficiency
            | Self::PerfectEfficiency
            | Self::MeasuredEfficiency
            | Self::MeasuredNoiseless
            | Self::MeasuredPerfect
            | Self::MeasuredLeaveOneOut
            | Self::VarianceRatio
            | Self::UnseenHumanGain
            | Self::UnseenMetricGain
            | Self::HollowHumanGain
            | Self::HollowMetricGain => Unit::Ratio,
            Self::AnnotationComplexity
            | Self::MeanAnnotations
            | Self::ModelAnswers
            | Self::Eliminated
            | Self::Systems
            | Self::Items
            | Self::Judgments => Unit::Count,
        }
    }
}
