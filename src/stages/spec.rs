//! What can be asked of each stage. TOML keys and command-line flags fill the same structs.

use crate::annotators::LabelModel;
use crate::encoders::{Precision, Scope};
use crate::error::{Error, Result};
use crate::estimators::Goal;
use crate::inputs::judging::{Parts, Quality};
use crate::keys::named::Named;
use crate::keys::one_or_more;
use crate::keys::setting::{Audit, Eliminate, Setting};
use crate::model_based::Measure;
use crate::preference::training::Settings;
use crate::preference::{DEFAULT_MODEL, DRAWS, Draws};
use crate::stages::asking::{Asking, Order};
use crate::stages::assess;
use crate::stages::correlate::{Level, Resample};
use crate::stages::predict::Asked;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// `score`: outputs to metric scores.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Score {
    /// Which metric.
    pub metric: Spanned<Named>,
    /// Monte Carlo draws, for metrics that have dropout.
    pub draws: Option<usize>,
}

/// `fit link`: link parameters and thresholds from comparisons.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FitLink {
    /// Whose scores.
    pub metric: Spanned<Named>,
    /// Which link.
    pub link: Spanned<String>,
}

/// `predict`: pairs of outputs to preferences.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Predict {
    /// How later stages call these predictions; by default the model, or metric and link.
    pub name: Option<String>,
    /// A preference model: a name, a folder or a hub id. Without it and without a metric, the one
    /// that comes with tiebreak.
    pub model: Option<Spanned<String>>,
    /// Or a metric whose scores an earlier stage made.
    pub metric: Option<Spanned<Named>>,
    /// The link that turns two scores into a preference.
    pub link: Option<Spanned<String>>,
    /// A fitted link; by default the one an earlier stage of the pipeline fitted. For a model its
    /// calibration, in place of its own, or `none`.
    pub calibration: Option<PathBuf>,
    /// Monte Carlo draws of a model: their number, or `adaptive:…`; by default 20.
    pub draws: Option<Draws>,
    /// Where a model has dropout in a draw; by default everywhere.
    pub dropout: Option<Scope>,
    /// In which precision a model multiplies; by default `f32`.
    pub precision: Option<Precision>,
    /// Whether both orders of presentation are averaged.
    pub order: Option<Order>,
    /// Whether the draws themselves are stored.
    #[serde(default)]
    pub keep_draws: bool,
}

impl Predict {
    /// How later stages call these predictions.
    pub fn name(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match (&self.metric, &self.link) {
            (Some(metric), Some(link)) => format!("{}-{}", metric.get_ref().slug(), link.get_ref()),
            _ => self.model().replace(['/', '\\'], "--"),
        }
    }

    /// How a model is asked.
    pub fn asking(&self) -> Asking {
        Asking {
            draws: self.draws,
            dropout: self.dropout,
            precision: self.precision,
            order: self.order,
            calibration: self.calibration.clone(),
        }
    }

    /// The model, where no metric is named.
    pub fn model(&self) -> &str {
        match &self.model {
            Some(model) => model.get_ref(),
            None => DEFAULT_MODEL,
        }
    }
}

/// `assess`: how good predictions are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Assess {
    /// How the report calls this assessment; by default as the predictions.
    pub name: Option<String>,
    /// The predictions of an earlier stage, or a file.
    pub predictions: Spanned<String>,
    /// Bins of preferences, and of BALD.
    #[serde(default = "default_bins")]
    pub bins: u16,
    /// From where to where the outcome is a tie; by default as the predictions say, else fitted.
    pub thresholds: Option<[f64; 2]>,
}

fn default_bins() -> u16 {
    assess::BINS
}

impl Assess {
    /// How the report calls this assessment.
    pub fn name(&self) -> String {
        let plain = || stem(self.predictions.get_ref());
        self.name.clone().unwrap_or_else(plain)
    }

    /// What the stage is asked for.
    ///
    /// # Errors
    /// [`Error::Usage`] for no bins, or thresholds out of order.
    pub fn options(&self) -> Result<assess::Options> {
        let thresholds = self.thresholds.map(|[tau1, tau2]| (tau1, tau2));
        assess::Options::new(self.bins, thresholds)
    }
}

/// A name of predictions without folder and extension.
fn stem(predictions: &str) -> String {
    let stem = Path::new(predictions).file_stem();
    stem.unwrap_or_default().to_string_lossy().into_owned()
}

/// `rank`: what collected comparisons say of all systems.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rank {
    /// How the report calls this ranking; by default `rank`.
    pub name: Option<String>,
    /// Predictions of an earlier stage, or a file, that people's comparisons correct.
    pub predictions: Option<Spanned<String>>,
    /// The confidence with which all that is said holds together.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
}

impl Rank {
    /// How the report calls this ranking.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| "rank".to_string())
    }
}

/// `simulate`: a dueling bandit on recorded comparisons. A campaign is begun with the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Simulate {
    /// How the report calls these runs; by default the bandit, and the predictions it uses.
    pub name: Option<String>,
    /// Which bandit.
    #[serde(default = "default_bandit")]
    pub bandit: Spanned<Named>,
    /// Independent runs; above 1 this is the annotation-complexity experiment.
    #[serde(default = "one")]
    pub runs: u64,
    /// Human annotations per run.
    pub budget: Option<u64>,
    /// Steps per run, free ones included; by default ten times the budget.
    pub steps: Option<u64>,
    /// The predictions the model answers with, or that the bandit starts from: one name, or several
    /// for the mean of their margins.
    #[serde(default, with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    pub predictions: Vec<Spanned<String>>,
    /// Instead: a preference model that is asked only for the predictions that are needed.
    pub model: Option<Spanned<String>>,
    /// Its Monte Carlo draws: their number, or `adaptive:…`; by default 20 where uncertainty is used,
    /// else none.
    pub draws: Option<Draws>,
    /// Where it has dropout in a draw; by default everywhere.
    pub dropout: Option<Scope>,
    /// In which precision it multiplies; by default `f32`.
    pub precision: Option<Precision>,
    /// Whether both orders of presentation are averaged.
    pub order: Option<Order>,
    /// Its calibration, in place of its own, or `none`.
    pub calibration: Option<PathBuf>,
    /// Take means and quantiles from so many items, drawn by the seed; by default from all.
    pub sample: Option<u64>,
    /// The folder in which its predictions are kept; by default one in that of the results.
    pub cache: Option<PathBuf>,
    /// The share of questions the model answers, at random.
    pub mix: Option<Setting>,
    /// Ask people only where the model is uncertain.
    pub select: Option<Select>,
    /// The share of the model's answers that people check, `neyman:` before it for rather those where it
    /// is further off; by default as much as keeps a certificate about people, where the bandit has one.
    /// With 0 nothing is claimed about people.
    pub audit: Option<Audit>,
    /// Drop hopeless systems first.
    pub eliminate: Option<Eliminate>,
    /// Answers that arrive this many questions late.
    #[serde(default)]
    pub delay: usize,
    /// The confidence of intervals and certificates.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
}

/// The bandit used without `--bandit`.
pub const DEFAULT_BANDIT: &str = "adaptive";

fn default_bandit() -> Spanned<Named> {
    Spanned::new(0..0, Named::new(DEFAULT_BANDIT))
}

fn one() -> u64 {
    1
}

/// The confidence of whatever is said where none is given.
pub const DEFAULT_CONFIDENCE: f64 = 0.95;

fn default_confidence() -> f64 {
    DEFAULT_CONFIDENCE
}

impl Default for Simulate {
    fn default() -> Self {
        Self {
            name: None,
            bandit: default_bandit(),
            runs: one(),
            budget: None,
            steps: None,
            predictions: Vec::new(),
            model: None,
            draws: None,
            dropout: None,
            precision: None,
            order: None,
            calibration: None,
            sample: None,
            cache: None,
            mix: None,
            select: None,
            audit: None,
            eliminate: None,
            delay: 0,
            confidence: default_confidence(),
        }
    }
}

impl Simulate {
    /// The model that is asked for predictions as they are needed, if there is one.
    ///
    /// # Errors
    /// [`Error::Usage`] for a model beside predictions, or for what only a model has without one.
    pub fn asked(&self) -> Result<Option<Asked>> {
        let Some(model) = &self.model else {
            let sample = self.sample.is_some().then_some("sample");
            let cache = self.cache.is_some().then_some("cache");
            return match self.asking().first().or(sample).or(cache) {
                None => Ok(None),
                Some(what) => Err(Error::usage(format!(
                    "{what} is for a model that is asked for predictions, and none is named"
                ))
                .with_hint("name one: --model, or model = in a pipeline")),
            };
        };
        if !self.predictions.is_empty() {
            let what = "predictions and a model to ask for them, expected one of the two";
            return Err(Error::usage(what));
        }
        let draws = if self.needs_uncertainty() { DRAWS } else { 0 };
        let usual = Asking {
            draws: Some(draws.into()),
            ..Asking::default()
        };
        Ok(Some(Asked {
            model: model.get_ref().clone(),
            how: self.asking().or(usual),
            sample: self.sample,
            cache: self.cache.clone(),
        }))
    }

    /// Whether it uses the uncertainty of predictions.
    pub fn needs_uncertainty(&self) -> bool {
        self.select.is_some() || self.eliminate.is_some_and(|how| how.options().alpha > 0.0)
    }

    /// How its model is asked.
    pub fn asking(&self) -> Asking {
        Asking {
            draws: self.draws,
            dropout: self.dropout,
            precision: self.precision,
            order: self.order,
            calibration: self.calibration.clone(),
        }
    }

    /// From now on its model is asked in this way.
    pub fn ask(&mut self, how: Asking) {
        self.draws = how.draws;
        self.dropout = how.dropout;
        self.precision = how.precision;
        self.order = how.order;
        self.calibration = how.calibration;
    }

    /// How the report calls these runs.
    pub fn name(&self) -> String {
        let plain = || {
            let mut name = self.bandit.get_ref().slug();
            for predictions in self.predictions.iter().chain(&self.model) {
                name += &format!("+{}", stem(predictions.get_ref()));
            }
            if let Some(mix) = self.mix {
                name += &format!("+mix-{mix}");
            }
            if let Some(select) = &self.select {
                name += &format!("+{}-{}", select.by, select.above);
            }
            if self.eliminate.is_some() {
                name += "+eliminate";
            }
            name
        };
        self.name.clone().unwrap_or_else(plain)
    }
}

/// Uncertainty-aware selection: a person is asked where the uncertainty is at least `above`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Select {
    /// Which uncertainty.
    pub by: Measure,
    /// The threshold τ.
    pub above: Setting,
}

/// `estimate`: each system's mean human judgment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Estimate {
    /// How the report calls these estimates; by default the estimator and metric.
    pub name: Option<String>,
    /// The metrics used as control variates: one name, or several.
    #[serde(default, with = "one_or_more", skip_serializing_if = "Vec::is_empty")]
    pub metric: Vec<Spanned<Named>>,
    /// Which criterion; by default all.
    pub criterion: Option<Spanned<String>>,
    /// Which estimator.
    pub estimator: Spanned<Named>,
    /// The confidence of the intervals.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
    /// The judgments' range, lowest and highest.
    pub range: Option<[f64; 2]>,
    /// Plan: how many judgments an interval of this width takes.
    pub target_width: Option<f64>,
    /// What judgments of an item's parts come to.
    pub parts: Option<Parts>,
    /// The least median time of an annotator's judgments, in seconds.
    pub min_seconds: Option<f64>,
    /// The least correlation of an annotator with the others.
    pub min_agreement: Option<f64>,
    /// The least median of edits per word in an annotator's post-edits.
    pub min_edit: Option<f64>,
    /// A table with the stratum of every output.
    pub strata: Option<PathBuf>,
    /// A table with the probabilities with which outputs were chosen to be judged.
    pub probabilities: Option<PathBuf>,
    /// Whether every pair of systems is compared.
    #[serde(default)]
    pub differences: bool,
    /// Say when one could have stopped: `width=W` or `relative=E`.
    pub stop: Option<Spanned<String>>,
}

impl Estimate {
    /// What annotators must meet.
    pub fn quality(&self) -> Quality {
        Quality {
            min_seconds: self.min_seconds,
            min_agreement: self.min_agreement,
            min_edit: self.min_edit,
        }
    }

    /// When to stop, where that is asked.
    ///
    /// # Errors
    /// If it is not a goal.
    pub fn goal(&self) -> Result<Option<Goal>> {
        self.stop
            .as_ref()
            .map(|stop| stop.get_ref().parse())
            .transpose()
    }

    /// How the report calls these estimates.
    pub fn name(&self) -> String {
        let plain = || {
            let metrics = self.metric.iter().map(|metric| metric.get_ref().slug());
            let parts: Vec<String> = std::iter::once(self.estimator.get_ref().slug())
                .chain(metrics)
                .collect();
            parts.join("-")
        };
        self.name.clone().unwrap_or_else(plain)
    }
}

/// `fit pairwise`: comparisons of data sets to a preference model.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Train {
    /// The folder of the model within that of the results; by default `model`.
    #[serde(default = "default_model")]
    pub name: String,
    /// The encoder to begin from: an earlier training of the file, a folder (relative to the file),
    /// a name or a hub id.
    pub base: Spanned<String>,
    /// The data sets, relative to the file.
    pub data: Spanned<Vec<PathBuf>>,
    /// Data sets whose sources and references must stay unseen, relative to the file.
    #[serde(default)]
    pub exclude: Vec<PathBuf>,
    /// Column names that differ from the interface's, in all of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// The licence of the weights, for the descriptor.
    pub licence: Option<String>,
    /// How.
    #[serde(default)]
    pub settings: Settings,
}

fn default_model() -> String {
    "model".to_string()
}

/// A file of trainings.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Trainings {
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// Its trainings, run in order.
    pub train: Vec<Train>,
}

/// `correlate`: metrics held against people.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Correlate {
    /// How the report calls it; by default `correlate`, and the criterion.
    pub name: Option<String>,
    /// Which metrics.
    #[serde(with = "one_or_more")]
    pub metric: Vec<Spanned<Named>>,
    /// Only this criterion of the judgments; by default each of them, and the comparisons.
    pub criterion: Option<Spanned<String>>,
    /// Between what.
    #[serde(default)]
    pub level: Level,
    /// What a resample draws again.
    #[serde(default)]
    pub resample: Resample,
    /// The confidence of the intervals.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
    /// Resamples of an interval, and trials of a test.
    #[serde(default = "default_resamples")]
    pub resamples: u64,
}

fn default_resamples() -> u64 {
    1000
}

impl Correlate {
    /// How the report calls it.
    pub fn name(&self) -> String {
        let plain = || named_by("correlate", self.criterion.as_ref());
        self.name.clone().unwrap_or_else(plain)
    }
}

/// `annotators`: people held against each other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Annotators {
    /// How the report calls it; by default `annotators`, and the criterion.
    pub name: Option<String>,
    /// Only this criterion of the judgments; by default each of them, and the comparisons.
    pub criterion: Option<Spanned<String>>,
    /// Make one label of everybody's answers by a model of who errs how.
    pub labels: Option<LabelModel>,
}

impl Annotators {
    /// How the report calls it.
    pub fn name(&self) -> String {
        let plain = || named_by("annotators", self.criterion.as_ref());
        self.name.clone().unwrap_or_else(plain)
    }
}

/// A stage and the criterion it is of.
fn named_by(stage: &str, criterion: Option<&Spanned<String>>) -> String {
    match criterion {
        Some(criterion) => format!("{stage}-{}", criterion.get_ref()),
        None => stage.to_string(),
    }
}

/// A whole pipeline. Stages run in the order data flows, whatever their order in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pipeline {
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// The data set, relative to where the command runs.
    pub data: Spanned<PathBuf>,
    /// Column names that differ from the interface's, as in `dataset.toml`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, String>,
    /// Scoring stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub score: Vec<Score>,
    /// Link-fitting stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fit: Vec<FitLink>,
    /// Prediction stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predict: Vec<Predict>,
    /// Assessments of predictions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assess: Vec<Assess>,
    /// Replays of recorded comparisons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub simulate: Vec<Simulate>,
    /// Ranking stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rank: Vec<Rank>,
    /// Estimation stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimate: Vec<Estimate>,
    /// Correlation stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlate: Vec<Correlate>,
    /// Stages about annotators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotators: Vec<Annotators>,
}
