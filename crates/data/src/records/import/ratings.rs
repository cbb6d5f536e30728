//! Detection of ratings among the columns of a table of outputs.
//!
//! Columns of numbers beside outputs may be ratings or other attributes of an output: then nothing is
//! guessed.

use super::frame::{
    AMBIGUOUS_COMMA, CRITERION, DatasetBuilder, ImportFile, ImportFiles, ImportOptions,
    ImportRecord, called, shortened,
};
use super::roles::reference_number;
use crate::records::reader::{is_partition, is_row_index};
use crate::records::{ColumnMapping, Kind, TableReader};
use std::path::Path;
use tiebreak_base::error::{Audience, Error, Flag, Key, Message, Result, meant};
use tiebreak_base::layout::{argument, path_argument};
use tiebreak_base::message;

/// Columns that are never a criterion.
const NO_CRITERIA: [&str; 21] = [
    "item",
    "system",
    "output",
    "source",
    "references",
    "reference",
    "annotator",
    "seconds",
    "part",
    "repeat",
    "epoch",
    "post_edit",
    "id",
    "index",
    "idx",
    "line",
    "number",
    "turn",
    "seed",
    "timestamp",
    "tstamp",
];

/// Returns the columns that are criteria: the named ones; where none are named, those of numbers, unless they may be
/// something else too.
pub(super) fn criteria(
    file: &ImportFile,
    has_output: bool,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Vec<String>> {
    if builder.options.criteria.is_some() {
        let columns = file.look().first.keys().map(String::as_str);
        let named = builder.options.criteria_among(columns);
        return named.map_err(|name| {
            let what = format!("no column `{name}` for a criterion");
            Error::input(&file.path, what)
        });
    }
    let mut numbers = NumericColumns::default();
    file.records(&[], &mut |record| {
        numbers.meet(&record, builder.options);
        Ok(())
    })?;
    if let Some(unread) = numbers.unread_scores(builder.options) {
        builder.note(format!("{}: {unread}", file.path.display()));
    }
    let numbers = numbers.found(&file.path);
    if numbers.is_empty() || !has_output || are_scores(&numbers, builder.options) {
        return Ok(numbers);
    }
    match asked_among(&numbers, builder.options) {
        asked if asked.is_empty() => Err(doubtful(&file.path, &numbers, builder.options)),
        asked => Ok(asked),
    }
}

/// Whether columns of numbers are the one that judgments have, by its own name.
fn are_scores(numbers: &[String], options: &ImportOptions) -> bool {
    numbers == [called(options, "score")]
}

/// Returns those of the columns of numbers that the command asks for as criteria.
fn asked_among(numbers: &[String], options: &ImportOptions) -> Vec<String> {
    let asked = options.asked.as_deref().unwrap_or_default();
    let among = numbers.iter().filter(|name| asked.contains(name));
    among.cloned().collect()
}

/// The error for columns of numbers that may be ratings or something else.
fn doubtful(path: &Path, numbers: &[String], options: &ImportOptions) -> Error {
    let asked = options.asked.as_deref();
    if let Some(name) = asked.and_then(<[String]>::first) {
        let what = format!("no column of numbers `{name}` for a criterion");
        let known = numbers.iter().map(String::as_str);
        return Error::input(path, what).with_hint(meant(name, "columns of numbers are", known));
    }
    let (shown, names) = (
        path_argument(path) + &options.flags(),
        argument(&numbers.join(",")),
    );
    let what = format!(
        "columns of numbers next to the outputs: {}; are they ratings?",
        numbers.join(", ")
    );
    let typed = format!(
        "say which: tiebreak import {shown} {criteria} {names} {out} DIR or tiebreak import {shown} {criteria} none {out} DIR",
        criteria = Flag("criteria"),
        out = Flag("out")
    );
    let python = format!("say which: `criteria={numbers:?}` or `criteria=[]`");
    let opened = Message::except_in_python(typed, python);
    Error::input(path, what).with_hint(match asked {
        // The command names its criteria itself, also of a log that `import` does not take alone.
        Some(_) => Message::each(|audience| {
            let ways = numbers.iter().map(|name| {
                let key = Key(CRITERION).set(match audience {
                    Audience::Terminal => argument(name),
                    _ => name.clone(),
                });
                message!("{}", key).shown_to(audience).to_string()
            });
            format!("say which: {}", ways.collect::<Vec<_>>().join(" or "))
        }),
        None => opened,
    })
}

/// Returns the columns of a file that has outputs and no ratings, so that it can be read where it lies.
pub(crate) fn columns_of_outputs(
    path: &Path,
    options: &ImportOptions,
) -> Result<Option<ColumnMapping>> {
    /// Rows that tell whether a column is of numbers.
    const ENOUGH: usize = 1000;
    let given = || options.columns.iter().cloned();
    let mut columns = ColumnMapping::new(given());
    let required = Kind::Outputs.required();
    let Ok(rows) = TableReader::open(path, &columns) else {
        // A broken file is reported where it is read, not repaired as if it were another tool's.
        let look = ImportFiles::discover(&[path.to_path_buf()], options)?;
        let in_file: Vec<&str> = required.iter().map(|name| called(options, name)).collect();
        let found = look.that(|file| file.is_table() && file.has(&in_file));
        return Ok((!found.is_empty()).then_some(columns));
    };
    if rows.require(required).is_err() {
        return Ok(None);
    }
    // Where there is one reference an item, its column is often called so.
    let has = |name: &str| rows.columns().iter().any(|column| column == name);
    let has_list = has(called(options, "references"));
    if !has_list
        && rows
            .columns()
            .iter()
            .any(|name| reference_number(name).is_some())
    {
        return Ok(None);
    }
    let is_free = given().all(|(_, in_file)| in_file != "reference");
    if is_free && has("reference") && !has_list {
        let one = ("references".to_string(), "reference".to_string());
        columns = ColumnMapping::new(given().chain([one]));
    }
    let mut numbers = NumericColumns::default();
    for (number, row) in rows.take(ENOUGH).enumerate() {
        let Ok(row) = row else { break };
        if required.iter().any(|column| row.cell(column).is_none()) {
            // The first row shows the kind of table; a column that a later one lacks is an error when it is read.
            match number {
                0 => return Ok(None),
                _ => break,
            }
        }
        numbers.meet(&ImportRecord::from_row(row), options);
    }
    if let Some(named) = &options.criteria {
        return Ok(named.is_empty().then_some(columns));
    }
    if numbers.unread_scores(options).is_some() {
        return Ok(None);
    }
    let numbers = numbers.found(path);
    match numbers.is_empty() {
        true => Ok(Some(columns)),
        false if are_scores(&numbers, options) => Ok(None),
        false if !asked_among(&numbers, options).is_empty() => Ok(None),
        false => Err(doubtful(path, &numbers, options)),
    }
}

/// The columns of a table, and what they hold.
#[derive(Default)]
struct NumericColumns {
    columns: Vec<MetColumn>,
}

/// How many numbers and how many words a column has; missing values are neither.
#[derive(Default)]
struct MetColumn {
    name: String,
    numbers: u64,
    words: u64,
    /// The first of the words, and whether it is a number with a comma that may mark thousands.
    word: Option<(String, bool)>,
}

impl MetColumn {
    /// Whether it has so few words that these are refused at their lines, not left out without a word.
    fn is_numeric(&self) -> bool {
        self.numbers > self.words
    }
}

impl NumericColumns {
    fn meet(&mut self, record: &ImportRecord, options: &ImportOptions) {
        for (name, cell) in record.node().fields() {
            if is_row_index(name)
                || reference_number(name).is_some()
                || NO_CRITERIA
                    .iter()
                    .any(|own| called(options, own) == name || *own == name)
            {
                continue;
            }
            // Whether something is so is a score only where it is called one, or asked for as a criterion.
            let asked = options.asked.as_deref().unwrap_or_default();
            let is_score = name == called(options, "score") || asked.iter().any(|one| one == name);
            let is_number = match is_score {
                true => cell.score().is_some(),
                false => !cell.value().is_boolean() && cell.measure().is_some(),
            };
            let known = self.columns.iter().position(|known| known.name == name);
            let place = known.unwrap_or_else(|| {
                self.columns.push(MetColumn {
                    name: name.to_string(),
                    ..MetColumn::default()
                });
                self.columns.len() - 1
            });
            let column = &mut self.columns[place];
            if is_number {
                column.numbers += 1;
            } else if !cell.is_missing() {
                column.words += 1;
                column.word.get_or_insert_with(|| {
                    (shortened(&cell.value().to_string()), cell.is_ambiguous())
                });
            }
        }
    }

    /// Says that the column of scores is not read as ratings because of its words, if it is not.
    fn unread_scores(&self, options: &ImportOptions) -> Option<String> {
        let score = called(options, "score");
        let mut columns = self.columns.iter();
        let column = columns.find(|column| column.name == score && !column.is_numeric())?;
        let (words, cells) = (column.words, column.words + column.numbers);
        let (word, is_ambiguous) = column.word.as_ref()?;
        let why = match is_ambiguous {
            true => format!("no finite number, such as {word}: {AMBIGUOUS_COMMA}"),
            false => format!("no finite number, such as {word}"),
        };
        Some(format!(
            "`{score}` is not read as ratings: {words} of {cells} cells are {why}"
        ))
    }

    /// Returns the columns of numbers in the file at a path.
    fn found(self, path: &Path) -> Vec<String> {
        let found = self.columns.into_iter().filter(MetColumn::is_numeric);
        let names = found.map(|column| column.name);
        names.filter(|name| !is_partition(path, name)).collect()
    }
}
