//! Experiments of Opik, as `opik export WORKSPACE experiment NAME` writes them: `experiment_<id>.json`.
//!
//! The traces that it writes beside them have the same answers, and name no experiment and no item: they are left out.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    RecordValue, ScoredRow, said, scored_rows,
};
use std::collections::BTreeMap;
use tiebreak_base::error::Result;

/// The format of Opik's experiments.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "opik",
    summary: "Opik experiments",
    picks: &[],
    matching_files,
    read,
};

/// Where the outputs of an experiment are.
const ITEMS: &str = "items";

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let experiment = file.look().first.get("experiment");
        file.has(&[ITEMS]) && experiment.is_some_and(|experiment| experiment.get("name").is_some())
    })
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    builder.taken("system: the experiment; item: dataset_item_id; references: expected_output; criteria: feedback scores");
    let is_trace = |file: &ImportFile| file.name().starts_with("trace_");
    for trace in files.that(is_trace) {
        trace.leave_out("a trace, which names no experiment");
    }
    let mut systems = BTreeMap::new();
    for file in found {
        let name = file
            .object(&[ITEMS])?
            .get("experiment")
            .get("name")
            .name()?;
        systems.insert(file.path.clone(), name);
    }
    scored_rows(found, &[ITEMS], builder, &mut |file, record| {
        row(record, systems[&file.path].clone())
    })?;
    Ok(())
}

fn row(record: &ImportRecord, system: String) -> Result<ExportedRow> {
    let asked = record.get("dataset_item_data");
    let scores = record.get("feedback_scores").items().map(|given| {
        let criterion = given.get("name").name()?;
        Ok(GivenScore::new(&criterion, given.get("value").score()))
    });
    let member = |value: RecordValue<'_>, name: &str| match value.get(name) {
        none if none.is_null() => said(value),
        only => said(only),
    };
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: record.get("id").filled()?,
        item: Some(record.get("dataset_item_id").name()?),
        system,
        source: member(asked, "input"),
        references: said(asked.get("expected_output"))
            .map(Some)
            .into_iter()
            .collect(),
        output: member(record.get("evaluation_task_output"), "output"),
        scores: scores.collect::<Result<_>>()?,
        ..ScoredRow::default()
    })))
}
