//! A row of a table: its columns, how it is written, and how it is read back.

use super::file::TableFile;
use super::format::OutputTableFormat;
use super::meta::Meta;
use super::schema::{TableBuilder, TableColumns};
use super::whole;
use crate::records::reader::Row;
use std::path::Path;
use tiebreak_base::error::Result;

/// What a table has a row for.
pub trait TableRow: Sized {
    /// The columns.
    const COLUMNS: TableColumns;

    /// Adds it to rows of these columns.
    fn push(&self, rows: &mut TableBuilder);

    /// Reads it from a table in any form.
    ///
    /// # Errors
    /// If a column is missing or holds something else.
    fn read(row: &Row) -> Result<Self>;
}

/// Writes a table whose rows are all there.
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

/// The same of rows that are nothing but rows.
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
/// As [`whole::open`]; if a row is not one of it.
pub fn read<S: TableRow>(path: &Path) -> Result<Vec<S>> {
    let rows = whole::open(path)?;
    rows.map(|row| S::read(&row?)).collect()
}
