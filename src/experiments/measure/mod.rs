//! What is measured in a cell, one file for each measure.

mod annotation_complexity;
mod assessment;
mod correlation;
mod data_efficiency;
mod improvements;
mod judgments;
mod rated;
mod savings;
mod sentence_accuracy;
mod variance;

use super::materials::Model;
use super::outcome::Outcome;
use super::quantity::Quantity;
use super::shown::name_of;
use crate::engine::context::Context;
use crate::error::Result;
use crate::keys::names;
use crate::preference::Options;
use serde::{Deserialize, Serialize};

/// What is measured in every cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Human annotations until a bandit names the best system reliably.
    #[default]
    AnnotationComplexity,
    /// How many human judgments a metric predicts.
    SentenceAccuracy,
    /// How good the predictions of a metric or model are, and what their uncertainty is worth.
    Assessment,
    /// How many judgments a data set holds, and of which kind.
    Judgments,
    /// How much outputs and annotators contribute to the variance of judgments.
    Variance,
    /// How a metric's scores go with people's judgments.
    Correlation,
    /// How many judgments an estimator saves, by resampled campaigns.
    DataEfficiency,
    /// How far estimates are from the truth at a number of judgments, and how often intervals hold it.
    Savings,
    /// Which improvements a metric does not see.
    Improvements,
}

impl Measure {
    const ALL: [Self; 9] = [
        Self::AnnotationComplexity,
        Self::SentenceAccuracy,
        Self::Assessment,
        Self::Judgments,
        Self::Variance,
        Self::Correlation,
        Self::DataEfficiency,
        Self::Savings,
        Self::Improvements,
    ];

    /// What is said of a key that says nothing about a measure.
    pub(in crate::experiments) fn of_others(key: &str) -> String {
        let others = Self::ALL.into_iter().filter(|one| one.takes(key));
        let names: Vec<String> = others.map(name_of).collect();
        format!("it belongs to {} only", names.join(", "))
    }

    /// Whether it is of judgments of single outputs, under one criterion.
    pub(in crate::experiments) fn rates(self) -> bool {
        matches!(
            self,
            Self::Variance
                | Self::Correlation
                | Self::DataEfficiency
                | Self::Savings
                | Self::Improvements
        )
    }

    /// Whether it simulates campaigns of judging single outputs.
    pub(in crate::experiments) fn simulates(self) -> bool {
        matches!(self, Self::DataEfficiency | Self::Savings)
    }

    /// Whether it is of preferences that a metric or a model predicts.
    fn predicts(self) -> bool {
        !self.rates() && self != Self::Judgments
    }

    /// Whether a key of experiments says anything about it. How long runs are may be said of all, so that
    /// defaults can.
    pub(in crate::experiments) fn takes(self, key: &str) -> bool {
        match key {
            "label" | "measure" | "data" | "runs" | "budget" | "steps" => true,
            "confidence" => !matches!(self, Self::Judgments | Self::Assessment),
            "criterion" | "scale" | "parts" => self.rates(),
            "metric" | "draws" => !matches!(self, Self::Judgments | Self::Variance),
            "estimator" => self.simulates(),
            "beside" | "uncertainty" => self == Self::Savings,
            "link" | "validation" | "model" => self.predicts(),
            key if names::<Options>().iter().any(|one| one == key) => self.predicts(),
            _ => self == Self::AnnotationComplexity,
        }
    }

    /// What it finds.
    pub(in crate::experiments) fn finds(self) -> &'static [Quantity] {
        match self {
            Self::AnnotationComplexity => &[
                Quantity::AnnotationComplexity,
                Quantity::MeanAnnotations,
                Quantity::HoursComplexity,
                Quantity::MeanHours,
                Quantity::ModelAnswers,
                Quantity::Accuracy,
                Quantity::Certified,
                Quantity::Eliminated,
            ],
            Self::SentenceAccuracy => &[Quantity::SentenceAccuracy],
            Self::Assessment => &[
                Quantity::SentenceAccuracy,
                Quantity::DecidedAccuracy,
                Quantity::Brier,
                Quantity::LogLoss,
                Quantity::CalibrationError,
                Quantity::BaldWorth,
                Quantity::StdWorth,
                Quantity::MarginWorth,
            ],
            Self::Judgments => &[
                Quantity::Systems,
                Quantity::Items,
                Quantity::Judgments,
                Quantity::Losses,
                Quantity::Ties,
                Quantity::Wins,
            ],
            Self::Variance => &[
                Quantity::Items,
                Quantity::Judgments,
                Quantity::HumanMean,
                Quantity::Signal,
                Quantity::Noise,
                Quantity::Gamma,
            ],
            Self::Correlation => &[
                Quantity::Gamma,
                Quantity::Correlation,
                Quantity::Rho,
                Quantity::InstanceCorrelation,
                Quantity::SystemCorrelation,
                Quantity::HumanMean,
                Quantity::MetricMean,
                Quantity::DataEfficiency,
                Quantity::NoiselessEfficiency,
                Quantity::PerfectEfficiency,
            ],
            Self::DataEfficiency => &[
                Quantity::MeasuredEfficiency,
                Quantity::MeasuredNoiseless,
                Quantity::MeasuredPerfect,
                Quantity::MeasuredLeaveOneOut,
            ],
            Self::Savings => &[Quantity::VarianceRatio, Quantity::Coverage],
            Self::Improvements => &[
                Quantity::UnseenHumanGain,
                Quantity::UnseenMetricGain,
                Quantity::UnseenChanged,
                Quantity::HollowHumanGain,
                Quantity::HollowMetricGain,
                Quantity::HollowChanged,
            ],
        }
    }
}

/// Computes a cell.
pub(super) fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    match cell.keys.measure {
        Measure::AnnotationComplexity => annotation_complexity::measure(context, cell),
        Measure::Assessment => assessment::measure(context, cell),
        Measure::SentenceAccuracy if cell.keys.model().is_some() => {
            assessment::measure(context, cell)
        }
        Measure::SentenceAccuracy => sentence_accuracy::measure(context, cell),
        Measure::Judgments => judgments::measure(context, cell),
        Measure::Variance => variance::measure(context, cell),
        Measure::Correlation => correlation::measure(context, cell),
        Measure::DataEfficiency => data_efficiency::measure(context, cell),
        Measure::Savings => savings::measure(context, cell),
        Measure::Improvements => improvements::measure(context, cell),
    }
}
