//! A pipeline file: its text, so that every error can point at a line.

use crate::error::{Error, Location, Result};
use crate::experiments::spec::Grid;
use crate::stages::spec::{Pipeline, Trainings};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A pipeline with the text it was read from, so that errors can point at a line.
#[derive(Debug, Clone)]
pub struct PipelineFile<T = Pipeline> {
    /// What it asks for.
    pub pipeline: T,
    path: PathBuf,
    text: String,
}

/// What `tiebreak run` is given.
#[derive(Debug, Clone)]
pub enum Runnable {
    /// Stages on one data set.
    Pipeline(Box<PipelineFile>),
    /// Experiments on many, `[[experiment]]`.
    Grid(Box<PipelineFile<Grid>>),
    /// Trainings of preference models, `[[train]]`.
    Trainings(Box<PipelineFile<Trainings>>),
}

impl Runnable {
    /// The name of the pipeline: that of its file.
    pub fn name(&self) -> String {
        match self {
            Self::Pipeline(file) => file.name(),
            Self::Grid(file) => file.name(),
            Self::Trainings(file) => file.name(),
        }
    }

    /// Reads a file of any kind.
    ///
    /// # Errors
    /// As [`PipelineFile::read`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
        let table = text.parse::<toml::Table>().unwrap_or_default();
        if table.contains_key("experiment") {
            PipelineFile::read(path).map(|file| Self::Grid(Box::new(file)))
        } else if table.contains_key("train") {
            PipelineFile::read(path).map(|file| Self::Trainings(Box::new(file)))
        } else {
            PipelineFile::read(path).map(|file| Self::Pipeline(Box::new(file)))
        }
    }
}

impl<T: DeserializeOwned> PipelineFile<T> {
    /// Reads a pipeline file.
    ///
    /// # Errors
    /// [`Error::Pipeline`] with the line for anything that is not a pipeline; [`Error::Input`] if
    /// the file cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
        let pipeline = toml::from_str(&text).map_err(|source| {
            let at = match source.span() {
                Some(span) => Location::offset(path, &text, span.start),
                None => Location::file(path),
            };
            let error = Error::pipeline(at, source.message().trim().to_string());
            match replays_as_ranks(&text) {
                true => error.with_hint("replays of recorded comparisons are [[simulate]]"),
                false => error,
            }
        })?;
        Ok(Self {
            pipeline,
            path: path.to_path_buf(),
            text,
        })
    }
}

impl<T> PipelineFile<T> {
    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the pipeline: that of its file.
    pub fn name(&self) -> String {
        self.path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// A path that is relative to the folder of the file.
    pub fn beside(&self, path: &Path) -> PathBuf {
        self.path.with_file_name("").join(path)
    }

    /// The file as a whole.
    pub fn whole(&self) -> Location {
        Location::file(&self.path)
    }

    /// The place of a value in the file.
    pub fn place<V>(&self, value: &Spanned<V>) -> Location {
        Location::offset(&self.path, &self.text, value.span().start)
    }

    /// The same error, at the place of the value that caused it.
    pub fn at<V>(&self, value: &Spanned<V>) -> impl Fn(Error) -> Error + '_ {
        let at = self.place(value);
        move |error| {
            let hint = error.hint();
            Error::Pipeline {
                at: at.clone(),
                what: error.to_string(),
                hint,
            }
        }
    }
}

/// Whether a file has a `[[rank]]` with the keys of a replay, as it once had.
fn replays_as_ranks(text: &str) -> bool {
    let keys = [
        "bandit",
        "runs",
        "budget",
        "steps",
        "mix",
        "select",
        "audit",
        "eliminate",
        "delay",
        "model",
    ];
    let Ok(table) = text.parse::<toml::Table>() else {
        return false;
    };
    let ranks = table.get("rank").and_then(toml::Value::as_array);
    let mut ranks = ranks
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table);
    ranks.any(|rank| keys.iter().any(|key| rank.contains_key(*key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::setting::Setting;
    use crate::model_based::Measure;
    use crate::stages::spec::Select;

    fn read(text: &str) -> Result<PipelineFile> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        std::fs::write(&path, text).unwrap();
        PipelineFile::read(&path)
    }

    #[test]
    fn the_designs_example_is_understood() {
        let file = read(
            "seed = 42\ndata = \"data/x\"\n[[score]]\nmetric = \"chrf:word-order=2\"\n\
             [[simulate]]\nbandit = { name = \"rmed\", f = 0.3 }\nselect = { by = \"bald\", above = 0.025 }\n\
             eliminate = { alpha = 0.5, copeland = 0.8 }\nruns = 200\n",
        )
        .unwrap();
        let rank = &file.pipeline.simulate[0];
        assert_eq!(rank.bandit.get_ref().to_string(), "rmed:f=0.3");
        assert_eq!(
            rank.select,
            Some(Select {
                by: Measure::Bald,
                above: Setting::Value(0.025)
            })
        );
        assert_eq!(
            file.pipeline.score[0].metric.get_ref().slug(),
            "chrf_word-order-2"
        );
        assert!(
            file.place(&file.pipeline.score[0].metric)
                .to_string()
                .ends_with("p.toml:4")
        );
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error = read("data = \"x\"\n[[score]]\nmetric = \"chrf\"\nmetrik = 1\n").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("p.toml:4: unknown field `metrik`"),
            "{error}"
        );
    }
}
