//! JSON documents: results that are written whole or not at all, and read only as they were written.

use super::file::write_atomically;
use super::sealed_text;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::limits::{Part, file_text};

/// Returns the text of a document as it is printed: readable, with a line end.
///
/// # Errors
/// If it has no form in JSON.
pub fn text(document: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(document).map_err(Error::failed)? + "\n")
}

/// Returns the text of a document as it is stored: with a digest of itself at its end.
///
/// # Errors
/// If it has no form in JSON.
pub fn stored_text(document: &impl Serialize) -> Result<String> {
    Ok(sealed_text::seal_json(&text(document)?))
}

/// Writes a document.
///
/// # Errors
/// If that fails.
pub fn write(path: &Path, document: &impl Serialize) -> Result<()> {
    write_atomically(path, stored_text(document)?.as_bytes())
}

/// Writes a document that is a result: it never replaces another file.
///
/// # Errors
/// If something else is already there; if writing fails.
pub fn write_result(path: &Path, document: &impl Serialize) -> Result<()> {
    super::file::write_result(path, stored_text(document)?.as_bytes())
}

/// Reads a document.
///
/// # Errors
/// If it is missing, was changed, or is of another form.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = printed_text(path)?;
    serde_json::from_str(&text).map_err(|source| Error::input(path, format!("broken: {source}")))
}

/// Reads a document's text as it was printed, without the digest.
///
/// # Errors
/// If it is missing or was changed.
pub fn printed_text(path: &Path) -> Result<String> {
    let text = file_text(path, Part::Batch).map_err(Error::reading(path))?;
    sealed_text::open_json(path, &text)
}

/// Reads an optional document, which is not written when it would be empty: `None`, or an empty list.
///
/// # Errors
/// If it was changed or is of another form.
pub fn read_if_there<T: DeserializeOwned + Default>(path: &Path) -> Result<T> {
    match is_there(path) {
        true => read(path),
        false => Ok(T::default()),
    }
}
