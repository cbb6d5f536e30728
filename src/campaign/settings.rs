//! What a campaign was begun with, so that it goes on by the name of its folder alone.
//!
//! `campaign.toml` in the campaign's folder. Paths in it are relative to that folder where they can be.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::keys::Keys;
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::ResultScope;
use tiebreak_data::tables::file::write_atomically;
use tiebreak_data::tables::manifest::slashes;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_decide::feedback::overlap::Overlap;
use tiebreak_stages::inputs::source::campaign::SETTINGS;
use tiebreak_stages::journal::batch::AskPolicy;
use tiebreak_stages::stages::sample::Sampling;
use tiebreak_stages::stages::simulate::Choices;

/// What decides which questions are asked: keys that a campaign is begun with, beside its data and people.
pub trait RelocatableKeys: Keys + Clone {
    /// The same from here, where paths are relative to `folder`.
    #[must_use]
    fn out_of(self, folder: &Path) -> Self;

    /// The same as seen from `folder`.
    ///
    /// # Errors
    /// If a path is not there.
    fn into_folder(self, folder: &Path) -> Result<Self>;
}

/// What a campaign was begun with. Paths are as they are from here.
#[derive(Debug, Clone)]
pub(super) struct CampaignSettings<K> {
    pub(super) data: PathBuf,
    pub(super) columns: Vec<(String, String)>,
    pub(super) seed: Seed,
    /// Who is asked.
    pub(super) people: People,
    /// Which questions several of them answer.
    pub(super) overlap: Option<Overlap>,
    /// Whom and what results are about.
    pub(super) scope: ResultScope,
    /// What is asked.
    pub(super) run: K,
}

/// The same as it is written, paths as seen from the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile<K> {
    seed: u64,
    data: PathBuf,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "is_one")]
    people: People,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    overlap: Option<Overlap>,
    #[serde(default, skip_serializing_if = "is_usual")]
    scope: ResultScope,
    run: K,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_one(people: &People) -> bool {
    *people == People::One
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_usual(scope: &ResultScope) -> bool {
    *scope == ResultScope::default()
}

impl<K: RelocatableKeys> CampaignSettings<K> {
    /// Those of a campaign on a data set, for one person.
    pub(super) fn new(data: &Path, seed: Seed) -> Self {
        Self {
            data: data.to_path_buf(),
            columns: Vec::new(),
            seed,
            people: People::One,
            overlap: None,
            scope: ResultScope::default(),
            run: K::default(),
        }
    }

    /// Those of the campaign in `folder`, `None` where none was begun.
    ///
    /// # Errors
    /// If the file is there and cannot be read.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(SETTINGS);
        if !is_there(&path) {
            return Ok(None);
        }
        let written: SettingsFile<K> = PipelineFile::read(&path)?.pipeline;
        let run = written.run.out_of(folder);
        Ok(Some(Self {
            data: folder.join(written.data),
            columns: written.columns.into_iter().collect(),
            seed: Seed(written.seed),
            people: written.people,
            overlap: written.overlap,
            scope: written.scope,
            run,
        }))
    }

    /// How questions are put to people.
    pub(super) fn way(&self) -> AskPolicy {
        AskPolicy {
            people: self.people,
            overlap: self.overlap,
            seed: self.seed,
        }
    }

    /// Writes them to the campaign's folder.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let run = self.run.clone().into_folder(folder)?;
        let written = SettingsFile {
            seed: self.seed.0,
            data: relative(folder, &self.data)?,
            columns: self.columns.iter().cloned().collect(),
            people: self.people,
            overlap: self.overlap,
            scope: self.scope,
            run,
        };
        let text = toml::to_string_pretty(&written).map_err(Error::failed)?;
        write_atomically(&folder.join(SETTINGS), text.as_bytes())
    }
}

impl RelocatableKeys for Choices {
    fn out_of(self, folder: &Path) -> Self {
        let mut run = self.resolve_paths(folder);
        for path in &mut run.predictions {
            *path = text(&folder.join(&path));
        }
        run
    }

    fn into_folder(mut self, folder: &Path) -> Result<Self> {
        for path in &mut self.predictions {
            *path = text(&relative(folder, Path::new(path))?);
        }
        // A folder of answers or predictions is made when there are some.
        for path in self.asking.paths_mut().chain(&mut self.cache) {
            *path = some_day(folder, path)?;
        }
        // A model may also go by a name that is no path.
        if let Some(model) = &mut self.model
            && Path::new(model).exists()
        {
            *model = text(&relative(folder, Path::new(model))?);
        }
        Ok(self)
    }
}

impl RelocatableKeys for Sampling {
    fn out_of(mut self, folder: &Path) -> Self {
        for path in self.tables_mut() {
            *path = folder.join(&path);
        }
        self
    }

    fn into_folder(mut self, folder: &Path) -> Result<Self> {
        for path in self.tables_mut() {
            // Outputs were drawn by them once; they may be gone since.
            let as_it_was = path.strip_prefix(folder).unwrap_or(path).to_path_buf();
            *path = relative(folder, path).unwrap_or(as_it_was);
        }
        Ok(self)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// `path` as seen from `folder`; both exist.
fn relative(folder: &Path, path: &Path) -> Result<PathBuf> {
    Ok(seen_from(&whole(folder)?, &whole(path)?))
}

fn whole(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(Error::reading(path))
}

/// `path` as seen from `folder`, wherever the command runs. Only the folder need exist.
fn some_day(folder: &Path, path: &Path) -> Result<PathBuf> {
    let mut there = std::path::absolute(path).map_err(Error::reading(path))?;
    if let (Some(parent), Some(file)) = (there.parent(), there.file_name())
        && let Ok(parent) = fs::canonicalize(parent)
    {
        there = parent.join(file);
    }
    Ok(seen_from(&whole(folder)?, &there))
}

/// The name by which a sheet is known in `folder`. The sheet need not exist.
pub(super) fn name_of_sheet(folder: &Path, sheet: &Path) -> Result<String> {
    Ok(text(&some_day(folder, sheet)?))
}

/// One whole path as seen from another.
fn seen_from(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // Another drive: there is no way from here to there.
    if shared == 0 {
        return to.to_path_buf();
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(to.components().skip(shared)).collect();
    slashes(&seen).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_stages::stages::simulate::Count;

    #[test]
    fn they_come_back_and_move_with_the_data() {
        let root = tempfile::tempdir().unwrap();
        let (run, data) = (root.path().join("a/run"), root.path().join("data"));
        fs::create_dir_all(&run).unwrap();
        fs::create_dir_all(&data).unwrap();
        assert!(CampaignSettings::<Choices>::read(&run).unwrap().is_none());
        let mut settings = CampaignSettings::<Choices>::new(&data, Seed(7));
        settings.columns = vec![("item".to_string(), "id".to_string())];
        settings.run.budget = Some(Count::try_from(300).unwrap());
        let files = ["p.csv", "q.csv"].map(|name| root.path().join("data").join(name));
        settings.run.predictions = files.iter().map(|path| text(path)).collect();
        for path in &files {
            fs::write(path, "").unwrap();
        }
        // A judge's answers are kept once there are some; its prompt is there.
        settings.run.asking.judging.prompt = Some(files[0].clone());
        settings.run.asking.judging.answers = Some(data.join("judged"));
        settings.write(&run).unwrap();
        let written = fs::read_to_string(run.join(SETTINGS)).unwrap();
        assert!(written.contains("data = \"../../data\""), "{written}");
        let moved = root.path().join("elsewhere");
        fs::create_dir(&moved).unwrap();
        fs::rename(root.path().join("a"), moved.join("a")).unwrap();
        fs::rename(&data, moved.join("data")).unwrap();
        let back = CampaignSettings::<Choices>::read(&moved.join("a/run"))
            .unwrap()
            .unwrap();
        assert!(back.data.is_dir());
        assert_eq!((back.seed, back.run.budget), (Seed(7), settings.run.budget));
        let both = back.run.predictions.iter();
        assert!(both.clone().all(|path| Path::new(path).is_file()));
        assert_eq!(both.count(), 2);
        assert_eq!(back.columns, settings.columns);
        let judging = back.run.asking.judging;
        assert!(judging.prompt.unwrap().is_file());
        let judged = fs::canonicalize(judging.answers.unwrap().parent().unwrap()).unwrap();
        assert_eq!(judged, fs::canonicalize(moved.join("data")).unwrap());
    }
}
