//! The records that Inspect's `precomputed_scores` reads: an id of a sample and a value, a file a log, that is a task and a
//! system.
//!
//! Two records of one sample and epoch are an error there: several annotators become their mean. Ids are those of samples,
//! without the task before them. Null would count as 0: a sample without a judgment has no record.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use crate::engine::names::file_name;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::Kind;

/// Mean judgments as records of Inspect.
pub(crate) const EXPORT: Export = Export {
    name: "inspect-scores",
    summary: "mean judgments for Inspect's precomputed_scores (a folder)",
    file: None,
    write,
};

/// The package of tasks whose names have its own before a slash.
const PACKAGE: &str = "inspect_evals/";

/// The sum and number of the judgments of a sample's epoch.
type Mean = (f64, u64);

/// The epochs of each sample of a file, in the order of samples.
type SampleEpochs = Vec<(String, BTreeMap<Option<u64>, Mean>)>;

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let source = what.source;
    if !source.index.has(Kind::Judgments) {
        return Err(source.lacks("export", "judgments"));
    }
    // By criterion, task and system; each in the order of samples, then of epochs.
    let mut files: BTreeMap<(usize, String, String), SampleEpochs> = BTreeMap::new();
    for group in source.index.all() {
        what.context.check()?;
        let group = group?;
        let (task, sample) = task_and_sample(&group.item);
        for judgment in &group.judgments {
            let epoch = judgment.repeat.as_deref().map(|repeat| {
                let number = repeat.parse().ok();
                number.ok_or_else(|| {
                    let what = format!(
                        "item `{}` has the repeat `{repeat}`, and epochs are whole numbers",
                        group.item
                    );
                    Error::input(source.dataset.path(), what).with_hint("number the repeats from 1")
                })
            });
            let key = (
                judgment.criterion,
                task.to_string(),
                source.system(judgment.system).to_string(),
            );
            let records = files.entry(key).or_default();
            if records.last().is_none_or(|(known, _)| known != sample) {
                records.push((sample.to_string(), BTreeMap::new()));
            }
            let (_, epochs) = records.last_mut().expect("just added");
            let (sum, count) = epochs.entry(epoch.transpose()?).or_default();
            *sum += judgment.score;
            *count += 1;
        }
    }
    let several = |one: fn(&(usize, String, String)) -> String| {
        let mut names = files.keys().map(one);
        let first = names.next();
        names.any(|name| Some(name) != first)
    };
    let (criteria, tasks) = (
        several(|(criterion, ..)| criterion.to_string()),
        several(|(_, task, _)| task.clone()),
    );
    let mut rows = Vec::new();
    for ((criterion, task, system), records) in &files {
        let mut folder = out.to_path_buf();
        if criteria {
            folder.push(file_name(&source.index.criteria()[*criterion]));
        }
        if tasks {
            folder.push(file_name(task));
        }
        let mut lines =
            LineFileWriter::create(&folder.join(format!("{}.jsonl", system.replace('/', "_"))))?;
        for (sample, epochs) in records {
            for (epoch, (sum, count)) in epochs {
                let mut record = json!({"id": sample, "value": sum / *count as f64});
                if let Some(epoch) = epoch {
                    record["epoch"] = json!(epoch);
                }
                lines.push(&record)?;
            }
        }
        rows.push(lines.finish()?);
    }
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows,
        dropped: Vec::new(),
    })
}

/// Splits the name of an item of an imported log.
fn task_and_sample(item: &str) -> (&str, &str) {
    let package = if item.starts_with(PACKAGE) {
        PACKAGE.len()
    } else {
        0
    };
    match item[package..].split_once('/') {
        Some((task, sample)) => (&item[..package + task.len()], sample),
        None => ("", item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_samples() {
        assert_eq!(task_and_sample("rivers/r1"), ("rivers", "r1"));
        assert_eq!(task_and_sample("code/Eval/0"), ("code", "Eval/0"));
        assert_eq!(
            task_and_sample("inspect_evals/gsm/7"),
            ("inspect_evals/gsm", "7")
        );
        assert_eq!(task_and_sample("r1"), ("", "r1"));
    }
}
