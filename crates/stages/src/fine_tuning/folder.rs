//! The folder of a model in training, and then of the trained model.
//!
//! `meta.json` holds the settings that it was begun with. Until the end `checkpoint/` holds the last state that
//! was saved: `state.json` names the folders of the parameters and moments that belong to it and of
//! the best parameters so far. It is renamed into place after them, and what it does not name is
//! removed afterwards, so a kill at any moment leaves a whole state. In the end the model's own
//! files are written, `training.json` as the last of them, and `checkpoint/` goes.

use super::Training;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_data::tables::file::write_atomically;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::{json, parts};
use tiebreak_encoders::{Checkpoint, Files, descriptor::ModelDescriptor};
use tiebreak_preference::preference::training::{Trainer, TrainingProgress};

pub(super) const WEIGHTS: &str = "model.safetensors";
const MOMENTS: &str = "moments.safetensors";
const REPORT: &str = "training.json";

/// The folder of a model in training.
pub(super) struct TrainingFolder {
    path: PathBuf,
}

/// The state of a folder.
pub(super) enum TrainingStatus {
    /// No state was saved yet.
    New,
    /// A state was saved.
    Begun(Box<CheckpointState>),
    /// The training is over.
    Over(Box<Training>),
}

/// The state of a checkpoint: what belongs together in `checkpoint/`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CheckpointState {
    /// The folder of parameters and moments.
    current: String,
    /// The folder of the best parameters.
    best: Option<String>,
    /// Everything else.
    pub progress: TrainingProgress,
}

impl TrainingFolder {
    /// Begins or continues a folder.
    ///
    /// # Errors
    /// If it was begun with other settings, holds something else, or a file in it is damaged.
    pub(super) fn open(path: &Path, meta: &Meta) -> Result<(Self, TrainingStatus)> {
        parts::begin(path, meta)?;
        let folder = Self {
            path: path.to_path_buf(),
        };
        let (state, report) = (folder.state(), path.join(REPORT));
        let standing = if is_there(&state) {
            TrainingStatus::Begun(json::read(&state)?)
        } else if is_there(&report) {
            TrainingStatus::Over(json::read(&report)?)
        } else {
            TrainingStatus::New
        };
        Ok((folder, standing))
    }

    fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint")
    }

    fn state(&self) -> PathBuf {
        self.checkpoint().join("state.json")
    }

    /// Saves the state of a training; with `improved` its parameters are the best so far.
    ///
    /// # Errors
    /// If a file cannot be written; the state saved before then still stands.
    pub(super) fn save(
        &self,
        trainer: &Trainer,
        before: Option<&CheckpointState>,
        improved: bool,
    ) -> Result<CheckpointState> {
        let step = trainer.progress().step;
        let current = format!("step-{step:06}");
        if before.is_none_or(|before| before.current != current) {
            let folder = self.empty(&current)?;
            written(&folder.join(WEIGHTS), |path| trainer.model().write(path))?;
            written(&folder.join(MOMENTS), |path| trainer.write_moments(path))?;
        }
        let mut best = before.and_then(|before| before.best.clone());
        if improved {
            let name = format!("best-{step:06}");
            let folder = self.empty(&name)?;
            written(&folder.join(WEIGHTS), |path| trainer.model().write(path))?;
            best = Some(name);
        }
        let state = CheckpointState {
            current,
            best,
            progress: trainer.progress().clone(),
        };
        json::write(&self.state(), &state)?;
        self.remove_others(&state)?;
        Ok(state)
    }

    /// A folder inside `checkpoint/` without anything in it.
    fn empty(&self, name: &str) -> Result<PathBuf> {
        let path = self.checkpoint().join(name);
        if path.exists() {
            fs::remove_dir_all(&path).map_err(Error::writing(&path))?;
        }
        fs::create_dir_all(&path).map_err(Error::writing(&path))?;
        Ok(path)
    }

    fn remove_others(&self, state: &CheckpointState) -> Result<()> {
        let checkpoint = self.checkpoint();
        for entry in fs::read_dir(&checkpoint).map_err(Error::reading(&checkpoint))? {
            let path = entry.map_err(Error::reading(&checkpoint))?.path();
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            if path.is_dir() && name.as_ref() != Some(&state.current) && name != state.best {
                fs::remove_dir_all(&path).map_err(Error::writing(&path))?;
            }
        }
        Ok(())
    }

    /// The parameters and moments of a state, as a model's files, and their folder.
    pub(super) fn current(&self, state: &CheckpointState) -> (Checkpoint, PathBuf) {
        let folder = self.checkpoint().join(&state.current);
        let moments = folder.join(MOMENTS);
        let checkpoint = Checkpoint {
            name: state.current.clone(),
            files: Files::Folder(folder),
            descriptor: ModelDescriptor::default(),
        };
        (checkpoint, moments)
    }

    /// The best parameters of a state, as the bytes of a file; `None` if nothing was better than the
    /// untrained model.
    pub(super) fn best(&self, state: &CheckpointState) -> Result<Option<Vec<u8>>> {
        let read = |name: &String| {
            let path = self.checkpoint().join(name).join(WEIGHTS);
            fs::read(&path).map_err(Error::reading(&path))
        };
        state.best.as_ref().map(read).transpose()
    }

    /// The folder's own name.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The path of one of the files that stay.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes one of the files that stay.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_atomically(&self.file(name), bytes)
    }

    /// Writes the report, after which the training is over, and removes the checkpoint.
    pub(super) fn finish(&self, training: &Training) -> Result<()> {
        self.report(training)?;
        let state = self.state();
        fs::remove_file(&state).map_err(Error::writing(&state))?;
        self.clean()
    }

    /// Writes the report of a training.
    pub(super) fn report(&self, training: &Training) -> Result<()> {
        json::write(&self.file(REPORT), training)
    }

    /// Removes what a kill in the middle of [`TrainingFolder::finish`] may have left.
    pub(super) fn clean(&self) -> Result<()> {
        let checkpoint = self.checkpoint();
        match checkpoint.exists() {
            true => fs::remove_dir_all(&checkpoint).map_err(Error::writing(&checkpoint)),
            false => Ok(()),
        }
    }
}

/// Writes a file by `write` and syncs it.
fn written(path: &Path, write: impl Fn(&Path) -> Result<()>) -> Result<()> {
    write(path)?;
    // Windows syncs only a file that is open for writing.
    let file = File::options().write(true).open(path);
    let file = file.map_err(Error::writing(path))?;
    file.sync_all().map_err(Error::writing(path))
}
