//! The agreement of predictions with people.

use serde::{Deserialize, Serialize};

/// The agreement of predictions with the judgments that people gave anyway.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictionAgreement {
    /// Judgments with a prediction, mean per run.
    pub judgments: f64,
    /// The share of them that the model would have given, ties included; `None` without any.
    pub accuracy: Option<f64>,
    /// The share on which both agree, where neither is a tie; chance is one half.
    pub agreement: Option<f64>,
    /// The share of runs in which that was shown to be better than chance, by a test at 5 % that
    /// holds whenever one looks.
    pub better_than_chance: f64,
    /// The median number of judgments it took in those runs.
    pub after: Option<f64>,
    /// Whether only the systems that predictions kept are covered, so that this is no accuracy of the model.
    #[serde(default)]
    pub survivors: bool,
}
