//! Output formats, by the extension of the file name.

use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// The format of a table in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputTableFormat {
    /// One JSON object a line.
    Jsonl(Compression),
    /// Comma-separated values.
    Csv(Compression),
    /// Tab-separated values.
    Tsv(Compression),
    /// Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

/// The compression of a text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

impl OutputTableFormat {
    /// Returns the format that a path's extension names; `None` where it names none (then it is a folder).
    ///
    /// # Errors
    /// For a compressed Parquet or Arrow file: they compress inside.
    pub fn from_path(path: &Path) -> Result<Option<Self>> {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            _ => (name.as_str(), Compression::Plain),
        };
        let format = match stem.rsplit_once('.').map(|(_, extension)| extension) {
            Some("jsonl" | "ndjson") => Self::Jsonl(compression),
            Some("csv") => Self::Csv(compression),
            Some("tsv") => Self::Tsv(compression),
            Some("parquet") => Self::Parquet,
            Some("arrow" | "feather") => Self::Arrow,
            _ => return Ok(None),
        };
        if compression != Compression::Plain && !format.is_text() {
            return Err(Error::usage(format!(
                "{}: Parquet and Arrow files are compressed inside, not around",
                path.display()
            ))
            .with_hint("leave the last extension out"));
        }
        Ok(Some(format))
    }

    /// Whether the format has lines and no room for metadata of its own.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Jsonl(_) | Self::Csv(_) | Self::Tsv(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        let of = |name: &str| OutputTableFormat::from_path(Path::new(name)).unwrap();
        assert_eq!(
            of("a/scores.csv"),
            Some(OutputTableFormat::Csv(Compression::Plain))
        );
        assert_eq!(
            of("scores.JSONL.gz"),
            Some(OutputTableFormat::Jsonl(Compression::Gzip))
        );
        assert_eq!(of("scores.feather"), Some(OutputTableFormat::Arrow));
        assert_eq!(of("out/scores"), None);
        assert_eq!(of("out/v1.2"), None);
        assert!(OutputTableFormat::from_path(Path::new("x.parquet.gz")).is_err());
    }
}
