//! Sheets that people fill in, and the shared steps of reading them back.
//!
//! One row a question: `question` (its code), `source`, `reference` (`reference_1`, … where there
//! are several), the texts asked about, and empty columns for the answers. CSV and TSV
//! begin with a byte order mark, by which spreadsheets know UTF-8, and no text in them is taken for a
//! formula ([`as_cell`]). JSON lines hold texts as they are.

mod codes;
mod rewritten;

pub use codes::Codes;

use crate::records::outcomes::check_annotators;
use crate::records::reader::{self, ColumnMapping, TableReader};
use crate::tables::file::write_atomically;
use crate::tables::format::{Compression, OutputTableFormat};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::{as_cell, of_cell, visible};

/// The column that names the annotator.
pub const ANNOTATOR: &str = "annotator";

/// A new file for a batch of questions; it does not exist yet.
pub struct QuestionSheet {
    path: PathBuf,
    format: OutputTableFormat,
}

impl QuestionSheet {
    /// # Errors
    /// [`Error::Usage`] for a form that people cannot fill in, or a file that exists: it may hold
    /// answers.
    pub fn new(path: &Path) -> Result<Self> {
        let Some(
            format @ (OutputTableFormat::Csv(Compression::Plain)
            | OutputTableFormat::Tsv(Compression::Plain)
            | OutputTableFormat::Jsonl(Compression::Plain)),
        ) = OutputTableFormat::from_path(path)?
        else {
            let what = format!("{}: not a sheet that can be filled in", path.display());
            return Err(Error::usage(what).with_hint("name a .csv, .tsv or .jsonl file"));
        };
        if path.exists() {
            return Err(Error::occupied(path, "and may hold answers"));
        }
        let path = path.to_path_buf();
        Ok(Self { path, format })
    }

    /// Writes questions, all with the same texts, and empty columns after them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, rows: &[SheetRow<'_>], empty: &[&str]) -> Result<()> {
        let bytes = match self.format {
            OutputTableFormat::Tsv(_) => delimited(rows, empty, b'\t'),
            OutputTableFormat::Csv(_) => delimited(rows, empty, b','),
            _ => json_lines(rows, empty),
        };
        write_atomically(&self.path, &bytes?)
    }
}

/// A question as people see it.
pub struct SheetRow<'a> {
    /// The code of the question.
    pub code: &'a str,
    /// The input, where it is known.
    pub source: Option<&'a str>,
    /// The references, possibly none.
    pub references: &'a [String],
    /// The texts asked about, by column.
    pub texts: Vec<(&'static str, &'a str)>,
    /// The annotator, where one is assigned.
    pub annotator: Option<&'a str>,
}

impl<'a> SheetRow<'a> {
    /// Returns all cells by column, for a sheet with so many columns of references.
    fn cells(
        &self,
        (with_source, references): (bool, usize),
        empty: &[&str],
    ) -> Vec<(String, &'a str)> {
        let mut cells = vec![("question".to_string(), self.code)];
        if with_source {
            cells.push(("source".to_string(), self.source.unwrap_or_default()));
        }
        for place in 0..references {
            let name = match references {
                1 => "reference".to_string(),
                _ => format!("reference_{}", place + 1),
            };
            cells.push((name, self.references.get(place).map_or("", String::as_str)));
        }
        let texts = self.texts.iter();
        cells.extend(texts.map(|(name, text)| ((*name).to_string(), *text)));
        let annotator = |name: &str| match name {
            ANNOTATOR => self.annotator.unwrap_or_default(),
            _ => "",
        };
        cells.extend(
            empty
                .iter()
                .map(|name| ((*name).to_string(), annotator(name))),
        );
        cells
    }
}

/// Whether any row has a source, and the most references of a row.
fn extent(rows: &[SheetRow<'_>]) -> (bool, usize) {
    let with_source = rows.iter().any(|row| row.source.is_some());
    let references = rows.iter().map(|row| row.references.len()).max();
    (with_source, references.unwrap_or(0))
}

fn delimited(rows: &[SheetRow<'_>], empty: &[&str], delimiter: u8) -> Result<Vec<u8>> {
    let extent = extent(rows);
    let bytes = "\u{feff}".as_bytes().to_vec();
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(bytes);
    for (place, row) in rows.iter().enumerate() {
        let cells = row.cells(extent, empty);
        if place == 0 {
            let names = cells.iter().map(|(name, _)| name);
            writer.write_record(names).map_err(Error::failed)?;
        }
        let safe = cells.iter().map(|(_, text)| cell(text));
        writer.write_record(safe).map_err(Error::failed)?;
    }
    writer.into_inner().map_err(Error::failed)
}

fn json_lines(rows: &[SheetRow<'_>], empty: &[&str]) -> Result<Vec<u8>> {
    let extent = extent(rows);
    let mut text = String::new();
    for row in rows {
        let cells = row.cells(extent, empty).into_iter();
        let object: serde_json::Map<_, _> = cells
            .map(|(name, cell)| (name, serde_json::Value::from(cell)))
            .collect();
        text += &serde_json::to_string(&object).map_err(Error::failed)?;
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// Returns a text as a cell of a sheet: no formula, and without control characters.
fn cell(text: &str) -> String {
    as_cell(&visible(&text.replace("\r\n", "\n"))).into_owned()
}

/// Whether a text of a sheet came back unchanged, apart from what spreadsheets alter: blanks, line ends and
/// apostrophes before it, and the form of numbers, dates and times.
pub fn is_same_text(shown: &str, read: &str) -> bool {
    let letters = |text: &str| -> String {
        let text = of_cell(&cell(text));
        let letters = text.trim_start_matches('\'').chars();
        letters.filter(|c| !c.is_whitespace()).collect()
    };
    letters(shown) == letters(read) || rewritten::is_same_value(shown, read)
}

/// The extensions of files that only spreadsheets read.
pub const OF_SPREADSHEETS: [&str; 4] = ["xlsx", "xls", "ods", "numbers"];

/// Opens a filled sheet that has these columns; `hint` names the right sheet in errors.
///
/// # Errors
/// A workbook, another file, or a sheet without a needed column.
pub fn open(path: &Path, needed: &[&str], hint: &str) -> Result<TableReader> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension.is_some_and(|extension| OF_SPREADSHEETS.contains(&extension)) {
        return Err(Error::input(path, "a spreadsheet's own format")
            .with_hint("save the sheet as CSV (UTF-8) and give that file"));
    }
    let rows = TableReader::open(path, &ColumnMapping::default()).map_err(saved_otherwise)?;
    rows.require(needed)
        .map_err(|error| error.with_hint(hint))?;
    Ok(rows)
}

/// Adds a hint to an error about the encoding: by default spreadsheets save CSV in their own.
pub fn saved_otherwise(error: Error) -> Error {
    match error.to_string().contains("UTF-") {
        true => error.with_hint("save the sheet as \"CSV UTF-8\""),
        false => error,
    }
}

impl reader::Row {
    /// Returns the annotator of a row, if named.
    ///
    /// # Errors
    /// A cell that is no text, or a name that would be read as a missing one.
    pub fn annotator(&self) -> Result<Option<String>> {
        let name = self.optional_text(ANNOTATOR)?;
        let name = name.map(|name| name.trim().to_string());
        let name = name.filter(|name| !name.is_empty());
        check_annotators(name.as_deref(), |what| self.error(what))?;
        Ok(name)
    }

    /// Returns the remark in an optional column.
    ///
    /// # Errors
    /// A cell that is no text.
    pub fn remark(&self, column: &str) -> Result<Option<String>> {
        let text = self.optional_text(column)?;
        Ok(text.filter(|text| !text.trim().is_empty()))
    }

    /// Returns the time that an answer took, in seconds, where the row has it.
    ///
    /// # Errors
    /// A cell that is no number of seconds.
    pub fn seconds(&self) -> Result<Option<f64>> {
        let seconds = self.optional_number("seconds")?;
        match seconds.filter(|&seconds| seconds < 0.0) {
            Some(negative) => Err(self.error(format!("seconds is {negative}, expected 0 or more"))),
            None => Ok(seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_texts_and_come_back() {
        for text in [
            "=1+1", "+1", "- yes", "@a", "\tx", "'=1", "\"-", "a\n=1", ";＝1",
        ] {
            let safe = cell(text);
            assert!(safe.contains('\u{2060}'), "{text}");
            assert_eq!(of_cell(&safe), text);
            assert!(is_same_text(text, &safe) && is_same_text(text, text));
        }
        for text in ["", "1+1", "'tis", "é=", "a\nb", "a -b"] {
            assert_eq!(cell(text), text);
        }
        assert_eq!(cell("a\r\n\u{1b}[2J\0"), "a\n\u{fffd}[2J\u{fffd}");
    }

    #[test]
    fn what_cannot_be_filled_in_or_is_there_already_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["q.parquet", "q.csv.gz", "q.xlsx", "q"] {
            let error = QuestionSheet::new(&folder.path().join(name)).err().unwrap();
            assert_eq!(error.exit_code(), 2);
            assert!(error.hint().unwrap().contains(".csv"), "{name}");
        }
        let path = folder.path().join("q.csv");
        assert!(QuestionSheet::new(&path).is_ok());
        std::fs::write(&path, "answers").unwrap();
        let error = QuestionSheet::new(&path).err().unwrap().to_string();
        assert!(error.contains("may hold answers"), "{error}");
    }
}
