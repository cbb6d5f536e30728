//! What a live run was begun with, so that it goes on by the name of its folder alone.
//!
//! It is a pipeline with one ranking, `rank.toml` in the run's folder. Paths in it are relative to
//! that folder where they can be.

use super::super::models::named;
use super::super::prepare::Prepared;
use crate::error::{Error, Result};
use crate::pipeline::file::PipelineFile;
use crate::pipeline::spec::{Feedback, Pipeline, Rank};
use crate::rng::Seed;
use crate::tables::file::write_atomically;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use toml::Spanned;

const FILE: &str = "rank.toml";

/// What a live run was begun with. Paths are as they are from here.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) data: PathBuf,
    pub(super) columns: Vec<(String, String)>,
    pub(super) seed: Seed,
    pub(super) rank: Rank,
}

impl Settings {
    /// Those of a run on a data set.
    pub(super) fn new(data: &Path, seed: Seed) -> Self {
        Self {
            data: data.to_path_buf(),
            columns: Vec::new(),
            seed,
            rank: Rank {
                feedback: Feedback::Console,
                ..Rank::default()
            },
        }
    }

    /// Those of a run already prepared.
    pub(super) fn of(prepared: &Prepared<'_>, seed: Seed) -> Self {
        let Prepared {
            source,
            models,
            options,
            ..
        } = prepared;
        let columns = source.dataset.columns().iter();
        Self {
            columns: columns
                .map(|(name, column)| (name.to_string(), column.to_string()))
                .collect(),
            rank: models.named(Rank {
                name: None,
                bandit: Spanned::new(0..0, options.bandit.clone()),
                feedback: options.feedback,
                runs: options.runs,
                budget: options.budget,
                steps: options.steps,
                mix: options.mix,
                select: options.select,
                eliminate: options.eliminate,
                delay: options.delay,
                confidence: options.confidence,
                ..Rank::default()
            }),
            ..Self::new(source.dataset.path(), seed)
        }
    }

    /// Those of the run in `folder`, `None` where none was begun.
    ///
    /// # Errors
    /// If the file is there and cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let Pipeline {
            seed,
            data,
            columns,
            rank,
            ..
        } = PipelineFile::read(&path)?.pipeline;
        let [mut rank] = <[Rank; 1]>::try_from(rank).map_err(|found| {
            Error::input(&path, format!("{} rankings, expected one", found.len()))
        })?;
        rename(&mut rank, |path| Ok(folder.join(path)))?;
        // A model may also go by a name that is no path.
        if let Some(model) = &mut rank.model
            && folder.join(model.get_ref()).is_dir()
        {
            *model = named(&folder.join(model.get_ref()));
        }
        Ok(Some(Self {
            data: folder.join(data.get_ref()),
            columns: columns.into_iter().collect(),
            seed: seed.map_or_else(Seed::default, Seed),
            rank,
        }))
    }

    /// Writes them to the run's folder.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let mut rank = self.rank.clone();
        rename(&mut rank, |path| relative(folder, path))?;
        if let Some(model) = &mut rank.model
            && Path::new(model.get_ref()).is_dir()
        {
            *model = named(&relative(folder, Path::new(model.get_ref()))?);
        }
        let pipeline = Pipeline {
            seed: Some(self.seed.0),
            data: Spanned::new(0..0, relative(folder, &self.data)?),
            columns: self.columns.iter().cloned().collect::<BTreeMap<_, _>>(),
            score: Vec::new(),
            fit: Vec::new(),
            predict: Vec::new(),
            assess: Vec::new(),
            rank: vec![rank],
            estimate: Vec::new(),
            correlate: Vec::new(),
            annotators: Vec::new(),
        };
        let text = toml::to_string_pretty(&pipeline).map_err(Error::failed)?;
        write_atomically(&folder.join(FILE), text.as_bytes())
    }
}

/// Names everything that a ranking reads or keeps by another path.
fn rename(rank: &mut Rank, other: impl Fn(&Path) -> Result<PathBuf>) -> Result<()> {
    for path in &mut rank.predictions {
        *path = named(&other(Path::new(path.get_ref()))?);
    }
    for path in rank.calibration.iter_mut().chain(&mut rank.cache) {
        // Of a calibration it means none at all.
        if path != Path::new("none") {
            *path = other(path)?;
        }
    }
    Ok(())
}

/// `path` as seen from `folder`; both exist.
fn relative(folder: &Path, path: &Path) -> Result<PathBuf> {
    let whole = |path: &Path| fs::canonicalize(path).map_err(Error::reading(path));
    let (from, to) = (whole(folder)?, whole(path)?);
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // Another drive: there is no way from here to there.
    if shared == 0 {
        return Ok(to);
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(to.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_back_and_move_with_the_data() {
        let root = tempfile::tempdir().unwrap();
        let (run, data) = (root.path().join("a/run"), root.path().join("data"));
        fs::create_dir_all(&run).unwrap();
        fs::create_dir_all(&data).unwrap();
        assert!(Settings::read(&run).unwrap().is_none());
        let mut settings = Settings::new(&data, Seed(7));
        settings.columns = vec![("item".to_string(), "id".to_string())];
        settings.rank.budget = Some(300);
        let files = ["p.csv", "q.csv"].map(|name| root.path().join("data").join(name));
        settings.rank.predictions = files.iter().map(|path| named(path)).collect();
        for path in &files {
            fs::write(path, "").unwrap();
        }
        settings.write(&run).unwrap();
        let text = fs::read_to_string(run.join(FILE)).unwrap();
        assert!(text.contains("data = \"../../data\""), "{text}");
        let moved = root.path().join("elsewhere");
        fs::create_dir(&moved).unwrap();
        fs::rename(root.path().join("a"), moved.join("a")).unwrap();
        fs::rename(&data, moved.join("data")).unwrap();
        let back = Settings::read(&moved.join("a/run")).unwrap().unwrap();
        assert!(back.data.is_dir());
        assert_eq!((back.seed, back.rank.budget), (Seed(7), Some(300)));
        let both = back.rank.predictions.iter();
        assert!(both.clone().all(|path| Path::new(path.get_ref()).is_file()));
        assert_eq!(both.count(), 2);
        assert_eq!(back.columns, settings.columns);
    }
}
