//! Test runs of deepeval: `test_run_<date>.json`, one a run.
//!
//! Names such as `test_case_0` count the cases of a run. A name stands for one item only while every run has one input
//! under it; else an item is its input. `success` is a score against a threshold, and no criterion.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ScoredRow, digest, said, scored_rows,
};
use std::collections::HashMap;
use tiebreak_base::error::Result;

/// The format of deepeval's test runs.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "deepeval",
    summary: "deepeval test runs",
    picks: &[],
    matching_files: |files| files.that(|file| file.has(&[CASES, "metricsScores"])),
    read,
};

/// Where the outputs of a run are.
const CASES: &str = "testCases";

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: hyperparameters.model, identifier or file; item: name; source: input; criteria: metrics; annotator: the judge");
    // The input of each name; `None` where a name has several.
    let mut inputs: HashMap<String, Option<u64>> = HashMap::new();
    for file in found {
        file.records(&[CASES], &mut |record| {
            let input = Some(digest(&said(record.get("input"))));
            let known = inputs
                .entry(record.get("name").filled()?.unwrap_or_default())
                .or_insert(input);
            *known = known.filter(|known| Some(*known) == input);
            Ok(())
        })?;
    }
    let mut systems = HashMap::new();
    for file in found {
        let run = file.object(&[CASES])?;
        let model = run.get("hyperparameters").get("model").filled()?;
        let system = model.or(run.get("identifier").filled()?);
        systems.insert(
            file.path.clone(),
            system.unwrap_or_else(|| file.stem().to_string()),
        );
        let conversations = run.get("conversationalTestCases").items().len();
        builder.drop_many("a conversational test case", conversations as u64);
    }
    scored_rows(found, &[CASES], builder, &mut |file, record| {
        let name = record.get("name").filled()?;
        let item = name.filter(|name| inputs.get(name).is_some_and(Option::is_some));
        let order = record.get("order").filled()?;
        let id = order.map(|order| format!("{} {order}", file.stem()));
        row(record, (id, item), systems[&file.path].clone())
    })?;
    Ok(())
}

fn row(
    record: &ImportRecord,
    (id, item): (Option<String>, Option<String>),
    system: String,
) -> Result<ExportedRow> {
    let scores = record.get("metricsData").items().map(|metric| {
        let judge = metric.get("evaluationModel").filled()?;
        Ok(GivenScore {
            criterion: metric.get("name").name()?,
            annotator: judge.filter(|judge| judge != "none"),
            score: metric
                .get("score")
                .score()
                .filter(|_| metric.get("error").is_null()),
        })
    });
    let expected = said(record.get("expectedOutput"));
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id,
        item,
        system,
        source: said(record.get("input")),
        references: expected.map(Some).into_iter().collect(),
        output: said(record.get("actualOutput")),
        scores: scores.collect::<Result<_>>()?,
        ..ScoredRow::default()
    })))
}
