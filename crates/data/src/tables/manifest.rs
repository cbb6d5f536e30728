//! `run.toml`: what a run was asked for, and where its tables lie.

use super::file::write_atomically;
use serde::{Deserialize, Serialize, Serializer};
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};

/// Its name in the folder of a run.
const FILE: &str = "run.toml";

/// `run.toml`: what was run, on what, and where each stage's table lies.
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
    /// Its digest.
    pub digest: String,
    /// What the data set holds, in words.
    pub contents: String,
    /// The command that makes the run again, without the places of this machine; empty where people
    /// answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The stages, in the order they ran.
    #[serde(default, rename = "stage")]
    pub stages: Vec<ManifestStage>,
}

/// One stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestStage {
    /// Which verb.
    pub kind: String,
    /// Its name within the run.
    pub name: String,
    /// Its table, relative to the run's folder.
    #[serde(serialize_with = "with_slashes")]
    pub path: PathBuf,
    /// What produced its numbers.
    pub signature: String,
    /// Its keys, given or not.
    #[serde(default)]
    pub settings: toml::Table,
}

/// What a campaign is called among the stages of a report: people asked on purpose.
pub const CAMPAIGN: &str = "campaign";

/// The same on every system: Windows reads both.
fn with_slashes<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&slashes(path))
}

/// A relative path as it is written to files.
pub fn slashes(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

impl Manifest {
    /// That of the run in a folder, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(FILE);
        if !is_there(&path) {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(Error::reading(&path))?;
        let read = toml::from_str(&text).map(Some);
        read.map_err(|source| Error::input(&path, source.message().to_string()))
    }

    /// What the tables of some kinds of stages hold, by the names of these.
    ///
    /// # Errors
    /// Those of `read`, which is given where a table lies.
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

    /// Writes it to the folder of the run.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let text = toml::to_string_pretty(self).map_err(Error::failed)?;
        write_atomically(&dir.join(FILE), text.as_bytes())
    }
}
