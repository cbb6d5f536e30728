//! Line-aligned text files, as sacrebleu takes them: line n of every file belongs to item n.
//!
//! Lines end with a line feed, with or without a carriage return before it; nothing else is
//! trimmed. An empty line is an empty output.

use super::frame::{DatasetWriter, ImportSummary, ItemRow, OutputRow};
use crate::records::reader::bytes::{TextLines, empty, trim_break};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Location, Result};

/// The name of the format.
const FORMAT: &str = "line-aligned text files";

/// The files to read. Each may end in `.gz` or `.zst`.
#[derive(Debug, Clone, Default)]
pub struct AlignedFilePaths {
    /// The inputs of the systems.
    pub source: Option<PathBuf>,
    /// One file for every reference.
    pub references: Vec<PathBuf>,
    /// A name and a file for every system.
    pub systems: Vec<(String, PathBuf)>,
}

/// Makes a data set of line-aligned files in the folder `out`. Items are numbered from 1.
///
/// # Errors
/// If there is no system, a system is named twice or not at all, a file is missing or not UTF-8,
/// the files differ in their number of lines, or `out` holds something else.
pub fn aligned(files: &AlignedFilePaths, out: &Path) -> Result<ImportSummary> {
    check_names(files.systems.iter().map(|(name, _)| name.as_str()))?;
    let references = files.references.iter().map(|path| ("reference", &**path));
    let systems = files.systems.iter().map(|(name, path)| (&**name, &**path));
    let source = files.source.iter().map(|path| ("source", &**path));
    let columns = source.chain(references).chain(systems);
    let mut columns: Vec<AlignedLineReader> = columns
        .map(AlignedLineReader::open)
        .collect::<Result<_>>()?;
    let (has_source, references) = (files.source.is_some(), files.references.len());
    let mut writer = DatasetWriter::create(out)?;
    let mut items = 0;
    while next_lines(&mut columns)? {
        items += 1;
        let item = items.to_string();
        let (context, outputs) = columns.split_at(usize::from(has_source) + references);
        let (source, references) = context.split_at(usize::from(has_source));
        let source = source.first().map(|column| column.text.as_str());
        let references: Vec<String> = references.iter().map(|c| c.text.clone()).collect();
        writer.push(&ItemRow {
            item: &item,
            source,
            references: &references,
        })?;
        for column in outputs {
            writer.push(&OutputRow {
                item: &item,
                system: &column.name,
                output: &column.text,
            })?;
        }
    }
    if items == 0 {
        return Err(empty(&files.systems[0].1));
    }
    let taken = columns.iter().map(AlignedLineReader::taken).collect();
    writer.finish(&format!("{FORMAT}, by tiebreak import"))?;
    Ok(ImportSummary {
        format: FORMAT.to_string(),
        items,
        outputs: items * files.systems.len() as u64,
        systems: files.systems.iter().map(|(name, _)| name.clone()).collect(),
        source: has_source,
        references,
        taken,
        ..ImportSummary::default()
    })
}

/// Checks that every system has a name of its own.
pub(super) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if name.is_empty() {
            return Err(Error::usage("a system without a name")
                .with_hint(format!("name it: {} NAME=FILE", Flag("system"))));
        }
        if known.contains(&name) {
            return Err(Error::usage(format!("two systems are called `{name}`")));
        }
        known.push(name);
    }
    if known.is_empty() {
        return Err(Error::usage("no systems")
            .with_hint(format!("name them: {} NAME=FILE", Flag("system"))));
    }
    Ok(())
}

/// A reader of one of the files, and its current line.
pub(super) struct AlignedLineReader {
    pub name: String,
    lines: TextLines,
    bytes: Vec<u8>,
    pub text: String,
}

impl AlignedLineReader {
    /// # Errors
    /// If the file cannot be opened.
    pub(super) fn open((name, path): (&str, &Path)) -> Result<Self> {
        Ok(Self {
            name: name.to_string(),
            lines: TextLines::open(path)?,
            bytes: Vec::new(),
            text: String::new(),
        })
    }

    /// Advances to the next line; false at the end.
    fn advance(&mut self) -> Result<bool> {
        self.bytes.clear();
        if !self.lines.append(&mut self.bytes)? {
            return Ok(false);
        }
        let line = trim_break(&self.bytes);
        self.text.clear();
        let at = Location::line(self.lines.path(), self.lines.number());
        self.text.push_str(text(line, &at)?);
        Ok(true)
    }

    fn taken(&self) -> String {
        format!("{}: {}", self.name, self.lines.path().display())
    }
}

/// Decodes a line as text.
///
/// # Errors
/// If it is not UTF-8, as where a disk lost data, or the file has another encoding.
pub(super) fn text<'a>(line: &'a [u8], at: &Location) -> Result<&'a str> {
    if let Some(place) = line.iter().position(|&byte| byte == 0) {
        let what = format!("a NUL at byte {}, expected text", place + 1);
        return Err(Error::record(at.clone(), what));
    }
    std::str::from_utf8(line).map_err(|error| Error::not_utf8_at(at.clone(), error))
}

/// Advances to the next line in every file; false when all have ended.
pub(super) fn next_lines(columns: &mut [AlignedLineReader]) -> Result<bool> {
    let mut more = Vec::with_capacity(columns.len());
    for column in columns.iter_mut() {
        more.push(column.advance()?);
    }
    match (more.contains(&true), more.contains(&false)) {
        (more, false) => Ok(more),
        (false, true) => Ok(false),
        (true, true) => Err(uneven(columns, &more)?),
    }
}

/// The error for files of different lengths: the first that has ended against the first that has
/// not, which is read to its end to tell how long it is.
fn uneven(columns: &mut [AlignedLineReader], more: &[bool]) -> Result<Error> {
    let ended = more.iter().position(|&more| !more).unwrap_or(0);
    let longer = more.iter().position(|&more| more).unwrap_or(0);
    while columns[longer].advance()? {}
    let lines = |column: &AlignedLineReader| column.lines.number();
    let (short, long) = (&columns[ended], &columns[longer]);
    let what = format!(
        "{} lines, but {} has {}: {} ends after line {}",
        lines(short),
        long.lines.path().display(),
        lines(long),
        short.name,
        lines(short),
    );
    Ok(Error::input(short.lines.path(), what)
        .with_hint("line n of every file must belong to the same item"))
}
