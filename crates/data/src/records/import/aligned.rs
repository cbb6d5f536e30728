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

/// The encoding of text files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextEncoding {
    /// UTF-8, and so ASCII.
    #[default]
    Utf8,
    /// Latin-1: a byte is a code point.
    Latin1,
}

impl TextEncoding {
    /// The encoding of a name, as Python spells it.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        Some(match name.as_str() {
            "utf-8" | "utf8" | "utf-8-sig" | "ascii" | "us-ascii" => Self::Utf8,
            "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" => Self::Latin1,
            _ => return None,
        })
    }
}

/// The files to read. Each may end in `.gz` or `.zst`.
#[derive(Debug, Clone, Default)]
pub struct AlignedFilePaths {
    /// The inputs of the systems.
    pub source: Option<PathBuf>,
    /// One file for every reference.
    pub references: Vec<PathBuf>,
    /// A name and a file for every system.
    pub systems: Vec<(String, PathBuf)>,
    /// How many references a line of the file of references has, with tabs between; 0 and 1 are one.
    pub references_per_line: usize,
    /// The encoding of all of them.
    pub encoding: TextEncoding,
}

impl AlignedFilePaths {
    /// Makes a data set of line-aligned files in the folder `out`. Items are numbered from 1.
    ///
    /// # Errors
    /// If there is no system, a system is named twice or not at all, a file is missing or not UTF-8,
    /// the files differ in their number of lines, or `out` holds something else.
    pub fn import(&self, out: &Path) -> Result<ImportSummary> {
        check_names(self.systems.iter().map(|(name, _)| name.as_str()))?;
        let references = self.references.iter().map(|path| ("reference", &**path));
        let systems = self.systems.iter().map(|(name, path)| (&**name, &**path));
        let source = self.source.iter().map(|path| ("source", &**path));
        let columns = source.chain(references).chain(systems);
        let mut columns: Vec<AlignedLineReader> = columns
            .map(|column| AlignedLineReader::open(column, self.encoding))
            .collect::<Result<_>>()?;
        let (has_source, references) = (self.source.is_some(), self.references.len());
        if self.references_per_line > 1 && references != 1 {
            let what =
                format!("several references on a line, and {references} files of references");
            return Err(Error::usage(what).with_hint("name one file of references"));
        }
        let mut writer = DatasetWriter::create(out)?;
        let mut items = 0;
        while next_lines(&mut columns)? {
            items += 1;
            let item = items.to_string();
            let (context, outputs) = columns.split_at(usize::from(has_source) + references);
            let (source, references) = context.split_at(usize::from(has_source));
            let source = source.first().map(|column| column.text.as_str());
            let references = match self.references_per_line {
                0 | 1 => references.iter().map(|c| c.text.clone()).collect(),
                several => references[0].fields(several)?,
            };
            writer.push(&ItemRow {
                item: &item,
                source,
                references: &references,
                more: None,
            })?;
            for column in outputs {
                writer.push(&OutputRow {
                    item: &item,
                    system: &column.name,
                    output: &column.text,
                    more: None,
                })?;
            }
        }
        if items == 0 {
            return Err(empty(&self.systems[0].1));
        }
        let taken = columns.iter().map(AlignedLineReader::taken).collect();
        writer.finish(&format!("{FORMAT}, by tiebreak import"))?;
        Ok(ImportSummary {
            format: FORMAT.to_string(),
            items,
            outputs: items * self.systems.len() as u64,
            systems: self.systems.iter().map(|(name, _)| name.clone()).collect(),
            source: has_source,
            references: references.max(self.references_per_line),
            taken,
            ..ImportSummary::default()
        })
    }
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
    encoding: TextEncoding,
    bytes: Vec<u8>,
    pub text: String,
}

impl AlignedLineReader {
    pub(super) fn open((name, path): (&str, &Path), encoding: TextEncoding) -> Result<Self> {
        Ok(Self {
            name: name.to_string(),
            lines: TextLines::open(path)?,
            encoding,
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
        match self.encoding {
            TextEncoding::Utf8 => self.text.push_str(text(line, &at)?),
            TextEncoding::Latin1 => self.text.extend(line.iter().copied().map(char::from)),
        }
        Ok(true)
    }

    /// The parts of the current line with tabs between; the last may have tabs.
    fn fields(&self, count: usize) -> Result<Vec<String>> {
        let fields: Vec<String> = self.text.splitn(count, '\t').map(str::to_string).collect();
        if fields.len() < count {
            let what = format!("{} texts with tabs between, expected {count}", fields.len());
            let at = Location::line(self.lines.path(), self.lines.number());
            return Err(Error::record(at, what));
        }
        Ok(fields)
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
