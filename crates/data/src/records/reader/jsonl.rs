//! JSON Lines: one object a line.
//!
//! Read line by line with `serde_json` rather than with arrow's JSON reader, which cannot say on
//! which line a record stands. Blank lines are skipped.

use super::bytes::{LineBlock, TextLines, empty, trim_break};
use super::cell::{CellSeed, CellValue};
use super::columns::{ColumnMapping, TableForm, TableHeader};
use super::piece::RowChunk;
use super::python::mended;
use super::row::Row;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::keys::table::value_as_written;

pub(super) struct JsonRows {
    lines: TextLines,
    buffer: Vec<u8>,
    parser: Parser,
    /// The first row, which is read early for its columns.
    first: Option<Row>,
}

impl JsonRows {
    /// # Errors
    /// If the file cannot be opened, holds nothing, or its first record is broken.
    pub(super) fn open(path: &Path, columns: &ColumnMapping) -> Result<Self> {
        let nameless = TableHeader::first(path.into(), TableForm::Json, Vec::new(), columns);
        let mut rows = Self {
            lines: TextLines::open(path)?,
            buffer: Vec::new(),
            parser: Parser(Arc::new(nameless)),
            first: None,
        };
        let mut first = rows.read()?.ok_or_else(|| empty(path))?;
        let names = first.header.names.clone();
        rows.parser.0 = Arc::new(TableHeader::first(
            path.into(),
            TableForm::Json,
            names,
            columns,
        ));
        first.header = Arc::clone(&rows.parser.0);
        rows.first = Some(first);
        Ok(rows)
    }

    pub(super) fn header(&self) -> &Arc<TableHeader> {
        &self.parser.0
    }

    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        match self.first.take() {
            Some(row) => Ok(Some(row)),
            None => self.read(),
        }
    }

    /// Returns unparsed rows, as an alternative to [`Self::next`].
    pub(super) fn piece(&mut self) -> Result<Option<RowChunk>> {
        if let Some(row) = self.first.take() {
            return Ok(Some(RowChunk::Rows(vec![row])));
        }
        let block = self.lines.block()?;
        Ok(block.map(|block| RowChunk::Lines(block, self.parser.clone())))
    }

    fn read(&mut self) -> Result<Option<Row>> {
        loop {
            self.buffer.clear();
            if !self.lines.append(&mut self.buffer)? {
                return Ok(None);
            }
            if !self.buffer.trim_ascii().is_empty() {
                return self.parser.row(&self.buffer, self.lines.number()).map(Some);
            }
        }
    }
}

/// A parser of records. It holds the columns that are expected, those of the record before.
#[derive(Clone)]
pub(in crate::records) struct Parser(Arc<TableHeader>);

impl Parser {
    /// Parses the rows of a block one by one, each reusing the row before.
    pub(crate) fn rows(
        mut self,
        block: &LineBlock,
        mut each: impl FnMut(&Row) -> Result<()>,
    ) -> Result<()> {
        let (mut row, mut number, mut rest) = (self.none(), block.first, &block.bytes[..]);
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at(end);
            if !line.trim_ascii().is_empty() {
                self.read(line, number, &mut row)?;
                each(&row)?;
            }
            (rest, number) = (after, number + 1);
        }
        Ok(())
    }

    fn row(&mut self, line: &[u8], number: u64) -> Result<Row> {
        let mut row = self.none();
        self.read(line, number, &mut row)?;
        Ok(row)
    }

    fn none(&self) -> Row {
        Row {
            header: Arc::clone(&self.0),
            cells: Vec::new(),
            line: 0,
        }
    }

    /// Parses a record into a row, reusing what it held.
    fn read(&mut self, line: &[u8], number: u64, row: &mut Row) -> Result<()> {
        let header = &self.0;
        let fail = |what: String| Error::record(Location::line(&header.path, number), what);
        let text = std::str::from_utf8(trim_break(line))
            .map_err(|error| Error::not_utf8_at(Location::line(&header.path, number), error))?;
        let mut parse = |text: &str| {
            let mut json = serde_json::Deserializer::from_str(text);
            let record = RecordSeed {
                expected: &header.names,
                cells: &mut row.cells,
            };
            let names = record.deserialize(&mut json)?;
            json.end().map(|()| names)
        };
        let names = parse(text)
            .or_else(|error| {
                let repaired = mended(text).filter(|repaired| repaired.halves == 0);
                repaired
                    .and_then(|repaired| parse(&repaired.text).ok())
                    .ok_or(error)
            })
            .map_err(|error| explain(&error, text, fail))?;
        if let Some(names) = names {
            let header = header.with_names(names);
            header.check(fail)?;
            self.0 = Arc::new(header);
        }
        if !Arc::ptr_eq(&row.header, &self.0) {
            row.header = Arc::clone(&self.0);
        }
        row.line = number;
        Ok(())
    }
}

/// The error for a broken record, without serde's own (always first) line number.
fn explain(error: &serde_json::Error, text: &str, fail: impl Fn(String) -> Error) -> Error {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or(&message);
    let column = error.column();
    if text.trim_start().starts_with('[') {
        return fail("a list, expected an object".to_string())
            .with_hint("write one JSON object a line, without a list around them");
    }
    if error.is_data() {
        return fail(format!(
            "{} at column {column}",
            value_as_written(reason, "an object")
        ));
    }
    if error.is_eof() {
        return fail(format!("the record ends too early (truncated?): {reason}"))
            .with_hint("a record is one JSON object on one line");
    }
    fail(format!("broken JSON at column {column}: {reason}"))
}

/// Deserializes an object into cells. Its keys are nearly always those of the row before, and then none is copied.
/// Returns the names of the columns where they differ.
struct RecordSeed<'a> {
    expected: &'a [String],
    cells: &'a mut Vec<CellValue>,
}

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Option<Vec<String>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = Option<Vec<String>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Self { expected, cells } = self;
        let mut names: Option<Vec<String>> = None;
        let mut at = 0;
        while let Some(key) = map.next_key_seed(JsonKeySeed(expected.get(at)))? {
            match (&mut names, key) {
                (None, None) => {}
                (None, Some(key)) => {
                    names = Some(expected[..at].to_vec());
                    names.get_or_insert_default().push(key);
                }
                (Some(names), None) => names.push(expected[at].clone()),
                (Some(names), Some(key)) => names.push(key),
            }
            if at == cells.len() {
                cells.push(CellValue::Null);
            }
            map.next_value_seed(CellSeed(&mut cells[at]))?;
            at += 1;
        }
        cells.truncate(at);
        if names.is_none() && at < expected.len() {
            names = Some(expected[..at].to_vec());
        }
        Ok(names)
    }
}

/// Deserializes a key: `None` where it is the expected one.
struct JsonKeySeed<'a>(Option<&'a String>);

impl<'de> DeserializeSeed<'de> for JsonKeySeed<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for JsonKeySeed<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok((self.0.map(String::as_str) != Some(key)).then(|| key.to_string()))
    }
}
