//! Exports of LangSmith: the results of an experiment as its client makes a data frame of them, in CSV or JSON lines; and
//! runs with feedback, a record a line.
//!
//! Two feedbacks of one group are one comparison, by a judge a prediction. Runs inside others are steps on the way to an
//! output.

use super::frame::{
    DatasetBuilder, ExportedRow, GivenScore, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, PredictionRow, ScoredOutput, ScoredRow, by_file, said, scored_rows,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

/// The format of LangSmith's exports.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "langsmith",
    summary: "LangSmith experiments, or runs and feedback",
    picks: &[],
    matching_files: |files| {
        files.that(|file| is_experiment(file) || is_runs(file) || is_feedback(file))
    },
    read,
};

const INPUTS: &str = "inputs.";
const OUTPUTS: &str = "outputs.";
const REFERENCE: &str = "reference.";
const FEEDBACK: &str = "feedback.";

fn is_experiment(file: &ImportFile) -> bool {
    let begins = |prefix: &str| {
        file.look()
            .first
            .keys()
            .any(|name| name.starts_with(prefix))
    };
    file.has(&["example_id"]) && begins(INPUTS) && (begins(OUTPUTS) || begins(FEEDBACK))
}

fn is_runs(file: &ImportFile) -> bool {
    file.has(&[
        "id",
        "run_type",
        "inputs",
        "outputs",
        "reference_example_id",
    ])
}

fn is_feedback(file: &ImportFile) -> bool {
    file.has(&["id", "run_id", "key", "feedback_source"])
}

fn read(_: &[&ImportFile], files: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let experiments = files.that(is_experiment);
    if !experiments.is_empty() {
        builder.taken("system: the file; item: example_id; source, references: inputs, reference; criteria: feedback");
        let system = by_file(&experiments);
        scored_rows(&experiments, &[], builder, &mut |file, record| {
            experiment_row(record, system(file))
        })?;
    }
    let (runs, feedback) = (files.that(is_runs), files.that(is_feedback));
    if runs.len() + feedback.len() == 0 {
        return Ok(());
    }
    let models = models_of(&runs)?;
    builder.taken(match models.is_empty() {
        true => "system: the session of a run; item: its example; criteria: keys of feedback",
        false => {
            "system: the model of a run's session; item: its example; criteria: keys of feedback"
        }
    });
    let outputs = scored_rows(&runs, &[], builder, &mut |_, record| {
        run_row(record, &models)
    })?;
    read_feedback(&feedback, &outputs, builder)
}

/// Returns the columns of a row under a prefix as one value: the only one, or an object of several.
fn columns(record: &ImportRecord, prefix: &str) -> ImportRecord {
    let fields = record.node().fields().filter_map(|(name, value)| {
        let is_given = !value.is_null() && value.value() != "";
        Some((
            name.strip_prefix(prefix)?.to_string(),
            value.value().clone(),
        ))
        .filter(|_| is_given)
    });
    let fields: Map<String, Value> = fields.collect();
    ImportRecord {
        value: if fields.is_empty() {
            Value::Null
        } else {
            Value::Object(fields)
        },
        at: record.at.clone(),
    }
}

fn experiment_row(record: &ImportRecord, system: String) -> Result<ExportedRow> {
    let outputs = columns(record, OUTPUTS);
    if outputs.value.is_null() && record.get("error").filled()?.is_some() {
        return Ok(ExportedRow::Failed(system));
    }
    let scores = record.node().fields().filter_map(|(name, value)| {
        Some(GivenScore::new(name.strip_prefix(FEEDBACK)?, value.score()))
    });
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: record.get("id").filled()?,
        item: Some(record.get("example_id").name()?),
        system,
        source: said(columns(record, INPUTS).node()),
        references: said(columns(record, REFERENCE).node())
            .map(Some)
            .into_iter()
            .collect(),
        output: said(outputs.node()),
        scores: scores.collect(),
        ..ScoredRow::default()
    })))
}

/// Returns the model of each session, where each has one of its own; else nothing.
fn models_of(runs: &[&ImportFile]) -> Result<BTreeMap<String, String>> {
    let mut models: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in runs {
        file.records(&[], &mut |record| {
            let session = models.entry(record.get("session_id").name()?).or_default();
            session.extend(
                record
                    .get("extra")
                    .get("metadata")
                    .get("ls_model_name")
                    .filled()?,
            );
            Ok(())
        })?;
    }
    let distinct: BTreeSet<&BTreeSet<String>> = models.values().collect();
    let is_one_each =
        distinct.len() == models.len() && models.values().all(|session| session.len() == 1);
    let only = models.into_iter().filter(|_| is_one_each);
    Ok(only
        .filter_map(|(session, model)| Some((session, model.into_iter().next()?)))
        .collect())
}

fn run_row(record: &ImportRecord, models: &BTreeMap<String, String>) -> Result<ExportedRow> {
    let Some(item) = record.get("reference_example_id").filled()? else {
        return Ok(ExportedRow::Other);
    };
    if !record.get("parent_run_id").is_null() {
        return Ok(ExportedRow::Other);
    }
    let session = record.get("session_id").name()?;
    let system = models.get(&session).unwrap_or(&session).clone();
    if record.get("error").filled()?.is_some() {
        return Ok(ExportedRow::Failed(system));
    }
    Ok(ExportedRow::Output(Box::new(ScoredRow {
        id: Some(record.get("id").name()?),
        item: Some(item),
        system,
        source: said(record.get("inputs")),
        output: said(record.get("outputs")),
        ..ScoredRow::default()
    })))
}

/// One side of a group of feedback.
struct GroupedFeedback {
    about: ScoredOutput,
    score: f64,
    key: String,
    annotator: Option<String>,
    is_model: bool,
}

fn read_feedback(
    files: &[&ImportFile],
    outputs: &HashMap<String, ScoredOutput>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let mut groups: BTreeMap<String, Vec<GroupedFeedback>> = BTreeMap::new();
    for file in files {
        file.records(&[], &mut |record| {
            if builder.is_again("feedback", &record.get("id").name()?) {
                return Ok(());
            }
            let key = record.get("key").name()?;
            let run = record.get("run_id").filled()?.unwrap_or_default();
            let Some(about) = outputs.get(&run) else {
                builder.drop("feedback on a run without an output");
                return Ok(());
            };
            let Some(score) = record.get("score").score() else {
                builder.no_number(&about.system, &key);
                return Ok(());
            };
            let source = record.get("feedback_source");
            let annotator = source.first_filled(&["user_id", "type"])?;
            let Some(group) = record.get("feedback_group_id").filled()? else {
                let given = GivenScore {
                    criterion: key,
                    annotator,
                    score: Some(score),
                };
                return builder.scored(about, &given);
            };
            let kind = source.get("type").filled()?.unwrap_or_default();
            groups.entry(group).or_default().push(GroupedFeedback {
                about: about.clone(),
                score,
                key,
                annotator,
                is_model: kind.eq_ignore_ascii_case("model"),
            });
            Ok(())
        })?;
    }
    for group in groups.values() {
        let [one, other] = &group[..] else {
            builder.drop_many("feedback of a group that is no pair", group.len() as u64);
            continue;
        };
        if one.about.item != other.about.item {
            builder.drop("a comparison of outputs for different items");
            continue;
        }
        let outcome = match one.score.total_cmp(&other.score) {
            std::cmp::Ordering::Greater => Outcome::Win,
            std::cmp::Ordering::Equal => Outcome::Tie,
            std::cmp::Ordering::Less => Outcome::Loss,
        };
        let (item, system_a, system_b) =
            (&*one.about.item, &*one.about.system, &*other.about.system);
        let by = one.annotator.as_deref();
        if one.is_model {
            let p = outcome.value();
            builder.prediction(&PredictionRow {
                item,
                system_a,
                system_b,
                p,
                judge: by,
                position: None,
                more: None,
            })?;
            continue;
        }
        let compared = ImportedComparison {
            item,
            system_a,
            system_b,
            outcome,
            label: Some(&one.key),
            annotator: by,
            cost: Cost::default(),
        };
        builder.comparison(&compared, &Map::new())?;
    }
    Ok(())
}
