//! The writer of a data set's tables and its `dataset.toml`, all or none.

use super::record::shortened;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Excess, Part, advice};

const DESCRIPTOR: &str = "dataset.toml";

/// A data set being written in a temporary folder beside its final path.
pub(in crate::records::import) struct DatasetWriter {
    out: PathBuf,
    /// Removed when dropped; the data set is the folder `whole` in it.
    _folder: Scratch,
    whole: PathBuf,
    /// The tables by name; a table without rows is no file.
    tables: BTreeMap<&'static str, JsonLinesWriter>,
}

/// Fields without a column in any table, kept as they were.
pub(in crate::records::import) type ExtraFields = Map<String, Value>;

/// A row of a table of an imported data set.
pub(in crate::records::import) trait ImportTableRow: Serialize {
    /// The name of the table.
    const TABLE: &'static str;
}

#[derive(Serialize)]
pub(in crate::records::import) struct ItemRow<'a> {
    pub item: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub references: &'a [String],
    #[serde(flatten)]
    pub more: Option<&'a ExtraFields>,
}

impl ImportTableRow for ItemRow<'_> {
    const TABLE: &'static str = "items";
}

#[derive(Serialize)]
pub(in crate::records::import) struct OutputRow<'a> {
    pub item: &'a str,
    pub system: &'a str,
    pub output: &'a str,
    #[serde(flatten)]
    pub more: Option<&'a ExtraFields>,
}

impl ImportTableRow for OutputRow<'_> {
    const TABLE: &'static str = "outputs";
}

#[derive(Serialize)]
pub(in crate::records::import) struct ComparisonRow<'a> {
    pub item: &'a str,
    pub system_a: &'a str,
    pub system_b: &'a str,
    pub outcome: f64,
    /// The word in the file, which distinguishes "both bad" from a tie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotator: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    #[serde(flatten)]
    pub more: &'a ExtraFields,
}

impl ImportTableRow for ComparisonRow<'_> {
    const TABLE: &'static str = "comparisons";
}

#[derive(Serialize)]
pub(in crate::records::import) struct PredictionRow<'a> {
    pub item: &'a str,
    pub system_a: &'a str,
    pub system_b: &'a str,
    pub p: f64,
    /// The judge whose verdict it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<&'a str>,
    /// How far the output shown first was favoured, from -1 to 1, where every order could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    #[serde(flatten)]
    pub more: Option<&'a ExtraFields>,
}

impl ImportTableRow for PredictionRow<'_> {
    const TABLE: &'static str = "predictions";
}

impl DatasetWriter {
    /// # Errors
    /// If nothing can be written beside `out`.
    pub(crate) fn create(out: &Path) -> Result<Self> {
        let folder = Scratch::in_folder_of(out)?;
        // A temporary folder is closed to other users, so the data set needs one of its own.
        let whole = folder.path().join("whole");
        fs::create_dir(&whole).map_err(Error::writing(&whole))?;
        Ok(Self {
            out: out.to_path_buf(),
            tables: BTreeMap::new(),
            _folder: folder,
            whole,
        })
    }

    /// Appends a row to its table.
    pub(crate) fn push<R: ImportTableRow>(&mut self, row: &R) -> Result<()> {
        self.table(R::TABLE)?.push(row)
    }

    /// Returns a table, which is created if needed.
    fn table(&mut self, name: &'static str) -> Result<&mut JsonLinesWriter> {
        match self.tables.entry(name) {
            Entry::Occupied(table) => Ok(table.into_mut()),
            Entry::Vacant(place) => {
                let path = self.whole.join(format!("{name}.jsonl"));
                Ok(place.insert(JsonLinesWriter::create(path)?))
            }
        }
    }

    /// Removes from a table those of the rows with these numbers, from 0 and in order, that `keep` rejects.
    pub(crate) fn retain(
        &mut self,
        table: &'static str,
        rows: &[u64],
        mut keep: impl FnMut(&Value) -> bool,
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let Some(all) = self.tables.remove(table) else {
            return Ok(());
        };
        let path = all.path.clone();
        let aside = path.with_extension("all");
        all.finish()?;
        fs::rename(&path, &aside).map_err(Error::writing(&aside))?;
        let mut rows = rows.iter().peekable();
        let lines = File::open(&aside).map_err(Error::reading(&aside))?;
        for (number, line) in (0..).zip(BufReader::new(lines).split(b'\n')) {
            let line = line.map_err(Error::reading(&aside))?;
            let asked = rows.next_if(|row| **row == number).is_some();
            let read = |line: &[u8]| serde_json::from_slice(line).map_err(std::io::Error::from);
            if asked && !keep(&read(&line).map_err(Error::reading(&aside))?) {
                continue;
            }
            self.table(table)?.line(&line)?;
        }
        fs::remove_file(&aside).map_err(Error::writing(&aside))
    }

    /// Writes the description and moves the data set to its final path.
    ///
    /// # Errors
    /// If something else is there already, or writing fails.
    pub(crate) fn finish(self, made: &str) -> Result<()> {
        let Self {
            out,
            _folder,
            whole,
            tables,
        } = self;
        let mut files = vec![DESCRIPTOR.to_string()];
        for (name, table) in tables {
            table.finish()?;
            files.push(format!("{name}.jsonl"));
        }
        let descriptor = whole.join(DESCRIPTOR);
        let text = toml::Table::from_iter([("made".to_string(), made.into())]).to_string();
        fs::write(&descriptor, text).map_err(Error::writing(&descriptor))?;
        if out.exists() {
            if is_same(&whole, &out, &files).map_err(Error::reading(&out))? {
                return Ok(());
            }
            // Succeeds for an empty folder only.
            fs::remove_dir(&out).map_err(|_| Error::occupied(&out, "with other content"))?;
        }
        fs::rename(&whole, &out).map_err(Error::writing(&out))
    }
}

struct JsonLinesWriter {
    path: PathBuf,
    file: BufWriter<File>,
    row: Vec<u8>,
}

impl JsonLinesWriter {
    fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
            row: Vec::new(),
        })
    }

    fn push(&mut self, row: &impl Serialize) -> Result<()> {
        let mut line = std::mem::take(&mut self.row);
        line.clear();
        serde_json::to_writer(&mut line, row).map_err(Error::failed)?;
        // With its end it must be a record that can be read.
        let held = Part::Row.holds(line.len() as u64 + 1);
        held.map_err(|excess| self.too_long(&line, excess))?;
        self.line(&line)?;
        self.row = line;
        Ok(())
    }

    /// The error for a row that no command could read back: texts may be longer in JSON than they came.
    fn too_long(&self, line: &[u8], excess: Excess) -> Error {
        let name = self.path.file_stem().unwrap_or_default();
        // Its item comes first.
        let start = shortened(&String::from_utf8_lossy(line));
        let name = name.to_string_lossy();
        let what = format!("a row of {name}, {start}, would have {excess}");
        Error::usage(what).with_hint(advice())
    }

    /// Writes a line.
    fn line(&mut self, line: &[u8]) -> Result<()> {
        let written = self.file.write_all(line);
        written
            .and_then(|()| self.file.write_all(b"\n"))
            .map_err(Error::writing(&self.path))
    }

    fn finish(mut self) -> Result<()> {
        let flushed = self.file.flush();
        flushed
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(Error::writing(&self.path))
    }
}

/// Whether `there` holds exactly the files of `new`, byte for byte.
fn is_same(new: &Path, there: &Path, files: &[String]) -> std::io::Result<bool> {
    if !there.is_dir() || fs::read_dir(there)?.count() != files.len() {
        return Ok(false);
    }
    for name in files {
        let (new, there) = (new.join(name), there.join(name));
        if !there.is_file() || fs::metadata(&new)?.len() != fs::metadata(&there)?.len() {
            return Ok(false);
        }
        let mut new = BufReader::new(File::open(new)?).bytes();
        let mut there = BufReader::new(File::open(there)?).bytes();
        while let (Some(a), Some(b)) = (new.next().transpose()?, there.next().transpose()?) {
            if a != b {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_could_not_be_read_back_is_not_written() {
        fn row(output: &str) -> OutputRow<'_> {
            let (item, system) = ("1", "a");
            OutputRow {
                item,
                system,
                output,
                more: None,
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let mut writer = DatasetWriter::create(&folder.path().join("data")).unwrap();
        let around = serde_json::to_string(&row("")).unwrap().len() + 1;
        let most = Part::Row.most() as usize - around;
        writer.push(&row(&"x".repeat(most))).unwrap();
        // Six bytes each in JSON.
        for long in ["x".repeat(most + 1), "\u{1}".repeat(most / 6 + 1)] {
            let error = writer.push(&row(&long)).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("a row of outputs, {\"item\":\"1\""),
                "{error}"
            );
            assert_eq!((error.exit_code(), error.advice()), (2, Some(advice())));
        }
    }
}
