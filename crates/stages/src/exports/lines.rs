//! A file of JSON lines that appears whole.

use crate::inputs::source::digest;
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Result};

/// A file of lines in the making.
pub(super) struct LineFileWriter {
    path: PathBuf,
    file: BufWriter<Draft>,
    rows: u64,
}

impl LineFileWriter {
    pub(super) fn create(path: &Path) -> Result<Self> {
        Ok(Self {
            path: path.to_path_buf(),
            file: BufWriter::new(Draft::create(path)?.digested()),
            rows: 0,
        })
    }

    /// Appends a record of JSON.
    pub(super) fn push(&mut self, record: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(record).map_err(Error::failed)?;
        self.line(&text)
    }

    /// Appends a line.
    pub(super) fn line(&mut self, line: &str) -> Result<()> {
        self.rows += 1;
        let written = self
            .file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.write_all(b"\n"));
        written.map_err(Error::writing(&self.path))
    }

    /// Gives the file its name, unless something else has it; returns the name and how many lines there are.
    ///
    /// # Errors
    /// If something else is there, or writing fails.
    pub(super) fn finish(self) -> Result<(String, u64)> {
        let Self { path, file, rows } = self;
        let draft = file
            .into_inner()
            .map_err(|error| Error::writing(&path)(error.into_error()))?;
        let there = path.exists().then(|| digest(&path)).transpose()?;
        let made = draft.digest().map(|digest| format!("sha256:{digest}"));
        if there.is_some() && there != made {
            return Err(Error::occupied(&path, "with other content"));
        }
        draft.finish()?;
        Ok((path.display().to_string(), rows))
    }
}
