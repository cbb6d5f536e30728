//! A batch of questions as a sheet that people fill in.
//!
//! One row a question: `question` (its code), `source`, `reference` (`reference_1`, … where there
//! are several), `text_1`, `text_2`, and the empty columns `answer`, `annotator` and `seconds`.
//! Nothing on it tells systems apart: texts are on random sides, rows in random order. CSV and TSV
//! begin with a byte order mark, by which spreadsheets know UTF-8, and a text that a spreadsheet
//! would take for a formula (it begins with =, +, -, @ or a tab, apostrophes aside) has an
//! apostrophe put before it: taking one away gives the text back. JSON lines hold texts as they are.

use super::codes::Codes;
use crate::error::{Error, Result};
use crate::feedback::Question;
use crate::feedback::texts::{Shown, Texts, swapped};
use crate::rng::Seed;
use crate::tables::file::write_atomically;
use crate::tables::format::{Compression, Format};
use std::path::{Path, PathBuf};

/// The file a batch of questions goes to; it does not exist yet.
pub(super) struct Sheet {
    path: PathBuf,
    format: Format,
}

impl Sheet {
    /// # Errors
    /// [`Error::Usage`] for a form that people cannot fill in, or a file that exists: it may hold
    /// answers.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let Some(
            format @ (Format::Csv(Compression::Plain)
            | Format::Tsv(Compression::Plain)
            | Format::Jsonl(Compression::Plain)),
        ) = Format::of(path)?
        else {
            let what = format!("{}: not a sheet that can be filled in", path.display());
            return Err(Error::usage(what).with_hint("name a .csv, .tsv or .jsonl file"));
        };
        if path.exists() {
            let what = format!("{}: already there, and may hold answers", path.display());
            return Err(Error::usage(what).with_hint("name another file, or move this one away"));
        }
        let path = path.to_path_buf();
        Ok(Self { path, format })
    }

    /// Writes the questions, in an order drawn from the seed.
    ///
    /// # Errors
    /// If a text cannot be had or the file not be written.
    pub(super) fn write(
        &self,
        mut questions: Vec<Question>,
        texts: &impl Texts,
        codes: &Codes,
        seed: Seed,
    ) -> Result<()> {
        let newest = questions.iter().map(|question| question.duel.id.0).max();
        seed.stream("sheet", newest.unwrap_or(0))
            .shuffle(&mut questions);
        let rows: Vec<Row<'_>> = questions
            .iter()
            .map(|question| Row::new(question, texts, codes, seed))
            .collect::<Result<_>>()?;
        let bytes = match self.format {
            Format::Tsv(_) => delimited(&rows, b'\t'),
            Format::Csv(_) => delimited(&rows, b','),
            _ => json_lines(&rows),
        };
        write_atomically(&self.path, &bytes?)
    }
}

/// A question as people see it.
struct Row<'a> {
    code: &'a str,
    source: Option<&'a str>,
    references: &'a [String],
    texts: [&'a str; 2],
}

impl<'a> Row<'a> {
    fn new(
        question: &Question,
        texts: &'a impl Texts,
        codes: &'a Codes,
        seed: Seed,
    ) -> Result<Self> {
        let id = question.duel.id;
        let Shown {
            source,
            references,
            first,
            second,
        } = texts.texts(question.sample.item, question.duel.pair)?;
        let texts = match swapped(seed, id) {
            true => [second, first],
            false => [first, second],
        };
        Ok(Self {
            code: codes.of(id),
            source,
            references,
            texts,
        })
    }

    /// All cells by column, for a sheet with so many columns of references.
    fn cells(&self, with_source: bool, references: usize) -> Vec<(String, &'a str)> {
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
        cells.push(("text_1".to_string(), self.texts[0]));
        cells.push(("text_2".to_string(), self.texts[1]));
        for empty in ["answer", "annotator", "seconds"] {
            cells.push((empty.to_string(), ""));
        }
        cells
    }
}

/// Whether any row has a source, and the most references a row has.
fn extent(rows: &[Row<'_>]) -> (bool, usize) {
    let with_source = rows.iter().any(|row| row.source.is_some());
    let references = rows.iter().map(|row| row.references.len()).max();
    (with_source, references.unwrap_or(0))
}

fn delimited(rows: &[Row<'_>], delimiter: u8) -> Result<Vec<u8>> {
    let (with_source, references) = extent(rows);
    let bytes = "\u{feff}".as_bytes().to_vec();
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .from_writer(bytes);
    for (place, row) in rows.iter().enumerate() {
        let cells = row.cells(with_source, references);
        if place == 0 {
            let names = cells.iter().map(|(name, _)| name);
            writer.write_record(names).map_err(Error::failed)?;
        }
        let safe = cells.iter().map(|(_, cell)| spreadsheet_safe(cell));
        writer.write_record(safe).map_err(Error::failed)?;
    }
    writer.into_inner().map_err(Error::failed)
}

fn json_lines(rows: &[Row<'_>]) -> Result<Vec<u8>> {
    let (with_source, references) = extent(rows);
    let mut text = String::new();
    for row in rows {
        let cells = row.cells(with_source, references).into_iter();
        let object: serde_json::Map<_, _> = cells
            .map(|(name, cell)| (name, serde_json::Value::from(cell)))
            .collect();
        text += &serde_json::to_string(&object).map_err(Error::failed)?;
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// A text that no spreadsheet takes for a formula, and without control characters.
fn spreadsheet_safe(text: &str) -> String {
    let visible = |c: char| match c.is_control() && c != '\n' && c != '\t' {
        true => '\u{fffd}',
        false => c,
    };
    let text: String = text.replace("\r\n", "\n").chars().map(visible).collect();
    match text
        .trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t'])
    {
        true => format!("'{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_texts_and_come_back() {
        for text in ["=1+1", "+1", "- yes", "@a", "\tx", "'=1", "''-"] {
            let safe = spreadsheet_safe(text);
            assert!(safe.starts_with('\''), "{text}");
            assert_eq!(safe.strip_prefix('\''), Some(text));
        }
        for text in ["", "1+1", "'tis", "é=", "a\nb", "\"=1\""] {
            assert_eq!(spreadsheet_safe(text), text);
        }
        assert_eq!(
            spreadsheet_safe("a\r\n\u{1b}[2J\0"),
            "a\n\u{fffd}[2J\u{fffd}"
        );
    }

    #[test]
    fn what_cannot_be_filled_in_or_is_there_already_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["q.parquet", "q.csv.gz", "q.xlsx", "q"] {
            let error = Sheet::new(&folder.path().join(name)).err().unwrap();
            assert_eq!(error.exit_code(), 2);
            assert!(error.hint().unwrap().contains(".csv"), "{name}");
        }
        let path = folder.path().join("q.csv");
        assert!(Sheet::new(&path).is_ok());
        std::fs::write(&path, "answers").unwrap();
        let error = Sheet::new(&path).err().unwrap().to_string();
        assert!(error.contains("may hold answers"), "{error}");
    }
}
