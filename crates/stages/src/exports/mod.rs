//! Exports of a data set in the forms of other tools: comparisons or predictions, judgments, scores.
//!
//! A form is one file here and its line in `EXPORTS`.

mod aggregates;
mod answers;
mod arena;
mod eval_results;
mod inspect_scores;
mod lines;
mod metric_scores;
mod plain;
mod preference;
mod result_table;

use crate::engine::context::Context;
use crate::inputs::source::{PredictionTable, Scores, Source};
use std::path::Path;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;

/// A form of another tool.
pub struct Export {
    /// The name in `--as`.
    pub name: &'static str,
    /// A short description.
    pub summary: &'static str,
    /// The name of its file in a folder; `None` for forms of several files.
    file: Option<&'static str>,
    write: fn(&ExportRequest<'_>, &Path) -> Result<ExportSummary>,
}

/// Every form.
pub(crate) const EXPORTS: &[&Export] = &[
    &answers::EXPORT,
    &arena::EXPORT,
    &plain::CSV,
    &eval_results::EXPORT,
    &aggregates::EXPORT,
    &inspect_scores::EXPORT,
    &plain::JSONL,
    &result_table::LATEX,
    &result_table::MARKDOWN,
    &metric_scores::EXPORT,
    &plain::PARQUET,
    &preference::REWARDBENCH,
    &preference::TRL,
];

/// The request of an export.
pub struct ExportRequest<'a> {
    /// The context of stages.
    pub context: &'a Context<'a>,
    /// The data set.
    pub source: &'a Source,
    /// The predictions of a model, in place of comparisons.
    pub predictions: Option<&'a PredictionTable>,
    /// Scores of a metric, where the form is of scores.
    pub scores: Option<&'a Scores>,
    /// The reference that the scores were computed against, as mt-metrics-eval names it.
    pub reference: &'a str,
    /// The developer of systems whose names do not begin with one, for Every Eval Ever.
    pub developer: Option<&'a str>,
    /// The data set at the Hugging Face Hub that the results are of, as OWNER/NAME.
    pub benchmark: Option<&'a str>,
}

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ExportSummary {
    /// The form.
    pub form: String,
    /// The names of what was written, with counts.
    pub rows: Vec<(String, u64)>,
    /// The reasons for what was left out, with counts.
    pub dropped: Vec<(String, u64)>,
}

impl std::fmt::Display for ExportSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (file, rows) in &self.rows {
            writeln!(f, "{file}: {rows} rows")?;
        }
        let mut dropped = self.dropped.iter().filter(|(_, count)| *count > 0);
        dropped.try_for_each(|(reason, count)| writeln!(f, "left out: {count} ({reason})"))
    }
}

impl Export {
    /// The form with this name.
    ///
    /// # Errors
    /// If there is none, with the nearest name.
    pub fn by_name(name: &str) -> Result<&'static Export> {
        let found = EXPORTS.iter().find(|export| export.name == name);
        found.copied().ok_or_else(|| {
            let names = EXPORTS.iter().map(|export| export.name);
            Error::unknown_name("form", name, "forms are", names)
        })
    }

    /// Writes a data set in a form to `out`, or into it if that is a folder.
    ///
    /// # Errors
    /// If the data set has not what the form is of, something else is at `out`, `out` is named as compressed, or
    /// writing fails.
    pub fn write(&self, what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
        if what.source.of_campaign && what.predictions.is_none() {
            what.context.progress.warn(&format!(
            "the questions of a campaign depend on earlier answers, so a ranking of this copy proves nothing. Its own: \
             tiebreak rank {}",
            path_argument(what.source.dataset.path())
        ));
        }
        let Some(file) = self.file else {
            return (self.write)(what, out);
        };
        // A folder that is not there yet has a slash after its name.
        let is_new_folder = out.to_string_lossy().ends_with(std::path::is_separator);
        if out.is_dir() || is_new_folder {
            return (self.write)(what, &out.join(file));
        }
        let ending = out.extension().unwrap_or_default().to_ascii_lowercase();
        if ending == "gz" || ending == "zst" {
            let named = format!("{}: {} is written uncompressed", out.display(), self.name);
            return Err(Error::usage(named).with_hint("leave the last ending out"));
        }
        (self.write)(what, out)
    }
}

/// The result of comparing two systems on an item, by a person or a model.
struct ExportComparison<'a> {
    /// The place among all comparisons of people; `None` of a prediction.
    place: Option<u64>,
    a: &'a str,
    b: &'a str,
    outcome: Outcome,
    annotator: Option<String>,
    cost: Cost,
}

impl ExportRequest<'_> {
    /// Gives the verdicts of every item: those of the predictions, where there are any, else people's.
    fn verdicts(
        &self,
        each: &mut dyn FnMut(&Group, &ExportComparison<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.predictions.is_none() && !self.source.index.has(Kind::Comparisons) {
            return Err(self.source.lacks("export", "comparisons"));
        }
        for group in self.source.index.all() {
            self.context.check()?;
            let group = group?;
            let predicted = self
                .predictions
                .map(|predictions| predictions.of_item(group.position));
            for (a, b, prediction) in predicted.transpose()?.into_iter().flatten() {
                let verdict = ExportComparison {
                    place: None,
                    a: self.source.system(a),
                    b: self.source.system(b),
                    outcome: Outcome::of_scores(prediction.p, 0.5),
                    annotator: None,
                    cost: Cost::default(),
                };
                each(&group, &verdict)?;
            }
            if self.predictions.is_none() {
                for comparison in &group.comparisons {
                    let verdict = ExportComparison {
                        place: Some(comparison.place),
                        a: self.source.system(comparison.a),
                        b: self.source.system(comparison.b),
                        outcome: comparison.outcome,
                        annotator: comparison.annotator.clone(),
                        cost: comparison.cost,
                    };
                    each(&group, &verdict)?;
                }
            }
        }
        Ok(())
    }

    /// The texts of the systems of a verdict.
    fn texts<'g>(&self, group: &'g Group, verdict: &ExportComparison<'_>) -> Result<[&'g str; 2]> {
        let text = |system: &str| {
            let arm = self.source.index.system(system)?;
            group
                .output(arm)
                .ok_or_else(|| self.source.lacks_output(&group.item, arm))
        };
        Ok([text(verdict.a)?, text(verdict.b)?])
    }

    /// The source of an item, which forms with prompts need.
    fn prompt<'g>(&self, group: &'g Group) -> Result<&'g str> {
        group.source.as_deref().ok_or_else(|| {
            let what = format!(
                "item `{}` has no source, which would be the prompt",
                group.item
            );
            Error::input(self.source.dataset.path(), what)
        })
    }
}
