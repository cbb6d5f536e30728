//! Every Eval Ever, schema 0.3: aggregates, with `*_samples.jsonl` beside them.
//!
//! An item is an evaluation's name and a sample's id. Each metric of a sample is a line of its own with the same output; the
//! aggregate that a line belongs to names the criterion and, where a model gave the scores, the judge. A score of -1 is
//! no score where its metric says that it may be unknown.

use super::frame::{
    DatasetBuilder, FAILED_CALL, FURTHER_ANSWER, GivenScore, ImportFile, ImportFiles, ImportFormat,
    ImportRecord, ScoredOutput, said,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The format of Every Eval Ever.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "every-eval-ever",
    summary: "Every Eval Ever samples and aggregates",
    picks: &[IS_CORRECT],
    matching_files: |files| files.that(|file| is_samples(file) || is_aggregate(file)),
    read,
};

/// What a sample says beside its score, on demand a criterion.
const IS_CORRECT: &str = "is_correct";

fn is_samples(file: &ImportFile) -> bool {
    file.has(&["evaluation_id", "model_id", "evaluation_name", "sample_id"])
}

fn is_aggregate(file: &ImportFile) -> bool {
    file.has(&["schema_version", "evaluation_id", "evaluation_results"])
}

/// A result of an aggregate.
struct AggregateMetric {
    id: Option<String>,
    evaluation: String,
    criterion: String,
    /// The models that gave the scores.
    judges: Option<String>,
    has_unknown: bool,
}

struct EvaluationAggregate {
    metrics: Vec<AggregateMetric>,
    model: String,
    /// When it was run, in Unix seconds.
    time: f64,
    has_samples: bool,
}

fn read(_: &[&ImportFile], files: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: model_id; item: evaluation_name and sample_id; criteria: metrics of the aggregates");
    let mut aggregates = BTreeMap::new();
    for file in files.that(is_aggregate) {
        let (id, aggregate) = aggregate(&file.object(&[])?)?;
        aggregates.insert(id, aggregate);
    }
    let latest = latest(&aggregates);
    let with_correct = builder.options.picked(IS_CORRECT) == Some("true");
    let mut corrected = BTreeSet::new();
    for file in files.that(is_samples) {
        file.records(&[], &mut |record| {
            let evaluation = record.get("evaluation_id").name()?;
            if let Some(aggregate) = aggregates.get_mut(&evaluation) {
                aggregate.has_samples = true;
            }
            let key = (
                record.get("model_id").name()?,
                record.get("evaluation_name").name()?,
            );
            if latest.get(&key).is_some_and(|latest| *latest != evaluation) {
                builder.drop("a sample of an earlier run of the same evaluation");
                return Ok(());
            }
            let Some(about) = sample(&record, builder)? else {
                return Ok(());
            };
            let result = record.get("evaluation_result_id").filled()?;
            let metrics = aggregates
                .get(&evaluation)
                .map_or(&[][..], |aggregate| &aggregate.metrics);
            let metric = metrics.iter().find(|metric| match &result {
                Some(_) => metric.id == result,
                None => metric.evaluation == key.1,
            });
            let unknown = metric.is_some_and(|metric| metric.has_unknown);
            let score = record.get("evaluation").get("score").score();
            let criterion = metric.map(|metric| metric.criterion.clone()).or(result);
            builder.scored(
                &about,
                &GivenScore {
                    criterion: criterion.unwrap_or_else(|| "score".to_string()),
                    annotator: metric.and_then(|metric| metric.judges.clone()),
                    score: score.filter(|score| !(unknown && *score == -1.0)),
                },
            )?;
            let correct = record.get("evaluation").get(IS_CORRECT);
            if with_correct
                && !correct.is_null()
                && corrected.insert((about.item.clone(), about.system.clone()))
            {
                let given = GivenScore::new(IS_CORRECT, correct.score());
                builder.scored(&about, &given)?;
            }
            Ok(())
        })?;
    }
    let bare = aggregates
        .values()
        .filter(|aggregate| !aggregate.has_samples);
    builder.drop_many("an aggregate without samples", bare.count() as u64);
    Ok(())
}

fn aggregate(record: &ImportRecord) -> Result<(String, EvaluationAggregate)> {
    let mut metrics = Vec::new();
    for result in record.get("evaluation_results").items() {
        let config = result.get("metric_config");
        let id = result.get("evaluation_result_id").filled()?;
        let named = config.first_filled(&["metric_id", "metric_name"])?;
        let judges = config.get("llm_scoring").get("judges").items();
        let judges = judges.map(|judge| judge.get("model_info").first(&["id", "name"]).filled());
        let judges = judges
            .filter_map(Result::transpose)
            .collect::<Result<Vec<_>>>()?;
        metrics.push(AggregateMetric {
            evaluation: result.get("evaluation_name").filled()?.unwrap_or_default(),
            criterion: named.or(id.clone()).unwrap_or_else(|| "score".to_string()),
            id,
            judges: (!judges.is_empty()).then(|| judges.join("+")),
            has_unknown: config.get("has_unknown_level").is_true(),
        });
    }
    let aggregate = EvaluationAggregate {
        metrics,
        model: record
            .get("model_info")
            .get("id")
            .filled()?
            .unwrap_or_default(),
        time: record
            .first(&["evaluation_timestamp", "retrieved_timestamp"])
            .score()
            .unwrap_or_default(),
        has_samples: false,
    };
    Ok((record.get("evaluation_id").name()?, aggregate))
}

/// The latest run of each model's evaluations.
fn latest(
    aggregates: &BTreeMap<String, EvaluationAggregate>,
) -> BTreeMap<(String, String), String> {
    let mut latest: BTreeMap<(String, String), (f64, String)> = BTreeMap::new();
    for (id, aggregate) in aggregates {
        for metric in &aggregate.metrics {
            let key = (aggregate.model.clone(), metric.evaluation.clone());
            let known = latest
                .entry(key)
                .or_insert_with(|| (aggregate.time, id.clone()));
            if aggregate.time >= known.0 {
                *known = (aggregate.time, id.clone());
            }
        }
    }
    latest.into_iter().map(|(key, (_, id))| (key, id)).collect()
}

/// Adds the output of a line; `None` where the line is left out.
fn sample(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<Option<ScoredOutput>> {
    let evaluation = record.get("evaluation_name").name()?;
    let (id, system) = (
        record.get("sample_id").name()?,
        record.get("model_id").name()?,
    );
    let result = record.get("evaluation_result_id").filled()?;
    let texts = record.get("output").get("raw");
    let line = (
        record.get("evaluation_id").name()?,
        &evaluation,
        &id,
        &system,
        result,
        texts.value().to_string(),
    );
    if builder.is_again("line", &line) {
        return Ok(None);
    }
    if !record.get("error").is_null() {
        builder.failed(&system, FAILED_CALL);
        return Ok(None);
    }
    let (item, input) = (format!("{evaluation}/{id}"), record.get("input"));
    let references = builder.references(input.get("reference"))?;
    if !builder.item(&item, said(input.get("raw")).as_deref(), &references)? {
        builder.refuse(&item, &system, "another text under the same sample id");
        return Ok(None);
    }
    let answers = record.get("messages").items().rev();
    let answer = answers
        .map(|message| (message.get("role"), message))
        .find(|(role, _)| role.value() == "assistant");
    let output = match answer {
        Some((_, message)) if texts.is_null() => said(message),
        _ if texts.is_list() => texts.nth(0).text()?,
        _ => texts.text()?,
    };
    builder.drop_many(FURTHER_ANSWER, texts.items().len().saturating_sub(1) as u64);
    let is_kept = builder.output(&item, &system, output.as_deref(), record.node())?;
    Ok(is_kept.then_some(ScoredOutput {
        item,
        system,
        repeat: None,
    }))
}
