//! Where `--out` puts a table.

use super::format::{Compression, Format};
use crate::error::Result;
use std::path::{Path, PathBuf};

/// One file, or a folder of parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// One file; it appears when it is complete.
    File(PathBuf, Format),
    /// A folder of parts that an interrupted command continues.
    Folder(PathBuf),
}

impl Destination {
    /// A file where the extension names a format, else a folder.
    ///
    /// # Errors
    /// As [`Format::of`].
    pub fn of(path: &Path) -> Result<Self> {
        Ok(match Format::of(path)? {
            Some(format) => Self::File(path.to_path_buf(), format),
            None => Self::Folder(path.to_path_buf()),
        })
    }

    /// The path as the user gave it.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path, _) | Self::Folder(path) => path,
        }
    }

    /// A file for a table that is always whole: the one named, or in a folder the CSV file `name`.
    pub fn file(&self, name: &str) -> (PathBuf, Format) {
        match self {
            Self::File(path, format) => (path.clone(), *format),
            Self::Folder(path) => (path.join(name), Format::Csv(Compression::Plain)),
        }
    }

    /// The folder `name` inside a folder; a file stays what it is.
    #[must_use]
    pub fn inside(&self, name: &str) -> Self {
        match self {
            Self::Folder(path) => Self::Folder(path.join(name)),
            file @ Self::File(..) => file.clone(),
        }
    }
}

/// Where a table that belongs to another lies: `estimates.csv.gz` to `estimates.WHAT.csv.gz`.
pub fn beside(path: &Path, what: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = [".gz", ".zst"]
        .into_iter()
        .find(|ending| name.ends_with(ending));
    let packed = packed.unwrap_or_default();
    let bare = name.strip_suffix(packed).unwrap_or(&name);
    let (stem, ending) = bare.rsplit_once('.').unwrap_or((bare, "csv"));
    path.with_file_name(format!("{stem}.{what}.{ending}{packed}"))
}
