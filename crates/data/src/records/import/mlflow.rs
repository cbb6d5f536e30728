//! Evaluations of MLflow: the data frame of `mlflow.genai.evaluate`, saved as JSON, and `eval_results_table.json` of
//! `mlflow.models.evaluate`.
//!
//! Traces have new ids in every run, so that an item is its request. An assessment that is an expectation is the
//! reference, and no score.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    RecordValue, ScoredRow, by_file, said, scored_rows,
};
use std::collections::BTreeSet;
use tiebreak_base::error::Result;

/// The format of MLflow's evaluations.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "mlflow",
    summary: "MLflow evaluations",
    picks: &[],
    matching_files: |files| files.that(|file| is_traces(file) || is_table(file)),
    read,
};

const VALUE: &str = "/value";
const SCORE: &str = "/score";

/// The name of the table that `mlflow.models.evaluate` logs.
const TABLE: &str = "eval_results_table";

fn is_traces(file: &ImportFile) -> bool {
    file.has(&["trace_id", "request", "response", "assessments"])
}

fn is_table(file: &ImportFile) -> bool {
    let has_scores = file.look().first.keys().any(|name| name.ends_with(SCORE));
    file.has(&["inputs", "outputs"]) && (has_scores || file.stem() == TABLE)
}

fn read(_: &[&ImportFile], files: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let traces = files.that(is_traces);
    if !traces.is_empty() {
        builder.taken("system: the file; item: the request; references: expected_response; criteria: feedback");
        let system = by_file(&traces);
        scored_rows(&traces, &[], builder, &mut |file, record| {
            trace_row(record, system(file))
        })?;
    }
    let tables = files.that(is_table);
    if !tables.is_empty() {
        builder.taken("system: the folder of a table, or its file; item: inputs; references: ground_truth; criteria: scores");
        let system = by_file(&tables);
        scored_rows(&tables, &[], builder, &mut |file, record| {
            let system = if file.stem() == TABLE {
                file.folder()
            } else {
                system(file)
            };
            Ok(table_row(record, system))
        })?;
    }
    Ok(())
}

fn table_row(record: &ImportRecord, system: String) -> ExportedRow {
    let scores = record.node().fields().filter_map(|(name, value)| {
        Some(GivenScore::new(name.strip_suffix(SCORE)?, value.score()))
    });
    let expected = record.first(&["ground_truth", "targets", "target"]);
    ExportedRow::Output(Box::new(ScoredRow {
        system,
        source: said(record.get("inputs")),
        references: said(expected).map(Some).into_iter().collect(),
        output: said(record.get("outputs")),
        scores: scores.collect(),
        ..ScoredRow::default()
    }))
}

fn trace_row(record: &ImportRecord, system: String) -> Result<ExportedRow> {
    if record.get("state").value() == "ERROR" {
        return Ok(ExportedRow::Failed(system));
    }
    let (mut scores, mut references, mut met) = (Vec::new(), Vec::new(), BTreeSet::new());
    for assessment in record.get("assessments").items() {
        let name = assessment.get("assessment_name").name()?;
        met.insert(format!("{name}{VALUE}"));
        let (feedback, expectation) = (assessment.get("feedback"), assessment.get("expectation"));
        let is_replaced = assessment.get("valid").value() == false;
        if !expectation.is_null() && name == "expected_response" {
            references.push(said(expectation.get("value")));
        } else if !feedback.is_null() && !is_replaced {
            scores.push(GivenScore {
                criterion: name,
                annotator: assessed_by(assessment.get("source"))?,
                score: graded(feedback.get("value")),
            });
        }
    }
    // A scorer that failed may have left a column alone.
    for (name, value) in record
        .node()
        .fields()
        .filter(|(name, _)| !met.contains(*name))
    {
        if let Some(criterion) = name.strip_suffix(VALUE) {
            scores.push(GivenScore::new(criterion, graded(value)));
        }
    }
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: record.get("trace_id").filled()?,
        system,
        source: said(record.get("request")),
        references,
        output: said(record.get("response")),
        scores,
        ..ScoredRow::default()
    })))
}

/// Returns the person or judge who gave an assessment; a program is the word for it.
fn assessed_by(source: RecordValue<'_>) -> Result<Option<String>> {
    let kind = source.get("source_type").filled()?;
    match kind.as_deref() {
        Some("CODE") => Ok(kind),
        _ => Ok(source
            .get("source_id")
            .filled()?
            .filter(|id| id != "default")
            .or(kind)),
    }
}

/// Returns a score; yes and no are 1 and 0, as MLflow counts them.
fn graded(value: RecordValue<'_>) -> Option<f64> {
    let word = value
        .value()
        .as_str()
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    match &*word {
        "yes" => Some(1.0),
        "no" => Some(0.0),
        _ => value.score(),
    }
}
