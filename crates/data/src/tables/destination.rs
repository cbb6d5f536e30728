//! The destination of a table: the argument of `--out`.

use super::format::{Compression, OutputTableFormat};
use crate::records::reader::EXTENSIONS;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};

/// A file, or a folder of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A single file; it appears when it is complete.
    File(PathBuf, OutputTableFormat),
    /// A folder of parts that an interrupted command continues.
    Folder(PathBuf),
}

impl Destination {
    /// Chooses a file where the extension names a format, else a folder.
    ///
    /// # Errors
    /// For a new name with an extension that names none; as [`OutputTableFormat::from_path`].
    pub fn from_path(path: &Path) -> Result<Self> {
        if let Some(format) = OutputTableFormat::from_path(path)? {
            return Ok(Self::File(path.to_path_buf(), format));
        }
        match extension(path).filter(|_| !path.is_dir()) {
            None => Ok(Self::Folder(path.to_path_buf())),
            Some(other) => {
                let what = format!("{}: no table is written as {other}", path.display());
                Err(Error::usage(what).with_hint(format!(
                    "a table's name ends in {EXTENSIONS}; a folder of parts has no such ending, or a slash after it"
                )))
            }
        }
    }

    /// Returns the file of a table that is always whole: the one named, or in a folder the CSV file `name`.
    pub fn file(&self, name: &str) -> (PathBuf, OutputTableFormat) {
        match self {
            Self::File(path, format) => (path.clone(), *format),
            Self::Folder(path) => (path.join(name), OutputTableFormat::Csv(Compression::Plain)),
        }
    }

    /// Returns the folder `name` inside a folder; a file stays what it is.
    #[must_use]
    pub fn inside(&self, name: &str) -> Self {
        match self {
            Self::Folder(path) => Self::Folder(path.join(name)),
            file @ Self::File(..) => file.clone(),
        }
    }
}

/// Returns the apparent extension of a file name: `json` of `scores.json`; none of `v1.2` or `scores.json/`.
fn extension(path: &Path) -> Option<&str> {
    let whole = path.to_str()?;
    let extension = path.extension()?.to_str()?;
    let is_letter = |c: char| c.is_ascii_alphabetic();
    (!whole.ends_with(std::path::is_separator) && extension.starts_with(is_letter))
        .then_some(extension)
}

/// Returns the path of a table that accompanies another: `estimates.csv.gz` to `estimates.WHAT.csv.gz`.
pub fn companion_path(path: &Path, what: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = [".gz", ".zst"]
        .into_iter()
        .find(|ending| name.ends_with(ending));
    let packed = packed.unwrap_or_default();
    let bare = name.strip_suffix(packed).unwrap_or(&name);
    let (stem, ending) = bare.rsplit_once('.').unwrap_or((bare, "csv"));
    path.with_file_name(format!("{stem}.{what}.{ending}{packed}"))
}
