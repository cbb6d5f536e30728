//! Typed table rows: their columns, and how they are written and read back.

use super::file::TableFile;
use super::format::OutputTableFormat;
use super::meta::Meta;
use super::schema::{Column, TableBuilder, schema};
use super::whole;
use crate::records::reader::Row;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};

/// A column of typed rows: its name, and what a row has in it.
pub enum RowColumn<R> {
    /// Strings.
    Text(&'static str, fn(&R) -> String),
    /// Numbers or nulls.
    Number(&'static str, fn(&R) -> Option<f64>),
    /// Counts.
    Count(&'static str, fn(&R) -> u64),
}

impl<R> RowColumn<R> {
    fn column(&self) -> (&'static str, Column) {
        match *self {
            Self::Text(name, _) => (name, Column::Text),
            Self::Number(name, _) => (name, Column::Number),
            Self::Count(name, _) => (name, Column::Count),
        }
    }

    fn array(&self, rows: &[R]) -> ArrayRef {
        match self {
            Self::Text(_, text) => Arc::new(StringArray::from_iter_values(rows.iter().map(text))),
            Self::Number(_, number) => Arc::new(rows.iter().map(number).collect::<Float64Array>()),
            Self::Count(_, count) => {
                Arc::new(UInt64Array::from_iter_values(rows.iter().map(count)))
            }
        }
    }
}

/// A type that is stored as a row of a table.
pub trait TableRow: Sized + 'static {
    /// The columns.
    const COLUMNS: &'static [RowColumn<Self>];
}

/// Writes a table from all its rows.
///
/// # Errors
/// If that fails.
pub fn write<R: TableRow>(
    path: &Path,
    format: OutputTableFormat,
    meta: &Meta,
    rows: &[R],
) -> Result<()> {
    let columns: Vec<_> = R::COLUMNS.iter().map(RowColumn::column).collect();
    let arrays = R::COLUMNS.iter().map(|column| column.array(rows)).collect();
    let batch = RecordBatch::try_new(schema(&columns), arrays).map_err(Error::failed)?;
    write_batch(path, format, meta, &batch)
}

/// Writes a table from a builder of rows.
///
/// # Errors
/// If that fails.
pub fn write_rows(
    path: &Path,
    format: OutputTableFormat,
    meta: &Meta,
    rows: TableBuilder,
) -> Result<()> {
    write_batch(path, format, meta, &rows.finish())
}

fn write_batch(
    path: &Path,
    format: OutputTableFormat,
    meta: &Meta,
    batch: &RecordBatch,
) -> Result<()> {
    let mut file = TableFile::create(path, format, &batch.schema(), meta)?;
    file.write(batch)?;
    file.finish()
}

/// Reads a table, each row by `read`.
///
/// # Errors
/// As [`whole::open`]; those of `read`.
pub fn read<R>(path: &Path, read: impl Fn(&Row) -> Result<R>) -> Result<Vec<R>> {
    whole::open(path)?.map(|row| read(&row?)).collect()
}
