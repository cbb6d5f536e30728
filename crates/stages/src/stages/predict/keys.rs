//! The keys of `predict`.

use super::{PredictOptions, Predictor, direct, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::source::{RequestedPairs, Scores};
use crate::stages::site::{PredictionsArtifact, find_model, model_beside};
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{Keys, ParameterizedName};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_data::tables::Destination;
use tiebreak_encoders::hub::HubId;
use tiebreak_preference::preference::calibration::Calibration;
use tiebreak_preference::preference::links::LINKS;
use tiebreak_preference::preference::{self, DEFAULT_MODEL, Options};

/// `predict`: pairs of outputs to preferences, of a model, or of a metric through a link.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Predict {
    /// A preference model: a name, a folder or a hub id [default: tiebreak-small, which is in tiebreak]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME|DIR|HUB-ID"))]
    pub model: Option<String>,
    /// How it is asked.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub asking: Options,
    /// Predict only these pairs: a table with item, system_a, system_b
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub pairs: Option<PathBuf>,
    /// Store each draw, too
    #[cfg_attr(feature = "cli", arg(long))]
    pub keep_draws: bool,
    /// Scores of a metric [default: in a pipeline those of its `[[score]]` stages]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires_all = ["metric", "link"]))]
    pub scores: Option<PathBuf>,
    /// The metric of the scores
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "scores", value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    pub metric: Option<ParameterizedName>,
    /// The link from two scores to a preference: by `calibration` one that `tiebreak fit link` fitted, else fitted
    /// on the comparisons
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "scores"))]
    pub link: Option<String>,
}

impl Predict {
    /// The model, where no metric is named.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(DEFAULT_MODEL)
    }

    /// The metric and the link, where these predict.
    fn metric_and_link(&self) -> Option<(&ParameterizedName, &str)> {
        self.metric.as_ref().zip(self.link.as_deref())
    }

    /// The model, where one predicts; its paths are relative to `folder`.
    ///
    /// # Errors
    /// If it cannot be loaded.
    pub fn load(&self, context: &Context<'_>, folder: &Path) -> Result<Option<Predictor>> {
        self.check()?;
        if self.metric_and_link().is_some() {
            return Ok(None);
        }
        let name = model_beside(folder, self.model());
        let options = self.asking.clone().rebase_paths(folder);
        let model = preference::load(&name, &options, &context.env);
        let model = model.map_err(Error::of_key("model"))?;
        self.asking.suits(&name, model.own_draws().is_some())?;
        Ok(Some(Predictor::Model(model.into())))
    }

    /// The metric with its link, where they predict.
    ///
    /// # Errors
    /// Scores that cannot be read; a calibration of another metric.
    pub fn direct(&self, site: &StageContext<'_>) -> Result<Predictor> {
        let StageContext {
            context, source, ..
        } = *site;
        let Some((metric, link)) = self.metric_and_link() else {
            return Err(Error::key("metric", "metric is missing"));
        };
        let scores = site.scores(self.scores.as_deref(), metric)?;
        let file = self.asking.calibration.as_deref();
        let file = file.map(|path| site.path(path));
        let calibration = file.or_else(|| site.link(metric, link));
        let calibration = calibration.map(|path| Calibration::read(&path));
        direct(context, source, scores, link, calibration.transpose()?)
    }

    /// The pairs to predict, and what to keep.
    ///
    /// # Errors
    /// If the table of pairs cannot be read.
    pub fn options(&self, site: &StageContext<'_>) -> Result<PredictOptions> {
        let pairs = self.pairs.as_deref();
        let pairs =
            pairs.map(|path| RequestedPairs::open(site.context, site.source, &site.path(path)));
        Ok(PredictOptions {
            pairs: pairs.transpose()?,
            keep_draws: self.keep_draws,
            shard: crate::engine::parts::Shard::default(),
        })
    }
}

impl Keys for Predict {
    fn check(&self) -> Result<()> {
        match (&self.metric, &self.link) {
            (None, None) if self.scores.is_some() => {
                let what = "scores are given, but neither metric nor link";
                Err(Error::key("scores", what))
            }
            (None, None) if self.keep_draws && !self.asking.draws().any() => Err(Error::key(
                "keep-draws",
                message!("there are no {} to store", Key("draws")),
            )),
            (None, None) => Ok(()),
            (Some(_), Some(link)) => {
                find_entry("link", LINKS, link).map_err(Error::of_key("link"))?;
                if self.model.is_some() {
                    let what = "a model and a metric, expected one of the two";
                    return Err(Error::key("model", what));
                }
                match self.asking.first_but(&["calibration"]) {
                    Some(key) => Err(Error::key(
                        &key,
                        message!("this is for a model, not for a {}", Key("metric")),
                    )),
                    None => Ok(()),
                }
            }
            (Some(_), None) => Err(Error::key("metric", "a metric without a link").with_hint(
                message!("add {}, or leave the metric out", Key("link").set("btl")),
            )),
            (None, Some(_)) => Err(Error::key("link", "a link without a metric")),
        }
    }
}

impl PipelineStage for Predict {
    fn label(&self) -> String {
        match self.metric_and_link() {
            Some((metric, link)) => format!("{}-{link}", metric.slug()),
            None => called(self.model()),
        }
    }

    fn plan(&self, context: &Context<'_>, name: &str, made: &mut PipelineArtifacts) -> Result<()> {
        made.table("scores", self.scores.as_ref(), &Scores::COLUMNS)?;
        made.table("pairs", self.pairs.as_ref(), &RequestedPairs::COLUMNS)?;
        let uncertain = match self.metric_and_link() {
            None => {
                find_model(&made.folder, self.model(), &self.asking, context)?;
                self.asking.draws().any()
            }
            Some((metric, link)) => {
                made.file("calibration", self.asking.calibration.as_ref())?;
                if let Some(path) = &self.asking.calibration {
                    let read = Calibration::read(&made.folder.join(path));
                    read.map_err(Error::of_key("calibration"))?;
                }
                let drawn = self.scores.is_none() && made.has_scores(metric)?;
                let fitted = made.has_link(metric, link) || self.asking.calibration.is_some();
                if self.scores.is_none() && !fitted {
                    let what =
                        "no stage fits this link to this metric, and no calibration is named";
                    return Err(Error::key("link", what).with_hint(format!(
                        "add [[fit]] with metric = \"{metric}\" and link = \"{link}\""
                    )));
                }
                drawn
            }
        };
        made.predictions(PredictionsArtifact {
            name: name.to_string(),
            uncertain,
            by_model: self.model.is_some(),
        });
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        let options = self.options(site).map(drop);
        options.map_err(Error::of_key("pairs"))
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let predictor = match self.load(site.context, &site.made.folder)? {
            Some(model) => model,
            None => self.direct(site)?,
        };
        let path = Path::new("predict").join(file_name(name));
        let folder = Destination::Folder(site.out.join(&path));
        run(
            site.context,
            site.source,
            &predictor,
            &self.options(site)?,
            &folder,
        )?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: predictor.signature(),
        }])
    }
}

/// The short name of a model: its hub id or name, or the end of its path.
fn called(model: &str) -> String {
    match HubId::parse(model) {
        Some(_) => model.replace('/', "--"),
        None => {
            let name = Path::new(model).file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        }
    }
}
