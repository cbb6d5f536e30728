//! Exports of Langfuse to blob storage, JSON lines or CSV: `observations_v2/` and `scores/`.
//!
//! An output is an observation of the type GENERATION; spans have the same texts again. Ids of traces differ between
//! runs, so that an item is its input. A categorical score's value is the place of the category, and that of a text is
//! always 0: neither is a score.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ScoredRow, said_or_spelled, scored_rows,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The format of Langfuse's exports.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "langfuse",
    summary: "Langfuse observations and scores",
    picks: &[],
    matching_files: |files| files.that(|file| is_observations(file) || is_scores(file)),
    read,
};

fn is_observations(file: &ImportFile) -> bool {
    file.has(&["id", "trace_id", "type", "level", "provided_model_name"])
}

fn is_scores(file: &ImportFile) -> bool {
    file.has(&["id", "trace_id", "name", "value", "source", "data_type"])
}

fn read(_: &[&ImportFile], files: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: the model of a generation; item: its input; criteria: names of scores; annotator: author, evaluator or source");
    // The generations of each trace.
    let mut traces: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut row = |_: &ImportFile, record: &ImportRecord| {
        let is = |field, word| {
            record
                .get(field)
                .value()
                .as_str()
                .is_some_and(|found| found.eq_ignore_ascii_case(word))
        };
        if !is("type", "GENERATION") {
            return Ok(ExportedRow::Other);
        }
        let Some(system) = record.get("provided_model_name").filled()? else {
            return Ok(ExportedRow::LeftOut("a generation without a model"));
        };
        if is("level", "ERROR") {
            return Ok(ExportedRow::Failed(system));
        }
        let id = record.get("id").name()?;
        if let Some(trace) = record.get("trace_id").filled()? {
            traces.entry(trace).or_default().insert(id.clone());
        }
        Ok(ExportedRow::Output(Box::new(ScoredRow {
            id: Some(id),
            system,
            source: said_or_spelled(record.get("input")),
            output: said_or_spelled(record.get("output")),
            ..ScoredRow::default()
        })))
    };
    let outputs = scored_rows(&files.that(is_observations), &[], builder, &mut row)?;
    for file in files.that(is_scores) {
        file.records(&[], &mut |record| {
            if builder.is_again("score", &record.get("id").name()?) {
                return Ok(());
            }
            let criterion = record.get("name").name()?;
            let kind = record
                .get("data_type")
                .filled()?
                .unwrap_or_default()
                .to_uppercase();
            if !builder.meet_criterion(&criterion) {
                return Ok(());
            }
            let is_number = ["", "NUMERIC", "BOOLEAN"].contains(&kind.as_str());
            let trace = record.get("trace_id").filled()?.unwrap_or_default();
            let generations = traces.get(&trace);
            let about = match (record.get("observation_id").filled()?, generations) {
                (Some(observation), _) => outputs
                    .get(&observation)
                    .ok_or("a score of an observation without an output"),
                (None, Some(generations)) if generations.len() > 1 => {
                    Err("a score of a trace with several generations")
                }
                (None, generations) => {
                    let only = generations.and_then(|only| outputs.get(only.first()?));
                    only.ok_or("a score of a trace without an output")
                }
            };
            match about {
                _ if kind == "CATEGORICAL" => builder.drop("a category, which is no number"),
                _ if !is_number => builder.drop("a text, which is no number"),
                Err(why) => builder.drop(why),
                Ok(about) => builder.scored(
                    about,
                    &GivenScore {
                        criterion,
                        annotator: record.node().first_filled(&[
                            "author_user_id",
                            "evaluator_id",
                            "source",
                        ])?,
                        score: record.get("value").score(),
                    },
                )?,
            }
            Ok(())
        })?;
    }
    Ok(())
}
