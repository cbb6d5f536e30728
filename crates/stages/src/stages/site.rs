//! The context in which a stage runs, and the artifacts of those before it.

use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::source::{PredictionTable, Scores, Source};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Audience, Error, Key, Message, Result, is_there, nearest};
use tiebreak_base::keys::ParameterizedName;
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_data::records::reader::{ColumnMapping, TableReader};
use tiebreak_metrics::metrics::METRICS;
use tiebreak_preference::preference::{self, Options};

/// The artifacts that the stages of a pipeline make, as far as its file tells.
#[derive(Debug, Clone, Default)]
pub struct PipelineArtifacts {
    /// The folder that paths in the file are relative to.
    pub folder: PathBuf,
    scores: Vec<ScoresArtifact>,
    links: Vec<(String, PathBuf)>,
    predictions: Vec<PredictionsArtifact>,
    /// Predictions that a stage assesses.
    pub assessed: Vec<String>,
    /// The number of rankings without a confidence of their own, which share the error probability.
    pub sharing_rankings: usize,
}

/// The scores of a metric that a stage makes.
#[derive(Debug, Clone, PartialEq)]
struct ScoresArtifact {
    label: String,
    path: PathBuf,
    drawn: bool,
}

/// The predictions that a stage makes or a file has.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub(crate) struct PredictionsArtifact {
    /// The name for later stages.
    pub name: String,
    /// Whether the predictions come with BALD and STD.
    pub uncertain: bool,
    /// Whether a preference model made them, rather than a metric.
    pub by_model: bool,
}

impl PipelineArtifacts {
    /// Creates an empty list of artifacts.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            ..Self::default()
        }
    }

    /// Adds scores of a metric, in `path` of the results.
    ///
    /// # Errors
    /// If there are scores of it already: later stages would not know which to take.
    pub fn scores(&mut self, metric: &ParameterizedName, path: PathBuf, drawn: bool) -> Result<()> {
        let label = metric.label();
        let one = ScoresArtifact { label, path, drawn };
        if self.scores.iter().any(|other| other.path == one.path) {
            let what = format!("{} is scored twice", one.label);
            return Err(Error::key("metric", what).with_hint(message!(
                "leave one of them out, or give one another {}",
                Key("name")
            )));
        }
        self.scores.push(one);
        Ok(())
    }

    /// All scores that were made.
    pub fn each_scores(&self, site: &StageContext<'_>) -> impl Iterator<Item = Result<Scores>> {
        let open = |one: &ScoresArtifact| {
            Scores::open(
                site.context,
                site.source,
                &site.out.join(&one.path),
                &one.label,
            )
        };
        self.scores.iter().map(open)
    }

    /// Checks that the file that a key names is there, if it names one.
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

    /// Checks that the table that a key names has these columns, if it names one. Returns all its columns.
    ///
    /// # Errors
    /// [`Error::Key`] if it is not, or is no such table.
    pub fn table(
        &self,
        key: &str,
        path: Option<&PathBuf>,
        columns: &[&str],
    ) -> Result<Vec<String>> {
        self.file(key, path)?;
        let Some(path) = path else {
            return Ok(Vec::new());
        };
        let path = self.folder.join(path);
        // The place in the table is in the message: what to mend is the key.
        let found = columns_of(&path)
            .map_err(|error| Error::key(key, error.message()).with_hint_of(&error))?;
        match columns
            .iter()
            .find(|one| !found.iter().any(|other| other == *one))
        {
            // An empty file of JSON lines has no known columns.
            Some(missing) if !found.is_empty() => {
                let what = format!("{}: no column `{missing}`", path.display());
                let needed = columns.join(", ");
                Err(Error::key(key, what).with_hint(format!("expected a table with {needed}")))
            }
            _ => Ok(found),
        }
    }

    /// Adds a fitted link, in `path` of the results.
    ///
    /// # Errors
    /// If it is fitted already: later stages would not know which to take.
    pub fn link(&mut self, metric: &ParameterizedName, link: &str, path: PathBuf) -> Result<()> {
        let label = linked(metric, link);
        if self.has_link(metric, link) {
            let what = format!("{label} is fitted twice");
            return Err(Error::key("link", what).with_hint("leave one of them out"));
        }
        self.links.push((label, path));
        Ok(())
    }

    /// Adds predictions.
    pub(crate) fn predictions(&mut self, predicted: PredictionsArtifact) {
        self.predictions.push(predicted);
    }

    /// All predictions.
    pub(crate) fn all_predictions(&self) -> &[PredictionsArtifact] {
        &self.predictions
    }

    /// Whether the scores of a metric have draws.
    ///
    /// # Errors
    /// If no stage makes them.
    pub fn has_scores(&self, metric: &ParameterizedName) -> Result<bool> {
        self.scored(metric).map(|one| one.drawn)
    }

    /// Checks that the scores of some metrics are there: in a file, or made.
    ///
    /// # Errors
    /// If the file is not there, or no stage makes them.
    pub fn need_scores<'m>(
        &self,
        file: Option<&PathBuf>,
        metrics: impl IntoIterator<Item = &'m ParameterizedName>,
    ) -> Result<()> {
        self.table("scores", file, &Scores::COLUMNS)?;
        let mut metrics = metrics.into_iter().filter(|_| file.is_none());
        metrics.try_for_each(|metric| self.has_scores(metric).map(drop))
    }

    fn scored(&self, metric: &ParameterizedName) -> Result<&ScoresArtifact> {
        let label = metric.label();
        if let Some(found) = self.scores.iter().find(|one| one.label == label) {
            return Ok(found);
        }
        find_entry("metric", METRICS, &metric.name).map_err(Error::of_key("metric"))?;
        let missing = Error::key("metric", format!("no stage scores {label}"));
        let file = message!("name the file: {}", Key("scores").set("…"));
        let stage = format!("add [[score]] with metric = \"{label}\"");
        Err(missing.with_hint(in_files(&stage, &file)))
    }

    /// Whether a link was fitted to a metric.
    pub fn has_link(&self, metric: &ParameterizedName, link: &str) -> bool {
        let wanted = linked(metric, link);
        self.links.iter().any(|(name, _)| *name == wanted)
    }

    /// Predictions by the name a key gives them: those that are made, or a file.
    ///
    /// # Errors
    /// If they are neither, or the file is no table of predictions.
    pub(crate) fn predicted(&self, name: &str) -> Result<PredictionsArtifact> {
        if let Some(made) = self.predictions.iter().find(|one| one.name == name) {
            return Ok(made.clone());
        }
        if is_there(&self.folder.join(name)) {
            let file = PathBuf::from(name);
            let columns = self.table("predictions", Some(&file), &PredictionTable::COLUMNS)?;
            let has = |name: &str| columns.iter().any(|column| column == name);
            return Ok(PredictionsArtifact {
                name: name.to_string(),
                uncertain: columns.is_empty() || has("bald") && has("std"),
                by_model: false,
            });
        }
        let names = || self.predictions.iter().map(|one| one.name.as_str());
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?").into(),
            None if self.predictions.is_empty() => {
                in_files("add a [[predict]] stage", &"name a file".into())
            }
            None => {
                let names: Vec<&str> = names().collect();
                format!("the [[predict]] stages make {}", names.join(", ")).into()
            }
        };
        let what = format!("unknown predictions `{name}`");
        Err(Error::key("predictions", what).with_hint(hint))
    }
}

/// The advice to do something, before which only a file can have a stage.
fn in_files(stage: &str, instead: &Message) -> Message {
    Message::each(|audience| match audience {
        Audience::File => format!("{stage}, or {}", instead.shown_to(audience)),
        _ => instead.shown_to(audience).to_string(),
    })
}

/// The columns of a table; of JSON lines those of the first.
fn columns_of(path: &Path) -> Result<Vec<String>> {
    let mut rows = TableReader::open(path, &ColumnMapping::default())?;
    let header = rows.columns().to_vec();
    Ok(match rows.next().transpose()? {
        Some(first) if header.is_empty() => first.columns().to_vec(),
        _ => header,
    })
}

fn linked(metric: &ParameterizedName, link: &str) -> String {
    format!("{}-{link}", metric.label())
}

/// The context in which a stage runs.
pub struct StageContext<'a> {
    /// Seed, models, progress.
    pub context: &'a Context<'a>,
    /// The data set.
    pub source: &'a Source,
    /// The folder of the results.
    pub out: &'a Path,
    /// The artifacts that the stages of the pipeline make.
    pub made: &'a PipelineArtifacts,
}

impl StageContext<'_> {
    /// Resolves a path in a key, which is relative to the pipeline's folder.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.made.folder.join(path)
    }

    /// Calls a function with the data set or, where it has no outputs of its own and needs no texts, with the outputs that a
    /// file of scores is about.
    ///
    /// # Errors
    /// A file that cannot be read; as the function.
    pub fn on_scored_outputs<T>(
        &self,
        file: Option<&Path>,
        call: impl FnOnce(&StageContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let path = file.map(|file| self.path(file));
        let scored = path.map(|path| self.source.with_scored_outputs(self.context, &path));
        let scored = scored.transpose()?.flatten();
        call(&StageContext {
            source: scored.as_ref().unwrap_or(self.source),
            ..*self
        })
    }

    /// The scores of a metric: from a file, or made before.
    ///
    /// # Errors
    /// As [`Scores::open`].
    pub fn scores(&self, file: Option<&Path>, metric: &ParameterizedName) -> Result<Scores> {
        let path = match file {
            Some(file) => self.path(file),
            None => self.out.join(&self.made.scored(metric)?.path),
        };
        Scores::open(self.context, self.source, &path, &metric.label())
    }

    /// The scores of several metrics.
    ///
    /// # Errors
    /// As [`StageContext::scores`].
    pub fn scores_of_each(
        &self,
        file: Option<&Path>,
        metrics: &[ParameterizedName],
    ) -> Result<Vec<Scores>> {
        let each = metrics.iter().map(|metric| self.scores(file, metric));
        each.collect()
    }

    /// The file of a link that was fitted before.
    pub fn link(&self, metric: &ParameterizedName, link: &str) -> Option<PathBuf> {
        let wanted = linked(metric, link);
        let found = self.made.links.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, path)| self.out.join(path))
    }

    /// Predictions that were made before, or those of a file.
    ///
    /// # Errors
    /// As [`PredictionTable::open`].
    pub fn predictions(&self, name: &str) -> Result<PredictionTable> {
        let made = self.made.predictions.iter().any(|one| one.name == name);
        let path = match made {
            true => self.out.join("predict").join(file_name(name)),
            false => self.path(Path::new(name)),
        };
        self.table(&path)
    }

    /// The predictions of a table by its path.
    ///
    /// # Errors
    /// As [`PredictionTable::open`].
    pub fn table(&self, path: &Path) -> Result<PredictionTable> {
        PredictionTable::open(self.context, self.source, path)
    }
}

/// A model by its name or hub id, or by its folder or descriptor, which is relative to `folder`.
pub(crate) fn model_beside(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    match is_there(&path) {
        true => path.to_string_lossy().into_owned(),
        false => name.to_string(),
    }
}

/// Checks that there is a model of that name, or relative to `folder`, that can be asked so, before anything runs
/// for minutes.
///
/// # Errors
/// [`Error::Key`], naming `model` or the option to blame.
pub(crate) fn find_model(
    folder: &Path,
    name: &str,
    options: &Options,
    context: &Context<'_>,
) -> Result<()> {
    let options = options.clone().rebase_paths(folder);
    let found = preference::check_model(&model_beside(folder, name), &options, &context.env);
    found.map_err(Error::of_key("model"))
}
