//! The settings that a campaign was begun with, so that its folder alone suffices to go on.
//!
//! They are in `campaign.toml` in the campaign's folder. Paths are relative to that folder where possible.

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

/// The keys that a campaign is begun with, which decide its questions beside data and annotators.
pub(super) trait RelocatableKeys: Keys + Clone {
    /// Makes paths relative to `folder` valid from here.
    #[must_use]
    fn out_of(self, folder: &Path) -> Self;

    /// Makes paths relative to `folder`.
    ///
    /// # Errors
    /// If a path is not there.
    fn into_folder(self, folder: &Path) -> Result<Self>;
}

/// The settings that a campaign was begun with. Paths are valid from here.
#[derive(Debug, Clone)]
pub(super) struct CampaignSettings<K> {
    pub(super) data: PathBuf,
    pub(super) columns: Vec<(String, String)>,
    pub(super) seed: Seed,
    /// The kind of annotators.
    pub(super) people: People,
    /// The questions that several of them answer.
    pub(super) overlap: Option<Overlap>,
    /// The scope of results.
    pub(super) scope: ResultScope,
    /// The digest of the task that questions were first asked with; `None` for the built-in one about pairs.
    pub(super) task: Option<String>,
    /// The folder's name when questions were first asked, which codes of questions are made from.
    pub(super) name: Option<String>,
    /// The keys of the protocol.
    pub(super) run: K,
}

/// The settings as written, paths relative to the file.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
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
    /// The settings of a campaign on a data set, for one person.
    pub(super) fn new(data: &Path, seed: Seed) -> Self {
        Self {
            data: data.to_path_buf(),
            columns: Vec::new(),
            seed,
            people: People::One,
            overlap: None,
            scope: ResultScope::default(),
            task: None,
            name: None,
            run: K::default(),
        }
    }

    /// Reads the settings of the campaign in `folder`, `None` where none was begun.
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
            task: written.task,
            name: written.name,
            run,
        }))
    }

    /// The policy by which questions go to annotators.
    pub(super) fn ask_policy(&self) -> AskPolicy {
        AskPolicy {
            people: self.people,
            overlap: self.overlap,
            seed: self.seed,
            without_replacement: false,
        }
    }

    /// Writes the settings to the campaign's folder.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let run = self.run.clone().into_folder(folder)?;
        let written = SettingsFile {
            seed: self.seed.0,
            data: relative(folder, &self.data)?,
            columns: self.columns.iter().cloned().collect(),
            people: self.people,
            overlap: self.overlap,
            scope: self.scope,
            task: self.task.clone(),
            name: self.name.clone(),
            run,
        };
        let text = toml::to_string_pretty(&written).map_err(Error::failed)?;
        let path = folder.join(SETTINGS);
        // A campaign that may only be read can still be ranked.
        match fs::read(&path).is_ok_and(|was| was == text.as_bytes()) {
            true => Ok(()),
            false => write_atomically(&path, text.as_bytes()),
        }
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
        // A folder of answers or predictions is only made with the first of them.
        for path in self.asking.paths_mut().chain(&mut self.cache) {
            *path = some_day(folder, path)?;
        }
        // A model may also be a name instead of a path.
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
            // Outputs were sampled by these tables once; they may be gone since.
            let as_it_was = path.strip_prefix(folder).unwrap_or(path).to_path_buf();
            *path = relative(folder, path).unwrap_or(as_it_was);
        }
        Ok(self)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns `path` relative to `folder`; both exist.
fn relative(folder: &Path, path: &Path) -> Result<PathBuf> {
    Ok(seen_from(&whole(folder)?, &whole(path)?))
}

fn whole(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).map_err(Error::reading(path))
}

/// Returns `path` relative to `folder`, wherever the command runs. Only the folder need exist.
fn some_day(folder: &Path, path: &Path) -> Result<PathBuf> {
    let mut there = std::path::absolute(path).map_err(Error::reading(path))?;
    if let (Some(parent), Some(file)) = (there.parent(), there.file_name())
        && let Ok(parent) = fs::canonicalize(parent)
    {
        there = parent.join(file);
    }
    Ok(seen_from(&whole(folder)?, &there))
}

/// Returns the name by which a sheet is known in `folder`. The sheet need not exist.
pub(super) fn name_of_sheet(folder: &Path, sheet: &Path) -> Result<String> {
    Ok(text(&some_day(folder, sheet)?))
}

/// Returns one absolute path relative to another.
fn seen_from(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // Paths on two drives have no relative form.
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
        // A judge's answers need not exist yet; its prompt does.
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
