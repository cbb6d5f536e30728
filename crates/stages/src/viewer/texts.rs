//! Texts that stay on disk: columns beside those that are shown for themselves, such as labels and comments; and all
//! texts in lower case, one after the other in a temporary file, which a search reads from end to end with all threads.

use crate::engine::context::Context;
use crate::inputs::source::Source;
use memchr::memmem::Finder;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use tiebreak_base::disk::Scratch;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::{Extra, ItemAlignedRows};
use tiebreak_data::records::reader::{Row, TableReader};
use tiebreak_data::records::{ComparisonRecord, Kind};

/// The columns of each table that are shown for themselves, besides the required ones.
const SHOWN: &str = "source, references, annotator, seconds, part, repeat, post_edit";

/// A further column of a row, and its text.
pub(super) type Note = (String, String);

/// The notes on the rows about one item, by table and by an output's system or an answer's place among all.
pub(super) type ItemNotes = BTreeMap<(Kind, u64), Vec<Note>>;

/// The notes on all rows, if there are any.
pub(super) struct Notes(Option<ItemAlignedRows>);

/// The notes on a row about an item.
pub(super) fn note(notes: &ItemNotes, kind: Kind, place: u64) -> &[Note] {
    notes.get(&(kind, place)).map_or(&[], Vec::as_slice)
}

impl Notes {
    /// Reads the tables of a data set.
    pub(super) fn read(context: &Context<'_>, source: &Source) -> Result<Self> {
        let mut tables: Vec<(Kind, TableReader)> = Vec::new();
        for kind in Kind::ALL {
            let rows = source.dataset.rows(kind)?;
            // Texts are long, so that tables of them are read again only where their first row has notes.
            let rows = rows.filter(|rows| {
                let mut columns = rows.columns().iter();
                !kind.has_texts() || columns.any(|name| is_note(source, kind, name))
            });
            tables.extend(rows.map(|rows| (kind, rows)));
        }
        let notes = tables.into_iter().flat_map(|(kind, rows)| {
            (0..).zip(rows).filter_map(move |(place, row)| {
                let row = context.check().and(row);
                let note = row.and_then(|row| noted(source, kind, place, &row));
                note.transpose()
            })
        });
        let mut notes = notes.peekable();
        let is_any = notes.peek().is_some();
        let build = || ItemAlignedRows::build(&source.index, source.dataset.path(), notes);
        Ok(Self(is_any.then(build).transpose()?))
    }

    /// The notes on each item of a range.
    pub(super) fn of_items(&self, range: Range<u64>) -> Result<Vec<ItemNotes>> {
        let Some(notes) = &self.0 else {
            return Ok(range.map(|_| ItemNotes::new()).collect());
        };
        let note = |row: Extra| {
            let at = (Kind::ALL[row.numbers[0] as usize], row.numbers[1] as u64);
            let note = serde_json::from_str(&row.text).map_err(Error::failed);
            note.map(|note| (at, note))
        };
        let of_item = |rows: Vec<Extra>| rows.into_iter().map(note).collect();
        notes.groups(range)?.into_iter().map(of_item).collect()
    }
}

/// Whether a column is not shown for itself.
fn is_note(source: &Source, kind: Kind, column: &str) -> bool {
    let mut shown = kind.required().iter().copied().chain(SHOWN.split(", "));
    shown.all(|one| source.dataset.columns().in_file(one) != column)
}

/// The note on a row with its item; none where nobody answered, since the index leaves such rows out.
fn noted(source: &Source, kind: Kind, place: u64, row: &Row) -> Result<Option<(String, Extra)>> {
    let columns = row.columns().iter();
    let columns = columns.filter(|name| is_note(source, kind, name));
    let filled = columns.filter_map(|name| Some((name, row.cell(name)?.to_text()?)));
    let note: Vec<_> = filled.filter(|(_, text)| !text.trim().is_empty()).collect();
    let (place, is_there) = match kind {
        Kind::Items => (0, true),
        Kind::Outputs => (source.index.system(&row.text("system")?)?.0.into(), true),
        Kind::Judgments => (place, row.score("score").is_ok()),
        Kind::Comparisons => {
            let answer = ComparisonRecord::from_row(row, source.dataset.outcomes());
            (place, answer.is_ok())
        }
    };
    if note.is_empty() || !is_there {
        return Ok(None);
    }
    let extra = Extra {
        line: row.number_in_file(),
        systems: [Arm(0); 2],
        numbers: vec![kind as u64 as f64, place as f64],
        text: serde_json::to_string(&note).map_err(Error::failed)?,
    };
    Ok(Some((row.text("item")?, extra)))
}

/// Slots that a thread searches at a time.
const PIECE: usize = 8192;

/// The texts of a data set in slots: of each item one for what is about all of it, then one for each output.
pub(super) struct WordFile {
    folder: Scratch,
    out: BufWriter<File>,
    /// The first byte of each slot, and after the last.
    bounds: Vec<u64>,
}

impl WordFile {
    pub(super) fn new() -> Result<Self> {
        let folder = Scratch::new()?;
        let path = folder.path().join("words");
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            folder,
            out: BufWriter::with_capacity(1 << 18, file),
            bounds: vec![0],
        })
    }

    /// Adds a slot with its texts.
    pub(super) fn add(&mut self, texts: &[&str]) -> Result<()> {
        let mut end = self.bounds[self.bounds.len() - 1];
        for text in texts {
            let lower = text.to_lowercase();
            end += lower.len() as u64 + 1;
            write!(self.out, "{lower}\0").map_err(Error::failed)?;
        }
        self.bounds.push(end);
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(Error::failed)
    }

    /// Whether each slot has a text, whatever its case.
    pub(super) fn slots_with(&self, text: &str) -> Result<Vec<bool>> {
        // What ends a text is in no query.
        let text = text.to_lowercase().replace('\0', " ");
        let (finder, path) = (Finder::new(&text), self.folder.path().join("words"));
        let mut found = vec![false; self.bounds.len() - 1];
        let pieces = found.par_chunks_mut(PIECE).enumerate();
        pieces.try_for_each(|(at, found)| {
            let bounds = &self.bounds[at * PIECE..];
            let mut bytes = vec![0; (bounds[found.len()] - bounds[0]) as usize];
            let mut file = File::open(&path).map_err(Error::reading(&path))?;
            let read = file.seek(SeekFrom::Start(bounds[0]));
            let read = read.and_then(|_| file.read_exact(&mut bytes));
            read.map_err(Error::reading(&path))?;
            for (found, ends) in found.iter_mut().zip(bounds.windows(2)) {
                let [start, end] = [0, 1].map(|one| (ends[one] - bounds[0]) as usize);
                *found = finder.find(&bytes[start..end]).is_some();
            }
            Ok(())
        })?;
        Ok(found)
    }
}
