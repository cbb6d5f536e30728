//! The files that were named, or that lie in the folders that were named, and a first look at each.

use super::json::{self, Each};
use super::options::{Options, Pick};
use super::record::Record;
use crate::error::{Error, Result};
use crate::records::reader::bytes::Lines;
use crate::records::reader::delimited::Records;
use crate::records::reader::{Cell, Columns, Format, Row, Rows};
use serde_json::{Map, Value};
use std::cell::{self, OnceCell};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How much of a file is looked at to tell what it is.
const LOOK: u64 = 1 << 18;

/// A file, or the parts of one table.
pub(in crate::records::import) struct File {
    /// Where it lies.
    pub path: PathBuf,
    parts: Vec<PathBuf>,
    look: OnceCell<Look>,
    /// How many halves of surrogate pairs were replaced when its records were read.
    halves: cell::Cell<u64>,
}

/// What the beginning of a file shows.
#[derive(Debug, Default)]
pub(in crate::records::import) struct Look {
    /// What kind of file it is; `None` where its name does not say.
    pub kind: Option<Kind>,
    /// Its first record, as far as it was looked at.
    pub first: First,
    /// Of a table the columns, also those that stand twice.
    pub names: Vec<String>,
}

/// A first record: fields and values.
pub(in crate::records::import) type First = Map<String, Value>;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::records::import) enum Kind {
    /// A record a line.
    Lines,
    /// A list of records.
    List,
    /// One object.
    Object,
    /// Rows and columns.
    Table,
}

impl File {
    fn new(path: PathBuf, parts: Vec<PathBuf>) -> Self {
        Self {
            path,
            parts,
            look: OnceCell::new(),
            halves: cell::Cell::new(0),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or("")
    }

    /// Its name without extensions.
    pub fn stem(&self) -> &str {
        let name = uncompressed(self.name());
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// What its name ends in.
    pub fn extension(&self) -> Option<&str> {
        extension(self.name())
    }

    /// The name of the folder it lies in.
    pub fn folder(&self) -> String {
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

    /// What its beginning shows; nothing where it cannot be read.
    pub fn look(&self) -> &Look {
        self.look
            .get_or_init(|| look(&self.parts[0]).unwrap_or_default())
    }

    /// Whether its first record has all these fields.
    pub fn has(&self, fields: &[&str]) -> bool {
        let first = &self.look().first;
        fields.iter().all(|field| first.contains_key(*field))
    }

    /// Whether it is one of the forms that tables of a data set have.
    pub fn is_table(&self) -> bool {
        let kind = self.look().kind;
        matches!(kind, Some(Kind::Lines | Kind::Table)) && Format::from_path(&self.path).is_ok()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        let length = |part: &PathBuf| std::fs::metadata(part).map_or(0, |meta| meta.len());
        self.parts.iter().map(length).sum::<u64>() == 0
    }

    /// Gives its records. `inside` is where they are within a file that is one object.
    ///
    /// # Errors
    /// If it cannot be read, or what `each` says.
    pub fn records(&self, inside: &[&str], each: Each<'_>) -> Result<()> {
        // Some tools write a list into a file that is named after lines.
        let list = self.look().kind == Some(Kind::List);
        let mut halves = 0;
        for part in &self.parts {
            match list {
                true => json::document(part, &[], each)?,
                false => halves += records(part, inside, each)?,
            }
        }
        self.halves.set(halves);
        Ok(())
    }

    /// How many halves of surrogate pairs, which no text can hold, were replaced in its records.
    pub fn halves(&self) -> u64 {
        self.halves.get()
    }

    /// The whole file as one record, without the fields in `without`.
    ///
    /// # Errors
    /// If it is no object.
    pub fn object(&self, without: &[&str]) -> Result<Record> {
        json::outline(&self.path, without)
    }
}

/// Gives the records of some files with their number among all of them, from 0: the name of what has none.
///
/// # Errors
/// If one cannot be read, or what `each` says.
pub(in crate::records::import) fn numbered(
    files: &[&File],
    mut each: impl FnMut(&Record, u64) -> Result<()>,
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

/// Gives the records of one file; says how many halves of surrogate pairs were replaced in them.
fn records(path: &Path, inside: &[&str], each: Each<'_>) -> Result<u64> {
    match form(path) {
        Some(Form::Json) => json::document(path, inside, each)?,
        Some(Form::Table(Format::JsonLines)) => return json::lines(path, each),
        Some(Form::Table(_)) => {
            let rows = Rows::open(path, &Columns::default())?;
            for row in rows {
                each(Record::from_row(row?))?;
            }
        }
        None => Format::from_path(path).map(drop)?,
    }
    Ok(0)
}

/// A name without the extension of a compression.
fn uncompressed(name: &str) -> &str {
    let plain = name.strip_suffix(".gz");
    plain.or_else(|| name.strip_suffix(".zst")).unwrap_or(name)
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// In what form a file is, by its name.
enum Form {
    Json,
    Table(Format),
}

fn form(path: &Path) -> Option<Form> {
    let name = path.file_name()?.to_str()?;
    match extension(uncompressed(name)) == Some("json") {
        true => Some(Form::Json),
        false => Format::split(name).map(|(_, format)| Form::Table(format)),
    }
}

impl Record {
    /// A row of a table as a record.
    pub fn from_row(row: Row) -> Self {
        let at = row.at();
        let fields = row.into_fields().map(|(name, cell)| (name, value(cell)));
        Self {
            value: Value::Object(fields.collect()),
            at,
        }
    }
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Null | Cell::Other(_) => Value::Null,
        Cell::Bool(flag) => Value::from(flag),
        Cell::Integer(number) => match i64::try_from(number) {
            Ok(number) => Value::from(number),
            Err(_) => u64::try_from(number).map_or(Value::from(number as f64), Value::from),
        },
        Cell::Float(number) => Value::from(number),
        Cell::Text(text) => Value::from(text),
        Cell::List(cells) => cells.into_iter().map(value).collect(),
        Cell::Object(fields) => {
            let fields = fields.into_iter().map(|(name, cell)| (name, value(cell)));
            Value::Object(fields.collect())
        }
    }
}

/// What the beginning of a file shows; an error where it cannot be read.
fn look(path: &Path) -> Result<Look> {
    let Some(form) = form(path) else {
        return Ok(Look::default());
    };
    match form {
        Form::Json | Form::Table(Format::JsonLines) => {
            let lines = matches!(form, Form::Table(_));
            let value = json::sketch(|| Ok(Lines::open(path)?.into_reader().take(LOOK)))?;
            let kind = match &value {
                Some(Value::Array(_)) => Kind::List,
                _ if lines => Kind::Lines,
                _ => Kind::Object,
            };
            let first = match value {
                Some(Value::Array(list)) => list.into_iter().next(),
                other => other,
            };
            let first = first.and_then(|value| match value {
                Value::Object(fields) => Some(fields),
                _ => None,
            });
            Ok(Look {
                kind: first.is_some().then_some(kind),
                first: first.unwrap_or_default(),
                names: Vec::new(),
            })
        }
        Form::Table(format) => table(path, format),
    }
}

fn table(path: &Path, format: Format) -> Result<Look> {
    let kind = Some(Kind::Table);
    let delimiter = match format {
        Format::Csv => Some(b','),
        Format::Tsv => Some(b'\t'),
        _ => None,
    };
    if let Some(delimiter) = delimiter {
        let mut records = Records::open(path, delimiter)?;
        let (_, names) = records.next()?.unwrap_or_default();
        let (_, cells) = records.next()?.unwrap_or_default();
        let mut cells = cells.into_iter().map(Value::from);
        let first = names
            .iter()
            .map(|name| (name.clone(), cells.next().unwrap_or_default()));
        return Ok(Look {
            kind,
            first: first.collect(),
            names,
        });
    }
    let mut rows = Rows::open(path, &Columns::default())?;
    let names = rows.columns().to_vec();
    let first = match rows
        .next()
        .transpose()?
        .map(|row| Record::from_row(row).value)
    {
        Some(Value::Object(first)) => first,
        _ => names
            .iter()
            .map(|name| (name.clone(), Value::Null))
            .collect(),
    };
    Ok(Look { kind, first, names })
}

/// Everything that was named.
pub(in crate::records::import) struct Files {
    /// In the order of their paths.
    pub all: Vec<File>,
    /// What the user said.
    pub options: Options,
}

impl Files {
    /// Finds the files; in folders at any depth, but not through links and none that begin with a dot.
    ///
    /// # Errors
    /// If a path is not there, or a split of a folder of `save_to_disk` has to be picked.
    pub fn find(paths: &[PathBuf], options: &Options) -> Result<Self> {
        let mut all = Vec::new();
        for path in paths {
            let meta = std::fs::metadata(path).map_err(Error::reading(path))?;
            match meta.is_dir() {
                true => walk(path, options, &mut all)?,
                false => all.push(File::new(path.clone(), vec![path.clone()])),
            }
        }
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all.dedup_by(|a, b| a.path == b.path);
        Ok(Self {
            all,
            options: options.clone(),
        })
    }

    /// Those of which something holds.
    pub fn that(&self, holds: impl Fn(&File) -> bool) -> Vec<&File> {
        self.all.iter().filter(|file| holds(file)).collect()
    }
}

fn walk(folder: &Path, options: &Options, all: &mut Vec<File>) -> Result<()> {
    if let Some(file) = saved(folder)? {
        all.push(file);
        return Ok(());
    }
    let split = picked_split(folder, options)?;
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::reading(folder))? {
        let entry = entry.map_err(Error::reading(folder))?;
        let kind = entry.file_type().map_err(Error::reading(&entry.path()))?;
        entries.push((entry.file_name(), kind));
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (name, kind) in entries {
        let hidden = name.to_string_lossy().starts_with('.');
        let path = folder.join(&name);
        let wanted = split
            .as_ref()
            .is_none_or(|split| *split == name.to_string_lossy());
        if kind.is_dir() && !hidden && wanted {
            walk(&path, options, all)?;
        } else if !kind.is_dir() && path.is_file() && !hidden && split.is_none() {
            all.push(File::new(path.clone(), vec![path]));
        }
    }
    Ok(())
}

/// The table that `save_to_disk` of Hugging Face's datasets made of a folder, if one did: its state names the
/// shards in order.
fn saved(folder: &Path) -> Result<Option<File>> {
    let state = folder.join("state.json");
    if !state.is_file() {
        return Ok(None);
    }
    let state = json::outline(&state, &[])?;
    let mut parts = Vec::new();
    for file in state.get("_data_files").items() {
        parts.push(folder.join(file.get("filename").name()?));
    }
    if let Some(missing) = parts.iter().find(|part| !part.is_file()) {
        let what = "named in state.json and not there";
        return Err(Error::input(missing, what).with_hint("copy the folder again, whole"));
    }
    let table = !parts.is_empty();
    Ok(table.then(|| File::new(folder.to_path_buf(), parts)))
}

/// What can be picked of any format.
pub(super) const SPLIT: Pick = Pick {
    key: "split",
    of: "",
    several: "several splits",
    ask: "say which",
};

/// The split that is read of a folder of several, as `save_to_disk` writes a `DatasetDict`.
fn picked_split(folder: &Path, options: &Options) -> Result<Option<String>> {
    let splits = folder.join("dataset_dict.json");
    if !splits.is_file() {
        return Ok(None);
    }
    let splits = json::outline(&splits, &[])?.get("splits").texts()?;
    let picked = options.picked(SPLIT.key);
    match (picked, &splits[..]) {
        (Some(split), splits) if splits.iter().any(|one| one == split) => {
            Ok(Some(split.to_string()))
        }
        (None, [one]) => Ok(Some(one.clone())),
        (Some(split), splits) => Err(Error::input(folder, SPLIT.unknown(split, splits))),
        (None, splits) => Err(SPLIT.undecided(folder, splits)),
    }
}
