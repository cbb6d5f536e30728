//! Event logs of OpenAI's evals: `{"spec": …}`, then events of samples that run at once, then `{"final_report": …}`.
//!
//! Events of different samples are mixed, and those of one may come in any order. The first `sampling` event is the answer;
//! where a model grades it, a later one is the grader's.

use super::frame::{
    DatasetBuilder, FAILED_CALL, FURTHER_ANSWER, GivenScore, ImportFile, ImportFiles, ImportFormat,
    ImportRecord, ScoredOutput, said,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The format of OpenAI's evals.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "openai-evals",
    summary: "event logs of OpenAI evals",
    picks: &[],
    matching_files,
    read,
};

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let spec = file.look().first.get("spec");
        let is_begin = spec.is_some_and(|spec| spec.get("completion_fns").is_some());
        is_begin || file.has(&["run_id", "event_id", "sample_id", "type", "data"])
    })
}

/// What the events of all logs say before any is read.
#[derive(Default)]
struct LogIndex {
    /// The system and the evaluation of each run.
    runs: BTreeMap<String, (String, String)>,
    /// The latest run of each system's evaluations, after the time of its begin.
    latest: BTreeMap<(String, String), (String, String)>,
    /// The right answers of samples.
    expected: BTreeMap<(String, String), Vec<String>>,
    failed: BTreeSet<(String, String)>,
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: completion_fns; item: sample_id; source: prompt; references: expected; criteria: match and metrics");
    let mut index = LogIndex::default();
    for file in found {
        file.records(&[], &mut |record| index.meet(&record))?;
    }
    let mut met = BTreeSet::new();
    for file in found {
        file.records(&[], &mut |record| index.event(&record, &mut met, builder))?;
    }
    Ok(())
}

/// The run and the sample of an event.
fn sample(record: &ImportRecord) -> Result<Option<(String, String)>> {
    match record.get("sample_id").filled()? {
        Some(sample) => Ok(Some((record.get("run_id").name()?, sample))),
        None => Ok(None),
    }
}

fn kind(record: &ImportRecord) -> Result<String> {
    Ok(record
        .get("type")
        .filled()?
        .unwrap_or_default()
        .to_lowercase())
}

impl LogIndex {
    fn meet(&mut self, record: &ImportRecord) -> Result<()> {
        let spec = record.get("spec");
        if !spec.is_null() {
            let run = spec.get("run_id").name()?;
            let system = spec.get("completion_fns").texts()?.join("+");
            let key = (system, spec.get("eval_name").filled()?.unwrap_or_default());
            let begun = (
                spec.get("created_at").filled()?.unwrap_or_default(),
                run.clone(),
            );
            let latest = self
                .latest
                .entry(key.clone())
                .or_insert_with(|| begun.clone());
            *latest = begun.max(latest.clone());
            self.runs.insert(run, key);
        }
        let Some(sample) = sample(record)? else {
            return Ok(());
        };
        match kind(record)?.as_str() {
            "error" => {
                self.failed.insert(sample);
            }
            "match" => {
                let expected = record.get("data").get("expected");
                let single = (!expected.is_list()).then_some(expected);
                let expected = expected.items().chain(single).filter_map(said).collect();
                self.expected.entry(sample).or_insert(expected);
            }
            _ => {}
        }
        Ok(())
    }

    fn event(
        &self,
        record: &ImportRecord,
        met: &mut BTreeSet<(String, String, String)>,
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        let Some((run, item)) = sample(record)? else {
            return Ok(());
        };
        let (kind, data) = (kind(record)?, record.get("data"));
        if !["sampling", "match", "metrics", "error"].contains(&&*kind) {
            return Ok(());
        }
        if builder.is_again("event", &(&run, record.get("event_id").name()?)) {
            return Ok(());
        }
        let key = self.runs.get(&run).ok_or_else(|| {
            let error = record.error(format!("an event of the run {run}, which no file begins"));
            error.with_hint("the first line of its log has its spec: give the whole log")
        })?;
        let sample = (run, item);
        if self.latest[key].1 != sample.0 {
            builder.drop("an event of an earlier run of the same evaluation");
            return Ok(());
        }
        if self.failed.contains(&sample) {
            if kind == "error" {
                builder.failed(&key.0, FAILED_CALL);
            }
            return Ok(());
        }
        let is_first = met.insert((sample.0.clone(), sample.1.clone(), kind.clone()));
        let about = ScoredOutput {
            item: sample.1.clone(),
            system: key.0.clone(),
            repeat: None,
        };
        if kind == "sampling" {
            let (answers, others) = (
                data.get("sampled"),
                data.get("sampled").items().len() as u64,
            );
            if !is_first {
                builder.drop(FURTHER_ANSWER);
                return Ok(());
            }
            builder.drop_many(FURTHER_ANSWER, others.saturating_sub(1));
            let references = self.expected.get(&sample).cloned().unwrap_or_default();
            if !builder.item(
                &about.item,
                said(data.get("prompt")).as_deref(),
                &references,
            )? {
                builder.refuse(
                    &about.item,
                    &about.system,
                    "another prompt or reference of the same sample",
                );
                return Ok(());
            }
            let answer = if answers.is_list() {
                answers.nth(0)
            } else {
                answers
            };
            builder.output(
                &about.item,
                &about.system,
                said(answer).as_deref(),
                record.node(),
            )?;
            return Ok(());
        }
        if !is_first {
            builder.drop("a further event of the same sample");
            return Ok(());
        }
        let correct = data.get("correct");
        let scores = match &*kind {
            "match" => vec![("match", correct)],
            _ => data.fields().collect(),
        };
        scores.into_iter().try_for_each(|(criterion, value)| {
            builder.scored(&about, &GivenScore::new(criterion, value.score()))
        })
    }
}
