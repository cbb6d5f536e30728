//! Who judged and what systems wrote, as they are stored.

use serde::{Deserialize, Serialize};

/// Everybody who answered anything.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct AnnotatorTotals {
    /// Comparisons and judgments.
    pub answers: u64,
    /// Of these, the judgments: one a criterion, and one a system where several wrote the text.
    #[serde(default)]
    pub judgments: u64,
    /// Of all, those of which nobody knows who gave them.
    pub unnamed: u64,
    /// Annotators known by name.
    pub annotators: u64,
    /// The most answers of one of them.
    pub most: u64,
    /// Sittings over one question whose time was recorded; ratings of one output under several criteria
    /// are one.
    pub timed: u64,
    /// All sittings.
    pub sittings: u64,
    /// How long the timed ones took together.
    pub seconds: f64,
    /// What was paid, where that was recorded of any comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<ComparisonPayment>,
}

/// What was paid for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ComparisonPayment {
    /// All comparisons.
    pub comparisons: u64,
    /// Those whose price was recorded.
    pub priced: u64,
    /// What was paid for these together.
    pub price: f64,
}

/// What systems wrote for an item, those whose outputs people judged there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ItemExample {
    /// The item.
    pub item: String,
    /// What the systems were given.
    pub source: Option<String>,
    /// The first reference.
    pub reference: Option<String>,
    /// By system.
    pub outputs: Vec<ExampleOutput>,
}

/// What a system wrote, and what people said of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExampleOutput {
    /// The system.
    pub system: String,
    /// The text, possibly empty.
    pub output: String,
    /// Its comparisons with other outputs of the item.
    pub comparisons: u64,
    /// How many of them it won, ties counting half.
    pub won: f64,
    /// By criterion its mean judgment, and of how many.
    pub ratings: Vec<(String, f64, u64)>,
}

impl ExampleOutput {
    /// How many answers of people are about it.
    pub(crate) fn answers(&self) -> u64 {
        self.comparisons + self.ratings.iter().map(|one| one.2).sum::<u64>()
    }
}
