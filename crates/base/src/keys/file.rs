//! A file of one struct, with its text, so that every error can point at a line.

use crate::error::{Error, Location, Result, text_of};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A pipeline with the text it was read from, so that errors can point at a line.
#[derive(Debug, Clone)]
pub struct PipelineFile<T> {
    /// The keys of the file.
    pub pipeline: T,
    path: PathBuf,
    text: String,
}

impl<T: DeserializeOwned> PipelineFile<T> {
    /// Reads a pipeline file.
    ///
    /// # Errors
    /// [`Error::Pipeline`] with the line for anything that is not a pipeline; [`Error::Input`] if
    /// the file cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        let pipeline = toml::from_str(&text).map_err(|source| {
            let (at, start) = match source.span() {
                Some(span) => (Location::offset(path, &text, span.start), span.start),
                None => (Location::file(path), 0),
            };
            Error::pipeline(at, source.message().trim().to_string()).in_toml(&text, start)
        })?;
        Ok(Self {
            pipeline,
            path: path.to_path_buf(),
            text,
        })
    }
}

impl<T> PipelineFile<T> {
    /// The name of the pipeline, after its file.
    pub fn name(&self) -> String {
        self.path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// Resolves a path relative to the folder of the file.
    pub fn resolve_path(&self, path: &Path) -> PathBuf {
        self.path.with_file_name("").join(path)
    }

    /// The location of a value in the file.
    pub fn location_of<V>(&self, value: &Spanned<V>) -> Location {
        Location::offset(&self.path, &self.text, value.span().start)
    }

    /// For `map_err`: moves an error to the value that caused it.
    pub fn at<V>(&self, value: &Spanned<V>) -> impl Fn(Error) -> Error + '_ {
        let at = self.location_of(value);
        move |error| Error::pipeline(at.clone(), error.message()).with_hint_of(&error)
    }
}
