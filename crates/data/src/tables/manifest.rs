//! `run.toml`: the request of a run, and the paths of its tables.

use super::file::write_atomically;
use super::sealed_text;
use serde::{Deserialize, Serialize, Serializer};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::limits::{Part, file_text};

/// The file name in the folder of a run.
const FILE: &str = "run.toml";

/// The contents of `run.toml`: the request, the data, and the table of each stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of tiebreak.
    pub tiebreak: String,
    /// The pipeline's name.
    pub name: String,
    /// The seed.
    pub seed: u64,
    /// The data set's name.
    pub data: String,
    /// The digest of the data set.
    pub digest: String,
    /// The contents of the data set, in words.
    pub contents: String,
    /// The command that repeats the run, without paths of this machine; empty where people
    /// answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// What the command needs beside: where to run it, and whole paths; empty where it works from where it was given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What changed while people answered, a sentence or two each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The next step of a campaign of ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanStep>,
    /// The stages, in the order they ran.
    #[serde(default, rename = "stage")]
    pub stages: Vec<ManifestStage>,
}

/// The next step of a campaign of ratings, which can ask only about the outputs of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The step, in sentences.
    pub next: String,
    /// Whether nothing that is wanted is left of the plan: then estimates say what more would take.
    pub is_done: bool,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestStage {
    /// The verb.
    pub kind: String,
    /// The name within the run.
    pub name: String,
    /// The table, relative to the run's folder.
    #[serde(serialize_with = "with_slashes")]
    pub path: PathBuf,
    /// The signature of the numbers: what produced them.
    pub signature: String,
    /// The keys, given or default.
    #[serde(default)]
    pub settings: toml::Table,
}

/// The kind of a campaign among the stages of a report.
pub const CAMPAIGN: &str = "campaign";

/// Serializes a path with slashes on every system; Windows reads both separators.
fn with_slashes<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&slashes(path))
}

/// Returns a relative path as it is written to files, with slashes.
pub fn slashes(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

impl Manifest {
    /// Reads the manifest of the run in a folder, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, or was changed.
    pub fn read(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(FILE);
        if !is_there(&path) {
            return Ok(None);
        }
        let text = file_text(&path, Part::Row).map_err(Error::reading(&path))?;
        sealed_text::check_toml(&path, &text)?;
        let read = toml::from_str(&text).map(Some);
        read.map_err(|source| Error::input(&path, source.message().to_string()))
    }

    /// Reads the tables of all stages of some kinds; returns each with the name of its stage.
    ///
    /// # Errors
    /// Those of `read`, which gets the path of the table.
    pub fn read_each<T>(
        &self,
        dir: &Path,
        kinds: &[&str],
        read: impl Fn(&Path, &ManifestStage) -> Result<T>,
    ) -> Result<Vec<(String, T)>> {
        let stages = self
            .stages
            .iter()
            .filter(|one| kinds.contains(&one.kind.as_str()));
        let read =
            |stage: &ManifestStage| Ok((stage.name.clone(), read(&dir.join(&stage.path), stage)?));
        stages.map(read).collect()
    }

    /// Writes the manifest to the folder of the run.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let text = toml::to_string_pretty(self).map_err(Error::failed)?;
        write_atomically(&dir.join(FILE), sealed_text::seal_toml(&text).as_bytes())
    }
}
