//! Results in the repository of a model at the Hugging Face Hub: `.eval_results/NAME.yaml`, a list of values with the data set
//! and task that each is of (`EvalResultEntry` of huggingface_hub 1.x).
//!
//! The Hub shows them on the page of the model and on the leaderboard of the data set. It has no field for an interval, so
//! that stands in the notes. The task is the criterion.

use super::aggregates::{WITHOUT_ESTIMATE, by_system, lacks_means, part};
use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use crate::stages::estimate::{self, EstimateRow, EstimateStage};
use serde_json::json;
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_base::layout::{number, share};
use tiebreak_base::words::counted;

/// Values of a model.
pub(crate) const EXPORT: Export = Export {
    name: "eval-results",
    summary: "mean judgments for a model's page at the Hugging Face Hub (a folder)",
    file: None,
    write,
};

/// The folder in a model's repository.
const FOLDER: &str = ".eval_results";

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let Some((owner, benchmark)) = what.benchmark.and_then(|id| id.split_once('/')) else {
        let error = Error::usage("the data set at the Hub is not named as OWNER/NAME");
        return Err(error.with_hint(format!(
            "say whose results these are: {} OWNER/NAME",
            Flag("benchmark")
        )));
    };
    let (owner, benchmark) = (part(owner)?, part(benchmark)?);
    let id = format!("{owner}/{benchmark}");
    let estimates = estimate::run(what.context, what.source, &[], &EstimateStage::default())?;
    // A system that cannot be published is refused before anything is written.
    let (mut files, mut without) = (Vec::new(), 0);
    for (system, of_system) in by_system(&estimates.rows) {
        let entries: Vec<Vec<String>> =
            of_system.iter().filter_map(|row| entry(row, &id)).collect();
        without += (of_system.len() - entries.len()) as u64;
        let mut path = out.to_path_buf();
        for name in system.split('/') {
            path.push(part(name)?);
        }
        if !entries.is_empty() {
            files.push((path.join(FOLDER).join(format!("{benchmark}.yaml")), entries));
        }
    }
    if files.is_empty() {
        return Err(lacks_means(what));
    }
    let mut rows = Vec::new();
    for (path, entries) in files {
        let mut lines = LineFileWriter::create(&path)?;
        entries
            .iter()
            .flatten()
            .try_for_each(|line| lines.line(line))?;
        rows.push((lines.finish()?.0, entries.len() as u64));
    }
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows,
        dropped: vec![(WITHOUT_ESTIMATE.to_string(), without)],
    })
}

/// The lines of one value; nothing without an estimate. A text is quoted as in JSON, which YAML reads as well.
fn entry(row: &EstimateRow, id: &str) -> Option<Vec<String>> {
    let analysis = &row.analysis;
    let value = analysis.estimate?;
    let ends = analysis.lower.zip(analysis.upper).map(|(lower, upper)| {
        let level = share(analysis.confidence);
        let over = analysis.over.name().replace('-', " ");
        format!(
            "; {level} interval over {over} [{}, {}]",
            number(lower),
            number(upper)
        )
    });
    let notes = format!(
        "mean of {}{} (tiebreak estimate)",
        counted(analysis.n, "judgment"),
        ends.unwrap_or_default()
    );
    Some(vec![
        "- dataset:".to_string(),
        format!("    id: {}", json!(id)),
        format!("    task_id: {}", json!(row.criterion)),
        // Without an exponent, which some readers of YAML take for a text.
        format!("  value: {value}"),
        format!("  notes: {}", json!(notes)),
    ])
}
