//! Tables, data sets, their index, import and check.

mod check;
mod damaged;
mod data;
mod folders;
mod formats;
mod forms;
mod import;
mod index;
mod left_out;
mod made;
mod misread;
mod mistakes;
mod nothing_lost;
mod varied;

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tiebreak::error::Result;
use tiebreak::records::{ColumnMapping, Dataset, Group, Index, Row, TableReader};

/// A folder for one test, removed afterwards.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn index(&self) -> Result<Index> {
        Index::build(&Dataset::open(self.path(), &[])?)
    }

    /// The message and hint that indexing the folder ends with, paths relative to it.
    fn mistake(&self) -> (String, String) {
        let error = self.index().err().expect("a mistake");
        assert_eq!(error.exit_code(), 2, "{error}");
        self.told(&error)
    }

    fn told(&self, error: &tiebreak::Error) -> (String, String) {
        let folder = self.path().display().to_string();
        let plain = |text: String| {
            text.replace(&format!("{folder}/"), "")
                .replace(&folder, "DIR")
        };
        (
            plain(error.to_string()),
            plain(error.hint().unwrap_or_default()),
        )
    }

    /// The message and hint that reading one file ends with.
    fn misread(&self, name: &str) -> (String, String) {
        let rows = TableReader::open(&self.path().join(name), &ColumnMapping::default());
        let error = rows.and_then(Iterator::collect::<Result<Vec<Row>>>).err();
        let error = error.expect("a mistake");
        assert_eq!(error.exit_code(), 2, "{error}");
        self.told(&error)
    }
}

/// All rows of a file.
fn rows(path: &Path) -> Vec<Row> {
    let rows = TableReader::open(path, &ColumnMapping::default()).unwrap();
    rows.collect::<Result<_>>().unwrap()
}

fn groups(index: &Index) -> Vec<Group> {
    index.all().collect::<Result<_>>().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(bytes, 0).unwrap()
}
