//! Typed table rows: their columns, and how they are written and read back.

use super::file::TableFile;
use super::format::OutputTableFormat;
use super::meta::Meta;
use super::schema::{TableBuilder, TableColumns};
use super::whole;
use crate::records::reader::Row;
use std::path::Path;
use tiebreak_base::error::Result;

/// A type that is stored as a row of a table.
pub trait TableRow: Sized {
    /// The columns.
    const COLUMNS: TableColumns;

    /// Appends the row to a builder of these columns.
    fn push(&self, rows: &mut TableBuilder);

    /// Reads the row from a table in any form.
    ///
    /// # Errors
    /// If a column is missing or holds something else.
    fn read(row: &Row) -> Result<Self>;
}

/// Writes a table from all its rows.
///
/// # Errors
/// If that fails.
pub fn write<S: TableRow>(
    path: &Path,
    format: OutputTableFormat,
    meta: &Meta,
    all: &[S],
) -> Result<()> {
    let mut rows = TableBuilder::new(S::COLUMNS);
    for one in all {
        one.push(&mut rows);
    }
    write_rows(path, format, meta, rows)
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
    let batch = rows.finish();
    let mut file = TableFile::create(path, format, &batch.schema(), meta)?;
    file.write(&batch)?;
    file.finish()
}

/// Reads a table.
///
/// # Errors
/// As [`whole::open`]; if a row is not of this type.
pub fn read<S: TableRow>(path: &Path) -> Result<Vec<S>> {
    let rows = whole::open(path)?;
    rows.map(|row| S::read(&row?)).collect()
}
