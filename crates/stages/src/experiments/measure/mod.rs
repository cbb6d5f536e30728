//! The measures of cells: a file for each measure, and its line in [`MEASURES`].

mod annotation_complexity;
mod assessment;
mod correlation;
mod data_efficiency;
mod improvements;
mod judgments;
mod rated;
mod savings;
mod sentence_accuracy;
mod variance;

use super::keys::ExperimentSettings;
use super::materials::CellInputs;
use super::outcome::CellOutcome;
use super::quantity::Quantity;
use crate::engine::context::Context;
use crate::stages::simulate::Simulate;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use tiebreak_base::error::Result;
use tiebreak_base::keys::Keys;
use tiebreak_preference::preference::Options;

/// All measures; where none is named, the first.
const MEASURES: &[MeasureEntry] = &[
    annotation_complexity::ENTRY,
    sentence_accuracy::ENTRY,
    assessment::ENTRY,
    judgments::ENTRY,
    variance::ENTRY,
    correlation::ENTRY,
    data_efficiency::ENTRY,
    savings::ENTRY,
    improvements::ENTRY,
];

/// A measure in the list.
#[derive(Debug)]
pub(in crate::experiments) struct MeasureEntry {
    /// The name in files.
    name: &'static str,
    /// The subject, which decides most of its keys.
    pub of: MeasureSubject,
    /// Its other keys.
    keys: &'static [&'static str],
    /// Whether it needs a metric, where its subject is judgments of single outputs.
    pub needs_metric: bool,
    /// The quantities that it finds.
    pub finds: &'static [Quantity],
    /// The label of a cell without one, in tables and plots.
    pub label: fn(&ExperimentSettings) -> String,
    /// Computes a cell.
    pub measure: fn(&Context<'_>, &CellInputs<'_>) -> Result<CellOutcome>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::experiments) enum MeasureSubject {
    /// Replays of recorded comparisons.
    Replays,
    /// Preferences that a metric or a model predicts.
    Predictions,
    /// The data set alone.
    Records,
    /// Judgments of single outputs, under one criterion.
    Ratings,
    /// Simulated campaigns that judge single outputs.
    Campaigns,
}

impl MeasureEntry {
    const fn new(
        name: &'static str,
        of: MeasureSubject,
        finds: &'static [Quantity],
        measure: fn(&Context<'_>, &CellInputs<'_>) -> Result<CellOutcome>,
    ) -> Self {
        Self {
            name,
            of,
            keys: &[],
            needs_metric: false,
            finds,
            label: ExperimentSettings::predictor,
            measure,
        }
    }

    const fn taking(self, keys: &'static [&'static str]) -> Self {
        Self { keys, ..self }
    }

    const fn of_metric(self) -> Self {
        Self {
            needs_metric: true,
            ..self.taking(&["metric", "draws"])
        }
    }

    const fn called(self, label: fn(&ExperimentSettings) -> String) -> Self {
        Self { label, ..self }
    }

    /// Whether the subject is judgments of single outputs, under one criterion.
    pub(super) fn rates(&self) -> bool {
        matches!(self.of, MeasureSubject::Ratings | MeasureSubject::Campaigns)
    }

    /// Whether a key of experiments applies to it. The length of runs may be given for all, so that
    /// defaults can.
    pub(super) fn takes(&self, key: &str) -> bool {
        let all = ["label", "measure", "data", "runs", "budget", "steps"];
        let predicts = || ["metric", "link", "validation", "model"].contains(&key);
        let rates = || ["criterion", "scale", "parts", "confidence"].contains(&key);
        all.contains(&key)
            || self.keys.contains(&key)
            || match self.of {
                MeasureSubject::Replays => key == "altered" || predicts() || is_of::<Simulate>(key),
                MeasureSubject::Predictions => predicts() || is_of::<Options>(key),
                MeasureSubject::Records => false,
                MeasureSubject::Ratings => rates(),
                MeasureSubject::Campaigns => rates() || key == "estimator",
            }
    }
}

fn is_of<K: Keys>(key: &str) -> bool {
    K::names().iter().any(|one| one == key)
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&str")]
pub(in crate::experiments) struct CellMeasure(&'static MeasureEntry);

impl CellMeasure {
    /// The message for a key that applies to other measures only.
    pub(super) fn of_others(key: &str) -> String {
        let others = MEASURES.iter().filter(|one| one.takes(key));
        let names: Vec<&str> = others.map(|one| one.name).collect();
        format!("it belongs to {} only", names.join(", "))
    }
}

impl Deref for CellMeasure {
    type Target = MeasureEntry;

    fn deref(&self) -> &MeasureEntry {
        self.0
    }
}

impl Default for CellMeasure {
    fn default() -> Self {
        Self(&MEASURES[0])
    }
}

impl From<CellMeasure> for &str {
    fn from(measure: CellMeasure) -> Self {
        measure.name
    }
}

impl TryFrom<String> for CellMeasure {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = MEASURES.iter().find(|one| one.name == name);
        found.map(Self).ok_or_else(|| {
            let known: Vec<String> = MEASURES
                .iter()
                .map(|one| format!("`{}`", one.name))
                .collect();
            let known = known.join(", ");
            format!("unknown variant `{name}`, expected one of {known}")
        })
    }
}
