//! The report of an import: how the files were interpreted, how much was read, and what was left out and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tiebreak_base::layout::in_line;
use tiebreak_base::words::counted;

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportSummary {
    /// The format of the files.
    pub format: String,
    /// The number of items.
    pub items: u64,
    /// The systems, in order of appearance.
    pub systems: Vec<String>,
    /// The number of outputs.
    pub outputs: u64,
    /// The number of comparisons.
    pub comparisons: u64,
    /// The number of judgments.
    pub judgments: u64,
    /// The criteria of the judgments, in order of appearance.
    pub criteria: Vec<String>,
    /// The number of predictions.
    pub predictions: u64,
    /// The pairs of systems that have predictions.
    #[serde(skip)]
    pub predicted_pairs: BTreeSet<(String, String)>,
    /// Whether items have sources.
    pub source: bool,
    /// The most references an item has.
    pub references: usize,
    /// The fewest references an item has, where there are items.
    #[serde(skip)]
    pub fewest_references: Option<usize>,
    /// Outputs that were null or empty, kept as empty texts.
    pub nulls: u64,
    /// The interpretation of columns and fields, a line each.
    pub taken: Vec<String>,
    /// The answers and scores that are missing, by system.
    #[serde(skip)]
    pub missing: BTreeMap<String, MissingAnswers>,
    /// The records left out.
    pub dropped: Vec<DroppedRecords>,
    /// The files that were not read.
    pub left_out: Vec<ExcludedFiles>,
    /// Further notes for the user, a line each.
    pub notes: Vec<String>,
}

/// Records left out for one reason, and their number.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DroppedRecords {
    /// The reason.
    pub reason: String,
    /// The number of records.
    pub count: u64,
}

/// Answers and scores of a system that its log should hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingAnswers {
    /// The number of answers left out because a call, a request or a sample failed: errors of the infrastructure, not of
    /// a system.
    pub failed: u64,
    /// The number of scores that are missing or no numbers, by criterion.
    pub unscored: BTreeMap<String, u64>,
}

/// Files that were not read, and the rule that left them out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ExcludedFiles {
    /// The rule.
    pub rule: String,
    /// The files.
    pub files: Vec<String>,
}

impl ExcludedFiles {
    /// The rule for an empty file.
    pub const EMPTY: &'static str = "empty";
}

impl ImportSummary {
    /// Whether there are predictions for every pair of systems, which a campaign begins from.
    pub fn predicts_every_pair(&self) -> bool {
        let k = self.systems.len();
        self.predicted_pairs.len() == k * k.saturating_sub(1) / 2
    }

    /// Counts records that are left out.
    pub(in crate::records::import) fn drop(&mut self, reason: impl Into<String>, count: u64) {
        let reason = reason.into();
        match self.dropped.iter_mut().find(|one| one.reason == reason) {
            Some(dropped) => dropped.count += count,
            None if count > 0 => self.dropped.push(DroppedRecords { reason, count }),
            None => {}
        }
    }

    /// Describes the contents of the data set in a phrase.
    fn contents(&self) -> String {
        let mut parts = vec![
            counted(self.items, "item"),
            counted(self.systems.len() as u64, "system"),
        ];
        let tables = [
            (self.outputs, "output"),
            (self.comparisons, "comparison"),
            (self.judgments, "judgment"),
            (self.predictions, "prediction"),
        ];
        let there = tables.iter().filter(|(count, _)| *count > 0);
        parts.extend(there.map(|(count, name)| counted(*count, name)));
        if self.outputs > 0 {
            parts.push(if self.source { "source" } else { "no source" }.to_string());
            let most = counted(self.references as u64, "reference");
            let fewest = self.fewest_references.filter(|&few| few < self.references);
            let fewest = fewest.map_or(String::new(), |few| format!("{few} to "));
            parts.push(format!("{fewest}{most} an item"));
        }
        parts.join(", ")
    }
}

/// Most names that are listed; of more only the number.
const SHOWN: usize = 12;

/// Lists names.
pub(super) fn names(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(SHOWN)
        .map(|name| in_line(name))
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

impl fmt::Display for ImportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.contents())?;
        writeln!(f, "read as: {}", self.format)?;
        if !self.systems.is_empty() {
            writeln!(f, "systems: {}", names(&self.systems))?;
        }
        if !self.criteria.is_empty() {
            writeln!(f, "criteria: {}", names(&self.criteria))?;
        }
        self.taken
            .iter()
            .try_for_each(|line| writeln!(f, "{line}"))?;
        if self.nulls > 0 {
            writeln!(
                f,
                "outputs that are null or empty, kept as empty texts: {}",
                self.nulls
            )?;
        }
        for DroppedRecords { reason, count } in &self.dropped {
            writeln!(f, "left out: {count} ({reason})")?;
        }
        for ExcludedFiles { rule, files } in &self.left_out {
            writeln!(f, "left out: {} ({rule})", names(files))?;
        }
        self.notes
            .iter()
            .try_for_each(|line| writeln!(f, "note: {line}"))
    }
}
