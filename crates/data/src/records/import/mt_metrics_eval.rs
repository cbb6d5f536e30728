//! A test set of mt-metrics-eval: sources, references and outputs as aligned lines, and human scores.
//!
//! Every line counts, also an empty one, and only a line feed ends one. References are systems too, where they lie
//! among the outputs. Where a line has a domain and a document, these are columns of its item.

use super::aligned::{AlignedLineReader, TextEncoding, next_lines, text};
use super::frame::{
    DatasetBuilder, ExtraFields, ImportFile, ImportFiles, ImportFormat, JudgmentRow, decimal,
};
use crate::records::reader::bytes::{TextLines, empty, trim_break};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result};

/// The format of a test set.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "mt-metrics-eval",
    summary: "mt-metrics-eval test set",
    picks: &[],
    matching_files,
    read,
};

/// Returns the names of a file's folder, and of the one above.
fn folders(file: &ImportFile) -> [Option<&str>; 2] {
    let mut above = file
        .path
        .ancestors()
        .skip(1)
        .map(|folder| folder.file_name().and_then(|name| name.to_str()));
    [above.next().flatten(), above.next().flatten()]
}

fn in_folder(file: &ImportFile, folder: &str) -> bool {
    folders(file)[0] == Some(folder)
}

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    let sources = files.that(|file| in_folder(file, "sources") && file.extension() == Some("txt"));
    let outputs = files
        .all
        .iter()
        .any(|file| folders(file)[1] == Some("system-outputs"));
    if outputs { sources } else { Vec::new() }
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    builder.taken("item: language pair and line; system: file in system-outputs; criteria: human-scores of segments");
    let mut roots: Vec<PathBuf> = found.iter().filter_map(|file| root(file)).collect();
    roots.dedup();
    if let [one, other, ..] = &roots[..] {
        let what = format!("two test sets: {} and {}", one.display(), other.display());
        return Err(Error::input(one, what).with_hint("import one at a time"));
    }
    let documents =
        files.that(|file| in_folder(file, "documents") && file.extension() == Some("docs"));
    if !documents.is_empty() {
        builder.taken("domain, document: documents");
    }
    for source in found {
        let pair = source.stem();
        let documents = documents.iter().find(|file| file.stem() == pair).copied();
        let lines = texts((source, documents), pair, files, builder)?;
        let scores = files.that(|file| {
            in_folder(file, "human-scores") && file.name().starts_with(&format!("{pair}."))
        });
        for file in scores {
            human(file, pair, lines, builder)?;
        }
    }
    for file in files.that(|file| file.path.iter().any(|part| part == "metric-scores")) {
        file.leave_out("scores of metrics are not judgments");
    }
    Ok(())
}

fn root(file: &ImportFile) -> Option<PathBuf> {
    file.path
        .parent()
        .and_then(Path::parent)
        .map(Path::to_path_buf)
}

/// Reads the texts of a language pair, and its documents where there are any; returns the number of lines.
fn texts(
    (source, documents): (&ImportFile, Option<&ImportFile>),
    pair: &str,
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<u64> {
    let references = files.that(|file| {
        let named = file.name().starts_with(&format!("{pair}.")) && file.extension() == Some("txt");
        in_folder(file, "references") && named
    });
    let outputs = files.that(|file| {
        let [folder, above] = folders(file);
        above == Some("system-outputs") && folder == Some(pair) && file.extension() == Some("txt")
    });
    let open =
        |file: &&ImportFile| AlignedLineReader::open((file.stem(), file.raw()), TextEncoding::Utf8);
    let mut columns = vec![open(&source)?];
    for file in documents.iter().chain(&references).chain(&outputs) {
        columns.push(open(file)?);
    }
    let mut line = 0;
    while next_lines(&mut columns)? {
        line += 1;
        let item = format!("{pair}/{line}");
        let (context, texts) = columns.split_at(1 + usize::from(documents.is_some()));
        let (references, systems) = texts.split_at(references.len());
        let references: Vec<String> = references
            .iter()
            .map(|column| column.text.clone())
            .collect();
        let more = match documents {
            Some(file) => document(&context[1].text, Location::line(&file.path, line))?,
            None => ExtraFields::new(),
        };
        builder.item_with(&item, Some(&context[0].text), &references, Some(&more))?;
        let record = super::frame::ImportRecord {
            value: serde_json::Value::Null,
            at: Location::line(&source.path, line),
        };
        for system in systems {
            builder.output(&item, &system.name, Some(&system.text), record.node())?;
        }
    }
    Ok(line)
}

/// Reads the domain and the document of an item.
fn document(line: &str, at: Location) -> Result<ExtraFields> {
    let Some((domain, document)) = line.trim().split_once(char::is_whitespace) else {
        let what = format!("`{line}`, expected a domain and a document with a blank between");
        return Err(Error::record(at, what));
    };
    let columns = [("domain", domain), ("document", document.trim_start())];
    let columns = columns.map(|(name, value)| (name.to_string(), value.into()));
    Ok(ExtraFields::from_iter(columns))
}

/// Reads the human scores: blocks of lines, one a system, each with a line an item.
fn human(
    file: &ImportFile,
    pair: &str,
    items: u64,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let name = file
        .name()
        .strip_prefix(&format!("{pair}."))
        .unwrap_or_default();
    let Some(criterion) = name.strip_suffix(".seg.score") else {
        return above(file, builder);
    };
    let mut lines = TextLines::open(file.raw())?;
    let mut rows: BTreeMap<String, u64> = BTreeMap::new();
    let mut buffer = Vec::new();
    while lines.append(&mut buffer)? {
        let at = Location::line(&file.path, lines.number());
        let line = text(trim_break(&buffer), &at)?.to_string();
        buffer.clear();
        let (system, score) = line.rsplit_once(['\t', ' ']).ok_or_else(|| {
            Error::record(
                at.clone(),
                "no score; expected a system, a tab and a number or None",
            )
        })?;
        let system = system.trim_end();
        let row = rows.entry(system.to_string()).or_default();
        *row += 1;
        if *row > items {
            let what = format!("line {row} of system `{system}`, but there are {items} items");
            return Err(Error::record(at, what));
        }
        if score == "None" {
            builder.no_score(system, criterion, "no score (None)");
            continue;
        }
        let score = decimal(score).ok_or_else(|| {
            Error::record(
                at.clone(),
                format!("score is {score}, expected a number or None"),
            )
        })?;
        let item = format!("{pair}/{row}");
        builder.judgment(&JudgmentRow {
            item: &item,
            system,
            criterion,
            score,
            at: Some(&at),
            ..JudgmentRow::default()
        })?;
    }
    match rows.iter().find(|(_, rows)| **rows < items) {
        None if rows.is_empty() => Err(empty(&file.path)),
        None => Ok(()),
        Some((system, rows)) => {
            let what = format!(
                "{rows} scores of system `{system}`, but there are {items} items (truncated?)"
            );
            Err(Error::input(&file.path, what))
        }
    }
}

/// Counts the scores of units larger than a segment.
fn above(file: &ImportFile, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    if file.extension() != Some("score") {
        return Ok(());
    }
    let mut lines = TextLines::open(file.raw())?;
    let mut buffer = Vec::new();
    while lines.append(&mut buffer)? {
        buffer.clear();
    }
    if lines.number() == 0 {
        return Err(empty(&file.path));
    }
    builder.drop_many("a score above segment level", lines.number());
    Ok(())
}
