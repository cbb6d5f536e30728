//! What `assess` found: how good predictions are against people's comparisons.

use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::json;
use tiebreak_decide::model_based::UncertaintyMeasure;

/// Its name in the folder of an assessment.
pub(super) const DOCUMENT: &str = "assessment.json";

/// How good the predictions of one model are on one data set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// What made the predictions.
    pub signature: String,
    /// The name of the data set.
    pub data: String,
    /// What was assessed.
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
    /// Expected calibration error.
    pub calibration_error: AssessmentMeasure,
    /// The calibration error that perfectly calibrated predictions would show by chance.
    pub calibration_error_by_chance: Option<f64>,
    /// How far what is shown first is favoured: the mean of twice the preference for it, less 1; none where the
    /// predictions do not say in which order they were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<AssessmentMeasure>,
    /// Preferences against outcomes, bin by bin.
    pub reliability: Vec<ReliabilityBin>,
    /// The area under the accuracy where mistakes are rejected first; where the order is random it
    /// is the accuracy.
    pub oracle_area: Option<f64>,
    /// (share rejected, accuracy on the rest) of that order.
    pub oracle_curve: Vec<(f64, f64)>,
    /// What rejecting by each measure of uncertainty does.
    pub uncertainty: Vec<RejectionCurve>,
    /// How BALD is distributed; empty where the model cannot be sampled.
    pub bald: Vec<BaldBin>,
}

/// Which comparisons there were. Only `three_way` looks at those of identical outputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssessmentCounts {
    /// Comparisons of different outputs that were predicted.
    pub comparisons: u64,
    /// On so many items.
    pub items: u64,
    /// Of `comparisons`, those judged ties.
    pub ties: u64,
    /// Predicted comparisons of identical outputs.
    pub identical: u64,
    /// Of `identical`, those judged ties.
    pub identical_ties: u64,
    /// Comparisons without a prediction, which are left out.
    pub unpredicted: u64,
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
    /// From so many comparisons.
    pub comparisons: u64,
    /// On so many items.
    pub items: u64,
}

/// From a preference to an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssessmentThresholds {
    /// Where they come from.
    pub origin: ThresholdOrigin,
    /// (τ1, τ2): one pair, or one for each half.
    pub pairs: Vec<(f64, f64)>,
}

/// Where thresholds come from.
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
    /// How many.
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
    /// By which measure.
    pub by: UncertaintyMeasure,
    /// The area under `curve`.
    pub area: AssessmentMeasure,
    /// (area − random)/(oracle − random): 0 is worth nothing, 1 knows every mistake, below 0
    /// misleads.
    pub gain: AssessmentMeasure,
    /// (share rejected, accuracy on the rest).
    pub curve: Vec<(f64, f64)>,
}

/// Comparisons with nearly the same BALD.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaldBin {
    /// Lowest BALD, in nats.
    pub lower: f64,
    /// Highest.
    pub upper: f64,
    /// How many comparisons of different outputs.
    pub comparisons: u64,
    /// How many of them were decided.
    pub decided: u64,
    /// How many of those went to the preferred output; a preference of ½ counts half.
    pub right: f64,
}

/// Reads the assessment in a folder.
pub(super) fn read(folder: &Path) -> Result<Assessment> {
    json::read(&folder.join(DOCUMENT))
}
