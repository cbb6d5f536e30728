//! Summaries of data sets: their contents, and the commands that can be run on them.
//!
//! One pass over the index; memory grows with the number of systems, of pairs that were compared, of
//! criteria and of annotators only.

mod abilities;
pub(crate) mod alike;
mod counts;
mod text;
mod winner;

pub(crate) use abilities::Ability;
pub(crate) use winner::Winner;

use super::{Dataset, DatasetDescriptor, Index, Kind};
use counts::{DatasetCounts, SharedItemCounts};
use serde::Serialize;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};

/// The contents of a data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatasetSummary {
    /// The name.
    pub name: String,
    /// The contents of `dataset.toml`.
    pub descriptor: DatasetDescriptor,
    /// Number of items.
    pub items: u64,
    /// Number of outputs.
    pub outputs: u64,
    /// Number of comparisons.
    pub comparisons: u64,
    /// Number of judgments.
    pub judgments: u64,
    /// Items with a source.
    pub with_source: u64,
    /// Fewest and most references of an item; `None` without items.
    pub references: Option<[u64; 2]>,
    /// Share of outputs that are empty; `None` without outputs.
    pub empty: Option<f64>,
    /// Share of identical pairs among all pairs of outputs for the same item; `None` without any.
    pub identical: Option<f64>,
    /// The systems, by name.
    pub systems: Vec<SystemSummary>,
    /// All pairs of systems, by name; of more than 500 systems those that were compared.
    pub pairs: Vec<PairSummary>,
    /// Outcomes of the first of the two systems in all comparisons.
    pub labels: OutcomeCounts,
    /// Comparisons with one or both outputs missing.
    pub comparisons_without_output: u64,
    /// Judgments of missing outputs.
    pub judgments_without_output: u64,
    /// The annotators, by name; those of unknown name together as `null`, first.
    pub annotators: Vec<AnnotatorSummary>,
    /// The criteria, by name.
    pub(crate) criteria: Vec<CriterionSummary>,
    /// The winner by the comparisons; `None` without any.
    pub winner: Option<Winner>,
    /// The commands that can be run.
    pub abilities: Vec<Ability>,
    /// Systems whose names differ only in capitals, blanks, hyphens, underscores and the Unicode form of letters.
    pub alike: Vec<Vec<String>>,
    /// Items whose names differ only in the Unicode form of letters, two and two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alike_items: Vec<[String; 2]>,
    /// Files of the folder that look like tables and are not read.
    pub ignored: Vec<String>,
}

/// One system.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SystemSummary {
    /// The name.
    pub system: String,
    /// Items with an output of the system.
    pub outputs: u64,
    /// Items without one.
    pub missing: u64,
    /// Outputs that are empty.
    pub empty: u64,
    /// Comparisons with the system.
    pub comparisons: u64,
    /// Judgments of the system.
    pub judgments: u64,
}

/// Two systems, the first by name as `system_a`, whatever their order in the rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairSummary {
    /// The first by name.
    pub system_a: String,
    /// The other.
    pub system_b: String,
    /// Items with an output of both; `None` where there are more than 500 systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// Items on which the two outputs are identical; likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identical: Option<u64>,
    /// Number of comparisons.
    pub comparisons: u64,
    /// Outcomes of `system_a`.
    pub labels: OutcomeCounts,
    /// Mean outcome of `system_a`, in [0, 1]; `None` without comparisons.
    pub preference: Option<f64>,
}

/// Counts of the outcomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OutcomeCounts {
    /// Comparisons in which the other was preferred.
    pub loss: u64,
    /// Comparisons in which neither was.
    pub tie: u64,
    /// Comparisons in which the system was preferred.
    pub win: u64,
}

/// One annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnnotatorSummary {
    /// The name, if known.
    pub annotator: Option<String>,
    /// Comparisons made.
    pub comparisons: u64,
    /// Judgments made.
    pub judgments: u64,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub(crate) struct CriterionSummary {
    /// The name.
    pub criterion: String,
    /// Number of judgments.
    pub judgments: u64,
    /// Smallest score.
    pub min: f64,
    /// Mean score.
    pub mean: f64,
    /// Largest score.
    pub max: f64,
}

impl OutcomeCounts {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Loss => self.loss += 1,
            Outcome::Tie => self.tie += 1,
            Outcome::Win => self.win += 1,
        }
    }

    /// The number of comparisons.
    pub fn total(&self) -> u64 {
        self.loss + self.tie + self.win
    }

    /// The mean outcome, in [0, 1]; `None` without any.
    pub fn mean(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| (self.win as f64 + 0.5 * self.tie as f64) / total as f64)
    }
}

impl DatasetSummary {
    /// Summarizes a data set.
    ///
    /// # Errors
    /// A data set whose tables have no row; if the index cannot be read.
    pub fn new(index: &Index, dataset: &Dataset) -> Result<DatasetSummary> {
        if index.items() == 0 {
            return Err(
                Error::input(dataset.path(), "holds nothing: its tables have no rows")
                    .with_hint("a row of `outputs` has an item, a system and its output"),
            );
        }
        let mut counts = DatasetCounts::new(index);
        let mut alike_items = Vec::new();
        for group in index.all() {
            let group = group?;
            if let Some(composed) = alike::composed(&group.item)
                && index.position(&composed)?.is_some()
            {
                alike_items.push([composed, group.item.clone()]);
            }
            counts.add(&group);
        }
        let SharedItemCounts { both, identical } = counts.shared;
        let pairs = counts::pairs_of(index.systems().len() as u64);
        let never = pairs - counts.compared.len() as u64;
        let outputs = index.rows(Kind::Outputs);
        let empty: u64 = counts.systems.iter().map(|system| system.empty).sum();
        Ok(DatasetSummary {
            name: dataset.name(),
            descriptor: dataset.descriptor().clone(),
            items: index.items(),
            outputs,
            comparisons: index.rows(Kind::Comparisons),
            judgments: index.rows(Kind::Judgments),
            with_source: counts.with_source,
            references: counts.references,
            empty: share(empty, outputs),
            identical: share(identical, both),
            labels: counts.labels,
            comparisons_without_output: counts.comparisons_without_output,
            judgments_without_output: counts.judgments_without_output,
            annotators: counts.annotators(),
            winner: winner::winner(index.systems(), &counts.compared),
            abilities: abilities::abilities(&counts, (both, never), index, dataset),
            alike: alike::alike(index.systems().iter().map(String::as_str)),
            alike_items,
            pairs: counts.pairs(),
            systems: counts.systems(),
            criteria: counts.criteria,
            ignored: dataset.ignored().to_vec(),
        })
    }
}

/// `part` as a share of `whole`; `None` if `whole` is 0.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
