//! What every table beside a data set needs: its metadata, errors at its rows.

use crate::error::{Error, Result};
use crate::records::reader::{Row, Rows};
use crate::tables::Meta;
use std::collections::BTreeMap;
use std::path::Path;

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
    let beside = Meta::read_beside(path)?;
    Ok(beside.map_or_else(|| rows.metadata().clone(), |meta| meta.fields()))
}
