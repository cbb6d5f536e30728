//! Columns beside those that are shown for themselves: labels, comments, a judge's answer. They stay on disk.

use crate::engine::context::Context;
use crate::inputs::source::Source;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::{Extra, ItemAlignedRows};
use tiebreak_data::records::reader::{ColumnMapping, Row, TableReader};
use tiebreak_data::records::{ComparisonRecord, Kind};

/// The columns of each table that are shown for themselves, besides the required ones.
const SHOWN: &str = "source, references, annotator, seconds, part, repeat, post_edit";

/// Those of predictions.
const PREDICTED: &str = "item, system_a, system_b, p, mean, bald, std, draws";

/// Names and texts of the further columns of a row.
pub(super) type RowNote = Vec<(String, String)>;

/// The notes on the rows about one item, each by its [`subject`], or by `verdict` and two systems.
pub(super) type ItemNotes = BTreeMap<String, RowNote>;

/// The notes on all rows, if there are any.
pub(super) struct Notes(Option<ItemAlignedRows>);

/// What a note is about: a table, and in it an output by its system or an answer by its place among all.
pub(super) fn subject(kind: Kind, place: u64) -> String {
    format!("{} {place}", kind.name())
}

impl Notes {
    /// Reads the tables of a data set, and one of predictions.
    pub(super) fn read(
        context: &Context<'_>,
        source: &Source,
        predictions: Option<&Path>,
    ) -> Result<Self> {
        let mut tables: Vec<(Option<Kind>, TableReader)> = Vec::new();
        for kind in Kind::ALL {
            let rows = source.dataset.rows(kind)?;
            tables.extend(rows.map(|rows| (Some(kind), rows)));
        }
        // Texts are long, so that tables of them are read again only where their first row has notes.
        tables.retain(|(kind, rows)| {
            let mut columns = rows.columns().iter();
            !kind.is_some_and(Kind::has_texts) || columns.any(|name| is_note(source, *kind, name))
        });
        let opened = predictions.map(|path| TableReader::open(path, &ColumnMapping::default()));
        tables.extend(opened.transpose()?.map(|rows| (None, rows)));
        let notes = tables.into_iter().flat_map(|(kind, rows)| {
            (0..).zip(rows).filter_map(move |(place, row)| {
                let checked = if place % 4096 == 0 {
                    context.check()
                } else {
                    Ok(())
                };
                let note = checked
                    .and(row)
                    .and_then(|row| note(source, kind, place, &row));
                note.transpose()
            })
        });
        let mut notes = notes.peekable();
        let path = predictions.unwrap_or(source.dataset.path());
        let is_any = notes.peek().is_some();
        let rows = is_any.then(|| ItemAlignedRows::build(&source.index, path, notes));
        Ok(Self(rows.transpose()?))
    }

    /// The notes on each item of a range.
    pub(super) fn of_items(&self, range: Range<u64>) -> Result<Vec<ItemNotes>> {
        let Some(notes) = &self.0 else {
            return Ok(range.map(|_| ItemNotes::new()).collect());
        };
        let note = |row: Extra| serde_json::from_str(&row.text).map_err(Error::failed);
        let of_item = |rows: Vec<Extra>| rows.into_iter().map(note).collect();
        notes.groups(range)?.into_iter().map(of_item).collect()
    }
}

/// Whether a column is not shown for itself.
fn is_note(source: &Source, kind: Option<Kind>, column: &str) -> bool {
    let Some(kind) = kind else {
        return PREDICTED.split(", ").all(|one| one != column);
    };
    let mut shown = kind.required().iter().copied().chain(SHOWN.split(", "));
    shown.all(|one| source.dataset.columns().in_file(one) != column)
}

/// The note on a row; none where nobody answered.
fn note(
    source: &Source,
    kind: Option<Kind>,
    place: u64,
    row: &Row,
) -> Result<Option<(String, Extra)>> {
    let columns = row.columns().iter();
    let columns = columns.filter(|name| is_note(source, kind, name));
    let filled = columns.filter_map(|name| Some((name, row.cell(name)?.to_text()?)));
    let note: Vec<_> = filled.filter(|(_, text)| !text.trim().is_empty()).collect();
    let outcomes = source.dataset.outcomes();
    // The index has read all rows: what is no answer to it is left out.
    let is_there = match kind {
        Some(Kind::Comparisons) => ComparisonRecord::from_row(row, outcomes).is_ok(),
        Some(Kind::Judgments) => row.score("score").is_ok(),
        _ => true,
    };
    if note.is_empty() || !is_there {
        return Ok(None);
    }
    let arm = |column| -> Result<u64> { Ok(source.index.system(&row.text(column)?)?.0.into()) };
    let about = match kind {
        None => format!("verdict {} {}", arm("system_a")?, arm("system_b")?),
        Some(Kind::Items) => subject(Kind::Items, 0),
        Some(Kind::Outputs) => subject(Kind::Outputs, arm("system")?),
        Some(kind) => subject(kind, place),
    };
    let extra = Extra {
        line: row.number_in_file(),
        systems: [Arm(0); 2],
        numbers: Vec::new(),
        text: serde_json::to_string(&(about, note)).map_err(Error::failed)?,
    };
    Ok(Some((row.text("item")?, extra)))
}
