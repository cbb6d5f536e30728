//! One row of a table, read by the documented column names, with errors that say where it stands.

use super::cell::{CellValue, INEXACT, decimal};
use super::columns::{ColumnMapping, TableForm, TableHeader};
use super::python::{NullableTexts, spelled_list};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Location, Message, Result};

/// What a cell of numbers must be.
const FINITE: &str = "a finite number";

/// One row of a table.
#[derive(Debug, Clone)]
pub struct Row {
    pub(super) header: Arc<TableHeader>,
    /// The values, parallel to the header's names.
    pub(super) cells: Vec<CellValue>,
    /// The line on which the record starts, or the row, counted from 1.
    pub(super) line: u64,
}

/// The place of a row in its file.
#[derive(Clone, Copy)]
pub(in crate::records) struct RowLocation<'a> {
    pub(super) header: &'a TableHeader,
    pub(super) line: u64,
}

impl RowLocation<'_> {
    /// Returns the line on which the row starts, or the row in a binary format.
    pub(crate) fn at(self) -> Location {
        match self.header.form {
            TableForm::Columnar => Location::row(&self.header.path, self.line),
            TableForm::Json | TableForm::Delimited => Location::line(&self.header.path, self.line),
        }
    }

    /// The line or row number of [`Self::at`].
    pub(crate) fn number_in_file(self) -> u64 {
        self.line
    }
}

impl Row {
    /// The largest magnitude of a number that is accepted: sums of fourth powers stay finite.
    pub const LARGEST: f64 = 1e60;

    /// Makes a row from a source that is no table, whose records are counted from 1.
    pub fn made(path: &Path, number: u64, cells: Vec<(&str, CellValue)>) -> Self {
        let names = cells.iter().map(|(name, _)| (*name).to_string()).collect();
        let header = TableHeader::first(
            path.to_path_buf(),
            TableForm::Columnar,
            names,
            &ColumnMapping::default(),
        );
        Self {
            header: Arc::new(header),
            cells: cells.into_iter().map(|(_, cell)| cell).collect(),
            line: number,
        }
    }

    /// Returns the place of the row: the line on which it starts, or the row in a binary format.
    pub fn at(&self) -> Location {
        self.row_location().at()
    }

    pub(in crate::records) fn row_location(&self) -> RowLocation<'_> {
        RowLocation {
            header: &self.header,
            line: self.line,
        }
    }

    /// The approximate size of its texts, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let text = |cell: &CellValue| match cell {
            CellValue::Text(text) => text.len(),
            _ => 0,
        };
        self.cells
            .iter()
            .map(|cell| size_of::<CellValue>() + text(cell))
            .sum()
    }

    /// The line or row number of [`Row::at`].
    pub fn number_in_file(&self) -> u64 {
        self.line
    }

    /// The names of the row's columns, as the file has them.
    pub fn columns(&self) -> &[String] {
        &self.header.names
    }

    /// Returns the value of a column; `None` where the row has no such column.
    pub fn cell(&self, column: &str) -> Option<&CellValue> {
        self.header.position(column).map(|i| &self.cells[i])
    }

    /// Returns the row's columns and their values.
    pub(in crate::records) fn into_fields(self) -> impl Iterator<Item = (String, CellValue)> {
        let names = self.header.names.clone();
        names.into_iter().zip(self.cells)
    }

    /// Makes an error at this row.
    pub fn error(&self, what: impl Into<Message>) -> Error {
        Error::record(self.at(), what)
    }

    /// Reads a string; numbers and truth values are read as strings.
    ///
    /// # Errors
    /// If the column is missing or holds null, a list or an object.
    pub fn text(&self, column: &str) -> Result<String> {
        self.str(column).map(Cow::into_owned)
    }

    /// Reads a string, borrowed where the row holds it as it is.
    pub(in crate::records) fn str(&self, column: &str) -> Result<Cow<'_, str>> {
        let cell = self.required(column)?;
        cell.as_text()
            .ok_or_else(|| self.wrong(column, cell, "a string"))
    }

    /// Reads a string; `None` where the column is missing, null or (in CSV and TSV) empty.
    ///
    /// # Errors
    /// As [`Row::text`].
    pub fn optional_text(&self, column: &str) -> Result<Option<String>> {
        Ok(self.optional_str(column)?.map(Cow::into_owned))
    }

    /// Reads an optional string, borrowed where the row holds it as it is.
    pub(in crate::records) fn optional_str(&self, column: &str) -> Result<Option<Cow<'_, str>>> {
        match self.non_empty_cell(column) {
            None => Ok(None),
            Some(_) => self.str(column).map(Some),
        }
    }

    /// Reads an optional string; an empty one is `None` in columnar formats too, which distinguish it from null.
    ///
    /// # Errors
    /// As [`Self::optional_text`].
    pub fn filled_text(&self, column: &str) -> Result<Option<String>> {
        let text = self.optional_text(column)?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// Reads a finite number of at most 1e60 in size. In CSV and TSV, where every cell is text, the text is
    /// parsed, also with a decimal comma; elsewhere a number written as a string is an error.
    ///
    /// # Errors
    /// If the column is missing or holds anything else, NaN and infinities included.
    pub fn number(&self, column: &str) -> Result<f64> {
        let cell = self.required(column)?;
        self.cell_number(cell)
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.wrong(column, cell, FINITE))
            .and_then(|number| self.countable(column, number))
    }

    fn countable(&self, column: &str, number: f64) -> Result<f64> {
        match number.abs() <= Row::LARGEST {
            true => Ok(number),
            false => Err(self.error(format!(
                "`{column}` is {number:e}, expected a number between -{0:e} and {0:e}",
                Self::LARGEST
            ))),
        }
    }

    /// Reads a finite number; `None` where the column is missing, null or (in CSV and TSV) empty.
    ///
    /// # Errors
    /// As [`Row::number`].
    pub fn optional_number(&self, column: &str) -> Result<Option<f64>> {
        match self.non_empty_cell(column) {
            None => Ok(None),
            Some(_) => self.number(column).map(Some),
        }
    }

    /// Reads a score: a [number](Self::number), or a truth value, which is 1 or 0; in CSV and TSV also the word for one.
    ///
    /// # Errors
    /// As [`Row::number`].
    pub fn score(&self, column: &str) -> Result<f64> {
        let is = |word: &str, truth: &str| word.trim().eq_ignore_ascii_case(truth);
        match self.cell(column) {
            Some(CellValue::Bool(flag)) => Ok(f64::from(u8::from(*flag))),
            Some(CellValue::Text(word)) if self.header.form == TableForm::Delimited => match word {
                word if is(word, "true") => Ok(1.0),
                word if is(word, "false") => Ok(0.0),
                _ => self.number(column),
            },
            _ => self.number(column),
        }
    }

    /// Reads a [score](Self::score); `None` where the column is missing, null or (in CSV and TSV) empty.
    ///
    /// # Errors
    /// As [`Row::score`].
    pub fn optional_score(&self, column: &str) -> Result<Option<f64>> {
        let given = self.non_empty_cell(column);
        given.map(|_| self.score(column)).transpose()
    }

    /// Reads a list of strings without its nulls, or one string. Other than in JSON a text is one string, or a list where it
    /// is a JSON array of strings, or a list of strings as Python prints it.
    ///
    /// # Errors
    /// If the column is missing, null, or holds anything else.
    pub fn texts(&self, column: &str) -> Result<Vec<String>> {
        let texts = self.strs(column)?;
        Ok(texts.into_iter().map(Cow::into_owned).collect())
    }

    /// Reads a list of strings, borrowed where the row holds them as they are.
    fn strs(&self, column: &str) -> Result<Vec<Cow<'_, str>>> {
        let cell = self.required(column)?;
        // A null is no text: Parquet, Arrow and JSON pad lists with them.
        let is_text = |cell: &CellValue| matches!(cell, CellValue::Text(_) | CellValue::Null);
        let given = |cell: &&CellValue| **cell != CellValue::Null;
        let texts = match self.as_list(cell, is_text) {
            Some(Cow::Borrowed(list)) => {
                list.iter().filter(given).map(CellValue::as_text).collect()
            }
            Some(Cow::Owned(list)) => {
                let texts = list.iter().filter(given);
                texts.map(|cell| cell.to_text().map(Cow::Owned)).collect()
            }
            None => cell.as_text().map(|text| vec![text]),
        };
        texts.ok_or_else(|| self.wrong(column, cell, "a list of strings or one string"))
    }

    /// Reads a list of strings as [`Row::texts`]; `None` where the column is missing, null or (in CSV and TSV) empty.
    ///
    /// # Errors
    /// As [`Row::texts`].
    pub fn optional_texts(&self, column: &str) -> Result<Option<Vec<String>>> {
        let texts = self.optional_strs(column)?;
        Ok(texts.map(|texts| texts.into_iter().map(Cow::into_owned).collect()))
    }

    /// Reads an optional list of strings, borrowed where the row holds them as they are.
    pub(in crate::records) fn optional_strs(
        &self,
        column: &str,
    ) -> Result<Option<Vec<Cow<'_, str>>>> {
        match self.non_empty_cell(column) {
            None => Ok(None),
            Some(_) => self.strs(column).map(Some),
        }
    }

    /// Reads a list of finite numbers; in CSV and TSV a JSON array of them.
    ///
    /// # Errors
    /// If the column is missing or holds anything else.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>> {
        let cell = self.required(column)?;
        let finite = |cell: &CellValue| cell.to_number().filter(|number| number.is_finite());
        self.as_list(cell, |cell| finite(cell).is_some())
            .and_then(|list| list.iter().map(finite).collect::<Option<Vec<f64>>>())
            .ok_or_else(|| self.wrong(column, cell, "a list of finite numbers"))?
            .into_iter()
            .map(|number| self.countable(column, number))
            .collect()
    }

    /// Reads a list of numbers as [`Row::numbers`]; `None` where the column is missing, null or (in CSV and TSV) empty.
    ///
    /// # Errors
    /// As [`Row::numbers`].
    pub fn optional_numbers(&self, column: &str) -> Result<Option<Vec<f64>>> {
        match self.non_empty_cell(column) {
            None => Ok(None),
            Some(_) => self.numbers(column).map(Some),
        }
    }

    /// Returns the list in a cell; other than in JSON a text may spell a list of the right elements, as data frames that
    /// were read from CSV have it.
    fn as_list<'a>(
        &self,
        cell: &'a CellValue,
        wanted: impl Fn(&CellValue) -> bool,
    ) -> Option<Cow<'a, [CellValue]>> {
        match cell {
            CellValue::List(list) => Some(Cow::Borrowed(list)),
            CellValue::Text(text)
                if self.header.form != TableForm::Json && text.starts_with('[') =>
            {
                let cell = |text: Option<String>| text.map_or(CellValue::Null, CellValue::Text);
                let texts = |list: NullableTexts| list.into_iter().map(cell).collect();
                let list: Option<Vec<CellValue>> = serde_json::from_str(text).ok();
                let list = list.or_else(|| spelled_list(text).map(texts));
                list.filter(|list| list.iter().all(wanted)).map(Cow::Owned)
            }
            _ => None,
        }
    }

    /// Returns the number in a cell, as text where all cells are.
    pub(in crate::records) fn cell_number(&self, cell: &CellValue) -> Option<f64> {
        match cell {
            CellValue::Text(text) if self.header.form == TableForm::Delimited => decimal(text),
            _ => cell.to_number(),
        }
    }

    /// Returns the value of a column.
    ///
    /// # Errors
    /// If the column is missing.
    pub(in crate::records) fn required(&self, column: &str) -> Result<&CellValue> {
        self.cell(column).ok_or_else(|| {
            let (what, hint) = self.header.missing(column);
            self.error(what).with_hint(hint)
        })
    }

    /// Returns the value of a column unless it is missing, null or (in CSV and TSV) empty.
    fn non_empty_cell(&self, column: &str) -> Option<&CellValue> {
        let empty = |cell: &CellValue| match cell {
            CellValue::Null => true,
            CellValue::Text(text) => self.header.form == TableForm::Delimited && text.is_empty(),
            _ => false,
        };
        self.cell(column).filter(|cell| !empty(cell))
    }

    /// Whether a column is there and has no value: null, NaN as pandas writes nulls, or empty.
    pub(in crate::records) fn lacks_value(&self, column: &str) -> bool {
        match self.cell(column) {
            Some(CellValue::Null) => true,
            Some(CellValue::Float(number)) => number.is_nan(),
            Some(CellValue::Text(text)) => text.is_empty(),
            None | Some(_) => false,
        }
    }

    fn wrong(&self, column: &str, cell: &CellValue, expected: &str) -> Error {
        let error = self.error(format!("`{column}` is {cell}, expected {expected}"));
        let (text, number) = (cell.to_text(), cell.to_number());
        match cell {
            CellValue::Float(number) if number.is_finite() && expected == "a string" => {
                error.with_hint(INEXACT)
            }
            CellValue::Text(_)
                if number.is_none() && text.is_some_and(|t| is_finite_number(&t)) =>
            {
                error.with_hint("write numbers without quotes")
            }
            CellValue::Text(text) if expected == FINITE && text.contains(',') => {
                error.with_hint("write numbers with a decimal point and no mark of thousands")
            }
            _ => error,
        }
    }
}

fn is_finite_number(text: &str) -> bool {
    text.parse().is_ok_and(f64::is_finite)
}
