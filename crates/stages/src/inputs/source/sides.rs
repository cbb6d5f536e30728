//! Several logs side by side as one data set: each holds the answers of one system to the same items.

use super::Source;
use crate::engine::context::Context;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::mem::take;
use std::path::Path;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_data::records::import::MissingAnswers;
use tiebreak_data::records::index::Group;
use tiebreak_data::records::{Dataset, InputTable, Kind};

/// A log with the answers of one system.
pub(crate) struct LogSide<'a> {
    source: &'a Source,
    arm: Arm,
    /// The key that names its system.
    key: &'static str,
}

impl<'a> LogSide<'a> {
    /// The side of an open log: its only system, or the named one. `key` names the system.
    ///
    /// # Errors
    /// Several systems of which none is named; an unknown name.
    pub(crate) fn new(source: &'a Source, system: Option<&str>, key: &'static str) -> Result<Self> {
        let arm = match (system, source.systems()) {
            (Some(name), _) => source.index.system(name).map_err(Error::of_key(key))?,
            (None, [_]) => Arm(0),
            (None, systems) => {
                let path = log_place(source, key);
                let what = format!(
                    "{path}: {} systems, expected one, or which is meant",
                    systems.len()
                );
                let hint = match systems {
                    [] => "a log needs outputs or judgments of a system".into(),
                    _ => message!("name one, {}: {}", Key(key), systems.join(", ")),
                };
                return Err(Error::usage(what).with_hint(hint));
            }
        };
        Ok(Self { source, arm, key })
    }

    fn system(&self) -> &str {
        self.source.system(self.arm)
    }

    fn log_place(&self) -> String {
        log_place(self.source, self.key)
    }
}

/// The path of a log, or the key that names its system where the log lies in no file of the user's.
fn log_place(source: &Source, key: &str) -> String {
    match source.dataset.is_in_memory() {
        true => key.to_string(),
        false => source.dataset.path().display().to_string(),
    }
}

/// The data set of several logs.
pub(crate) struct SideBySide<'a> {
    /// The data set; its systems are the sides.
    pub source: Source,
    /// The name of each side: its system, or its path (or key, in memory) where systems of that name are on several
    /// sides.
    pub names: Vec<String>,
    /// The answers and scores that each side lacks.
    pub missing: Vec<MissingAnswers>,
    /// The items whose texts differ between sides.
    pub other_texts: u64,
    /// The rows that its judgments were taken from.
    pub origins: JudgmentOrigins<'a>,
}

/// The rows of logs that the judgments of their joint data set were taken from.
pub(crate) struct JudgmentOrigins<'a> {
    sides: &'a [LogSide<'a>],
    /// The side of each judgment, and its place there.
    rows: Vec<(usize, u64)>,
}

impl JudgmentOrigins<'_> {
    /// Rewrites an error at a judgment of the joint data set as one at the row of its log.
    pub(crate) fn relocate_error(&self, error: Error) -> Error {
        let Error::Record { at, what, hint } = error else {
            return error;
        };
        let is_joint = at.path == Path::new(Kind::Judgments.name());
        let line = at.line.filter(|_| is_joint);
        match line.and_then(|line| self.rows.get(line as usize - 1)) {
            Some(&(side, place)) => self.sides[side].source.judgment_error(place, what, hint),
            None => Error::Record { at, what, hint },
        }
    }
}

/// The JSON lines of the tables.
#[derive(Default)]
struct TableLines {
    items: BTreeMap<String, Map<String, Value>>,
    outputs: String,
    judgments: String,
    judged: Vec<(usize, u64)>,
    other_texts: BTreeSet<String>,
}

impl<'a> SideBySide<'a> {
    /// Puts logs side by side, the first that of the base, with the further columns of their items that keys name.
    ///
    /// # Errors
    /// If a log cannot be read again, or the data set cannot be written to a temporary folder.
    pub(crate) fn new(
        context: &Context<'_>,
        sides: &'a [LogSide<'a>],
        columns: &[(&'static str, &str)],
    ) -> Result<Self> {
        let names = names(sides);
        let mut lines = TableLines::default();
        for ((at, side), name) in sides.iter().enumerate().zip(&names) {
            lines.add(at, side, name)?;
            for &(key, column) in columns {
                for (item, label) in side.source.item_labels(key, column)?.unwrap_or_default() {
                    let Some(row) = lines.items.get_mut(&item) else {
                        continue;
                    };
                    match row.get(column).and_then(Value::as_str) {
                        Some(known) if *known != *label => {
                            return Err(two_labels(&item, (key, column), [known, &label]));
                        }
                        _ => row.insert(column.to_string(), Value::String(label)),
                    };
                }
            }
        }
        let other_texts = lines.other_texts.len() as u64;
        let origins = JudgmentOrigins {
            sides,
            rows: take(&mut lines.judged),
        };
        let declared = sides
            .iter()
            .flat_map(|side| side.source.dataset.descriptor().ranges.clone());
        // The last log that declares a range counts.
        let ranges: BTreeMap<String, [f64; 2]> = declared.collect();
        let dataset = Dataset::of_tables(&lines.tables(), &[])?;
        let dataset = dataset.described(
            Path::new(&sides[0].log_place()),
            ranges.into_iter().collect(),
        );
        let missing = sides.iter().map(|side| side.source.missing(side.system()));
        let source = Source::index(context, dataset);
        Ok(Self {
            missing: missing.collect(),
            source: source.map_err(|error| origins.relocate_error(error))?,
            names,
            other_texts,
            origins,
        })
    }
}

/// The names of sides: their systems, or where these are the same the places of the logs.
fn names(sides: &[LogSide<'_>]) -> Vec<String> {
    let systems: BTreeSet<&str> = sides.iter().map(LogSide::system).collect();
    let alike = systems.len() < sides.len();
    let name = |(at, side): (usize, &LogSide<'_>)| {
        let place = side.log_place();
        let again = sides[..at].iter().any(|other| other.log_place() == place);
        match (alike, again) {
            (false, _) => side.system().to_string(),
            (true, false) => place,
            (true, true) => format!("{place} ({})", at + 1),
        }
    };
    sides.iter().enumerate().map(name).collect()
}

impl TableLines {
    fn add(&mut self, at: usize, side: &LogSide<'_>, name: &str) -> Result<()> {
        for group in side.source.index.all() {
            self.add_item(&group?, at, side, name);
        }
        Ok(())
    }

    fn add_item(&mut self, group: &Group, at: usize, side: &LogSide<'_>, name: &str) {
        let item = &group.item;
        let texts = json!({"item": item, "source": group.source, "references": group.references});
        let Value::Object(texts) = texts else { return };
        let of_system = group.outputs.iter().filter(|one| one.system == side.arm);
        for output in of_system {
            let row = json!({"item": item, "system": name, "output": output.text});
            let _ = writeln!(self.outputs, "{row}");
        }
        let of_system = group.judgments.iter().filter(|one| one.system == side.arm);
        for one in of_system {
            let row = json!({
                "item": item, "system": name, "criterion": side.source.index.criteria()[one.criterion],
                "score": one.score, "annotator": one.annotator, "part": one.part,
                "repeat": one.repeat, "post_edit": one.post_edit,
            });
            let _ = writeln!(self.judgments, "{row}");
            self.judged.push((at, one.place));
        }
        let known = self
            .items
            .entry(item.clone())
            .or_insert_with(|| texts.clone());
        let (known, own) = (&known["source"], &texts["source"]);
        if !known.is_null() && !own.is_null() && known != own {
            self.other_texts.insert(item.clone());
        }
    }

    fn tables(self) -> Vec<(Kind, InputTable)> {
        let line = |row: Map<String, Value>| format!("{}\n", Value::Object(row));
        let items: String = self.items.into_values().map(line).collect();
        let tables = [
            (Kind::Items, items),
            (Kind::Outputs, self.outputs),
            (Kind::Judgments, self.judgments),
        ];
        let there = tables.into_iter().filter(|(_, lines)| !lines.is_empty());
        there
            .map(|(kind, lines)| (kind, InputTable::Lines(lines)))
            .collect()
    }
}

/// The column of the lengths of sources, where no table has it.
const LENGTH: &str = "length";

/// The error about an item with two values in the column that a key names: which one counts would depend on the order of
/// rows.
fn two_labels(item: &str, (key, column): (&'static str, &str), [one, other]: [&str; 2]) -> Error {
    let what = format!("item `{item}` has `{one}` and `{other}` in the column `{column}`");
    Error::key(key, what).with_hint("name a column with one value for each item")
}

impl Source {
    /// The answers and scores of a system that a file lacks which is imported for this command.
    pub(crate) fn missing(&self, system: &str) -> MissingAnswers {
        let imported = self.dataset.imported();
        let missing = imported.and_then(|summary| summary.missing.get(system));
        missing.cloned().unwrap_or_default()
    }

    /// The values of a further column of items that a key names, by item, where a table has it; of `length` without such a column, the
    /// lengths of the sources in characters.
    ///
    /// # Errors
    /// If a table cannot be read, or an item has several values.
    pub(crate) fn item_labels(
        &self,
        key: &'static str,
        column: &str,
    ) -> Result<Option<BTreeMap<String, String>>> {
        for kind in Kind::ALL {
            let mut labels: BTreeMap<String, String> = BTreeMap::new();
            for row in self.dataset.rows(kind)?.into_iter().flatten() {
                let row = row?;
                let Some(label) = row.cell(column).map(|_| row.filled_text(column)) else {
                    continue;
                };
                let Some(label) = label?.map(|label| label.trim().to_string()) else {
                    continue;
                };
                let item = row.text("item").unwrap_or_default();
                match labels.get(&item) {
                    Some(known) if *known != label => {
                        return Err(two_labels(&item, (key, column), [known, &label]));
                    }
                    Some(_) => {}
                    None => drop(labels.insert(item, label)),
                }
            }
            if !labels.is_empty() {
                return Ok(Some(labels));
            }
        }
        if column != LENGTH {
            return Ok(None);
        }
        let mut lengths = BTreeMap::new();
        for group in self.index.all() {
            let group = group?;
            let length = group.source.map(|source| source.chars().count());
            lengths.extend(length.map(|length| (group.item, length.to_string())));
        }
        Ok((!lengths.is_empty()).then_some(lengths))
    }

    /// The same of a key that must name such a column; `example` is one.
    ///
    /// # Errors
    /// As [`item_labels`](Self::item_labels); a column that no table has.
    pub(crate) fn required_labels(
        &self,
        key: &'static str,
        column: &str,
        example: &str,
    ) -> Result<BTreeMap<String, String>> {
        let mut labels = self.item_labels(key, column)?.ok_or_else(|| {
            let what = match column {
                LENGTH => "no item has a source, which `length` is the length of".to_string(),
                _ => format!("no table has a column `{column}` of items"),
            };
            Error::key(key, what)
                .with_hint(format!("name a column of `items`, such as a {example}"))
        })?;
        labels.retain(|_, label| !label.is_empty());
        Ok(labels)
    }
}
