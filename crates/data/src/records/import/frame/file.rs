//! An input file of an import: a preview of its beginning, its records, and whether it was read.
//!
//! A file that cannot be opened, or whose beginning cannot be parsed, is an error: previews decide the format, so a
//! format only ever sees files with one.

use super::account::ExcludedFiles;
use super::by_columns::{into_rows, may_be_frame};
use super::json::{self, RecordCallback};
use super::record::ImportRecord;
use crate::records::dataset::digest;
use crate::records::reader::bytes::{empty, is_cut, uncompressed};
use crate::records::reader::delimited::Records;
use crate::records::reader::{
    CellValue, ColumnMapping, InputTableFormat, Row, TableReader, partition_text, refuse_pipe,
};
use serde_json::{Map, Value};
use std::cell;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result};

/// Most bytes of a file that are previewed to detect its format.
const LOOK: u64 = 1 << 18;

/// A file, or the parts of one table.
pub(in crate::records::import) struct ImportFile {
    /// The path, for messages; readers use [`raw`](Self::raw).
    pub path: PathBuf,
    parts: Vec<PathBuf>,
    look: FilePreview,
    /// Whether the file was read.
    read: cell::Cell<bool>,
    /// The rule by which a format leaves the file out, where it has one of its own.
    rule: cell::Cell<Option<&'static str>>,
    /// Whether no records were found where they are expected.
    is_bare: cell::Cell<bool>,
    /// The number of halves of surrogate pairs that were replaced when its records were read.
    halves: cell::Cell<u64>,
    /// The number of texts with NUL characters in its rows.
    nuls: cell::Cell<u64>,
}

/// A preview of the beginning of a file.
#[derive(Debug, Default)]
pub(in crate::records::import) struct FilePreview {
    /// The layout of its records; `None` where there are none.
    pub kind: Option<RecordLayout>,
    /// The first record, as far as it was previewed.
    pub first: FirstRecord,
    /// The columns of a table, repeated ones included.
    pub names: Vec<String>,
    /// Whether the file is empty.
    pub is_empty: bool,
}

/// The fields and values of a first record.
pub(in crate::records::import) type FirstRecord = Map<String, Value>;

/// The layout of records in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::records::import) enum RecordLayout {
    /// One record a line.
    Lines,
    /// A list of records.
    List,
    /// One object.
    Object,
    /// One object that is a data frame.
    Frame,
    /// Rows and columns.
    Table,
}

impl ImportFile {
    /// Previews a file.
    ///
    /// # Errors
    /// If it is no regular file, cannot be opened, or begins with what cannot be parsed.
    pub(super) fn open(path: PathBuf, parts: Vec<PathBuf>) -> Result<Self> {
        Ok(Self {
            look: look(&parts[0])?,
            path,
            parts,
            read: cell::Cell::new(false),
            rule: cell::Cell::new(None),
            is_bare: cell::Cell::new(false),
            halves: cell::Cell::new(0),
            nuls: cell::Cell::new(0),
        })
    }

    /// The file name, without the extension of a compression.
    pub(crate) fn name(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.map_or("", uncompressed)
    }

    /// The file name without extensions.
    pub(crate) fn stem(&self) -> &str {
        let name = self.name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The extension of the file name, other than of a compression.
    pub(crate) fn extension(&self) -> Option<&str> {
        extension(self.name())
    }

    /// The name of its folder.
    pub(crate) fn folder(&self) -> String {
        let named = |path: &Path| {
            let name = path.parent().and_then(Path::file_name);
            name.map(|name| name.to_string_lossy().into_owned())
        };
        let whole = || {
            std::fs::canonicalize(&self.path)
                .ok()
                .as_deref()
                .and_then(named)
        };
        named(&self.path).or_else(whole).unwrap_or_default()
    }

    /// The preview of its beginning.
    pub(crate) fn look(&self) -> &FilePreview {
        &self.look
    }

    /// Whether the first record has all these fields.
    pub(crate) fn has(&self, fields: &[&str]) -> bool {
        let first = &self.look().first;
        fields.iter().all(|field| first.contains_key(*field))
    }

    /// Whether the file has one of the forms of a data set's tables.
    pub(crate) fn is_table(&self) -> bool {
        let kind = self.look().kind;
        matches!(kind, Some(RecordLayout::Lines | RecordLayout::Table))
            && InputTableFormat::from_path(&self.path).is_ok()
    }

    /// Returns the path, for a reader that gives no records: the file counts as read.
    pub(crate) fn raw(&self) -> &Path {
        self.read.set(true);
        &self.path
    }

    /// The size in bytes.
    pub(crate) fn size(&self) -> Result<u64> {
        let size = |part: &PathBuf| {
            let meta = std::fs::metadata(part).map_err(Error::reading(part))?;
            Ok(meta.len())
        };
        self.parts.iter().map(size).sum()
    }

    /// Whether another file has the same bytes, in folders that name the same columns.
    pub(crate) fn has_the_contents_of(&self, other: &Self) -> Result<bool> {
        if partition_text(&self.path) != partition_text(&other.path) {
            return Ok(false);
        }
        let digests = |file: &Self| -> Result<Vec<String>> {
            file.parts.iter().map(|part| digest(part)).collect()
        };
        Ok(digests(self)? == digests(other)?)
    }

    /// Leaves the file out by a rule of the format.
    pub(crate) fn leave_out(&self, rule: &'static str) {
        self.rule.set(Some(rule));
    }

    /// Returns the reason why the file was not read; `None` where it was.
    pub(super) fn left_out(&self) -> Option<&'static str> {
        let rule = || match &self.look {
            _ if self.look.is_empty => ExcludedFiles::EMPTY,
            FilePreview { kind: None, .. } if form(&self.path) != Some(ExtensionFormat::Zip) => {
                "no records"
            }
            _ => "not of this format",
        };
        (!self.read.get()).then(|| self.rule.get().unwrap_or_else(rule))
    }

    /// Calls `each` for every record. `inside` is their path within a file that is one object.
    ///
    /// # Errors
    /// If the file cannot be read; the errors of `each`.
    pub(crate) fn records(&self, inside: &[&str], each: RecordCallback<'_>) -> Result<()> {
        self.read.set(true);
        let (mut given, mut halves, mut nuls) = (0, 0, 0);
        let each: RecordCallback<'_> = &mut |record| {
            given += 1;
            each(record)
        };
        for part in &self.parts {
            match form(part) {
                // Some tools write a list into a file with the extension of JSON lines.
                Some(ExtensionFormat::Table(InputTableFormat::JsonLines))
                    if self.look.kind == Some(RecordLayout::List) =>
                {
                    json::document(part, &[], each)?;
                }
                Some(ExtensionFormat::Json) if self.look.kind == Some(RecordLayout::Frame) => {
                    each_frame_row(part, each)?;
                }
                Some(ExtensionFormat::Json) => json::document(part, inside, each)?,
                Some(ExtensionFormat::Table(InputTableFormat::JsonLines)) => {
                    halves += json::lines(part, each)?;
                }
                Some(ExtensionFormat::Table(_)) => {
                    for row in TableReader::open(part, &ColumnMapping::default())? {
                        let record = ImportRecord::from_row(row?);
                        nuls += record.nuls();
                        each(record)?;
                    }
                }
                Some(ExtensionFormat::Zip) | None => InputTableFormat::from_path(part).map(drop)?,
            }
        }
        self.is_bare.set(given == 0);
        self.halves.set(halves);
        self.nuls.set(nuls);
        Ok(())
    }

    /// The number of halves of surrogate pairs, which no text can hold, that were replaced in its records.
    pub(crate) fn halves(&self) -> u64 {
        self.halves.get()
    }

    /// Returns signs that the file may be incomplete, where its form makes that no error.
    pub(super) fn doubts(&self) -> Result<Vec<String>> {
        let (mut doubts, path) = (Vec::new(), self.path.display());
        if self.is_bare.get() {
            doubts.push(format!("{path}: no records found in it"));
        }
        if self.nuls.get() > 0 {
            let texts = self.nuls.get();
            doubts.push(format!(
                "{path}: texts with NUL characters: {texts} (damaged?)"
            ));
        }
        // Other forms mark their end.
        let open_ended = matches!(
            form(&self.parts[0]),
            Some(ExtensionFormat::Table(
                InputTableFormat::Csv | InputTableFormat::Tsv
            )) | None
        );
        if open_ended && self.read.get() && is_cut(&self.parts[0])? {
            doubts.push(format!("{path}: no line break at its end (cut off?)"));
        }
        Ok(doubts)
    }

    /// Returns the whole file as one record, without the fields in `without`.
    pub(crate) fn object(&self, without: &[&str]) -> Result<ImportRecord> {
        self.read.set(true);
        json::outline(&self.path, without)
    }
}

/// Calls `each` for the records of some files with their number among all, from 0: the name of an unnamed one.
///
/// # Errors
/// If one cannot be read; the errors of `each`.
pub(in crate::records::import) fn numbered(
    files: &[&ImportFile],
    mut each: impl FnMut(&ImportRecord, u64) -> Result<()>,
) -> Result<()> {
    let mut number = 0;
    for file in files {
        file.records(&[], &mut |record| {
            number += 1;
            each(&record, number - 1)
        })?;
    }
    Ok(())
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// The form of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtensionFormat {
    Json,
    Table(InputTableFormat),
    /// A log of Inspect, whose reader opens the archive itself.
    Zip,
}

pub(super) fn form(path: &Path) -> Option<ExtensionFormat> {
    let name = path.file_name()?.to_str()?;
    let ending = extension(uncompressed(name)).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("json") => Some(ExtensionFormat::Json),
        Some("eval") => Some(ExtensionFormat::Zip),
        _ => InputTableFormat::split(name).map(|(_, format)| ExtensionFormat::Table(format)),
    }
}

impl ImportRecord {
    /// The number of its texts with a NUL character, which are found where a disk lost data.
    fn nuls(&self) -> u64 {
        let texts = self.node().fields();
        let texts = texts.filter_map(|(_, text)| text.value().as_str());
        texts.filter(|text| text.contains('\0')).count() as u64
    }

    /// Converts a row of a table to a record.
    pub(crate) fn from_row(row: Row) -> Self {
        let at = row.at();
        let fields = row.into_fields().map(|(name, cell)| (name, value(cell)));
        Self {
            value: Value::Object(fields.collect()),
            at,
        }
    }
}

fn value(cell: CellValue) -> Value {
    match cell {
        CellValue::Null => Value::Null,
        // Not null, so that a format that reads it refuses it by its type.
        CellValue::Other(what) => Value::Object(FirstRecord::from_iter([(what, Value::Null)])),
        CellValue::Bool(flag) => Value::from(flag),
        CellValue::Integer(number) => match i64::try_from(number) {
            Ok(number) => Value::from(number),
            Err(_) => u64::try_from(number).map_or(Value::from(number as f64), Value::from),
        },
        // As in JSON: JSON has no number for it, and null would be a missing value.
        CellValue::Float(number) if number.is_infinite() => Value::from(number.to_string()),
        CellValue::Float(number) => Value::from(number),
        CellValue::Text(text) => Value::from(text),
        CellValue::List(cells) => cells.into_iter().map(value).collect(),
        CellValue::Object(fields) => {
            let fields = fields.into_iter().map(|(name, cell)| (name, value(cell)));
            Value::Object(fields.collect())
        }
    }
}

/// Previews the beginning of a file.
fn look(path: &Path) -> Result<FilePreview> {
    refuse_pipe(path)?;
    let lines = match form(path) {
        Some(ExtensionFormat::Json) => false,
        Some(ExtensionFormat::Table(InputTableFormat::JsonLines)) => true,
        Some(ExtensionFormat::Table(format)) => return table(path, format),
        Some(ExtensionFormat::Zip) | None => return Ok(FilePreview::default()),
    };
    match json::sketch(path, LOOK)? {
        Some(value) => previewed(path, value, lines),
        // A file of JSON lines may have no records.
        None if lines => Ok(FilePreview {
            is_empty: true,
            ..FilePreview::default()
        }),
        None => Err(empty(path)),
    }
}

/// The preview of a file of JSON whose first value this is, as far as it was read.
fn previewed(path: &Path, value: Value, lines: bool) -> Result<FilePreview> {
    let (kind, first) = match value {
        Value::Array(list) => (RecordLayout::List, list.into_iter().next()),
        value if lines => (RecordLayout::Lines, Some(value)),
        Value::Object(object) if may_be_frame(&object) => match frame_rows(path)? {
            Some(rows) => {
                let first = rows.into_iter().next().unwrap_or_default();
                (RecordLayout::Frame, Some(Value::Object(first)))
            }
            None => (RecordLayout::Object, Some(Value::Object(object))),
        },
        value => (RecordLayout::Object, Some(value)),
    };
    Ok(match first {
        Some(Value::Object(first)) => FilePreview {
            kind: Some(kind),
            first,
            ..FilePreview::default()
        },
        _ => FilePreview::default(),
    })
}

/// Returns the rows of a file that is a data frame as one object; `None` where it is none.
fn frame_rows(path: &Path) -> Result<Option<Vec<FirstRecord>>> {
    Ok(match json::outline(path, &[])?.value {
        Value::Object(whole) => into_rows(whole),
        _ => None,
    })
}

/// Calls `each` for the rows of a part that is a data frame, as the first part is.
fn each_frame_row(part: &Path, each: RecordCallback<'_>) -> Result<()> {
    let rows = frame_rows(part)?.ok_or_else(|| {
        let error = Error::input(part, "no data frame, as the first part of this table is");
        error.with_hint("expected one object of columns, of rows, or of `columns` and `data`")
    })?;
    for (row, number) in rows.into_iter().zip(1..) {
        each(ImportRecord {
            value: Value::Object(row),
            at: Location::row(part, number),
        })?;
    }
    Ok(())
}

fn table(path: &Path, format: InputTableFormat) -> Result<FilePreview> {
    let kind = Some(RecordLayout::Table);
    let delimiter = match format {
        InputTableFormat::Csv => Some(b','),
        InputTableFormat::Tsv => Some(b'\t'),
        _ => None,
    };
    if let Some(delimiter) = delimiter {
        let mut records = Records::open(path, delimiter)?;
        let (_, names) = records.next()?.ok_or_else(|| empty(path))?;
        let (_, cells) = records.next()?.unwrap_or_default();
        let mut cells = cells.into_iter().map(Value::from);
        let first = names
            .iter()
            .map(|name| (name.clone(), cells.next().unwrap_or_default()));
        return Ok(FilePreview {
            kind,
            first: first.collect(),
            names,
            is_empty: false,
        });
    }
    let mut rows = TableReader::open(path, &ColumnMapping::default())?;
    let names = rows.columns().to_vec();
    let first = match rows
        .next()
        .transpose()?
        .map(|row| ImportRecord::from_row(row).value)
    {
        Some(Value::Object(first)) => first,
        _ => names
            .iter()
            .map(|name| (name.clone(), Value::Null))
            .collect(),
    };
    Ok(FilePreview {
        kind,
        first,
        names,
        is_empty: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_cell_is_no_missing_value() {
        let cells = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.5].map(CellValue::Float);
        let values = cells.map(value).map(|value| value.to_string());
        assert_eq!(values, ["\"inf\"", "\"-inf\"", "null", "0.5"]);
    }

    #[test]
    fn a_part_that_is_no_frame_is_refused_beside_one_that_is() {
        let folder = tempfile::tempdir().unwrap();
        let part = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let one = part("a-1.json", r#"{"item": {"0": "1", "1": "2"}}"#);
        let other = part("a-2.json", r#"{"item": "3"}"#);
        let records = |parts: &[&PathBuf]| {
            let parts = parts.iter().map(|&part| part.clone()).collect();
            let file = ImportFile::open(folder.path().join("a.json"), parts).unwrap();
            let mut count = 0;
            let read = file.records(&[], &mut |_| {
                count += 1;
                Ok(())
            });
            read.map(|()| count)
        };
        assert_eq!(records(&[&one]).unwrap(), 2);
        let error = records(&[&one, &other]).unwrap_err().to_string();
        assert!(error.contains("a-2.json: no data frame"), "{error}");
    }
}
