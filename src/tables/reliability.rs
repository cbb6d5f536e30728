//! How far predictions can be trusted: stored beside predictions made where people judged too.

use serde::{Deserialize, Serialize};

/// Predictions beside people's comparisons of the same outputs.
///
/// Every prediction is seen from the side it prefers, so that its confidence is from ½ to 1; at exactly
/// ½ it is seen from both, each counting half.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reliability {
    /// Comparisons by people that were predicted.
    pub judgments: u64,
    /// Comparisons without a prediction, which count in nothing here.
    pub unpredicted: u64,
    /// The share of comparisons whose outcome was predicted, ties included, each taken in both orders;
    /// `None` without any.
    pub accuracy: Option<f64>,
    /// Mean squared difference of prediction and outcome (1 won, ½ tied, 0 lost), in [0, 1].
    pub brier: Option<f64>,
    /// Mean absolute difference of confidence and outcome over the bins, weighted by their
    /// comparisons (expected calibration error), in [0, 1].
    pub calibration_error: Option<f64>,
    /// Bins of equal width over confidence, those without comparisons left out.
    pub bins: Vec<ConfidenceBin>,
    /// Bins of equal width from 0 to the largest BALD; empty where the predictions have no
    /// uncertainty.
    pub bald: Vec<BaldBin>,
}

/// Comparisons that were predicted about equally firmly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ConfidenceBin {
    /// Least confidence.
    pub lower: f64,
    /// Greatest confidence.
    pub upper: f64,
    /// Comparisons.
    pub judgments: u64,
    /// Mean confidence.
    pub predicted: f64,
    /// How often people agreed, ties counting half.
    pub observed: f64,
}

/// Predictions about equally uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaldBin {
    /// Least BALD, in nats.
    pub lower: f64,
    /// Greatest BALD.
    pub upper: f64,
    /// Predictions, of whatever pairs.
    pub predictions: u64,
    /// Comparisons by people among them.
    pub judgments: u64,
    /// The share of these that were predicted as [`Reliability::accuracy`] has it; `None` without any.
    pub accuracy: Option<f64>,
}
