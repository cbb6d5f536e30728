//! Columns beside the documented ones: labels, comments, a judge's answer. They stay on disk.

use super::lists::{MOST_LABELS, NONE, NumberedNames, names_key};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::reader::{Row, TableReader};
use tiebreak_data::records::{Kind, LABEL};

/// Columns of predictions that are shown as numbers.
const PREDICTED: [&str; 8] = [
    "item", "system_a", "system_b", "p", "mean", "bald", "std", "draws",
];

/// Columns that are shown for themselves, besides the required ones.
const SHOWN: [&str; 7] = [
    "source",
    "references",
    "annotator",
    "seconds",
    "part",
    "repeat",
    "post_edit",
];

/// The columns of a table that are not shown for themselves.
pub(super) fn columns_beside<'a>(
    source: &Source,
    kind: Kind,
    columns: &'a [String],
) -> Vec<&'a str> {
    let known = |name: &str| {
        let mut shown = kind.required().iter().chain(&SHOWN);
        shown.any(|one| source.dataset.columns().in_file(one) == name)
    };
    columns
        .iter()
        .map(String::as_str)
        .filter(|name| !known(name))
        .collect()
}

/// Notes on rows of one table.
pub(super) struct RowNotes {
    /// Reads the file from its present place, which is beside it: rows that follow each other are in one buffer.
    file: Mutex<(BufReader<File>, u64)>,
    _folder: Scratch,
    /// The keys of rows with notes, in order, each with the place of its line in the file.
    lines: Vec<(u64, u64)>,
}

/// Names and texts of the further columns of a row.
pub(super) type RowNote = Vec<(String, String)>;

impl RowNotes {
    fn write(
        context: &Context<'_>,
        rows: Option<TableReader>,
        mut note: impl FnMut(u64, &Row) -> Result<(u64, RowNote)>,
    ) -> Result<Self> {
        let folder = Scratch::new()?;
        let path = folder.path().join("notes");
        let writing = Error::writing(&path);
        let mut out = BufWriter::new(File::create(&path).map_err(&writing)?);
        let (mut lines, mut at) = (Vec::new(), 0);
        for (place, row) in (0..).zip(rows.into_iter().flatten()) {
            if place % 4096 == 0 {
                context.check()?;
            }
            let (key, note) = note(place, &row?)?;
            if !note.is_empty() {
                let line = serde_json::to_string(&note).map_err(Error::failed)? + "\n";
                out.write_all(line.as_bytes()).map_err(&writing)?;
                lines.push((key, at));
                at += line.len() as u64;
            }
        }
        out.flush().map_err(&writing)?;
        lines.sort_unstable();
        let file = File::open(&path).map_err(Error::reading(&path))?;
        Ok(Self {
            file: Mutex::new((BufReader::new(file), 0)),
            _folder: folder,
            lines,
        })
    }

    /// Reads the notes on answers; with the number of each row's label.
    ///
    /// # Errors
    /// If the table cannot be read, or a temporary file not written.
    pub(super) fn of_answers(
        context: &Context<'_>,
        source: &Source,
        kind: Kind,
        labels: &mut NumberedNames,
    ) -> Result<(Self, Vec<u32>)> {
        let mut of_rows = Vec::new();
        let notes = Self::write(context, source.dataset.rows(kind)?, |place, row| {
            let note = note_of(row, &columns_beside(source, kind, row.columns()));
            let label = note.iter().find(|(name, _)| name == LABEL);
            if let Some((_, label)) = label.filter(|_| labels.names.len() <= MOST_LABELS) {
                of_rows.resize(place as usize, NONE);
                of_rows.push(labels.number(label));
            }
            Ok((place, note))
        })?;
        Ok((notes, of_rows))
    }

    /// Reads the notes on predictions.
    ///
    /// # Errors
    /// As [`of_answers`](Self::of_answers).
    pub(super) fn of_predictions(context: &Context<'_>, path: &Path) -> Result<Self> {
        let rows = TableReader::open(path, &tiebreak_data::records::ColumnMapping::default())?;
        Self::write(context, Some(rows), |_, row| {
            let names = row.columns().iter().map(String::as_str);
            let names: Vec<&str> = names.filter(|name| !PREDICTED.contains(name)).collect();
            let [item, a, b] = [
                row.text("item")?,
                row.text("system_a")?,
                row.text("system_b")?,
            ];
            Ok((names_key(&[&item, &a, &b]), note_of(row, &names)))
        })
    }

    /// The note on a row, possibly empty.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(super) fn get(&self, key: u64) -> Result<RowNote> {
        let Ok(found) = self.lines.binary_search_by_key(&key, |line| line.0) else {
            return Ok(RowNote::new());
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, at) = &mut *file;
        let place = self.lines[found].1;
        let mut line = String::new();
        let read = reader.seek_relative(place as i64 - *at as i64);
        let read = read.and_then(|()| reader.read_line(&mut line));
        *at = place + read.map_err(Error::failed)? as u64;
        serde_json::from_str(&line).map_err(Error::failed)
    }
}

fn note_of(row: &Row, names: &[&str]) -> RowNote {
    let filled = names.iter().filter_map(|name| {
        let text = row.cell(name)?.to_text()?;
        (!text.trim().is_empty()).then(|| ((*name).to_string(), text))
    });
    filled.collect()
}
