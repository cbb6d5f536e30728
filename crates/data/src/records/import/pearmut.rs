//! Campaigns of Pearmut: the log of annotations, a document a line.
//!
//! The log only grows: a later answer of a person to an item replaces the earlier, and a row `__RESET__` voids what
//! that person answered before. Tutorials and checks are no judgments. Where another file of a campaign is named, its log
//! is read.

use super::frame::{
    DatasetBuilder, ExtraFields, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, JudgmentRow, RecordValue, digest, picked,
};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::message;

/// The format of a campaign's log.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "pearmut",
    summary: "Pearmut campaign",
    picks: &["comparisons"],
    matching_files,
    read,
};

const RESET: &str = "__RESET__";
const NO_TASKS: [&str; 3] = ["welcome_", "random_", "goodbye_"];

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let reset = || file.look().first["annotation"] == RESET;
        file.has(&["annotation", "user_id"]) && (file.has(&["item"]) || reset())
    })
}

/// Returns the log of annotations that belongs to another file of a campaign: what it was made of, or what the tool
/// keeps of it beside the log.
pub(super) fn log_beside(file: &ImportFile) -> Option<PathBuf> {
    let named = file.look().first.get("campaign_id").and_then(Value::as_str);
    let is_kept = ["campaigns", "progress", "tasks"].contains(&file.folder().as_str());
    let campaign = named.or_else(|| is_kept.then(|| file.stem()))?;
    let folder = file.path.parent()?;
    let data = match (is_kept, folder.parent()) {
        (true, Some(above)) => above.to_path_buf(),
        (true, None) => PathBuf::from(".."),
        (false, _) => folder.join("data"),
    };
    let logs =
        ["annotations", "outputs"].map(|kept| data.join(kept).join(format!("{campaign}.jsonl")));
    logs.into_iter().find(|log| log.is_file())
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let derived = match builder.options.picked("comparisons") {
        None | Some("none") => false,
        Some(how) if how.starts_with("derived") => true,
        Some(other) => {
            return Err(Error::usage(message!(
                "{}: expected derived",
                picked("comparisons", other)
            )));
        }
    };
    builder.taken(match derived {
        true => "system: key of tgt; item: item_id; annotator: user_id; criterion: score; comparisons: by score",
        false => "system: key of tgt; item: item_id; annotator: user_id; criterion: score",
    });
    for file in found {
        let mut log = ValidLogRows::default();
        file.records(&[], &mut |row| log.meet(&row))?;
        let mut number = 0;
        file.records(&[], &mut |row| {
            number += 1;
            log.row(&row, number, derived, builder)
        })?;
    }
    Ok(())
}

#[derive(Default)]
struct ValidLogRows {
    rows: u64,
    resets: HashMap<String, u64>,
    /// The last row in which an annotator answered an item with the same systems.
    latest: HashMap<u64, u64>,
}

fn person(row: &ImportRecord) -> Result<String> {
    row.get("user_id").name()
}

fn is_task(row: &ImportRecord) -> bool {
    let number = row.get("item_i").value().as_str().unwrap_or_default();
    !NO_TASKS.iter().any(|prefix| number.starts_with(prefix))
}

/// Returns the documents of a row with their answers.
fn answers(row: &ImportRecord) -> Result<Vec<(RecordValue<'_>, RecordValue<'_>)>> {
    let (items, answers) = (row.get("item"), row.get("annotation"));
    if items.items().len() != answers.items().len() {
        return Err(row.error(format!(
            "{} items and {} annotations",
            items.items().len(),
            answers.items().len()
        )));
    }
    Ok(items.items().zip(answers.items()).collect())
}

fn key(person: &str, item: &str, answer: RecordValue<'_>) -> u64 {
    let mut systems: Vec<&str> = answer.fields().map(|(system, _)| system).collect();
    systems.sort_unstable();
    digest(&(person, item, systems))
}

fn item_of(document: RecordValue<'_>) -> Result<String> {
    document.get("item_id").name()
}

impl ValidLogRows {
    fn meet(&mut self, row: &ImportRecord) -> Result<()> {
        self.rows += 1;
        let person = person(row)?;
        if row.get("annotation").value().as_str() == Some(RESET) {
            self.resets.insert(person, self.rows);
            return Ok(());
        }
        if is_task(row) {
            for (document, answer) in answers(row)? {
                if !answer.is_null() {
                    self.latest
                        .insert(key(&person, &item_of(document)?, answer), self.rows);
                }
            }
        }
        Ok(())
    }

    fn row(
        &self,
        row: &ImportRecord,
        number: u64,
        derived: bool,
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        let person = person(row)?;
        if row.get("annotation").value().as_str() == Some(RESET) {
            return Ok(());
        }
        if self
            .resets
            .get(&person)
            .is_some_and(|reset| number < *reset)
        {
            builder.drop("a row before a reset");
            return Ok(());
        }
        if !is_task(row) {
            builder.drop("a tutorial or check");
            return Ok(());
        }
        let seconds = seconds(row);
        for (document, answer) in answers(row)? {
            let item = item_of(document)?;
            texts(document, &item, builder)?;
            if answer.is_null() {
                builder.drop("skipped");
            } else if self.latest.get(&key(&person, &item, answer)) == Some(&number) {
                // The log may lie there twice.
                let actions = row.get("actions").value().to_string();
                if builder.is_again("answer", &(key(&person, &item, answer), actions)) {
                    continue;
                }
                judged(
                    &item,
                    (document, answer),
                    &person,
                    seconds,
                    derived,
                    builder,
                )?;
            } else {
                builder.drop("an answer that was replaced");
            }
        }
        Ok(())
    }
}

fn texts(document: RecordValue<'_>, item: &str, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let references = builder.references(document.get("ref"))?;
    if !builder.item(item, document.get("src").text()?.as_deref(), &references)? {
        builder.note("items of one id have other sources: the first are taken");
    }
    for (system, text) in document.get("tgt").fields() {
        builder.output(item, system, text.text()?.as_deref(), document)?;
    }
    Ok(())
}

/// Returns the average time of a row's judgments, in seconds.
fn seconds(row: &ImportRecord) -> Option<f64> {
    let times = row
        .get("actions")
        .items()
        .filter_map(|action| action.get("time").measure());
    let (first, last) = times.fold((None, None), |(first, _), time| {
        (first.or(Some(time)), Some(time))
    });
    let judgments: usize = row
        .get("annotation")
        .items()
        .map(|answer| answer.fields().count())
        .sum();
    let took = last? - first?;
    (judgments > 0 && took > 0.0).then(|| took / judgments as f64)
}

fn judged(
    item: &str,
    (document, answer): (RecordValue<'_>, RecordValue<'_>),
    person: &str,
    seconds: Option<f64>,
    derived: bool,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let mut scores: Vec<(&str, f64)> = Vec::new();
    for (system, said) in answer.fields() {
        let own = said.get("score").number()?;
        scores.extend(own.map(|score| (system, score)));
        let mut told: Vec<(&str, f64)> = own.map(|score| ("score", score)).into_iter().collect();
        for (name, value) in said.get("sliders").fields() {
            match value.measure() {
                Some(score) => told.push((name, score)),
                None => builder.no_number(system, name),
            }
        }
        let edited = said.get("textfield").text()?;
        let about = JudgmentRow {
            item,
            system,
            annotator: Some(person),
            seconds,
            ..JudgmentRow::default()
        };
        match &edited {
            _ if !told.is_empty() => {}
            Some(edited) => {
                let before = document.get("tgt").get(system).text()?;
                builder.edited(&about, before.as_deref().unwrap_or_default(), edited)?;
            }
            None => builder.no_score(system, "score", "no score"),
        }
        for (criterion, score) in told {
            builder.judgment(&JudgmentRow {
                criterion,
                score,
                post_edit: edited.as_deref(),
                ..about
            })?;
        }
    }
    scores.sort_by_key(|(system, _)| *system);
    for (i, (system_a, a)) in scores.iter().enumerate().filter(|_| derived) {
        for (system_b, b) in &scores[i + 1..] {
            let outcome = Outcome::of_scores(*a, *b);
            let compared = ImportedComparison {
                item,
                system_a,
                system_b,
                outcome,
                label: None,
                annotator: Some(person),
                cost: Cost::default(),
            };
            builder.comparison(&compared, &ExtraFields::new())?;
        }
    }
    Ok(())
}
