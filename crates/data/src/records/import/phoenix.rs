//! Exports of Arize Phoenix: the runs of an experiment (the server's JSON or CSV), spans with their annotations (data frames
//! of its client), and the data frame of its evaluators.
//!
//! An annotation says who gave it: HUMAN, LLM or CODE. A label without a score is no number. In a table, `input` and
//! `reference_output` are spelled as JSON.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    RecordLayout, RecordValue, ScoredRow, by_file, said, said_or_spelled, scored_rows,
};
use tiebreak_base::error::{Error, Result};

/// The format of Phoenix's exports.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "phoenix",
    summary: "Phoenix experiments, annotated spans or evaluated data frames",
    picks: &[],
    matching_files: |files| {
        files.that(|file| {
            is_experiment(file) || is_spans(file) || is_annotations(file) || is_evaluated(file)
        })
    },
    read,
};

const DETAILS: &str = "_execution_details";
const KIND: &str = "_annotator_kind";

fn is_experiment(file: &ImportFile) -> bool {
    file.has(&[
        "example_id",
        "repetition_number",
        "input",
        "reference_output",
        "output",
    ])
}

fn is_spans(file: &ImportFile) -> bool {
    file.has(&["context.span_id", "span_kind", "status_code"])
}

fn is_annotations(file: &ImportFile) -> bool {
    file.has(&["span_id", "annotation_name", "annotator_kind"])
}

fn is_evaluated(file: &ImportFile) -> bool {
    file.has(&["output"]) && file.look().first.keys().any(|name| name.ends_with(DETAILS))
}

fn read(_: &[&ImportFile], files: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let experiments = files.that(is_experiment);
    if !experiments.is_empty() {
        builder.taken(
            "system: the file; item: example_id; criteria: annotations; annotator: its kind",
        );
        let system = by_file(&experiments);
        scored_rows(&experiments, &[], builder, &mut |file, record| {
            experiment_row(record, system(file))
        })?;
    }
    let evaluated = files.that(is_evaluated);
    if let Some(table) = evaluated
        .iter()
        .find(|file| file.look().kind == Some(RecordLayout::Table))
    {
        let error = Error::input(&table.path, "scores of Phoenix as Python prints them");
        return Err(error.with_hint(
            "save the data frame as JSON: frame.to_json(\"NAME.json\", orient=\"records\")",
        ));
    }
    if !evaluated.is_empty() {
        builder.taken("system: the file; item: id, else input; references: reference; criteria: scores; annotator: its kind");
        let system = by_file(&evaluated);
        scored_rows(&evaluated, &[], builder, &mut |file, record| {
            evaluated_row(record, system(file))
        })?;
    }
    let (spans, annotations) = (files.that(is_spans), files.that(is_annotations));
    if spans.len() + annotations.len() > 0 {
        builder.taken("system: the model of an LLM span; item: its input; criteria: annotations; annotator: user, else kind");
    }
    let outputs = scored_rows(&spans, &[], builder, &mut |_, record| span_row(record))?;
    for file in annotations {
        file.records(&[], &mut |record| {
            let id = record.get("id").filled()?;
            if id.is_some_and(|id| builder.is_again("annotation", &id)) {
                return Ok(());
            }
            let given = GivenScore {
                criterion: record.get("annotation_name").name()?,
                annotator: record
                    .get("user_id")
                    .filled()?
                    .or(kind(record.get("annotator_kind"))?),
                score: record.get("result.score").score(),
            };
            match outputs.get(&record.get("span_id").name()?) {
                Some(about) => builder.scored(about, &given),
                None => {
                    builder.drop("an annotation of a span without an output");
                    Ok(())
                }
            }
        })?;
    }
    Ok(())
}

fn kind(value: RecordValue<'_>) -> Result<Option<String>> {
    Ok(value.filled()?.map(|kind| kind.to_uppercase()))
}

/// Returns an object as a text, also where a cell of a table spells it.
fn object(value: RecordValue<'_>) -> Option<String> {
    value
        .spelled()
        .map_or_else(|| said(value), |record| said(record.node()))
}

fn experiment_row(record: &ImportRecord, system: String) -> Result<ExportedRow> {
    if record.get("error").filled()?.is_some() {
        return Ok(ExportedRow::Failed(system));
    }
    let mut scores = Vec::new();
    for one in record.get("annotations").items() {
        scores.push(GivenScore {
            criterion: one.get("name").name()?,
            annotator: kind(one.get("annotator_kind"))?,
            score: one
                .get("score")
                .score()
                .filter(|_| one.get("error").is_null()),
        });
    }
    for (name, by) in record.node().fields() {
        let named = name
            .strip_prefix("annotation_")
            .and_then(|name| name.strip_suffix(KIND));
        let Some(criterion) = named.filter(|_| !by.is_null() && by.value() != "") else {
            continue;
        };
        let field = |ending: &str| format!("annotation_{criterion}_{ending}");
        let failed = record.get(&field("error")).filled()?.is_some();
        scores.push(GivenScore {
            criterion: criterion.to_string(),
            annotator: kind(by)?,
            score: record.get(&field("score")).score().filter(|_| !failed),
        });
    }
    let (item, repetition) = (
        record.get("example_id").name()?,
        record.get("repetition_number").number()?,
    );
    let repeat = repetition.unwrap_or(1.0).max(0.0) as u64;
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: Some(format!("{item} {repeat}")),
        item: Some(item),
        system,
        source: object(record.get("input")),
        references: object(record.get("reference_output"))
            .map(Some)
            .into_iter()
            .collect(),
        output: said(record.get("output")),
        repeat,
        scores,
        ..ScoredRow::default()
    })))
}

fn evaluated_row(record: &ImportRecord, system: String) -> Result<ExportedRow> {
    let mut scores = Vec::new();
    for (name, _) in record.node().fields() {
        let Some(criterion) = name.strip_suffix(DETAILS) else {
            continue;
        };
        let column = format!("{criterion}_score");
        let given = record.get(&column);
        scores.push(GivenScore {
            criterion: criterion.to_string(),
            annotator: kind(given.get("kind"))?,
            score: given.get("score").score(),
        });
    }
    let references = record.first(&["reference", "expected", "reference_output"]);
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        item: record.node().first_filled(&["id", "example_id"])?,
        system,
        source: said(record.get("input")),
        references: said(references).map(Some).into_iter().collect(),
        output: said(record.get("output")),
        scores,
        ..ScoredRow::default()
    })))
}

fn span_row(record: &ImportRecord) -> Result<ExportedRow> {
    if kind(record.get("span_kind"))?.as_deref() != Some("LLM") {
        return Ok(ExportedRow::Other);
    }
    let Some(system) = record.get("attributes.llm.model_name").filled()? else {
        return Ok(ExportedRow::LeftOut("a span without a model"));
    };
    if kind(record.get("status_code"))?.as_deref() == Some("ERROR") {
        return Ok(ExportedRow::Failed(system));
    }
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: Some(record.get("context.span_id").name()?),
        system,
        source: said_or_spelled(record.get("attributes.input.value")),
        output: said_or_spelled(record.get("attributes.output.value")),
        ..ScoredRow::default()
    })))
}
