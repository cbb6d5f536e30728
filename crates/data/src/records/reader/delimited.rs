//! CSV and TSV with a header line (RFC 4180): a cell in double quotes may hold delimiters, line
//! breaks and doubled quotes.
//!
//! The parser is written here because no available one detects two mistakes: a quote that is never
//! closed, and text after a closing quote. Either would silently swallow cells. A quote inside a
//! cell that does not begin with one is an ordinary character. Blank lines are skipped, and rows of empty
//! cells, which spreadsheets write where a row was once used. A CSV whose
//! header has semicolons or tabs and no comma is read with these, as spreadsheets write it in much of
//! the world. A first line `sep=;` names the delimiter for Excel, and is skipped. Where a blank follows every
//! delimiter of the header, blanks after delimiters are no part of cells. Blanks around a name in the header never are:
//! such a name could not be typed. Several columns without a name, which spreadsheets export where some were once used, are
//! left out as long as they are empty.
//!
//! Many TSV files have no quoting: there a quote that opens a cell would swallow rows until the next one.

use super::bytes::{TextLines, empty, trim_break};
use super::cell::CellValue;
use super::columns::{ColumnMapping, TableForm, TableHeader};
use super::piece::RowChunk;
use super::row::Row;
use crate::records::meta_path;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Location, Result, is_there};
use tiebreak_base::layout::{of_cell, path_argument};

pub(super) struct DelimitedRows {
    records: Records,
    header: Arc<TableHeader>,
    /// The places of the columns that are left out.
    nameless: Vec<usize>,
    /// Whether tiebreak wrote the file, with a guard before cells that look like formulas.
    guarded: bool,
    /// The error met after the rows returned last.
    broken: Option<Error>,
}

/// What to do where columns that are used have no name.
const NAMES: &str =
    "the first line names the columns: delete empty columns, and lines above the names";

/// Approximate bytes of a piece.
const PIECE: usize = 1 << 18;

impl DelimitedRows {
    /// # Errors
    /// If the file cannot be opened, holds nothing, or its header is broken or repeats a name.
    pub(super) fn open(path: &Path, delimiter: u8, columns: &ColumnMapping) -> Result<Self> {
        let mut records = Records::open(path, delimiter)?;
        let (line, mut names) = records.next()?.ok_or_else(|| empty(path))?;
        let nameless = (0..names.len()).filter(|&place| names[place].is_empty());
        let mut nameless: Vec<usize> = nameless.collect();
        // A single one may be the index of a data frame.
        if nameless.len() == 1 {
            nameless.clear();
        } else if nameless.len() == names.len() {
            let what = "no column has a name";
            return Err(records.error(line, what).with_hint(NAMES));
        } else {
            names.retain(|name| !name.is_empty());
        }
        let header = TableHeader::first(path.into(), TableForm::Delimited, names, columns);
        header.check(|what| records.error(line, what))?;
        Ok(Self {
            records,
            header: Arc::new(header),
            nameless,
            guarded: is_there(&meta_path(path)),
            broken: None,
        })
    }

    pub(super) fn header(&self) -> &Arc<TableHeader> {
        &self.header
    }

    /// Returns several parsed rows, since only reading shows where one begins. Rows before a broken one come first.
    pub(super) fn piece(&mut self) -> Result<Option<RowChunk>> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while bytes < PIECE && self.broken.is_none() {
            match self.next() {
                Ok(Some(row)) => {
                    bytes += row.bytes();
                    rows.push(row);
                }
                Ok(None) => break,
                Err(error) => self.broken = Some(error),
            }
        }
        match self.broken.take_if(|_| rows.is_empty()) {
            Some(error) => Err(error),
            None => Ok((!rows.is_empty()).then_some(RowChunk::Rows(rows))),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        let (line, mut cells) = loop {
            match self.records.next()? {
                None => return Ok(None),
                Some((_, cells)) if cells.len() > 1 && cells.iter().all(String::is_empty) => {}
                Some(row) => break row,
            }
        };
        let (found, named) = (cells.len(), self.header.names.len());
        let expected = named + self.nameless.len();
        if self.records.is_of_whole_rows(expected) {
            let what = "a double quote opens a cell that holds further rows";
            let error = self.records.error(line, what);
            return Err(error.with_hint(self.records.unquoted()));
        }
        if found != expected {
            let what = format!("cells: {found}, expected {expected} as in the header");
            return Err(self.records.error(line, what).with_hint(
                "a cell that holds the delimiter or a line break must be in double quotes",
            ));
        }
        for &place in self.nameless.iter().rev() {
            let cell = cells.remove(place);
            if !cell.is_empty() {
                let what = "a cell in a column without a name";
                return Err(self.records.error(line, what).with_hint(NAMES));
            }
        }
        let is_name = |(cell, name): (&String, &String)| cell.trim() == name;
        if named > 1 && cells.iter().zip(&self.header.names).all(is_name) {
            let what = "the header again, expected a row";
            return Err(self
                .records
                .error(line, what)
                .with_hint("files were joined with their headers: leave this line out"));
        }
        Ok(Some(Row {
            header: Arc::clone(&self.header),
            cells: match self.guarded {
                true => cells
                    .iter()
                    .map(|cell| CellValue::Text(of_cell(cell)))
                    .collect(),
                false => cells.into_iter().map(CellValue::Text).collect(),
            },
            line,
        }))
    }
}

/// Returns the delimiter that a first line `sep=;` names, in quotes or not.
fn declared_delimiter(line: &[u8]) -> Option<u8> {
    let line = trim_break(line);
    let bare = line
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    match bare.unwrap_or(line) {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => Some(*delimiter),
        _ => None,
    }
}

/// The records of a file, each with the line on which it starts.
pub(in crate::records) struct Records {
    lines: TextLines,
    delimiter: u8,
    buffer: Vec<u8>,
    /// The number of cells of the last record; 0 before the first.
    width: usize,
    /// Whether blanks after a delimiter are no part of a cell.
    is_spaced: bool,
}

impl Records {
    pub(crate) fn open(path: &Path, delimiter: u8) -> Result<Self> {
        let (mut ahead, mut first) = (TextLines::open(path)?, Vec::new());
        ahead.append(&mut first)?;
        let declared = declared_delimiter(&first);
        // The header of a CSV has what delimits its cells.
        let delimits = |&other: &u8| delimiter == b',' && first.contains(&other);
        let other = (!first.contains(&b',')).then(|| [b';', b'\t'].into_iter().find(delimits));
        let delimiter = declared.or(other.flatten()).unwrap_or(delimiter);
        let mut lines = TextLines::open(path)?;
        if declared.is_some() {
            lines.append(&mut Vec::new())?;
            first.clear();
            ahead.append(&mut first)?;
        }
        let after_delimiters = || {
            let pairs = first.windows(2).filter(|pair| pair[0] == delimiter);
            pairs.map(|pair| pair[1])
        };
        Ok(Self {
            lines,
            delimiter,
            buffer: Vec::new(),
            width: 0,
            is_spaced: after_delimiters().count() > 0
                && after_delimiters().all(|byte| byte == b' '),
        })
    }

    /// Returns the next record, with its line.
    ///
    /// # Errors
    /// If it cannot be read, or its quotes are broken.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Vec<String>)>> {
        loop {
            self.buffer.clear();
            if !self.lines.append(&mut self.buffer)? {
                return Ok(None);
            }
            if !trim_break(&self.buffer).is_empty() {
                break;
            }
        }
        let line = self.lines.number();
        let is_header = self.width == 0;
        let mut cells = Vec::with_capacity(self.width);
        let mut at = Some(0);
        while let Some(start) = at {
            let start = start + self.blanks(start);
            let (cell, next) = if self.buffer.get(start) == Some(&b'"') {
                self.quoted(start + 1, line)?
            } else {
                let (cell, next) = self.bare(start);
                // Column names hold no carriage return, so one here means other line ends than are supported.
                if is_header && cell.contains(&b'\r') {
                    return Err(self.returns(line));
                }
                (cell, next)
            };
            let cell = String::from_utf8(cell).map_err(|_| {
                let at = Location::line(self.lines.path(), line);
                Error::not_utf8(at, &format!(" in cell {}", cells.len() + 1))
            })?;
            cells.push(match is_header {
                true => cell.trim().to_string(),
                false => cell,
            });
            at = next;
        }
        self.width = cells.len();
        Ok(Some((line, cells)))
    }

    /// The number of blanks at the start of a cell that are no part of it.
    fn blanks(&self, start: usize) -> usize {
        let is_blank = |&&byte: &&u8| byte == b' ' && self.is_spaced && start > 0;
        self.buffer[start..].iter().take_while(is_blank).count()
    }

    /// Whether the last record has several lines, each of which would be a row of so many cells if quotes were ordinary
    /// characters of a TSV.
    fn is_of_whole_rows(&self, width: usize) -> bool {
        let mut lines = trim_break(&self.buffer).split(|&byte| byte == b'\n');
        let is_row = |line: &[u8]| {
            let tabs = line.iter().filter(|&&byte| byte == b'\t').count();
            tabs + 1 == width && !line.starts_with(b"\t")
        };
        let is_read_as_tsv = self.delimiter == b'\t' && width > 1;
        is_read_as_tsv && lines.clone().nth(1).is_some() && lines.all(is_row)
    }

    /// The hint for a TSV whose quotes may be ordinary characters.
    fn unquoted(&self) -> String {
        format!(
            r#"if quotes are ordinary characters in this file, quote every cell: awk 'BEGIN{{FS=OFS="\t"}}{{sub(/\r$/,"");gsub(/"/,"\"\"");for(i=1;i<=NF;i++)$i="\""$i"\""}}1' {} > mended.tsv"#,
            path_argument(self.lines.path())
        )
    }

    /// Returns the unquoted cell from `start` on, and the start of the next one, if any.
    fn bare(&self, start: usize) -> (Vec<u8>, Option<usize>) {
        let rest = &trim_break(&self.buffer)[start..];
        match rest.iter().position(|&byte| byte == self.delimiter) {
            Some(length) => (rest[..length].to_vec(), Some(start + length + 1)),
            None => (rest.to_vec(), None),
        }
    }

    /// Reads the quoted cell whose text starts at `at`, with further lines where it spans several.
    fn quoted(&mut self, mut at: usize, line: u64) -> Result<(Vec<u8>, Option<usize>)> {
        let mut cell = Vec::new();
        loop {
            let rest = &self.buffer[at..];
            let Some(length) = rest.iter().position(|&byte| byte == b'"') else {
                cell.extend_from_slice(rest);
                at = self.buffer.len();
                if !self.lines.append(&mut self.buffer)? {
                    let error = self.error(line, "a double quote is opened and never closed");
                    return Err(error.with_hint(match self.delimiter {
                        b'\t' => self.unquoted(),
                        _ => "a cell that begins with a double quote is written \"\"\"…\""
                            .to_string(),
                    }));
                }
                continue;
            };
            cell.extend_from_slice(&rest[..length]);
            at += length + 1;
            let end = trim_break(&self.buffer).len();
            match self.buffer.get(at) {
                Some(b'"') => {
                    cell.push(b'"');
                    at += 1;
                }
                _ if at >= end => return Ok((cell, None)),
                Some(byte) if *byte == self.delimiter => return Ok((cell, Some(at + 1))),
                Some(b'\r') => return Err(self.returns(line)),
                _ => return Err(self.text_after_quote(line)),
            }
        }
    }

    /// The error for a carriage return without a line feed: alone as on a classic Mac, or twice before one.
    fn returns(&self, line: u64) -> Error {
        let what = "a carriage return in the line, expected lines that end in \\n or \\r\\n";
        let (path, twice) = (
            self.lines.path().display(),
            self.buffer.ends_with(b"\r\r\n"),
        );
        let hint = match twice {
            true => format!("its lines end in \\r\\r\\n: tr -d '\\r' < {path} > mended"),
            false => format!(
                "its lines may end as on a classic Mac: tr '\\r' '\\n' < {path} > mended; a carriage return inside a \
                 cell must be in double quotes"
            ),
        };
        self.error(line, what).with_hint(hint)
    }

    fn text_after_quote(&self, line: u64) -> Error {
        let error = self.error(line, "text after the closing double quote of a cell");
        error.with_hint(match self.delimiter {
            b'\t' => self.unquoted(),
            _ => "double the quotes inside a quoted cell: \"say \"\"so\"\"\"".to_string(),
        })
    }

    fn error(&self, line: u64, what: impl Into<String>) -> Error {
        Error::record(Location::line(self.lines.path(), line), what)
    }
}
