//! The result of `assess`: how good predictions are against people's comparisons.

use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::json;
use tiebreak_decide::model_based::UncertaintyMeasure;

/// The document's name in the folder of an assessment.
pub(super) const DOCUMENT: &str = "assessment.json";

/// How good the predictions of one model are on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The signature of the predictions.
    pub signature: String,
    /// The name of the data set.
    pub data: String,
    /// The numbers of comparisons.
    pub counts: AssessmentCounts,
    /// The share of decided comparisons whose winner is preferred; ½ for a preference of ½.
    pub accuracy: AssessmentMeasure,
    /// The share of all comparisons, ties and identical outputs included, that thresholded
    /// preferences predict, over both orders; as the paper counts sentence accuracy.
    pub three_way: AssessmentMeasure,
    /// The thresholds behind `three_way`.
    pub thresholds: AssessmentThresholds,
    /// Squared error; a coin has 0.25.
    pub brier: AssessmentMeasure,
    /// Cross-entropy in nats; a coin has 0.6931.
    pub log_loss: AssessmentMeasure,
    /// The closest to 0 or 1 that a prediction counts in the log loss.
    #[serde(default)]
    pub clip: f64,
    /// Expected calibration error.
    pub calibration_error: AssessmentMeasure,
    /// The calibration error that perfectly calibrated predictions would show by chance.
    pub calibration_error_by_chance: Option<f64>,
    /// The position bias: the mean of twice the preference for what is shown first, less 1; none where
    /// the predictions do not say in which order they were made. Its interval is that of `rank`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<AssessmentMeasure>,
    /// Preferences against outcomes, bin by bin.
    pub reliability: Vec<ReliabilityBin>,
    /// The area under the accuracy where mistakes are rejected first; where the order is random it
    /// is the accuracy.
    pub oracle_area: Option<f64>,
    /// The curve of (share rejected, accuracy on the rest) where mistakes are rejected first.
    pub oracle_curve: Vec<(f64, f64)>,
    /// The effect of rejecting by each measure of uncertainty.
    pub uncertainty: Vec<RejectionCurve>,
    /// The distribution of BALD; empty where the model cannot be sampled.
    pub bald: Vec<BaldBin>,
}

/// The numbers of comparisons. Only `three_way` looks at those of identical outputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssessmentCounts {
    /// Comparisons of different outputs that were predicted.
    pub comparisons: u64,
    /// The number of their items.
    pub items: u64,
    /// Ties among `comparisons`.
    pub ties: u64,
    /// Predicted comparisons of identical outputs.
    pub identical: u64,
    /// Ties among `identical`.
    pub identical_ties: u64,
    /// Comparisons without a prediction, which are left out.
    pub unpredicted: u64,
    /// Comparisons of different outputs whose prediction is so near 0 or 1 that the log loss counts it as `clip` or
    /// 1 − `clip`.
    #[serde(default)]
    pub clipped: u64,
}

/// A number with its 95 % interval, from resampled items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AssessmentMeasure {
    /// `None` where it is not defined, such as an accuracy where everything is a tie.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// The number of comparisons behind it.
    pub comparisons: u64,
    /// The number of their items.
    pub items: u64,
}

/// The thresholds that turn a preference into an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssessmentThresholds {
    /// The origin of the thresholds.
    pub origin: ThresholdOrigin,
    /// (τ1, τ2): one pair, or one for each half.
    pub pairs: Vec<(f64, f64)>,
}

/// The origin of thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdOrigin {
    /// From flags, a calibration, or the predictions themselves.
    Given,
    /// Fitted on half of the items and tested on the other half, both ways.
    Halves,
}

/// Comparisons with nearly the same preference for the likelier output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Lowest preference.
    pub lower: f64,
    /// Highest preference.
    pub upper: f64,
    /// The number of comparisons.
    pub comparisons: u64,
    /// Their mean preference.
    pub preference: Option<f64>,
    /// The share that the likelier output won, ties counting half.
    pub won: Option<f64>,
    /// Lower end of the 95 % interval of `won`.
    pub won_lower: Option<f64>,
    /// Upper end.
    pub won_upper: Option<f64>,
}

/// Accuracy on decided comparisons when the most uncertain are rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RejectionCurve {
    /// The measure of uncertainty.
    pub by: UncertaintyMeasure,
    /// The area under `curve`.
    pub area: AssessmentMeasure,
    /// (area − random)/(oracle − random): 0 is worth nothing, 1 knows every mistake, below 0
    /// misleads.
    pub gain: AssessmentMeasure,
    /// The curve of (share rejected, accuracy on the rest).
    pub curve: Vec<(f64, f64)>,
}

/// Comparisons with nearly the same BALD.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaldBin {
    /// Lowest BALD, in nats.
    pub lower: f64,
    /// Highest BALD, in nats.
    pub upper: f64,
    /// The number of comparisons of different outputs.
    pub comparisons: u64,
    /// The number of decided ones among them.
    pub decided: u64,
    /// The number of decided ones that the preferred output won; a preference of ½ counts half.
    pub right: f64,
}

/// Reads the assessment in a folder.
pub(super) fn read(folder: &Path) -> Result<Assessment> {
    json::read(&folder.join(DOCUMENT))
}
