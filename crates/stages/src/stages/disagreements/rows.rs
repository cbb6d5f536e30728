//! Where a metric or a model and people disagree most, with the texts: `disagreements.json`.

use crate::rendering::Rendering;
use serde::{Deserialize, Serialize};

/// Two outputs for one item, one preferred by a metric or a model, the other by people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Disagreement {
    /// The metric, or the name of the predictions.
    pub judge: String,
    /// The criterion that people judged; `None` where they compared.
    pub criterion: Option<String>,
    pub item: String,
    /// The source that the systems were given.
    pub source: Option<String>,
    /// The first reference.
    pub reference: Option<String>,
    /// The way in which its texts are shown.
    #[serde(default, skip_serializing_if = "Rendering::is_plain")]
    pub render: Rendering,
    /// The output that the metric or model prefers.
    pub its_choice: DisagreementSide,
    /// The output that people prefer.
    pub peoples_choice: DisagreementSide,
    /// The number of people's comparisons of the two, or of judgments of both together.
    pub judgments: u64,
}

/// One of two outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DisagreementSide {
    pub system: String,
    /// The text.
    pub output: String,
    /// Its score by the metric, or the model's preference for it.
    pub score: f64,
    /// Its mean judgment, or the share of comparisons it won, ties counting half.
    pub human: f64,
}
