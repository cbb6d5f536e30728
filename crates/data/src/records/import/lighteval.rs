//! Details of lighteval (Parquet): `details/<model>/<date>/details_<task>_<date>.parquet`.
//!
//! Nothing inside a file names the model or the task: both are read from its path, and a model's name may be two folders.
//! `text_post_processed` is the tool's cleaning, not the answer. A task whose options are compared by their likelihoods has
//! no texts.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ScoredRow, key_of, likeliest, scored_rows,
};
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::Result;

/// The format of lighteval's details.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "lighteval",
    summary: "lighteval details",
    picks: &[],
    matching_files: |files| files.that(|file| file.has(&["doc", "metric", "model_response"])),
    read,
};

/// What the path of a file says.
#[derive(Clone)]
struct DetailsPath {
    system: String,
    task: String,
    date: String,
}

impl DetailsPath {
    /// Reads the folders between `details` and the date, or the folder above the date.
    fn read(file: &ImportFile) -> Self {
        let whole = std::fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone());
        let date = file.folder();
        let names = whole
            .parent()
            .and_then(Path::parent)
            .into_iter()
            .flat_map(Path::iter);
        let names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        let from = names
            .iter()
            .rposition(|name| name == "details")
            .map_or(names.len().saturating_sub(1), |place| place + 1);
        let task = file.stem().trim_start_matches("details_");
        Self {
            system: names[from..].join("/"),
            task: task
                .strip_suffix(&format!("_{date}"))
                .unwrap_or(task)
                .to_string(),
            date,
        }
    }
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: the folders of the model; item: task and id; references: choices at gold_index; output: the text, else the likeliest choice; criteria: metrics");
    let paths: Vec<DetailsPath> = found.iter().map(|file| DetailsPath::read(file)).collect();
    let mut latest: BTreeMap<(String, String), String> = BTreeMap::new();
    for DetailsPath { system, task, date } in paths.iter().cloned() {
        let known = latest.entry((system, task)).or_default();
        *known = date.max(std::mem::take(known));
    }
    for (file, path) in found.iter().zip(paths) {
        let is_latest = latest[&(path.system.clone(), path.task.clone())] == path.date;
        scored_rows(&[file], &[], builder, &mut |_, record| match is_latest {
            true => row(record, &path),
            false => Ok(ExportedRow::LeftOut(
                "a row of an earlier run of the same task",
            )),
        })?;
    }
    Ok(())
}

fn row(record: &ImportRecord, path: &DetailsPath) -> Result<ExportedRow> {
    let doc = record.get("doc");
    let source = doc.get("query").text()?;
    let id = doc
        .get("id")
        .filled()?
        .unwrap_or_else(|| key_of(source.as_deref().unwrap_or_default()));
    let gold = doc.get("gold_index");
    let single = (!gold.is_list()).then_some(gold);
    let places = gold
        .items()
        .chain(single)
        .filter_map(|place| place.value().as_u64());
    let options = doc.get("choices");
    let references = places.map(|place| options.nth(place as usize).text());
    let response = record.get("model_response");
    let (answers, likelihoods) = (response.get("text"), response.get("logprobs"));
    let output = match answers.items().len() {
        // Of choices that are not written the likeliest is the answer.
        0 if likelihoods.items().len() == options.items().len() => {
            let chosen = likeliest(likelihoods.items()).map(|place| options.nth(place).text());
            let chosen = chosen.transpose()?.flatten();
            chosen.map(|text| text.trim().to_string())
        }
        _ => answers.nth(0).text()?,
    };
    let scores = record
        .get("metric")
        .fields()
        .map(|(criterion, value)| GivenScore::new(criterion, value.score()));
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        item: Some(format!("{}/{id}", path.task)),
        system: path.system.clone(),
        source,
        references: references.collect::<Result<_>>()?,
        output,
        further: answers.items().len().saturating_sub(1) as u64,
        scores: scores.collect(),
        ..ScoredRow::default()
    })))
}
