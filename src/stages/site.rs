//! Where a stage runs, and what those before it have made.

use crate::engine::Context;
use crate::engine::names::file_name;
use crate::error::{Error, Result, nearest};
use crate::inputs::source::{Predictions, Scores, Source};
use crate::keys::Named;
use crate::metrics::METRICS;
use crate::registry::find;
use std::path::{Path, PathBuf};

/// What the stages of a pipeline make, as far as its file tells.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The folder that paths in the file are relative to.
    pub folder: PathBuf,
    scores: Vec<Scored>,
    links: Vec<(String, PathBuf)>,
    predictions: Vec<Predicted>,
    /// Predictions that a stage assesses.
    pub assessed: Vec<String>,
    /// Rankings, which share what may go wrong.
    pub rankings: usize,
}

/// Scores of a metric.
#[derive(Debug, Clone, PartialEq)]
struct Scored {
    label: String,
    path: PathBuf,
    drawn: bool,
}

/// Predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// How later stages call them.
    pub name: String,
    /// Whether they come with BALD and STD.
    pub uncertain: bool,
    /// Whether a preference model made them, rather than a metric.
    pub by_model: bool,
}

impl Made {
    /// Nothing yet.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            ..Self::default()
        }
    }

    /// Scores of a metric, in `path` of the results.
    ///
    /// # Errors
    /// If there are scores of it already: later stages would not know which to take.
    pub fn scores(&mut self, metric: &Named, path: PathBuf, drawn: bool) -> Result<()> {
        let label = metric.label();
        let one = Scored { label, path, drawn };
        if self.scores.iter().any(|other| other.path == one.path) {
            let what = format!("{} is scored twice", one.label);
            return Err(Error::key("metric", what)
                .with_hint("leave one of them out, or give one another `name`"));
        }
        self.scores.push(one);
        Ok(())
    }

    /// All scores that were made.
    pub fn each_scores(&self, site: &Site<'_>) -> impl Iterator<Item = Result<Scores>> {
        let open = |one: &Scored| {
            Scores::open(
                site.context,
                site.source,
                &site.out.join(&one.path),
                &one.label,
            )
        };
        self.scores.iter().map(open)
    }

    /// That the file is there that a key names, if it names one.
    ///
    /// # Errors
    /// [`Error::Key`] if it is not.
    pub fn file(&self, key: &str, path: Option<&PathBuf>) -> Result<()> {
        let path = path.map(|path| self.folder.join(path));
        match path.filter(|path| !path.exists()) {
            Some(missing) => Err(Error::of_key(key)(Error::missing(missing))),
            None => Ok(()),
        }
    }

    /// A fitted link, in `path` of the results.
    pub fn link(&mut self, metric: &Named, link: &str, path: PathBuf) {
        self.links.push((linked(metric, link), path));
    }

    /// Predictions.
    pub fn predictions(&mut self, predicted: Predicted) {
        self.predictions.push(predicted);
    }

    /// All predictions.
    pub fn all_predictions(&self) -> &[Predicted] {
        &self.predictions
    }

    /// Whether scores of a metric are made, and with draws.
    ///
    /// # Errors
    /// If no stage makes them.
    pub fn has_scores(&self, metric: &Named) -> Result<bool> {
        self.scored(metric).map(|one| one.drawn)
    }

    /// That the scores of some metrics are there: in a file, or made.
    ///
    /// # Errors
    /// If the file is not there, or no stage makes them.
    pub fn need_scores<'m>(
        &self,
        file: Option<&PathBuf>,
        metrics: impl IntoIterator<Item = &'m Named>,
    ) -> Result<()> {
        self.file("scores", file)?;
        let mut metrics = metrics.into_iter().filter(|_| file.is_none());
        metrics.try_for_each(|metric| self.has_scores(metric).map(drop))
    }

    fn scored(&self, metric: &Named) -> Result<&Scored> {
        let label = metric.label();
        if let Some(found) = self.scores.iter().find(|one| one.label == label) {
            return Ok(found);
        }
        find("metric", METRICS, &metric.name).map_err(Error::of_key("metric"))?;
        let missing = Error::key("metric", format!("no stage scores {label}"));
        Err(missing.with_hint(format!(
            "add [[score]] with metric = \"{label}\", or name the file: scores = \"…\""
        )))
    }

    /// Whether a link was fitted to a metric.
    pub fn has_link(&self, metric: &Named, link: &str) -> bool {
        let wanted = linked(metric, link);
        self.links.iter().any(|(name, _)| *name == wanted)
    }

    /// Predictions by the name a key gives them; `None` for those of a file.
    ///
    /// # Errors
    /// If they are neither made nor a file.
    pub fn predicted(&self, name: &str) -> Result<Option<&Predicted>> {
        let made = self.predictions.iter().find(|one| one.name == name);
        if made.is_some() || self.folder.join(name).exists() {
            return Ok(made);
        }
        let names = || self.predictions.iter().map(|one| one.name.as_str());
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.predictions.is_empty() => {
                "add a [[predict]] stage, or name a file".to_string()
            }
            None => {
                let names: Vec<&str> = names().collect();
                format!("the [[predict]] stages make {}", names.join(", "))
            }
        };
        let what = format!("unknown predictions `{name}`");
        Err(Error::key("predictions", what).with_hint(hint))
    }
}

fn linked(metric: &Named, link: &str) -> String {
    format!("{}-{link}", metric.label())
}

/// Where a stage runs.
pub struct Site<'a> {
    /// Seed, models, progress.
    pub context: &'a Context<'a>,
    /// The data set.
    pub source: &'a Source,
    /// The folder of the results.
    pub out: &'a Path,
    /// What the stages of the pipeline make.
    pub made: &'a Made,
}

impl Site<'_> {
    /// A path in a key: relative to the pipeline's folder.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.made.folder.join(path)
    }

    /// The scores of a metric: from a file, or made before.
    ///
    /// # Errors
    /// As [`Scores::open`].
    pub fn scores(&self, file: Option<&Path>, metric: &Named) -> Result<Scores> {
        let path = match file {
            Some(file) => self.path(file),
            None => self.out.join(&self.made.scored(metric)?.path),
        };
        Scores::open(self.context, self.source, &path, &metric.label())
    }

    /// The same of some metrics.
    ///
    /// # Errors
    /// As [`Site::scores`].
    pub fn scores_of_each(&self, file: Option<&Path>, metrics: &[Named]) -> Result<Vec<Scores>> {
        let each = metrics.iter().map(|metric| self.scores(file, metric));
        each.collect()
    }

    /// The file of a link that was fitted before.
    pub fn link(&self, metric: &Named, link: &str) -> Option<PathBuf> {
        let wanted = linked(metric, link);
        let found = self.made.links.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, path)| self.out.join(path))
    }

    /// Predictions that were made before, or those of a file.
    ///
    /// # Errors
    /// As [`Predictions::open`].
    pub fn predictions(&self, name: &str) -> Result<Predictions> {
        let made = self.made.predictions.iter().any(|one| one.name == name);
        let path = match made {
            true => self.out.join("predict").join(file_name(name)),
            false => self.path(Path::new(name)),
        };
        Predictions::open(self.context, self.source, &path)
    }
}

/// A model by its name or hub id, or by its folder, which is relative to `folder`.
pub fn model_beside(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    match path.is_dir() {
        true => path.to_string_lossy().into_owned(),
        false => name.to_string(),
    }
}
