//! Integrity checks of stored tables, before their contents are used.
//!
//! A table that people made has no digest, and is taken as it is.

use super::meta::{self, Meta, PARTS};
use super::parts::{self, PartState};
use super::sealed::{self, DigestStatus};
use crate::records::meta_path;
use crate::records::reader::{ColumnMapping, TableReader, parts_of, refuse_pipe};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Result, is_there};

/// Opens a table that is intact, or one that people made.
///
/// # Errors
/// As [`check`]; if it cannot be opened.
pub fn open(path: &Path) -> Result<TableReader> {
    check(path)?;
    TableReader::open(path, &ColumnMapping::default())
}

/// Checks that a table is all that was written, and unchanged.
///
/// # Errors
/// If it was changed, is damaged, or lacks parts; if it cannot be read, or only once.
pub fn check(path: &Path) -> Result<()> {
    if path.is_dir() {
        return folders(path)?
            .iter()
            .try_for_each(|(folder, parts)| folder_is_whole(folder, parts));
    }
    refuse_pipe(path)?;
    match sealed::check(path)? {
        DigestStatus::Whole => Ok(()),
        DigestStatus::Broken => Err(changed(path)),
        DigestStatus::None => match Meta::of_text_table(path)? {
            Some(meta) => text_is_whole(path, &meta),
            // The metadata name tiebreak as the writer, but the digest is missing.
            None if Meta::of_table(path)?.is_some_and(|meta| meta.is_sealed()) => {
                Err(changed(path))
            }
            None => Ok(()),
        },
    }
}

/// Returns the parts under a folder, by the folder that holds them.
fn folders(path: &Path) -> Result<BTreeMap<PathBuf, Vec<PathBuf>>> {
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for part in parts_of(path)? {
        let folder = part.parent().unwrap_or(path).to_path_buf();
        folders.entry(folder).or_default().push(part);
    }
    // Folders that were begun and have no part yet.
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    for folder in inside.map(|one| one.path()).chain([path.to_path_buf()]) {
        if is_there(&folder.join(meta::INSIDE)) {
            folders.entry(folder).or_default();
        }
    }
    Ok(folders)
}

fn folder_is_whole(folder: &Path, there: &[PathBuf]) -> Result<()> {
    let inside = folder.join(meta::INSIDE);
    if !is_there(&inside) {
        return there.iter().try_for_each(|part| check(part));
    }
    let meta = Meta::read(&inside)?;
    let number = meta.parameters.get(PARTS).map(|number| number.parse());
    if let Some(number) = number.transpose().map_err(Error::failed)? {
        let all: Vec<PathBuf> = (0..number).map(|part| parts::name(folder, part)).collect();
        if let Some(foreign) = there.iter().find(|part| !all.contains(part)) {
            return Err(Error::input(foreign, "not part of the table in its folder"));
        }
        if there.len() < all.len() {
            let what = format!(
                "{} of {} parts: the command that makes it has not finished",
                there.len(),
                all.len()
            );
            return Err(Error::input(folder, what).with_hint(format!(
                "run that command again: it makes the missing parts; with {} I/N, run it for each I",
                Flag("shard")
            )));
        }
    }
    let broken = |part: &PathBuf| match parts::state(part, &meta) {
        Ok(PartState::Whole) => None,
        Ok(PartState::Damaged) => Some(changed(part)),
        Err(error) => Some(error),
    };
    there.par_iter().find_map_first(broken).map_or(Ok(()), Err)
}

fn text_is_whole(path: &Path, meta: &Meta) -> Result<()> {
    if meta.digest.is_none() || meta.digest == Some(meta::digest(path)?) {
        return Ok(());
    }
    let what = format!(
        "not the table that {} is about: it was changed, or the command that wrote it was killed",
        meta_path(path).display()
    );
    Err(Error::input(path, what).with_hint(format!(
        "run that command again with {}; to use the table as it is, delete {}",
        Flag("force"),
        meta_path(path).display()
    )))
}

fn changed(path: &Path) -> Error {
    Error::input(path, "damaged or changed since it was written")
        .with_hint(format!(
            "run the command again that wrote it: it replaces damaged parts of a folder, and with {} a file",
            Flag("force")
        ))
}
