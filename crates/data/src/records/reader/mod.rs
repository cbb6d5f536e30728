//! Streams the rows of a table, whatever form it has on disk, in memory that does not grow with
//! the table.
//!
//! A table is a file (`jsonl`, `ndjson`, `csv`, `tsv`, each also `.gz` or `.zst`; `parquet`;
//! `arrow`, `feather`) or a folder of parts (`part-*`, or all tables where none is called so; at any depth, in the order
//! of their paths).
//! [`TableReader`] yields each [`Row`] with its place; values are read by the documented column names,
//! which [`ColumnMapping`] maps to those in the file.

mod again;
pub(super) mod bytes;
mod cell;
mod column;
mod columnar;
mod columns;
pub(super) mod delimited;
mod jsonl;
mod literal;
mod lz4;
mod messages;
mod outputs;
mod pages;
mod partitions;
mod piece;
pub(super) mod python;
mod row;
mod thrift;

pub use again::refuse_pipe;
pub use cell::CellValue;
pub(super) use cell::{EXACT, INEXACT, decimal};
pub(super) use columns::is_row_index;
pub use columns::{ColumnMapping, renamed};
pub(crate) use messages::Batches;
pub(super) use partitions::{is_partition, partition_text};
pub(super) use piece::RowChunk;
pub use python::with_nulls;
pub(super) use python::{python_list, spelled_list, spelled_objects};
pub use row::Row;
pub(super) use row::RowLocation;

use arrow_array::RecordBatch;
use columnar::ColumnarRows;
use columns::{TableForm, TableHeader};
use delimited::DelimitedRows;
use jsonl::JsonRows;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::error::{Error, Flag, Location, Message, Result};
use tiebreak_base::layout::argument;
use tiebreak_base::message;

/// The stored format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputTableFormat {
    /// One JSON object a line: `jsonl`, `ndjson`.
    JsonLines,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// Parquet.
    Parquet,
    /// Arrow IPC, file or stream: `arrow`, `feather`.
    Arrow,
}

/// The supported extensions, in words.
pub(crate) const EXTENSIONS: &str =
    "jsonl, ndjson, csv, tsv (each also with .gz or .zst), parquet, arrow or feather";

impl InputTableFormat {
    /// Splits a file name into the stem before the extensions and the format they name;
    /// `None` where they name none. Extensions may be in upper case.
    pub(crate) fn split(file_name: &str) -> Option<(&str, Self)> {
        let name = bytes::uncompressed(file_name);
        let is_plain = name.len() == file_name.len();
        let (stem, extension) = name.rsplit_once('.')?;
        let format = match &*extension.to_ascii_lowercase() {
            "jsonl" | "ndjson" => Self::JsonLines,
            "csv" => Self::Csv,
            "tsv" => Self::Tsv,
            "parquet" if is_plain => Self::Parquet,
            "arrow" | "feather" if is_plain => Self::Arrow,
            _ => return None,
        };
        Some((stem, format))
    }

    /// Returns the format that a path's extensions name.
    ///
    /// # Errors
    /// If they name none.
    pub(crate) fn from_path(path: &Path) -> Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        name.and_then(Self::split)
            .map(|(_, format)| format)
            .ok_or_else(|| {
                Error::input(path, "cannot tell the format from the name").with_hint(
                    match lines_hint(path) {
                        Some(lines) => lines,
                        None if is_workbook(path) => bytes::SAVE_AS_CSV.into(),
                        None => format!("the name must end in {EXTENSIONS}").into(),
                    },
                )
            })
    }
}

/// Whether a name is that of a workbook or an archive.
fn is_workbook(path: &Path) -> bool {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    ending.is_some_and(|ending| {
        ["xlsx", "xls", "ods", "zip"]
            .iter()
            .any(|known| ending == *known)
    })
}

/// Whether a file looks like text with an output a line, by its name.
pub(crate) fn is_lines(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    ending.is_none_or(|ending| ending == "txt" || ending.len() == 2)
}

/// The command for what looks like a text file with an output a line.
pub(crate) fn lines_hint(path: &Path) -> Option<Message> {
    let name = path.file_stem()?.to_string_lossy();
    let system = argument(&format!("{name}={}", path.display()));
    is_lines(path).then(|| {
        let command = Message::shell_command(format!(
            "tiebreak import {} ref.txt {} {system} {} DIR",
            Flag("reference"),
            Flag("system"),
            Flag("out")
        ));
        message!(
            "a table's name ends in {EXTENSIONS}; text files with an output a line: {}",
            command
        )
    })
}

/// The rows of a table, in file order. After an error there are none.
pub struct TableReader {
    current: Option<RowSource>,
    columns: ColumnMapping,
    header: Arc<TableHeader>,
    metadata: BTreeMap<String, String>,
    /// The remaining parts, the next one last.
    parts: Vec<PathBuf>,
}

enum RowSource {
    Json(JsonRows),
    Delimited(DelimitedRows),
    Columnar(Box<ColumnarRows>),
}

/// Calls `each` for every row of a batch in memory, in order; errors call the batch `name`.
///
/// # Errors
/// If two columns share a name; the first of `each`.
pub fn each_row(
    name: &str,
    batch: &RecordBatch,
    each: impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    columnar::ColumnarBatch::in_memory(name, batch)?.owned(each)
}

impl TableReader {
    /// Opens a table file or a folder of parts.
    ///
    /// # Errors
    /// If the file is missing, empty, unreadable, of unknown format or no regular one; if a folder has no
    /// parts; if the header is broken.
    pub fn open(path: &Path, columns: &ColumnMapping) -> Result<Self> {
        let mut parts = if path.is_dir() {
            parts_of(path)?
        } else {
            vec![path.to_path_buf()]
        };
        parts.reverse();
        let first = parts.pop().ok_or_else(|| {
            Error::input(path, "a folder without tables")
                .with_hint(format!("tables are files ending in {EXTENSIONS}"))
        })?;
        let source = RowSource::open(&first, columns)?;
        Ok(Self {
            header: Arc::clone(source.header()),
            metadata: source.metadata(),
            current: Some(source),
            columns: columns.clone(),
            parts,
        })
    }

    /// The columns, as the file has them; in JSON Lines those of the first record.
    pub fn columns(&self) -> &[String] {
        &self.header.names
    }

    /// The metadata in the schema of a Parquet or Arrow file, for a folder those of the part being read;
    /// empty for text forms.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Checks that the header has these (documented) columns, so that a table without rows is
    /// checked too. JSON Lines have no header; there every row is checked when it is read.
    ///
    /// # Errors
    /// If one is missing.
    pub fn require(&self, columns: &[&str]) -> Result<()> {
        let at = match self.header.form {
            TableForm::Json => return Ok(()),
            TableForm::Delimited => Location::line(&self.header.path, 1),
            TableForm::Columnar => Location::file(&self.header.path),
        };
        let missing = columns.iter().find(|c| self.header.position(c).is_none());
        missing.map_or(Ok(()), |column| {
            let (what, hint) = self.header.missing(column);
            Err(Error::record(at, what).with_hint(hint))
        })
    }

    /// Returns the next rows still undecoded, as an alternative to single rows.
    ///
    /// # Errors
    /// As for single rows; errors inside the rows show only when they are decoded.
    pub(super) fn piece(&mut self) -> Result<Option<RowChunk>> {
        self.following(RowSource::piece)
    }

    fn following<T>(
        &mut self,
        next: impl Fn(&mut RowSource) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        while let Some(source) = &mut self.current {
            if let Some(found) = next(source)? {
                return Ok(Some(found));
            }
            let next = self.parts.pop();
            self.current = next
                .map(|path| RowSource::open(&path, &self.columns))
                .transpose()?;
            if let Some(part) = &self.current {
                self.metadata = part.metadata();
            }
        }
        Ok(None)
    }
}

impl Iterator for TableReader {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.following(RowSource::next);
        if row.is_err() {
            self.current = None;
        }
        row.transpose()
    }
}

impl RowSource {
    fn open(path: &Path, columns: &ColumnMapping) -> Result<Self> {
        let format = InputTableFormat::from_path(path)?;
        refuse_pipe(path)?;
        Ok(match format {
            InputTableFormat::JsonLines => Self::Json(JsonRows::open(path, columns)?),
            InputTableFormat::Csv => Self::Delimited(DelimitedRows::open(path, b',', columns)?),
            InputTableFormat::Tsv => Self::Delimited(DelimitedRows::open(path, b'\t', columns)?),
            InputTableFormat::Parquet => {
                Self::Columnar(Box::new(ColumnarRows::parquet(path, columns)?))
            }
            InputTableFormat::Arrow => {
                Self::Columnar(Box::new(ColumnarRows::arrow(path, columns)?))
            }
        })
    }

    fn header(&self) -> &Arc<TableHeader> {
        match self {
            Self::Json(rows) => rows.header(),
            Self::Delimited(rows) => rows.header(),
            Self::Columnar(rows) => rows.header(),
        }
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        match self {
            Self::Columnar(rows) => rows.metadata().clone(),
            Self::Json(_) | Self::Delimited(_) => BTreeMap::new(),
        }
    }

    fn next(&mut self) -> Result<Option<Row>> {
        match self {
            Self::Json(rows) => rows.next(),
            Self::Delimited(rows) => rows.next(),
            Self::Columnar(rows) => rows.next(),
        }
    }

    fn piece(&mut self) -> Result<Option<RowChunk>> {
        match self {
            Self::Json(rows) => rows.piece(),
            Self::Delimited(rows) => rows.piece(),
            Self::Columnar(rows) => rows.piece(),
        }
    }
}

/// Returns the parts under a folder, by path: the tables called `part-…`, or all where none is called so. Other files (a
/// manifest, a part half written) are left out.
pub(crate) fn parts_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut parts, mut others) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(Error::reading(&folder))? {
            let entry = entry.map_err(Error::reading(&folder))?;
            let path = entry.path();
            let name = path.file_name().and_then(|name| name.to_str());
            // A folder in the place of a part is an error when opened; links to folders are not followed: they may
            // lead back.
            let table = name.filter(|name| InputTableFormat::split(name).is_some());
            if table.is_some_and(|name| name.starts_with("part-")) {
                parts.push(path);
            } else if table.is_some_and(|name| !name.starts_with(['.', '_'])) {
                others.push(path);
            } else if entry.file_type().map_err(Error::reading(&path))?.is_dir() {
                folders.push(path);
            }
        }
    }
    let mut tables = if parts.is_empty() { others } else { parts };
    tables.sort();
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format() {
        assert_eq!(
            InputTableFormat::split("outputs.jsonl.gz"),
            Some(("outputs", InputTableFormat::JsonLines))
        );
        assert_eq!(
            InputTableFormat::split("a.b.tsv"),
            Some(("a.b", InputTableFormat::Tsv))
        );
        assert_eq!(
            InputTableFormat::split("x.feather"),
            Some(("x", InputTableFormat::Arrow))
        );
        assert_eq!(
            InputTableFormat::split("O.JSONL.GZ"),
            Some(("O", InputTableFormat::JsonLines))
        );
        assert_eq!(
            InputTableFormat::split("Table.CSV"),
            Some(("Table", InputTableFormat::Csv))
        );
        assert_eq!(InputTableFormat::split("x.parquet.gz"), None);
        assert_eq!(InputTableFormat::split("x.txt"), None);
        assert_eq!(InputTableFormat::split("csv"), None);
    }
}
