//! The plan of a campaign of ratings: drawn once, logged before the first question, so that nothing it was drawn
//! from is needed again.

use serde::{Deserialize, Serialize};

/// The plan of a campaign of ratings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingPlan {
    /// The criteria that are rated.
    pub scales: Vec<RatingScale>,
    /// Whether outputs are edited until they are right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edits: bool,
    /// Whether every output of a system was as probable as any other.
    pub even: bool,
    /// The outputs, in the order in which they are asked about.
    pub outputs: Vec<PlannedOutput>,
}

/// A criterion with the scores it may get.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingScale {
    /// The name in judgments.
    pub criterion: String,
    /// The least and the highest score; none where any number will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

/// An output that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedOutput {
    /// The place of its item.
    pub item: u32,
    /// The place of its system.
    pub system: u16,
    /// The probability with which it was drawn.
    pub p: f64,
}
