//! What a gate finds, as it is stored and printed as JSON.

use crate::stages::estimate::NewAnnotatorsDifference;
use crate::stages::slices::RepeatVariances;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::words::counted;
use tiebreak_data::tables::json;
use tiebreak_decide::evaluation::gate::{GateDecision, GateVerdict, Requirement};

/// The decision of a gate with all that it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateReport {
    /// Whether the requirement is met, or undecided where that passes.
    pub passed: bool,
    /// Whether the requirement is met.
    pub decision: GateDecision,
    /// What is required.
    pub require: Requirement,
    /// The margin of the requirement.
    pub margin: Option<f64>,
    /// The confidence of the whole gate; of all gates of a project together where they share it.
    pub confidence: f64,
    /// The number of gates that share the confidence.
    pub over: u64,
    /// The comparisons: of all items, then of their slices.
    pub results: Vec<GateRow>,
    /// Whether slices differ, by comparison.
    pub(crate) slices: Vec<SliceTest>,
    /// How often a system without any difference does not pass.
    pub(crate) unchanged: UnchangedRates,
    /// Answers and scores that a log lacks, by system.
    pub(crate) failures: Vec<FailedAnswers>,
    /// The judge, where a criterion is its verdicts: those claims are about the judge, not about people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// What to know of the data.
    pub notes: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// What makes the numbers what they are.
    pub signature: String,
}

/// Answers and scores of a system that its log lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedAnswers {
    pub system: String,
    /// The answers that are missing because a call failed: errors of the infrastructure.
    pub count: u64,
    /// The scores under the criteria compared that are missing or no numbers.
    #[serde(default)]
    pub unscored: u64,
}

impl GateReport {
    /// Stores the decision in a folder.
    ///
    /// # Errors
    /// If it cannot be written, or something else is there.
    pub fn store(&self, folder: &Path) -> Result<()> {
        json::write_result(&folder.join(super::FILE), self)
    }

    /// The comparisons of all items, which the requirement is about.
    pub fn required(&self) -> impl Iterator<Item = &GateRow> {
        self.results.iter().filter(|row| row.slice.is_none())
    }

    /// The exit code of the program: 0 for a gate that passes, 3 where its requirement is not met, 4 where it is undecided.
    pub fn exit_code(&self) -> u8 {
        match (self.passed, self.decision) {
            (true, _) => 0,
            (false, GateDecision::Undecided) => 4,
            (false, _) => 3,
        }
    }
}

/// One comparison of a new system with the base.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GateRow {
    /// The system that is there.
    pub base: String,
    /// The new system.
    pub new: String,
    /// The criterion of judgments, `preference` of comparisons, `verdicts` of a judge's, or a metric of the whole corpus.
    pub criterion: String,
    /// The slice of the items; `None` for all of them.
    pub slice: Option<String>,
    /// The number of items that both systems have.
    pub n: u64,
    /// The new system's mean less the base's.
    pub difference: Option<f64>,
    /// Lower end of its interval.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
    /// The confidence of this interval by itself.
    pub interval_confidence: f64,
    /// What is proved; nothing where it is undecided.
    pub verdicts: Vec<GateVerdict>,
    /// Whether the contrary of the requirement is proved of it.
    #[serde(default)]
    pub refuted: bool,
    /// The number of items that decide it with probability .8, were the true difference the observed one.
    pub needed: Option<u64>,
    /// The smallest difference that these items show with probability .8.
    pub detectable: Option<f64>,
    /// Items of the base alone.
    pub only_base: u64,
    /// Items of the new system alone.
    pub only_new: u64,
    /// The variances of differences, where items have repeats.
    pub(crate) repeats: Option<RepeatVariances>,
    /// The difference for new annotators.
    pub(crate) new_annotators: Option<NewAnnotatorsDifference>,
    /// Why there is no interval, or why it has no width.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

impl GateRow {
    /// Whether the comparison meets a requirement.
    pub fn meets(&self, require: Requirement) -> bool {
        require.is_met_by(&self.verdicts, self.is_blind())
    }

    /// Whether the items cannot show that there is no regression: they are too few, or not those that would.
    pub(super) fn is_blind(&self) -> bool {
        self.detectable.is_none()
    }

    /// The items that it is about, and of how many that either system has where some are left out: `8 items of 100`.
    pub fn items_text(&self) -> String {
        let items = counted(self.n, "item");
        match self.only_base + self.only_new {
            0 => items,
            lacking => format!("{items} of {}", self.n + lacking),
        }
    }
}

/// A test of whether the difference is the same in all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SliceTest {
    /// The new system.
    pub new: String,
    pub criterion: String,
    /// The column of the slices.
    pub by: String,
    /// The p-value, by the intervals of the slices; `None` with fewer than two slices that have one.
    pub p: Option<f64>,
}

/// How often a system that is no different from the base does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct UnchangedRates {
    /// The share of gates that it fails at most.
    pub fails: f64,
    /// The share that is undecided: at least, of `better`; about, beside a margin, by how much the items of this gate differ.
    pub undecided: Option<f64>,
}
