//! How far predictions agree with people.

use serde::{Deserialize, Serialize};

/// Predictions beside the judgments that people gave anyway.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictionAgreement {
    /// Judgments with a prediction, mean per run.
    pub judgments: f64,
    /// The share of them that the model would have given, ties included; `None` without any.
    pub accuracy: Option<f64>,
    /// Where neither is a tie, the share on which both agree; chance is one half.
    pub agreement: Option<f64>,
    /// The share of runs in which that was shown to be better than chance, by a test at 5 % that
    /// holds whenever one looks.
    pub better_than_chance: f64,
    /// In those, the median number of judgments it took.
    pub after: Option<f64>,
    /// Whether this is known of the systems that predictions kept only: no accuracy of the model.
    #[serde(default)]
    pub survivors: bool,
}
