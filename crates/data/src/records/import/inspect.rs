//! Logs of Inspect: `.eval`, a zip of one member a sample, and `.json`.
//!
//! `summaries.json` of a zip has all samples too, but shortened: the members in `samples/` are read. A system is the
//! model, with the arguments of the task that differ where two logs of a task have one model. Epochs are repeats: the
//! scores of all count, and the output is that of the first.

mod archive;
mod epochs;

use super::frame::{
    DatasetBuilder, FURTHER_OUTPUT, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    RecordValue, plain, text, turns,
};
use epochs::{EpochChoice, LogEpochs};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::Result;

/// The format of Inspect's logs.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "inspect",
    summary: "Inspect logs",
    picks: &["epoch"],
    matching_files,
    read,
};

fn is_zip(file: &ImportFile) -> bool {
    file.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("eval"))
}

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let task = || {
            file.look()
                .first
                .get("eval")
                .and_then(|eval| eval.get("task"))
        };
        is_zip(file) || (file.has(&["version", "eval"]) && task().is_some())
    })
}

/// A log and the contents of its header.
struct InspectLog<'a> {
    file: &'a ImportFile,
    header: ImportRecord,
    task: String,
    model: String,
    created: String,
    /// Whether it ended well, and was not limited to some of its samples.
    is_whole: bool,
    /// The members of its zip that no log has.
    strange: Vec<String>,
    /// The scores that it keeps beside its samples, reduced over epochs: by sample, then by scorer.
    reductions: OnceCell<BTreeMap<String, Map<String, Value>>>,
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let choice = EpochChoice::of_options(builder.options)?;
    builder.taken(format!(
        "system: the model; item: task and sample id; source: input; references: target; criteria: scores; {}",
        choice.description()
    ));
    let mut logs = found
        .iter()
        .map(|file| InspectLog::open(file))
        .collect::<Result<Vec<_>>>()?;
    for log in logs.iter().filter(|log| !log.strange.is_empty()) {
        let (path, names) = (log.file.path.display(), log.strange.join(", "));
        builder.note(format!("{path}: not read in it: {names}"));
    }
    // The last of a task and system counts; one that is not whole comes before all that are.
    logs.sort_by(|a, b| a.rank().cmp(&b.rank()));
    let systems = systems(&logs);
    for (number, log) in logs.iter().enumerate() {
        let better = (number + 1..logs.len())
            .rev()
            .find(|&later| logs[later].task == log.task && systems[later] == systems[number]);
        if let Some(better) = better {
            let reason = match log.created > logs[better].created {
                true => "a sample of a later run that is not whole",
                false => "a sample of an earlier run of the same task and model",
            };
            log.samples(&mut |_| {
                builder.drop(reason);
                Ok(())
            })?;
            continue;
        }
        let epochs = LogEpochs::choose(log, &choice)?;
        let mut is_scored = false;
        let halves = log.samples(&mut |sample| {
            is_scored |= import_sample(&sample, log, &systems[number], &epochs, builder)?;
            Ok(())
        })?;
        builder.halved(halves);
        if !is_scored {
            log.scores_beside()?
                .into_iter()
                .for_each(|note| builder.note(note));
        }
    }
    Ok(())
}

/// Names the systems: the models, with the arguments in which the logs of one task and model differ.
fn systems(logs: &[InspectLog<'_>]) -> Vec<String> {
    let name = |log: &InspectLog<'_>| {
        let alike = logs
            .iter()
            .filter(|other| other.task == log.task && other.model == log.model);
        let alike: Vec<&InspectLog<'_>> = alike.collect();
        let arguments = log.header.get("eval").get("task_args");
        let differs = |name: &str| {
            let values = alike
                .iter()
                .map(|log| log.header.get("eval").get("task_args").get(name).value());
            values
                .collect::<Vec<_>>()
                .windows(2)
                .any(|pair| pair[0] != pair[1])
        };
        let told = arguments
            .fields()
            .filter(|(name, _)| differs(name))
            .map(|(name, value)| {
                let value = plain(value.value()).unwrap_or_else(|| value.value().to_string());
                format!(" {name}={value}")
            });
        format!("{}{}", log.model, told.collect::<String>())
    };
    logs.iter().map(name).collect()
}

impl<'a> InspectLog<'a> {
    fn open(file: &'a ImportFile) -> Result<Self> {
        let (header, strange) = match is_zip(file) {
            true => archive::header(file.raw())?,
            false => (file.object(&["samples", "reductions"])?, Vec::new()),
        };
        let eval = header.get("eval");
        Ok(Self {
            task: eval.get("task").name()?,
            model: eval.get("model").name()?,
            created: eval.get("created").filled()?.unwrap_or_default(),
            is_whole: is_whole(&header),
            file,
            header,
            strange,
            reductions: OnceCell::new(),
        })
    }

    /// The order of logs: of those of one task and system the last counts.
    fn rank(&self) -> (bool, &str, &Path) {
        (self.is_whole, &self.created, &self.file.path)
    }

    /// Returns the names of the scores in its header, in their order. Old logs have one scorer and no list.
    fn score_names(&self) -> Result<Vec<String>> {
        let results = self.header.get("results");
        let scores = results.get("scores");
        match results.get("scorer").get("name").filled()? {
            Some(only) if !scores.is_list() => Ok(vec![only]),
            _ => scores
                .items()
                .map(|score| score.get("name").name())
                .collect(),
        }
    }

    /// Returns the scores of a sample that has none by scorer: its only `score`, as old logs write it, else those of its
    /// last score events, else those that the log reduced over its epochs, and whether it is these.
    fn scores_of(&self, sample: &ImportRecord) -> Result<(ImportRecord, bool)> {
        let mut scores = Map::new();
        let names = self.score_names()?;
        let only = sample.get("score");
        if !only.is_null() {
            let scorer = names.first().map_or("score", String::as_str);
            scores.insert(scorer.to_string(), only.value().clone());
        }
        let is_final = |event: &RecordValue<'_>| {
            event.get("event").value() == "score" && !event.get("intermediate").is_true()
        };
        let events = sample.get("events").items().filter(is_final);
        let needed = if scores.is_empty() { usize::MAX } else { 0 };
        for (event, place) in events.take(needed).zip(0..) {
            let named = event.get("scorer").filled()?;
            if let Some(scorer) = named.or_else(|| names.get(place).cloned()) {
                scores.insert(scorer, event.get("score").value().clone());
            }
        }
        let is_reduced = scores.is_empty();
        if is_reduced && let Some(reduced) = self.reductions()?.get(&sample.get("id").name()?) {
            scores.clone_from(reduced);
        }
        let scores = ImportRecord {
            value: Value::Object(scores),
            at: sample.at.clone(),
        };
        Ok((scores, is_reduced))
    }

    fn reductions(&self) -> Result<&BTreeMap<String, Map<String, Value>>> {
        if let Some(read) = self.reductions.get() {
            return Ok(read);
        }
        let mut by_sample: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        let mut each = |reduction: ImportRecord| add_reduction(&reduction, &mut by_sample);
        match is_zip(self.file) {
            true => archive::reductions(&self.file.path, &mut each)?,
            false => self.file.records(&["reductions"], &mut each)?,
        }
        Ok(self.reductions.get_or_init(|| by_sample))
    }

    /// Returns a note that the log has scores where its samples have none, if so.
    fn scores_beside(&self) -> Result<Option<String>> {
        let names = self.score_names()?;
        let (path, scores) = (self.file.path.display(), names.join(", "));
        Ok((!names.is_empty())
            .then(|| format!("{path}: scores that its samples do not have are not read: {scores}")))
    }

    /// Calls `each` for every sample; of a zip, whose file does not count them, returns how many halves of surrogate
    /// pairs were replaced in them.
    fn samples(&self, each: &mut dyn FnMut(ImportRecord) -> Result<()>) -> Result<u64> {
        match is_zip(self.file) {
            true => archive::samples(&self.file.path, each),
            false => self.file.records(&["samples"], each).map(|()| 0),
        }
    }
}

fn is_whole(header: &ImportRecord) -> bool {
    let config = header.get("eval").get("config");
    let is_limited = ["limit", "sample_id"]
        .iter()
        .any(|key| !config.get(key).is_null());
    let status = header.get("status");
    !is_limited && (status.is_null() || status.value() == "success")
}

/// Adds the scores of a reduction, which is by one scorer and one reducer. Of several reducers the first counts, as in the
/// header; a score without a sample's id is of none.
fn add_reduction(
    reduction: &ImportRecord,
    by_sample: &mut BTreeMap<String, Map<String, Value>>,
) -> Result<()> {
    let scorer = reduction.get("scorer").name()?;
    for score in reduction.get("samples").items() {
        if let Some(sample) = score.get("sample_id").filled()? {
            let scores = by_sample.entry(sample).or_default();
            scores
                .entry(scorer.clone())
                .or_insert_with(|| score.value().clone());
        }
    }
    Ok(())
}

/// Imports a sample; returns whether it has scores.
fn import_sample(
    sample: &ImportRecord,
    log: &InspectLog<'_>,
    system: &str,
    epochs: &LogEpochs<'_>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<bool> {
    if !epochs.takes(sample)? {
        builder.drop("epoch not taken");
        return Ok(false);
    }
    let item = format!("{}/{}", log.task, sample.get("id").name()?);
    if has_failed(sample) {
        builder.failed(system, "a failed sample");
        return Ok(false);
    }
    let epoch = sample.get("epoch").value().as_u64();
    if builder.is_again("sample", &(&item, system, epoch)) {
        return Ok(false);
    }
    let source = asked(sample)?;
    let references = references(sample, builder)?;
    if !builder.item(&item, source.as_deref(), &references)? {
        builder.refuse(&item, system, "another sample under the same id");
        return Ok(false);
    }
    let (beside, is_reduced);
    let found = match sample.get("scores") {
        own if own.fields().next().is_some() => {
            is_reduced = false;
            own
        }
        _ => {
            (beside, is_reduced) = log.scores_of(sample)?;
            beside.node()
        }
    };
    let is_kept = if epochs.gives_output(sample)? {
        let answers = sample.get("output").get("choices").items().len() as u64;
        builder.drop_many("a further choice", answers.saturating_sub(1));
        let completion = completed(sample)?;
        builder.output(&item, system, completion.as_deref(), sample.node())?
    } else {
        builder.drop(FURTHER_OUTPUT);
        !is_reduced
    };
    if is_kept {
        let repeat = epochs.repeat(sample)?.filter(|_| !is_reduced);
        scores(found, (&item, system), repeat.as_deref(), builder)?;
    }
    Ok(found.fields().next().is_some())
}

/// Whether the call of a sample failed.
fn has_failed(sample: &ImportRecord) -> bool {
    !sample.get("error").is_null() || !sample.get("output").get("error").is_null()
}

/// Returns the output as a text: the completion, or where there is none the first message.
fn completed(sample: &ImportRecord) -> Result<Option<String>> {
    let output = sample.get("output");
    let message = output.get("choices").nth(0).get("message").get("content");
    let completion = match output.get("completion") {
        none if none.is_null() => super::frame::content(message.value()),
        completion => completion.text()?,
    };
    Ok(completion.map(|text| attached(sample, text)))
}

/// Returns the input as a text.
fn asked(sample: &ImportRecord) -> Result<Option<String>> {
    let input = sample.get("input");
    let asked = match input.is_list() {
        true => Some(text(&turns(input))),
        false => input.text()?,
    };
    Ok(asked.map(|text| attached(sample, text)))
}

/// Resolves an attachment: long texts are stored beside the sample and named by a digest.
fn attached(sample: &ImportRecord, text: String) -> String {
    let key = text.strip_prefix("attachment://");
    let found = key.and_then(|key| sample.get("attachments").value().get(key)?.as_str());
    match found {
        Some(found) => found.to_string(),
        None => text,
    }
}

/// Returns the targets; of multiple choice the texts of the options that letters name.
fn references(sample: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<Vec<String>> {
    let choices = sample.get("choices");
    let option = |letter: &String| {
        let place = letter
            .trim()
            .bytes()
            .next()
            .filter(u8::is_ascii_uppercase)?
            - b'A';
        let one = letter.trim().len() == 1;
        choices
            .nth(usize::from(place))
            .text()
            .ok()
            .flatten()
            .filter(|_| one)
    };
    let targets = builder.references(sample.get("target"))?;
    Ok(targets
        .into_iter()
        .map(|target| option(&target).unwrap_or(target))
        .collect())
}

/// Adds the scores of a sample, by scorer.
fn scores(
    found: RecordValue<'_>,
    about: (&str, &str),
    repeat: Option<&str>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    for (scorer, score) in found.fields() {
        let value = score.get("value");
        let parts: Vec<(String, RecordValue<'_>)> = match value.value() {
            Value::Object(_) => value
                .fields()
                .map(|(key, part)| (format!("{scorer}/{key}"), part))
                .collect(),
            _ => vec![(scorer.to_string(), value)],
        };
        for (criterion, value) in parts {
            builder.measured(about, repeat, &criterion, measure(value))?;
        }
    }
    Ok(())
}

/// Returns the score: words for correct, partial, incorrect and no answer are numbers as in Inspect.
fn measure(value: RecordValue<'_>) -> Option<f64> {
    let word = value.value().as_str().unwrap_or_default();
    match word {
        "C" => Some(1.0),
        "P" => Some(0.5),
        "I" | "N" => Some(0.0),
        _ if word.eq_ignore_ascii_case("yes") => Some(1.0),
        _ if word.eq_ignore_ascii_case("no") => Some(0.0),
        _ => value.score(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tiebreak_base::error::Location;

    #[test]
    fn words_are_the_numbers_that_they_are_in_inspect() {
        let words = [
            "C", "P", "I", "N", "yes", "NO", "true", "False", "0.25", "maybe",
        ];
        let read = words.map(|word| {
            let (value, at) = (json!(word), Location::file("log.json"));
            measure(ImportRecord { value, at }.node())
        });
        let [one, half, none] = [1.0, 0.5, 0.0].map(Some);
        let expected = [
            one,
            half,
            none,
            none,
            one,
            none,
            one,
            none,
            Some(0.25),
            None,
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn the_first_reducer_counts_and_a_score_without_a_sample_is_left_out() {
        let mut by_sample = BTreeMap::new();
        for (reducer, value) in [("mean", 0.5), ("max", 1.0)] {
            let value = json!({"scorer": "match", "reducer": reducer, "samples": [
                {"sample_id": 1, "value": value}, {"sample_id": null, "value": value}, {"value": value}
            ]});
            let at = Location::file("log.json");
            add_reduction(&ImportRecord { value, at }, &mut by_sample).unwrap();
        }
        assert_eq!(
            json!(by_sample),
            json!({"1": {"match": {"sample_id": 1, "value": 0.5}}})
        );
    }
}
