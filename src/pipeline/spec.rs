//! What can be asked of each stage. TOML keys and command-line flags fill the same structs.

use crate::error::{Error, Location, Result};
use crate::model_based::{Measure, ucb_elimination};
use crate::registry::Params;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A named thing with parameters: `"chrf"`, `"chrf:word-order=2"` or `{ name = "chrf", word-order = 2 }`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Named {
    /// The name, as in a registry.
    pub name: String,
    /// Its parameters.
    pub params: Params,
}

impl Named {
    /// A name without parameters.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            params: Params::default(),
        }
    }

    /// Reads `NAME[:key=value,…]`.
    ///
    /// # Errors
    /// As [`Params::parse`].
    pub fn parse(text: &str) -> Result<Self> {
        let (name, params) = Params::parse(text)?;
        Ok(Self { name, params })
    }

    /// Reads a list such as `chrf,bleu:tokenize=none,lowercase=true`: a part with `=` but no name of
    /// its own belongs to the name before it.
    ///
    /// # Errors
    /// As [`Params::parse`].
    pub fn parse_list(text: &str) -> Result<Vec<Self>> {
        let mut names: Vec<String> = Vec::new();
        for part in text.split(',') {
            match names.last_mut() {
                Some(last) if part.contains('=') && !part.contains(':') => {
                    last.push(if last.contains(':') { ',' } else { ':' });
                    last.push_str(part);
                }
                _ => names.push(part.to_string()),
            }
        }
        names.iter().map(|name| Self::parse(name)).collect()
    }

    /// As a name for files and folders: only characters that every file system takes.
    pub fn slug(&self) -> String {
        self.to_string()
            .replace([':', ',', '/', '\\', ' '], "_")
            .replace('=', "-")
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.params.is_empty() {
            Ok(())
        } else {
            write!(f, ":{}", self.params)
        }
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => Self::parse(&text).map_err(D::Error::custom),
            toml::Value::Table(mut table) => match table.remove("name") {
                Some(toml::Value::String(name)) => Ok(Self {
                    name,
                    params: Params(table),
                }),
                _ => Err(D::Error::custom(
                    "a table here needs a `name`, such as { name = \"rmed\" }",
                )),
            },
            other => Err(D::Error::custom(format!(
                "found {}, expected a name such as \"chrf\" or \"chrf:word-order=2\"",
                other.type_str()
            ))),
        }
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

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
    /// A preference model: a name, a folder or a hub id.
    pub model: Option<Spanned<String>>,
    /// Or a metric whose scores an earlier stage made.
    pub metric: Option<Spanned<Named>>,
    /// The link that turns two scores into a preference.
    pub link: Option<Spanned<String>>,
    /// A fitted link; by default the one an earlier stage of the pipeline fitted.
    pub calibration: Option<PathBuf>,
    /// Monte Carlo draws of a model.
    #[serde(default = "default_draws")]
    pub draws: usize,
    /// Whether both orders of presentation are averaged.
    #[serde(default)]
    pub order: Order,
    /// Whether the draws themselves are stored.
    #[serde(default)]
    pub keep_draws: bool,
}

fn default_draws() -> usize {
    20
}

impl Predict {
    /// How later stages call these predictions.
    pub fn name(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        match (&self.model, &self.metric, &self.link) {
            (Some(model), _, _) => model.get_ref().replace(['/', '\\'], "--"),
            (None, Some(metric), Some(link)) => {
                format!("{}-{}", metric.get_ref().slug(), link.get_ref())
            }
            _ => "predictions".to_string(),
        }
    }
}

/// In which order two outputs are shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the pair is given.
    #[default]
    Given,
    /// In both, averaged.
    Both,
}

/// `rank`: the top-ranked system by a dueling bandit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rank {
    /// How the report calls this ranking; by default the bandit, and the predictions it uses.
    pub name: Option<String>,
    /// Which bandit.
    #[serde(default = "default_bandit")]
    pub bandit: Spanned<Named>,
    /// Who answers.
    #[serde(default)]
    pub feedback: Feedback,
    /// Independent runs; above 1 this is the annotation-complexity experiment.
    #[serde(default = "one")]
    pub runs: u64,
    /// Human annotations per run.
    pub budget: Option<u64>,
    /// Steps per run, free ones included; by default ten times the budget.
    pub steps: Option<u64>,
    /// The predictions the model answers with.
    pub predictions: Option<Spanned<String>>,
    /// The share of questions the model answers, at random.
    pub mix: Option<f64>,
    /// Ask people only where the model is uncertain.
    pub select: Option<Select>,
    /// Drop hopeless systems first.
    pub eliminate: Option<ucb_elimination::Options>,
    /// Answers that arrive this many questions late.
    #[serde(default)]
    pub delay: usize,
    /// The confidence of intervals and certificates.
    #[serde(default = "default_confidence")]
    pub confidence: f64,
}

/// The bandit used without `--bandit`.
pub const DEFAULT_BANDIT: &str = "rmed";

fn default_bandit() -> Spanned<Named> {
    Spanned::new(0..0, Named::new(DEFAULT_BANDIT))
}

fn one() -> u64 {
    1
}

fn default_confidence() -> f64 {
    0.95
}

impl Rank {
    /// How the report calls this ranking.
    pub fn name(&self) -> String {
        let plain = || {
            let mut name = self.bandit.get_ref().slug();
            if let Some(predictions) = &self.predictions {
                name += &format!(
                    "+{}",
                    Path::new(predictions.get_ref())
                        .file_stem()
                        .unwrap_or_default()
                        .to_string_lossy()
                );
            }
            if let Some(mix) = self.mix {
                name += &format!("+mix-{mix}");
            }
            if let Some(select) = &self.select {
                let by = match select.by {
                    Measure::Bald => "bald",
                    Measure::Std => "std",
                };
                name += &format!("+{by}-{}", select.above);
            }
            if self.eliminate.is_some() {
                name += "+eliminate";
            }
            name
        };
        self.name.clone().unwrap_or_else(plain)
    }
}

/// Who answers a bandit's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feedback {
    /// The collected comparisons, drawn with replacement.
    #[default]
    Recorded,
    /// A person at the terminal.
    Console,
}

/// Uncertainty-aware selection: a person is asked where the uncertainty is at least `above`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Select {
    /// Which uncertainty.
    pub by: Measure,
    /// The threshold τ.
    pub above: f64,
}

/// `estimate`: each system's mean human judgment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Estimate {
    /// How the report calls these estimates; by default the estimator and metric.
    pub name: Option<String>,
    /// The metric used as a control variate.
    pub metric: Option<Spanned<Named>>,
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
}

impl Estimate {
    /// How the report calls these estimates.
    pub fn name(&self) -> String {
        let plain = || match &self.metric {
            Some(metric) => format!(
                "{}-{}",
                self.estimator.get_ref().slug(),
                metric.get_ref().slug()
            ),
            None => self.estimator.get_ref().slug(),
        };
        self.name.clone().unwrap_or_else(plain)
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
    #[serde(default)]
    pub columns: BTreeMap<String, String>,
    /// Scoring stages.
    #[serde(default)]
    pub score: Vec<Score>,
    /// Link-fitting stages.
    #[serde(default)]
    pub fit: Vec<FitLink>,
    /// Prediction stages.
    #[serde(default)]
    pub predict: Vec<Predict>,
    /// Ranking stages.
    #[serde(default)]
    pub rank: Vec<Rank>,
    /// Estimation stages.
    #[serde(default)]
    pub estimate: Vec<Estimate>,
}

/// A pipeline with the text it was read from, so that errors can point at a line.
#[derive(Debug, Clone)]
pub struct PipelineFile {
    /// What it asks for.
    pub pipeline: Pipeline,
    path: PathBuf,
    text: String,
}

impl PipelineFile {
    /// Reads a pipeline file.
    ///
    /// # Errors
    /// [`Error::Pipeline`] with the line for anything that is not a pipeline; [`Error::Input`] if
    /// the file cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
        let pipeline = toml::from_str(&text).map_err(|source| {
            let at = match source.span() {
                Some(span) => Location::line(path, line_of(&text, span.start)),
                None => Location::file(path),
            };
            Error::pipeline(at, source.message().trim().to_string())
        })?;
        Ok(Self {
            pipeline,
            path: path.to_path_buf(),
            text,
        })
    }

    /// The name of the pipeline: that of its file.
    pub fn name(&self) -> String {
        self.path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// The file as a whole.
    pub fn whole(&self) -> Location {
        Location::file(&self.path)
    }

    /// The place of a value in the file.
    pub fn place<T>(&self, value: &Spanned<T>) -> Location {
        Location::line(&self.path, line_of(&self.text, value.span().start))
    }

    /// The same error, at the place of the value that caused it.
    pub fn at<T>(&self, value: &Spanned<T>) -> impl Fn(Error) -> Error + '_ {
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

fn line_of(text: &str, offset: usize) -> u64 {
    1 + text.as_bytes()[..offset.min(text.len())]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

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
             [[rank]]\nbandit = { name = \"rmed\", f = 0.3 }\nselect = { by = \"bald\", above = 0.025 }\n\
             eliminate = { alpha = 0.5, copeland = 0.8 }\nruns = 200\n",
        )
        .unwrap();
        let rank = &file.pipeline.rank[0];
        assert_eq!(rank.bandit.get_ref().to_string(), "rmed:f=0.3");
        assert_eq!(
            rank.select,
            Some(Select {
                by: Measure::Bald,
                above: 0.025
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
    fn a_list_keeps_parameters_with_their_names() {
        let list = Named::parse_list("chrf,bleu:tokenize=none,lowercase=true,rouge-l").unwrap();
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(
            list,
            ["chrf", "bleu:tokenize=none,lowercase=true", "rouge-l"]
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
