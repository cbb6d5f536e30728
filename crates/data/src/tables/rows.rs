//! The rows of a table as text: JSON lines, or cells between delimiters.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, ListArray, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::DataType;
use std::io::{self, Write};
use tiebreak_base::layout::as_cell;

/// The bytes of rows that are written at once.
const BLOCK: usize = 1 << 16;

/// A column of a batch. Tables have only text, numbers, counts and lists of numbers.
enum CellColumn<'a> {
    Texts(&'a StringArray),
    Numbers(&'a Float64Array),
    Counts(&'a UInt64Array),
    Lists(&'a ListArray),
}

impl<'a> CellColumn<'a> {
    fn new(column: &'a ArrayRef) -> Self {
        match column.data_type() {
            DataType::Utf8 => Self::Texts(column.as_string()),
            DataType::Float64 => Self::Numbers(column.as_primitive::<Float64Type>()),
            DataType::UInt64 => Self::Counts(column.as_primitive::<UInt64Type>()),
            DataType::List(_) => Self::Lists(column.as_list()),
            other => unreachable!("no table has a column of type {other}"),
        }
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Texts(column) => column.is_null(row),
            Self::Numbers(column) => column.is_null(row),
            Self::Counts(column) => column.is_null(row),
            Self::Lists(column) => column.is_null(row),
        }
    }

    /// Writes one cell as JSON.
    fn write_json(&self, rows: &mut Vec<u8>, row: usize) -> io::Result<()> {
        if self.is_null(row) {
            rows.extend_from_slice(b"null");
            return Ok(());
        }
        let written = match self {
            Self::Texts(column) => serde_json::to_writer(rows, column.value(row)),
            Self::Numbers(column) => serde_json::to_writer(rows, &column.value(row)),
            Self::Counts(column) => serde_json::to_writer(rows, &column.value(row)),
            Self::Lists(column) => {
                let list = column.value(row);
                serde_json::to_writer(rows, list.as_primitive::<Float64Type>().values().as_ref())
            }
        };
        written.map_err(io::Error::from)
    }

    /// Writes one cell between delimiters; nothing where there is none.
    fn write_cell(&self, rows: &mut Vec<u8>, row: usize, delimiter: u8) -> io::Result<()> {
        match self {
            _ if self.is_null(row) => Ok(()),
            Self::Texts(column) => {
                write_text(rows, column.value(row), delimiter);
                Ok(())
            }
            Self::Numbers(_) | Self::Counts(_) => self.write_json(rows, row),
            Self::Lists(_) => {
                let mut list = Vec::new();
                self.write_json(&mut list, row)?;
                write_quoted(rows, &list, delimiter);
                Ok(())
            }
        }
    }
}

/// Writes a text as a cell that no spreadsheet takes for a formula.
fn write_text(rows: &mut Vec<u8>, text: &str, delimiter: u8) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let begins = text.bytes().next();
    // Most are names, in which nothing is to be escaped.
    match begins.is_some_and(|byte| byte.is_ascii_alphanumeric()) && text.bytes().all(is_plain) {
        true => rows.extend_from_slice(text.as_bytes()),
        false => write_quoted(rows, as_cell(text).as_bytes(), delimiter),
    }
}

/// Writes a cell in quotation marks where it needs them.
fn write_quoted(rows: &mut Vec<u8>, cell: &[u8], delimiter: u8) {
    let is_special = |byte: &u8| *byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n');
    if !cell.iter().any(is_special) {
        return rows.extend_from_slice(cell);
    }
    rows.push(b'"');
    for &byte in cell {
        if byte == b'"' {
            rows.push(b'"');
        }
        rows.push(byte);
    }
    rows.push(b'"');
}

/// The first row of a delimited file.
pub(super) fn header<'a>(delimiter: u8, names: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut row = Vec::new();
    for name in names {
        write_quoted(&mut row, name.as_bytes(), delimiter);
        row.push(delimiter);
    }
    end_row(&mut row);
    row
}

/// Ends a row: a line break in the place of its last delimiter.
fn end_row(rows: &mut [u8]) {
    if let Some(last) = rows.last_mut() {
        *last = b'\n';
    }
}

/// Writes the rows of a batch as JSON lines.
pub(super) fn write_jsonl(sink: &mut impl Write, batch: &RecordBatch) -> io::Result<()> {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).enumerate();
    let columns = columns.map(|(i, (field, column))| {
        let name = serde_json::to_string(field.name())?;
        let key = format!("{}{name}:", if i == 0 { '{' } else { ',' });
        Ok((key, CellColumn::new(column)))
    });
    let columns: Vec<(String, CellColumn<'_>)> = columns.collect::<io::Result<_>>()?;
    write_rows(sink, batch.num_rows(), |rows, row| {
        for (key, column) in &columns {
            rows.extend_from_slice(key.as_bytes());
            column.write_json(rows, row)?;
        }
        rows.extend_from_slice(b"}\n");
        Ok(())
    })
}

/// Writes the rows of a batch as cells between delimiters.
pub(super) fn write_delimited(
    sink: &mut impl Write,
    delimiter: u8,
    batch: &RecordBatch,
) -> io::Result<()> {
    let columns: Vec<CellColumn<'_>> = batch.columns().iter().map(CellColumn::new).collect();
    write_rows(sink, batch.num_rows(), |rows, row| {
        for column in &columns {
            column.write_cell(rows, row, delimiter)?;
            rows.push(delimiter);
        }
        end_row(rows);
        Ok(())
    })
}

/// Writes rows, block by block: each call of a sink costs as much as a row.
fn write_rows(
    sink: &mut impl Write,
    number: usize,
    write: impl Fn(&mut Vec<u8>, usize) -> io::Result<()>,
) -> io::Result<()> {
    let mut rows = Vec::with_capacity(BLOCK + BLOCK / 8);
    for row in 0..number {
        write(&mut rows, row)?;
        if rows.len() >= BLOCK {
            sink.write_all(&rows)?;
            rows.clear();
        }
    }
    sink.write_all(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::schema::{Column, TableBuilder, TableCell, TableColumns};

    const COLUMNS: TableColumns = &[
        ("item", Column::Text),
        ("note", Column::OptionalText),
        ("score", Column::Number),
        ("n", Column::Count),
        ("draws", Column::Numbers),
    ];

    #[test]
    fn cells_are_those_of_a_slower_writer() {
        let texts = [
            "item-1",
            "",
            "-1",
            "=1+1",
            "a,b",
            "a\tb",
            "say \"yes\"",
            "two\nlines",
            "a\r",
            "é",
            "＝",
            "a;=1",
            "'",
            " a ",
            "#",
        ];
        let numbers = [Some(0.1), None, Some(-3.0), Some(1e300), Some(0.0)];
        let mut table = TableBuilder::new(COLUMNS);
        for (i, text) in texts.iter().enumerate() {
            let note = (i % 3 > 0).then(|| texts[(i + 1) % texts.len()]);
            let number = numbers[i % numbers.len()];
            let draws = number.map(|_| &[0.5, -1.0][..i % 3]);
            table.push(&[
                TableCell::Text(text),
                TableCell::OptionalText(note),
                TableCell::Number(number),
                TableCell::Count(i as u64),
                TableCell::Numbers(draws),
            ]);
        }
        let batch = table.finish();
        for delimiter in [b',', b'\t'] {
            let mut slow = csv::WriterBuilder::new()
                .delimiter(delimiter)
                .from_writer(Vec::new());
            for row in 0..batch.num_rows() {
                for column in batch.columns() {
                    let cell = match column.as_string_opt::<i32>() {
                        Some(texts) if texts.is_null(row) => Vec::new(),
                        Some(texts) => as_cell(texts.value(row)).into_owned().into_bytes(),
                        None => {
                            let mut json = Vec::new();
                            CellColumn::new(column).write_json(&mut json, row).unwrap();
                            if json == b"null" { Vec::new() } else { json }
                        }
                    };
                    slow.write_field(&cell).unwrap();
                }
                slow.write_record(None::<&[u8]>).unwrap();
            }
            let mut written = Vec::new();
            write_delimited(&mut written, delimiter, &batch).unwrap();
            let [written, slow] = [written, slow.into_inner().unwrap()].map(String::from_utf8);
            assert_eq!(written.unwrap(), slow.unwrap());
        }
    }
}
