//! A data set: a folder of tables with an optional `dataset.toml`, a lone file of outputs, or files of another tool,
//! which are imported into a temporary folder.

use super::RANKING;
use super::descriptor::DatasetDescriptor;
use super::import::{self, ImportOptions, ImportSummary};
use super::outcomes::Outcomes;
use super::reader::{
    ColumnMapping, EXTENSIONS, InputTableFormat, TableReader, partition_text, refuse_pipe,
};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::disk::{self, Draft, Scratch};
use tiebreak_base::error::{
    Error, Flag, Location, LocationUnit, Message, Result, is_there, meant, nearest,
};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;

/// The kinds of input tables, in the order in which they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The inputs.
    Items,
    /// The outputs of the systems.
    Outputs,
    /// People's preferences between two outputs.
    Comparisons,
    /// People's judgments of single outputs.
    Judgments,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [
        Self::Items,
        Self::Outputs,
        Self::Comparisons,
        Self::Judgments,
    ];

    /// Returns the name of the table's file, without extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Outputs => "outputs",
            Self::Comparisons => "comparisons",
            Self::Judgments => "judgments",
        }
    }

    /// Whether the table holds inputs or outputs of systems.
    pub fn has_texts(self) -> bool {
        matches!(self, Self::Items | Self::Outputs)
    }

    /// Returns the columns that the table must have.
    pub fn required(self) -> &'static [&'static str] {
        let first = match self {
            Self::Items => 1,
            Self::Outputs => 3,
            Self::Comparisons | Self::Judgments => 4,
        };
        &self.documented()[..first]
    }

    /// Returns the columns that are used, the required ones first: `from_row` of its records reads these, and no
    /// other need be decoded.
    pub(super) fn documented(self) -> &'static [&'static str] {
        match self {
            Self::Items => &["item", "source", "references"],
            Self::Outputs => &["item", "system", "output", "source", "references"],
            Self::Comparisons => &[
                "item",
                "system_a",
                "system_b",
                "outcome",
                "annotator",
                "seconds",
                "price",
                RANKING,
            ],
            Self::Judgments => &[
                "item",
                "system",
                "criterion",
                "score",
                "annotator",
                "part",
                "repeat",
                "post_edit",
                "seconds",
            ],
        }
    }

    /// Returns every documented column, once: all that can be mapped. Outputs have those of items too.
    pub(super) fn columns() -> Vec<&'static str> {
        let mut columns = Self::Outputs.documented().to_vec();
        for column in Self::ALL.iter().flat_map(|kind| kind.documented()) {
            if !columns.contains(column) {
                columns.push(column);
            }
        }
        columns
    }
}

/// Digests (SHA-256, in hexadecimal) of the tables' names and bytes and of the renamed columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// The digest of everything.
    pub all: String,
    /// The digest of the texts alone, which scores and predictions depend on, and judgments do not.
    pub texts: String,
    /// The digest of each table that has texts, and of their renamed columns: what a campaign asks about.
    pub tables: Vec<(&'static str, String)>,
}

/// A data set whose tables have been found but not yet read.
#[derive(Debug, Clone)]
pub struct Dataset {
    path: PathBuf,
    descriptor: DatasetDescriptor,
    columns: ColumnMapping,
    outcomes: Outcomes,
    /// The paths of the tables, in the order of [`Kind::ALL`].
    tables: Vec<(Kind, PathBuf)>,
    ignored: Vec<String>,
    /// The path of the predictions, where it holds some.
    predictions: Option<PathBuf>,
    /// The import that made it.
    imported: Option<Arc<TemporaryImport>>,
    /// The temporary folder of tables that exist in no file of the user's.
    scratch: Option<Arc<Scratch>>,
}

/// An import, and its folder, which is removed with the last copy.
#[derive(Debug)]
struct TemporaryImport {
    summary: ImportSummary,
    options: ImportOptions,
    scratch: Scratch,
}

/// A table in memory.
#[derive(Debug, Clone)]
pub enum InputTable {
    /// Arrow batches of a schema.
    Batches(SchemaRef, Vec<RecordBatch>),
    /// JSON lines.
    Lines(String),
}

impl InputTable {
    /// Returns the extension of a file that holds the table.
    pub fn extension(&self) -> &'static str {
        match self {
            Self::Lines(_) => "jsonl",
            Self::Batches(..) => "arrow",
        }
    }

    /// Writes the table to a file.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, path: &Path) -> Result<()> {
        match self {
            Self::Lines(text) => disk::write(path, text.as_bytes()),
            Self::Batches(schema, batches) => {
                let mut draft = Draft::create(path)?;
                arrow_stream(&mut draft, schema, batches).map_err(Error::failed)?;
                draft.finish()
            }
        }
    }
}

fn arrow_stream(
    to: impl io::Write,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> Result<(), ArrowError> {
    let mut writer = StreamWriter::try_new_buffered(to, schema)?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()
}

/// The folder within a temporary one in which the tables of a data set lie.
const LAID: &str = "data";

/// How far below a folder data sets are looked for.
const DEPTH: usize = 3;

/// Refuses a folder of data sets, whose tables are not those of one.
fn refuse_several(path: &Path) -> Result<()> {
    let mut found = Vec::new();
    data_sets(path, DEPTH, &mut found);
    found.sort();
    let [first, _, ..] = &found[..] else {
        return Ok(());
    };
    let names: Vec<String> = found.iter().map(|one| one.display().to_string()).collect();
    let what = format!(
        "holds {} data sets, expected one: {}",
        found.len(),
        shown_names(&names)
    );
    let hint = format!("name one of them, such as {}", path_argument(first));
    Err(Error::input(path, what).with_hint(hint))
}

/// The first names of a list.
fn shown_names(names: &[String]) -> String {
    match names.len().checked_sub(5) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..5].join(", ")),
    }
}

/// Collects the folders below `path` that are data sets: with a `dataset.toml`, or two tables by name.
fn data_sets(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    for folder in entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
    {
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let is_table = |name: &String| {
            let stem = InputTableFormat::split(name).map(|(stem, _)| stem);
            Kind::ALL.iter().any(|kind| stem == Some(kind.name()))
        };
        let is_data_set = is_there(&folder.join("dataset.toml"));
        if is_data_set || names.filter(is_table).count() > 1 {
            found.push(folder);
        } else if depth > 1 {
            data_sets(&folder, depth - 1, found);
        }
    }
}

/// The error for a table that two files of a folder hold.
pub(super) fn is_twice(folder: &Path, table: &str, files: [&Path; 2]) -> Error {
    let [other, file] = files.map(|path| path.file_name().unwrap_or_default().to_string_lossy());
    let what = format!("table `{table}` is there twice: {other} and {file}");
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    Error::input(folder, what).with_hint("remove one of the two")
}

/// A data set of tables in memory, which lie in a temporary folder.
fn in_memory(scratch: Scratch, read: Result<Dataset>) -> Result<Dataset> {
    match read {
        Ok(dataset) => Ok(Dataset {
            scratch: Some(Arc::new(scratch)),
            ..dataset
        }),
        Err(error) => Err(name_table_in(&scratch, error)),
    }
}

/// Calls a table in a temporary folder by its name in the place of an error.
fn name_table_in(scratch: &Scratch, error: Error) -> Error {
    let named = |path: PathBuf| match path.strip_prefix(scratch.path()) {
        Ok(_) => PathBuf::from(path.file_stem().unwrap_or_default()),
        Err(_) => path,
    };
    let folder = format!("{}{MAIN_SEPARATOR}", scratch.path().join(LAID).display());
    let in_words = |words: Message| words.map(|text| text.replace(&folder, ""));
    match error {
        Error::Record { at, what, hint } => {
            let path = named(at.path.clone());
            // What lies in no file of the user's has rows, and a line was written for each.
            let unit = match path == at.path {
                true => at.unit,
                false => LocationUnit::Row,
            };
            let line = at.line;
            Error::Record {
                at: Location { path, line, unit },
                what: in_words(what),
                hint: hint.map(in_words),
            }
        }
        Error::Input { path, what, hint } => Error::Input {
            path: named(path),
            what: in_words(what),
            hint: hint.map(in_words),
        },
        other => other,
    }
}

/// The optional fifth table of a data set: the predictions of a judge.
const PREDICTIONS: &str = "predictions";

impl Dataset {
    /// Finds the tables of a folder, takes a lone file as `outputs`, or imports what another tool wrote. `columns`
    /// are renamings (documented name, name in the files) that take precedence over those of `dataset.toml`.
    ///
    /// # Errors
    /// If there is nothing there or no table in it, a table is there twice, `dataset.toml` is
    /// wrong, or a column is renamed to one that no table has.
    pub fn open(path: impl AsRef<Path>, columns: &[(String, String)]) -> Result<Self> {
        let options = ImportOptions {
            columns: columns.to_vec(),
            ..ImportOptions::default()
        };
        Self::read(path, &options)
    }

    /// Opens a data set with all options for files of other tools and for words of outcomes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Self> {
        let path = path.as_ref();
        let meta = std::fs::metadata(path).map_err(Error::reading(path))?;
        refuse_pipe(path)?;
        let mut dataset = Self {
            path: path.to_path_buf(),
            descriptor: DatasetDescriptor::default(),
            columns: merged(&[], &options.columns)?,
            outcomes: options.outcomes.clone(),
            tables: Vec::new(),
            ignored: Vec::new(),
            predictions: None,
            imported: None,
            scratch: None,
        };
        let as_tables = options.reads_tables()?;
        if meta.is_dir() {
            dataset.find_tables(path)?;
            if dataset.ignored.is_empty() {
                dataset.refuse_predictions_alone()?;
            }
            if dataset.tables.is_empty() || !as_tables {
                refuse_several(path)?;
                dataset.import(options)?;
            } else {
                options.refuse_picks(import::TABLES, &[])?;
            }
        } else if as_tables && let Some(columns) = import::columns_of_outputs(path, options)? {
            options.refuse_picks(import::TABLES, &[])?;
            dataset.columns = columns;
            dataset.tables.push((Kind::Outputs, path.to_path_buf()));
        } else {
            dataset.import(options)?;
        }
        let descriptor = path.join("dataset.toml");
        if dataset.imported.is_none() && is_there(&descriptor) {
            dataset.descriptor = DatasetDescriptor::read(&descriptor)?;
            dataset.columns = merged(&dataset.descriptor.columns, &options.columns)?;
            dataset.outcomes = options.outcomes.before(&dataset.descriptor.outcomes);
        }
        dataset.refuse_predictions_alone()?;
        dataset.check_columns()?;
        Ok(dataset)
    }

    /// Whether a file looks like text with an output or reference a line, by its name.
    pub fn is_lines(path: &Path) -> bool {
        path.is_file() && super::reader::is_lines(path)
    }

    /// Imports line-aligned text files into a temporary folder; its name is that of the first reference, or system.
    ///
    /// # Errors
    /// As [`import::AlignedFilePaths::import`].
    pub fn of_lines(files: &import::AlignedFilePaths) -> Result<Self> {
        let scratch = Scratch::new()?;
        let out = scratch.path().join(LAID);
        let summary = files.import(&out)?;
        let mut dataset = Self::open(&out, &[])?;
        let systems = files.systems.iter().map(|(_, file)| file);
        if let Some(named) = files.references.iter().chain(systems).next() {
            dataset.path.clone_from(named);
        }
        dataset.imported = Some(Arc::new(TemporaryImport {
            summary,
            options: ImportOptions::default(),
            scratch,
        }));
        Ok(dataset)
    }

    /// Makes a data set of tables in memory. `columns` are renamings, as of [`Dataset::open`].
    ///
    /// # Errors
    /// As [`Dataset::open`]; if they cannot be written to a temporary folder.
    pub fn of_tables(tables: &[(Kind, InputTable)], columns: &[(String, String)]) -> Result<Self> {
        let columns = columns.to_vec();
        let options = ImportOptions {
            columns,
            ..ImportOptions::default()
        };
        Self::read_tables(tables, &options)
    }

    /// Makes a data set of tables in memory, with words of outcomes.
    ///
    /// # Errors
    /// As [`of_tables`](Self::of_tables).
    pub fn read_tables(tables: &[(Kind, InputTable)], options: &ImportOptions) -> Result<Self> {
        let scratch = Scratch::new()?;
        let folder = scratch.path().join(LAID);
        for (kind, held) in tables {
            held.write(&folder.join(format!("{}.{}", kind.name(), held.extension())))?;
        }
        in_memory(scratch, Self::read(&folder, options))
    }

    /// Reads a table in memory as if it were a file, with all options for files of other tools; by its columns it is of this
    /// kind, if it is none of another tool.
    ///
    /// # Errors
    /// As [`Dataset::read`]; if it cannot be written to a temporary folder.
    pub fn of_table(kind: Kind, table: &InputTable, options: &ImportOptions) -> Result<Self> {
        let scratch = Scratch::new()?;
        let folder = scratch.path().join(LAID);
        let path = folder.join(format!("{}.{}", kind.name(), table.extension()));
        table.write(&path)?;
        let is_plain = || match kind {
            // Next to outputs there may be ratings.
            Kind::Outputs => Ok(import::columns_of_outputs(&path, options)?.is_some()
                || (options.format.is_none() && !options.is_some_format(&path)?)),
            _ => options.reads_tables(),
        };
        let read = is_plain().and_then(|is_plain| match is_plain {
            true => Self::read(&folder, options),
            false => Self::read(&path, options),
        });
        in_memory(scratch, read)
    }

    /// Names the data set by another path, for messages, and declares ranges of its criteria.
    #[must_use]
    pub fn described(mut self, path: &Path, ranges: Vec<(String, [f64; 2])>) -> Self {
        self.path = path.to_path_buf();
        self.descriptor.ranges = ranges;
        self
    }

    /// Makes tables of what another tool wrote, in a temporary folder.
    fn import(&mut self, options: &ImportOptions) -> Result<()> {
        if options.format.is_none() && !options.is_some_format(&self.path)? {
            options.refuse_picks(import::TABLES, &[])?;
            return match self.path.is_dir() {
                true => Err(self.no_tables()),
                // A file that may be outputs gets the error about the columns that it lacks when it is read.
                false => {
                    InputTableFormat::from_path(&self.path)?;
                    import::refuse_unlike_outputs(&self.path, options)?;
                    self.tables.push((Kind::Outputs, self.path.clone()));
                    Ok(())
                }
            };
        }
        let scratch = Scratch::new()?;
        let out = scratch.path().join(LAID);
        let summary = options.import(std::slice::from_ref(&self.path), &out)?;
        // The import accounts for each file, and may have read those that are no tables by their names.
        self.ignored.clear();
        self.predictions = None;
        self.find_tables(&out)?;
        // The import has already applied the names in the files.
        (self.columns, self.outcomes) = (ColumnMapping::default(), Outcomes::default());
        self.imported = Some(Arc::new(TemporaryImport {
            summary,
            options: options.clone(),
            scratch,
        }));
        Ok(())
    }

    /// Returns the same texts under another name, with these answers (JSON lines of a table) on known scales, and
    /// no other answers. Without answers there is no such table.
    ///
    /// # Errors
    /// If they cannot be written to a temporary folder.
    pub fn with_answers(
        mut self,
        path: &Path,
        kind: Kind,
        answers: &str,
        ranges: Vec<(String, [f64; 2])>,
    ) -> Result<Self> {
        let scratch = Scratch::new()?;
        self.tables.retain(|(kind, _)| kind.has_texts());
        if !answers.is_empty() {
            let file = scratch.path().join(format!("{}.jsonl", kind.name()));
            disk::write(&file, answers.as_bytes())?;
            self.tables.push((kind, file));
        }
        if kind == Kind::Judgments {
            self.descriptor.ranges = ranges;
            self.descriptor.declared.clear();
        }
        self.path = path.to_path_buf();
        self.scratch = Some(Arc::new(scratch));
        Ok(self)
    }

    /// Returns the same data set with these outputs (JSON lines) in the place of its own.
    ///
    /// # Errors
    /// If they cannot be written to a temporary folder.
    pub fn with_outputs(mut self, outputs: &str) -> Result<Self> {
        let scratch = Scratch::new()?;
        let file = scratch.path().join("outputs.jsonl");
        disk::write(&file, outputs.as_bytes())?;
        self.tables.retain(|(kind, _)| *kind != Kind::Outputs);
        self.tables.push((Kind::Outputs, file));
        self.tables.sort_unstable();
        self.scratch = Some(Arc::new(scratch));
        Ok(self)
    }

    /// The summary of the import, where the files are another tool's.
    pub fn imported(&self) -> Option<&ImportSummary> {
        self.imported.as_deref().map(|imported| &imported.summary)
    }

    /// The folder of the tables that the import made; it is there as long as a copy of this is.
    pub fn imported_folder(&self) -> Option<PathBuf> {
        let imported = self.imported.as_deref();
        imported.map(|imported| imported.scratch.path().join(LAID))
    }

    /// Rewrites an error at a table as one about the files that it was imported from: the table is gone when this is
    /// read.
    ///
    /// A table that is in no file of the user's is called by its name.
    pub fn relocate_error(&self, error: Error) -> Error {
        let Some(imported) = self.imported.as_deref() else {
            return self.name_table(error);
        };
        let lay = imported.scratch.path().join(LAID);
        let folder = format!("{}{MAIN_SEPARATOR}", lay.display());
        let named = |words: Message| words.map(|text| text.replace(&folder, ""));
        match &error {
            Error::Record {
                at: Location { path, .. },
                ..
            }
            | Error::Input { path, .. }
                if path.starts_with(&lay) => {}
            _ => return error,
        }
        if let Error::Record { at, what, hint } = &error
            && let Some(at) = self.place_of_judgment(at, &imported.options)
        {
            let (what, hint) = (named(what.clone()), hint.clone().map(named));
            return Error::Record { at, what, hint };
        }
        let advice = error.advice().map(named);
        let what = named(error.message());
        let what = message!("read as {}: {}", imported.summary.format, what);
        let relocated = Error::input(&self.path, what);
        if self.is_in_memory() {
            let relocated = match advice {
                Some(advice) => relocated.with_hint(advice),
                None => relocated,
            };
            return self.name_table(relocated);
        }
        let look = format!(
            "`tiebreak import {} {} DIR` writes the tables that were made of it",
            self.path.display(),
            Flag("out")
        );
        let look = Message::shell_command(look);
        relocated.with_hint(match advice {
            Some(advice) => message!("{}; {}", look, advice),
            None => look,
        })
    }

    /// The place in the user's file of a row of imported judgments, where one record made it.
    fn place_of_judgment(&self, row: &Location, options: &ImportOptions) -> Option<Location> {
        if self.table(Kind::Judgments) != Some(row.path.as_path()) {
            return None;
        }
        let mut lines = BufReader::new(File::open(&row.path).ok()?).lines();
        let row = lines.nth(row.line?.checked_sub(1)? as usize)?;
        import::place_of_judgment(&self.path, options, row.ok()?).ok()?
    }

    /// Calls a temporary table by its name in the place of an error.
    fn name_table(&self, error: Error) -> Error {
        let Some(scratch) = &self.scratch else {
            return error;
        };
        name_table_in(scratch, error)
    }

    /// Whether it was made of tables in memory, so that its path is temporary.
    pub fn is_in_memory(&self) -> bool {
        let scratch = self.scratch.as_ref();
        scratch.is_some_and(|scratch| self.path.starts_with(scratch.path()))
    }

    /// Whether some of its tables are temporary.
    pub(super) fn is_temporary(&self) -> bool {
        self.imported.is_some() || self.scratch.is_some()
    }

    /// The words for outcomes, from `dataset.toml` or the options it was opened with.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// Returns the name: that in `dataset.toml`, or else that of its folder or file.
    pub fn name(&self) -> String {
        let file = || self.path.file_name().map(|name| name.to_string_lossy());
        let from_path = || file().map_or_else(|| "data".to_string(), |name| stem(&name));
        self.descriptor.name.clone().unwrap_or_else(from_path)
    }

    /// The path, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The renamed columns, from `dataset.toml` or the options it was opened with.
    pub fn columns(&self) -> &ColumnMapping {
        &self.columns
    }

    /// The contents of its `dataset.toml`.
    pub fn descriptor(&self) -> &DatasetDescriptor {
        &self.descriptor
    }

    /// Files in the folder that look like tables but are none of the four.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// The table of a judge's verdicts, or of other predictions, where the set holds one.
    pub fn predictions(&self) -> Option<&Path> {
        self.predictions.as_deref()
    }

    /// The file of a table, where the set has it.
    pub fn table(&self, kind: Kind) -> Option<&Path> {
        let mut tables = self.tables.iter();
        tables.find(|(k, _)| *k == kind).map(|(_, path)| &**path)
    }

    /// The place of a row of a table by its number.
    pub fn row_location(&self, kind: Kind, line: u64) -> Location {
        let path = self.table(kind).unwrap_or(&self.path);
        match InputTableFormat::from_path(path) {
            Ok(InputTableFormat::Parquet | InputTableFormat::Arrow) => Location::row(path, line),
            _ => Location::line(path, line),
        }
    }

    /// Streams a table, where the set has it.
    ///
    /// # Errors
    /// If the file cannot be opened or its header lacks a required column.
    pub fn rows(&self, kind: Kind) -> Result<Option<TableReader>> {
        self.rows_of(kind, &self.columns)
    }

    /// Streams a table without the unused columns, where these need not be read.
    pub(super) fn documented_rows(&self, kind: Kind) -> Result<Option<TableReader>> {
        self.rows_of(kind, &self.columns.only(kind.documented()))
    }

    fn rows_of(&self, kind: Kind, columns: &ColumnMapping) -> Result<Option<TableReader>> {
        let Some(path) = self.table(kind) else {
            return Ok(None);
        };
        let rows = TableReader::open(path, columns)?;
        rows.require(kind.required())?;
        Ok(Some(rows))
    }

    /// Returns the digests of its contents, which do not depend on paths or times of the files.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn digests(&self) -> Result<Digests> {
        let (mut all, mut texts) = (Sha256::new(), Sha256::new());
        let (mut tables, mut columns) = (Vec::new(), String::new());
        for (kind, path) in &self.tables {
            let (format, bytes) = (InputTableFormat::from_path(path)?, digest(path)?);
            let folders = partition_text(path);
            let line = format!("table {} {format:?} {bytes}{folders}\n", kind.name());
            all.update(&line);
            if kind.has_texts() {
                texts.update(&line);
                tables.push((kind.name(), bytes));
            }
        }
        for (name, in_file) in self.columns.iter() {
            let line = format!("column {name:?} {in_file:?}\n");
            all.update(&line);
            // Outputs have all columns that tables with texts can have.
            if Kind::Outputs.documented().contains(&name) {
                texts.update(&line);
                columns += &line;
            }
        }
        for (word, outcome) in self.outcomes.iter() {
            all.update(format!("outcome {word:?} {outcome}\n"));
        }
        for (criterion, [low, high]) in &self.descriptor.ranges {
            all.update(format!("range {criterion:?} {low} {high}\n"));
        }
        if !columns.is_empty() {
            tables.push(("columns", format!("{:x}", Sha256::digest(columns))));
        }
        let [all, texts] = [all, texts].map(|hash| format!("{:x}", hash.finalize()));
        Ok(Digests { all, texts, tables })
    }

    fn find_tables(&mut self, folder: &Path) -> Result<()> {
        let entries = std::fs::read_dir(folder).map_err(Error::reading(folder))?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(Error::reading(folder))?.file_name();
            names.extend(name.into_string());
        }
        names.sort();
        for name in names {
            let Some((stem, _)) = InputTableFormat::split(&name) else {
                continue;
            };
            match Kind::ALL.into_iter().find(|kind| kind.name() == stem) {
                Some(kind) => self.add(kind, folder, &name)?,
                None if stem == PREDICTIONS => {
                    self.refuse_second(PREDICTIONS, self.predictions(), &name)?;
                    self.predictions = Some(folder.join(&name));
                }
                None => self.ignored.push(name),
            }
        }
        self.tables.sort_unstable();
        Ok(())
    }

    fn add(&mut self, kind: Kind, folder: &Path, file: &str) -> Result<()> {
        self.refuse_second(kind.name(), self.table(kind), file)?;
        let table = folder.join(file);
        refuse_pipe(&table)?;
        self.tables.push((kind, table));
        Ok(())
    }

    /// Refuses a file of a table that another file holds.
    fn refuse_second(&self, table: &str, other: Option<&Path>, file: &str) -> Result<()> {
        let Some(other) = other else { return Ok(()) };
        Err(is_twice(&self.path, table, [other, Path::new(file)]))
    }

    /// Refuses a data set of predictions without anything that they are about.
    fn refuse_predictions_alone(&self) -> Result<()> {
        let Some(predictions) = self.predictions().filter(|_| self.tables.is_empty()) else {
            return Ok(());
        };
        let what = "holds only predictions, without the outputs that they are about";
        let name = |table: &str| {
            let verdicts = Flag("verdicts");
            format!("name the data set with these outputs: tiebreak rank DATA {verdicts} {table}")
        };
        Err(
            Error::input(&self.path, what).with_hint(match &self.imported {
                Some(_) => format!(
                    "make a table of them first: tiebreak import {} {} made. Then {}",
                    path_argument(&self.path),
                    Flag("out"),
                    name("made/predictions.jsonl")
                ),
                None => name(&path_argument(predictions)),
            }),
        )
    }

    fn no_tables(&self) -> Error {
        let what = "no tables; looked for items, outputs, comparisons and judgments";
        let meant = self.ignored.iter().find_map(|file| {
            nearest(&stem(file), Kind::ALL.map(Kind::name)).map(|kind| (file, kind))
        });
        let hint = match meant {
            Some((file, kind)) => format!("is {file} meant to be `{kind}`? rename it"),
            None => format!("a table is a file like outputs.jsonl; its name ends in {EXTENSIONS}"),
        };
        Error::input(&self.path, what).with_hint(hint)
    }

    /// Checks that every renaming applies. The first record nearly always shows it; where it does
    /// not, every record of the JSON tables may still have the column.
    fn check_columns(&self) -> Result<()> {
        let mut seen: Vec<String> = Vec::new();
        for (name, in_file) in self.columns.iter() {
            if seen.is_empty() {
                seen = self.first_columns()?;
            }
            if seen.iter().any(|column| column == in_file) || self.occurs(in_file)? {
                continue;
            }
            let names = seen.iter().map(String::as_str);
            return Err(unknown_column(&self.path, (name, in_file), names));
        }
        Ok(())
    }

    fn first_columns(&self) -> Result<Vec<String>> {
        let (mut columns, mut known) = (Vec::new(), HashSet::new());
        for (_, path) in &self.tables {
            let rows = TableReader::open(path, &self.columns)?;
            let new = rows
                .columns()
                .iter()
                .filter(|name| known.insert((*name).clone()));
            columns.extend(new.cloned());
        }
        Ok(columns)
    }

    fn occurs(&self, column: &str) -> Result<bool> {
        for (_, path) in &self.tables {
            if InputTableFormat::from_path(path)? == InputTableFormat::JsonLines {
                for row in TableReader::open(path, &self.columns)? {
                    if row?.columns().iter().any(|name| name == column) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}

/// Returns the digest of a file's bytes (SHA-256, in hexadecimal).
pub(crate) fn digest(path: &Path) -> Result<String> {
    let (reading, mut hash) = (Error::reading(path), Sha256::new());
    let file = File::open(path).map_err(&reading)?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    io::copy(&mut file, &mut hash).map_err(&reading)?;
    Ok(format!("{:x}", hash.finalize()))
}

fn stem(file_name: &str) -> String {
    InputTableFormat::split(file_name)
        .map_or(file_name, |(stem, _)| stem)
        .to_string()
}

/// The error for a column of the files that no table has, under the documented name to which it is mapped.
pub(super) fn unknown_column<'a>(
    path: &Path,
    (name, in_file): (&str, &str),
    columns: impl IntoIterator<Item = &'a str> + Clone,
) -> Error {
    let what = format!("no table has a column `{in_file}`, to which `{name}` is mapped");
    Error::input(path, what).with_hint(meant(in_file, "columns are", columns))
}

/// Merges the renamings of `dataset.toml` with those of the command line, which take precedence.
pub(super) fn merged(
    described: &[(String, String)],
    given: &[(String, String)],
) -> Result<ColumnMapping> {
    let known = Kind::columns();
    if let Some((name, _)) = given
        .iter()
        .find(|(name, _)| !known.contains(&name.as_str()))
    {
        return Err(Error::unknown_name("column", name, "columns are", known));
    }
    let mut met = BTreeMap::new();
    for (name, in_file) in given {
        if let Some(earlier) = met.insert(name, in_file) {
            let what =
                format!("column `{name}` is mapped twice, to `{earlier}` and to `{in_file}`");
            return Err(Error::usage(what).with_hint(match name.as_str() {
                "references" => "leave one out, or call the columns reference_1 and reference_2",
                _ => "leave one of them out",
            }));
        }
    }
    let columns = ColumnMapping::new(described.iter().chain(given).cloned());
    match columns.mapped_twice() {
        None => Ok(columns),
        Some((in_file, one, other)) => Err(Error::usage(format!(
            "column `{in_file}` is mapped to both `{one}` and `{other}`"
        ))
        .with_hint("a column of the files is one column of the data set")),
    }
}
