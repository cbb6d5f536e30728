//! Rows of experiments, as evaluation platforms and libraries export them: an output of a system for an item, with the
//! scores that people, judges and programs gave it.
//!
//! Several rows of one item and system are repeats: all scores are kept, and the output is that of the first.

use super::builder::{DatasetBuilder, FURTHER_OUTPUT, JudgmentRow, digest, key_of};
use super::chat::{content, text, turns};
use super::file::ImportFile;
use super::options::Repeats;
use super::record::{ImportRecord, RecordValue, plain};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use tiebreak_base::error::Result;

/// The reason to leave out the answer of a call that failed.
pub(in crate::records::import) const FAILED_CALL: &str = "a failed call";

/// The reason to leave out an answer after the first of one call.
pub(in crate::records::import) const FURTHER_ANSWER: &str = "a further answer of the same call";

/// What a record of an export is.
pub(in crate::records::import) enum ExportedRow {
    /// An output with its scores.
    Output(Box<ScoredRow>),
    /// The output of a call that failed, by the system that was called.
    Failed(String),
    /// An output that is left out, and why.
    LeftOut(&'static str),
    /// None of the outputs that are compared, such as a step on the way to one.
    Other,
}

/// An output as a row has it, with its scores.
#[derive(Debug, Default, Hash)]
pub(in crate::records::import) struct ScoredRow {
    /// The id of the row; without one it is known by its contents.
    pub id: Option<String>,
    /// The id of the item; without one its name is a hash of the source.
    pub item: Option<String>,
    pub system: String,
    pub source: Option<String>,
    pub references: Vec<Option<String>>,
    pub output: Option<String>,
    /// The answers of the same call after this one.
    pub further: u64,
    /// The number of the repeat; rows without one count as they come.
    pub repeat: u64,
    pub scores: Vec<GivenScore>,
}

/// A score of an output; `None` where what was given is no number.
#[derive(Debug, Clone, Default)]
pub(in crate::records::import) struct GivenScore {
    pub criterion: String,
    /// The person, else the judge, else the word for the kind of who gave it.
    pub annotator: Option<String>,
    pub score: Option<f64>,
}

impl GivenScore {
    /// A score without a name of who gave it.
    pub(in crate::records::import) fn new(criterion: &str, score: Option<f64>) -> Self {
        Self {
            criterion: criterion.to_string(),
            annotator: None,
            score,
        }
    }
}

impl Hash for GivenScore {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let score = self.score.map(f64::to_bits);
        (&self.criterion, &self.annotator, score).hash(state);
    }
}

/// What scores are about: an output, or a repeat of it.
#[derive(Debug, Clone)]
pub(in crate::records::import) struct ScoredOutput {
    pub item: String,
    pub system: String,
    pub repeat: Option<String>,
}

impl ScoredRow {
    fn key(&self) -> u64 {
        match &self.id {
            Some(id) => digest(&(&self.system, id)),
            None => digest(self),
        }
    }

    fn item(&self) -> Option<String> {
        let by_source = || self.source.as_deref().map(key_of);
        self.item.clone().or_else(by_source)
    }
}

/// Adds the outputs of some files, with the scores of their rows; returns them by the ids of their rows.
///
/// # Errors
/// If a file cannot be read, or writing fails; the errors of `row`.
pub(in crate::records::import) fn scored_rows(
    files: &[&ImportFile],
    inside: &[&str],
    builder: &mut DatasetBuilder<'_>,
    row: &mut dyn FnMut(&ImportFile, &ImportRecord) -> Result<ExportedRow>,
) -> Result<HashMap<String, ScoredOutput>> {
    // Each row once: its item and system, the number of its repeat, and its place in the files.
    let mut met: HashMap<u64, (u64, u64, usize)> = HashMap::new();
    for file in files {
        file.records(inside, &mut |record| {
            if let ExportedRow::Output(row) = row(file, &record)? {
                let of = digest(&(row.item(), &row.system));
                let place = met.len();
                met.entry(row.key()).or_insert((of, row.repeat, place));
            }
            Ok(())
        })?;
    }
    let mut sorted: Vec<((u64, u64, usize), u64)> =
        met.into_iter().map(|(key, place)| (place, key)).collect();
    sorted.sort_unstable();
    let repeats = sorted.chunk_by(|((one, ..), _), ((other, ..), _)| one == other);
    let numbered = repeats.flat_map(|rows| {
        let several = rows.len() > 1;
        let keys = rows.iter().map(|(_, key)| *key).zip(1_u64..);
        keys.map(move |(key, number)| (key, (number, several)))
    });
    let numbers: HashMap<u64, (u64, bool)> = numbered.collect();
    let mut outputs = HashMap::new();
    for file in files {
        file.records(inside, &mut |record| {
            let row = match row(file, &record)? {
                ExportedRow::Output(row) => row,
                ExportedRow::Failed(system) => {
                    builder.failed(&system, FAILED_CALL);
                    return Ok(());
                }
                ExportedRow::LeftOut(why) => {
                    builder.drop(why);
                    return Ok(());
                }
                ExportedRow::Other => return Ok(()),
            };
            let (number, several) = numbers[&row.key()];
            if let Some(output) = builder.scored_row(&row, (number, several), &record)? {
                outputs.extend(row.id.map(|id| (id, output)));
            }
            Ok(())
        })?;
    }
    Ok(outputs)
}

impl DatasetBuilder<'_> {
    /// Adds a row; `None` where it is left out.
    fn scored_row(
        &mut self,
        row: &ScoredRow,
        (number, several): (u64, bool),
        record: &ImportRecord,
    ) -> Result<Option<ScoredOutput>> {
        let is_first = number == 1;
        if self.is_again("row", &row.key()) {
            return Ok(None);
        }
        let Some(item) = row.item() else {
            self.drop("a row without an item");
            return Ok(None);
        };
        if !is_first && self.options.repeats == Repeats::First {
            self.drop("a further repeat");
            return Ok(None);
        }
        let (source, references) = (
            row.source.as_deref(),
            self.given_references(row.references.clone()),
        );
        // Where the source names the item, references may be given or not.
        let is_same = match row.item {
            Some(_) => self.item(&item, source, &references)?,
            None => self.item_of(&item, digest(&source), source, &references)?,
        };
        if !is_same {
            self.refuse(
                &item,
                &row.system,
                "another text or reference under the same id",
            );
            return Ok(None);
        }
        self.drop_many(FURTHER_ANSWER, row.further);
        if !is_first {
            self.drop(FURTHER_OUTPUT);
        } else if !self.output(&item, &row.system, row.output.as_deref(), record.node())? {
            return Ok(None);
        }
        let about = ScoredOutput {
            item,
            system: row.system.clone(),
            repeat: several.then(|| number.to_string()),
        };
        row.scores
            .iter()
            .try_for_each(|given| self.scored(&about, given))?;
        Ok(Some(about))
    }

    /// Adds a score of an output; one that is no number is counted.
    pub(crate) fn scored(&mut self, about: &ScoredOutput, given: &GivenScore) -> Result<()> {
        let Some(score) = given.score else {
            self.no_number(&about.system, &given.criterion);
            return Ok(());
        };
        self.judgment(&JudgmentRow {
            item: &about.item,
            system: &about.system,
            criterion: &given.criterion,
            score,
            annotator: given.annotator.as_deref(),
            repeat: about.repeat.as_deref(),
            ..JudgmentRow::default()
        })
    }
}

/// Returns the function that names the system of a file where nothing in it does: its stem, or its folder where all files
/// have one name.
pub(in crate::records::import) fn by_file(
    files: &[&ImportFile],
) -> impl Fn(&ImportFile) -> String + use<> {
    let is_one_name = files.len() > 1
        && files
            .windows(2)
            .all(|pair| pair[0].stem() == pair[1].stem());
    move |file| match is_one_name {
        true => file.folder(),
        false => file.stem().to_string(),
    }
}

/// Returns what was asked or answered as a text: a message by its content, several with their roles, an object of one
/// member by that, other objects and lists as JSON. `None` where it is null.
pub(in crate::records::import) fn said(value: RecordValue<'_>) -> Option<String> {
    let mut members = value.fields();
    let only = match (members.next(), members.next()) {
        (Some((_, only)), None) => only,
        _ => value,
    };
    match only.value() {
        Value::Null => None,
        message if is_message(message) => message.get("content").and_then(content),
        messages if is_conversation(messages) => Some(text(&turns(only))),
        other => plain(other).or_else(|| Some(other.to_string())),
    }
}

/// As [`said`], of a text that may spell messages; any other text is what was said.
pub(in crate::records::import) fn said_or_spelled(value: RecordValue<'_>) -> Option<String> {
    let spelled = value.spelled().filter(|record| {
        let mut members = record
            .value
            .as_object()
            .into_iter()
            .flat_map(|object| object.values());
        let is_only =
            matches!((members.next(), members.next()), (Some(only), None) if is_conversation(only));
        is_only || is_message(&record.value) || is_conversation(&record.value)
    });
    spelled.map_or_else(|| said(value), |record| said(record.node()))
}

fn is_message(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string) && value.get("content").is_some()
}

fn is_conversation(value: &Value) -> bool {
    let messages = value.as_array().filter(|list| !list.is_empty());
    messages.is_some_and(|list| list.iter().all(is_message))
}
