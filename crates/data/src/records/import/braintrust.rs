//! Events of Braintrust experiments, as its API and SQL give them: JSON lines, a list, or one object with `events`.
//!
//! Only the root span of a trace is an output; the spans inside it repeat its texts and scores.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ScoredRow, said, scored_rows,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The format of Braintrust's events.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "braintrust",
    summary: "Braintrust experiment events",
    picks: &[],
    matching_files: |files| files.that(|file| file.has(&FIELDS) || has_events(file)),
    read,
};

/// Where the events of one object are.
const EVENTS: &str = "events";

/// The fields by which an event is known.
const FIELDS: [&str; 4] = ["root_span_id", "span_attributes", "scores", "expected"];

fn has_events(file: &ImportFile) -> bool {
    let first = file
        .look()
        .first
        .get(EVENTS)
        .and_then(|events| events.get(0));
    first.is_some_and(|first| FIELDS.iter().all(|field| first.get(field).is_some()))
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: the file of an experiment; item: dataset_record_id, else input; references: expected; criteria: scores");
    // The experiments of each file, and the names of each experiment's files.
    let (mut of_file, mut files_of) = (BTreeMap::new(), BTreeMap::new());
    for file in found {
        file.records(inside(file), &mut |record| {
            let experiment = record
                .get("experiment_id")
                .filled()?
                .unwrap_or_else(|| file.stem().to_string());
            files_of
                .entry(experiment.clone())
                .or_insert_with(BTreeSet::new)
                .insert((file.stem().len(), file.stem().to_string()));
            of_file
                .entry(file.stem().to_string())
                .or_insert_with(BTreeSet::new)
                .insert(experiment);
            Ok(())
        })?;
    }
    let system = |file: &ImportFile, experiment: Option<String>| {
        let several = of_file[file.stem()].len() > 1;
        let named = experiment.as_ref().and_then(|id| files_of[id].first());
        match (experiment.clone().filter(|_| several), named) {
            (Some(id), _) => id,
            (None, Some((_, stem))) => stem.clone(),
            (None, None) => file.stem().to_string(),
        }
    };
    for at in [&[][..], &[EVENTS]] {
        let files: Vec<&ImportFile> = found
            .iter()
            .copied()
            .filter(|file| inside(file) == at)
            .collect();
        scored_rows(&files, at, builder, &mut |file, record| {
            let experiment = record.get("experiment_id").filled()?;
            row(record, || system(file, experiment))
        })?;
    }
    Ok(())
}

fn inside(file: &ImportFile) -> &'static [&'static str] {
    if has_events(file) { &[EVENTS] } else { &[] }
}

fn row(record: &ImportRecord, system: impl FnOnce() -> String) -> Result<ExportedRow> {
    let parents = record.get("span_parents");
    if parents.items().len() > 0 || record.get("is_root").value() == false {
        return Ok(ExportedRow::Other);
    }
    if !record.get("error").is_null() {
        return Ok(ExportedRow::Failed(system()));
    }
    let expected = record.get("expected");
    let references = match expected.is_list() {
        true => expected.items().map(said).collect(),
        false => said(expected).map(Some).into_iter().collect(),
    };
    let scores = record
        .get("scores")
        .fields()
        .map(|(criterion, value)| GivenScore::new(criterion, value.score()));
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: Some(record.get("id").name()?),
        item: record.get("dataset_record_id").filled()?,
        system: system(),
        source: said(record.get("input")),
        references,
        output: said(record.get("output")),
        scores: scores.collect(),
        ..ScoredRow::default()
    })))
}
