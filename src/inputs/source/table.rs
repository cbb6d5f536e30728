//! What every table beside a data set needs: its metadata, its digest, errors at its rows.

use crate::error::{Error, Result};
use crate::records::reader::{Row, Rows};
use crate::tables::meta::{self, Meta};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// An error at a row, where a lookup by name failed.
pub(super) fn at(row: &Row, error: &Error) -> Error {
    let located = row.error(error.to_string());
    match error.hint() {
        Some(hint) => located.with_hint(hint),
        None => located,
    }
}

/// What a table says of itself: in its schema, or in the `.meta.json` beside a text form.
pub(super) fn metadata(path: &Path, rows: &Rows) -> Result<BTreeMap<String, String>> {
    let beside = meta::beside(path);
    match beside.exists() {
        true => Ok(Meta::read(&beside)?.fields()),
        false => Ok(rows.metadata().clone()),
    }
}

/// The digest of a file, or of a folder's parts in order.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn digest(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files(path)? {
        let mut file = File::open(&file).map_err(Error::reading(&file))?;
        io::copy(&mut file, &mut hash).map_err(Error::reading(path))?;
    }
    Ok(format!("sha256:{:x}", hash.finalize()))
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::reading(path))? {
        inside.push(entry.map_err(Error::reading(path))?.path());
    }
    inside.sort();
    let nested: Vec<Vec<PathBuf>> = inside
        .iter()
        .map(|path| files(path))
        .collect::<Result<_>>()?;
    Ok(nested.concat())
}
