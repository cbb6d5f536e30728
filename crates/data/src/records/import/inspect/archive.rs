//! Zips of Inspect's logs: a header, one member a sample, and scores beside them.

use crate::records::import::frame::{ImportRecord, LenientValue, lenient};
use serde_json::Value;
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::limits::{CountingReader, Part, advice, excess_of};
use zip::result::ZipError;

const SAMPLES: &str = "samples/";
const REDUCTIONS: &str = "reductions.json";

/// The known members of a zip; the summaries and the journal repeat what the others hold.
const KNOWN: [&str; 5] = [
    SAMPLES,
    "header.json",
    "summaries.json",
    REDUCTIONS,
    "_journal/",
];

type Zip = zip::ZipArchive<BufReader<std::fs::File>>;

fn open(path: &Path) -> Result<Zip> {
    let mut file = BufReader::new(std::fs::File::open(path).map_err(Error::reading(path))?);
    let length = file
        .seek(std::io::SeekFrom::End(0))
        .map_err(Error::reading(path))?;
    if length == 0 {
        return Err(Error::input(path, "the file is empty"));
    }
    let unreadable = |error| match error {
        ZipError::Io(error) if excess_of(&error).is_some() => Error::reading(path)(error),
        error => Error::input(path, format!("not a readable zip (truncated?): {error}")),
    };
    // The list of members is held whole, in several times its bytes.
    let list = CountingReader::new(&mut file, Part::Names);
    zip::ZipArchive::new(list).map_err(unreadable)?;
    zip::ZipArchive::new(file).map_err(unreadable)
}

/// Returns the header of a log, and the members of its zip that no log has.
pub(super) fn header(path: &Path) -> Result<(ImportRecord, Vec<String>)> {
    let mut zip = open(path)?;
    // An unfinished log has only its start.
    let name = ["header.json", "_journal/start.json"]
        .into_iter()
        .find(|name| zip.index_for_name(name).is_some());
    let name = name.ok_or_else(|| {
        Error::input(path, "no header.json in the zip, expected a log of Inspect")
    })?;
    let (header, _) = member(path, &mut zip, name)?;
    let mut strange = members(path, &zip)?;
    strange.retain(|name| !KNOWN.iter().any(|known| name.starts_with(known)));
    Ok((header, strange))
}

/// Lists the members of a zip.
fn members(path: &Path, zip: &Zip) -> Result<Vec<String>> {
    let names = zip
        .file_names()
        .map(|name| name.map(std::borrow::Cow::into_owned));
    let names = names.collect::<Result<Vec<_>, _>>().map_err(|error| {
        Error::input(path, format!("a name in the zip cannot be read: {error}"))
    })?;
    Ok(names
        .into_iter()
        .filter(|name| !name.ends_with('/'))
        .collect())
}

/// Calls `each` for the samples of a zip; returns how many halves of surrogate pairs were replaced in them.
pub(super) fn samples(
    path: &Path,
    each: &mut dyn FnMut(ImportRecord) -> Result<()>,
) -> Result<u64> {
    let mut zip = open(path)?;
    let mut halves = 0;
    for name in members(path, &zip)?
        .iter()
        .filter(|name| name.starts_with(SAMPLES))
    {
        let (sample, replaced) = member(path, &mut zip, name)?;
        halves += replaced;
        each(sample)?;
    }
    Ok(halves)
}

/// Calls `each` for the scores that a zip keeps beside its samples, by scorer.
pub(super) fn reductions(
    path: &Path,
    each: &mut dyn FnMut(ImportRecord) -> Result<()>,
) -> Result<()> {
    let mut zip = open(path)?;
    if zip.index_for_name(REDUCTIONS).is_none() {
        return Ok(());
    }
    let (ImportRecord { value, at }, _) = member(path, &mut zip, REDUCTIONS)?;
    if let Value::Array(all) = value {
        for value in all {
            let at = at.clone();
            each(ImportRecord { value, at })?;
        }
    }
    Ok(())
}

/// Reads a member; returns the number of halves of surrogate pairs that were replaced in it too.
fn member(path: &Path, zip: &mut Zip, name: &str) -> Result<(ImportRecord, u64)> {
    let damaged = |error: &dyn std::fmt::Display| {
        Error::input(path, format!("{name} cannot be read: {error}"))
    };
    let mut bytes = Vec::new();
    let mut file = zip.by_name(name).map_err(|error| damaged(&error))?;
    let read = CountingReader::new(&mut file, Part::Row).read_to_end(&mut bytes);
    read.map_err(|error| match excess_of(&error) {
        Some(excess) => {
            Error::input(path, format!("{name}: a sample of {excess}")).with_hint(advice())
        }
        None => damaged(&error),
    })?;
    let LenientValue { value, halves } = lenient(&bytes).map_err(|error| damaged(&error))?;
    let at = Location::file(path.join(name));
    Ok((ImportRecord { value, at }, halves))
}
