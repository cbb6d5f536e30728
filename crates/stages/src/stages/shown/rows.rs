//! Rows of the data overview: who judged and what systems wrote.

use crate::rendering::Rendering;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct AnnotatorTotals {
    /// The number of comparisons and judgments.
    pub answers: u64,
    /// The judgments among them: one a criterion.
    #[serde(default)]
    pub judgments: u64,
    /// The answers of unnamed annotators.
    pub unnamed: u64,
    /// Annotators known by name.
    pub annotators: u64,
    /// The most answers of one annotator.
    pub most: u64,
    /// Sittings over one question whose time was recorded; ratings of one output under several criteria
    /// are one, and so is a skip.
    pub timed: u64,
    pub sittings: u64,
    /// The time of the timed ones together, in seconds.
    pub seconds: f64,
    /// The payment, where it was recorded of any comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<ComparisonPayment>,
}

/// The payment for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ComparisonPayment {
    /// The number of all comparisons.
    pub comparisons: u64,
    /// The number of comparisons with a recorded price.
    pub priced: u64,
    /// The price of these together.
    pub price: f64,
}

/// The outputs for an item of the systems that people judged there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ItemExample {
    pub item: String,
    /// The source that the systems were given.
    pub source: Option<String>,
    /// The first reference.
    pub reference: Option<String>,
    /// The way in which its texts are shown.
    #[serde(default, skip_serializing_if = "Rendering::is_plain")]
    pub render: Rendering,
    /// The outputs by system.
    pub outputs: Vec<ExampleOutput>,
}

/// A system's output, and people's answers about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExampleOutput {
    pub system: String,
    /// The text, possibly empty.
    pub output: String,
    /// Its comparisons with other outputs of the item.
    pub comparisons: u64,
    /// The number of comparisons it won, ties counting half.
    pub won: f64,
    /// The mean judgment, and the number of judgments, by criterion.
    pub ratings: Vec<(String, f64, u64)>,
}

impl ExampleOutput {
    /// The number of people's answers about it.
    pub(crate) fn answers(&self) -> u64 {
        self.comparisons + self.ratings.iter().map(|one| one.2).sum::<u64>()
    }
}
