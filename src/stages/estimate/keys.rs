//! What can be asked of `estimate`.

use super::{Estimates, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::error::{Error, Result};
use crate::estimators::{self, ESTIMATORS, Goal, Population, Survey};
use crate::inputs::judging::{Judging, PartsRule, Quality};
use crate::inputs::source::Source;
use crate::keys::{Confidence, Keys, Named, Positive, Range, one_or_more};
use crate::records::Kind;
use crate::registry::find;
use crate::stages::{Done, Made, Site, Stage};
use crate::tables::Destination;
use crate::tables::format::{Compression, Format};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `estimate`: each system's mean human judgment, with an interval.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Estimate {
    /// Which criterion of the judgments, or one counted from post-edits: `hter`, edits per word, or
    /// `hwer`, the same without moves [default: each criterion of the judgments]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub criterion: Option<String>,
    /// Scores of all outputs [default: in a pipeline those of its `[[score]]` stages]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires = "metric"))]
    pub scores: Option<PathBuf>,
    /// Which metric of the scores; several for estimators that use several at once, else each in turn
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "scores", num_args = 1.., value_parser = crate::keys::flag::<Named>))]
    #[serde(with = "one_or_more")]
    pub metric: Vec<Named>,
    /// The estimator, with parameters as NAME:key=value [default: by what is given beside the judgments: mean,
    /// with a metric control-variates, with --strata stratified, with --probabilities active]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", value_parser = crate::keys::flag::<Named>))]
    pub estimator: Option<Named>,
    /// Confidence of the intervals
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = crate::keys::flag::<Confidence>, default_value_t))]
    pub confidence: Confidence,
    /// The range of the judgments; values outside are errors, intervals stay inside [default: as
    /// dataset.toml declares it, or 0,1 where all judgments are 0 or 1; else intervals are approximate]
    #[cfg_attr(feature = "cli", arg(long, value_name = "LO,HI", value_parser = crate::keys::flag::<Range>, allow_hyphen_values = true))]
    pub range: Option<Range>,
    /// Say how many judgments an interval of this width takes
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", value_parser = crate::keys::flag::<Positive>, allow_hyphen_values = true))]
    pub target_width: Option<Positive>,
    /// Join each annotator's judgments of an item's parts: their `mean`, or the highest (`any`)
    #[cfg_attr(feature = "cli", arg(long, value_name = "HOW", value_parser = crate::keys::flag::<PartsRule>))]
    pub parts: Option<PartsRule>,
    /// Leave out annotators whose judgments take fewer seconds (median)
    #[cfg_attr(feature = "cli", arg(long, value_name = "S"))]
    pub min_seconds: Option<f64>,
    /// Leave out annotators whose judgments correlate less with those of others
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "R", allow_hyphen_values = true)
    )]
    pub min_agreement: Option<f64>,
    /// Leave out annotators whose post-edits change fewer words per word (median)
    #[cfg_attr(feature = "cli", arg(long, value_name = "E"))]
    pub min_edit: Option<f64>,
    /// The stratum of every output, for the estimator `stratified`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub strata: Option<PathBuf>,
    /// The probabilities with which outputs were chosen to be judged, for the estimator `active`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub probabilities: Option<PathBuf>,
    /// Compare every pair of systems: differences, win rates, groups that cannot be told apart
    #[cfg_attr(feature = "cli", arg(long))]
    pub differences: bool,
    /// Say when one could have stopped: width=W or relative=E (needs an estimator with anytime=true)
    #[cfg_attr(feature = "cli", arg(long, value_name = "GOAL", value_parser = crate::keys::flag::<Goal>))]
    pub stop: Option<Goal>,
}

impl Estimate {
    /// The estimator: the one that is named, or else the one that uses what is given.
    pub fn estimator(&self) -> Named {
        let usual = || {
            Named::new(if self.probabilities.is_some() {
                "active"
            } else if self.strata.is_some() {
                "stratified"
            } else if self.metric.is_empty() {
                "mean"
            } else {
                "control-variates"
            })
        };
        self.estimator.clone().unwrap_or_else(usual)
    }

    /// The same for a data set, which may be a campaign whose plan was not even.
    pub(super) fn estimator_of(&self, source: &Source) -> Named {
        let is_chosen = source.chosen.is_some() && self.strata.is_none();
        match is_chosen && self.estimator.is_none() {
            true => Named::new("active"),
            false => self.estimator(),
        }
    }

    /// What annotators must meet.
    pub fn quality(&self) -> Quality {
        Quality {
            min_seconds: self.min_seconds,
            min_agreement: self.min_agreement,
            min_edit: self.min_edit,
        }
    }

    /// Estimates.
    ///
    /// # Errors
    /// As [`run`]; scores that cannot be read.
    pub fn estimate(&self, site: &Site<'_>) -> Result<Estimates> {
        let scores = site.scores_of_each(self.scores.as_deref(), &self.metric)?;
        let here = Self {
            strata: self.strata.as_deref().map(|path| site.path(path)),
            probabilities: self.probabilities.as_deref().map(|path| site.path(path)),
            ..self.clone()
        };
        run(site.context, site.source, &scores, &here)
    }
}

impl Keys for Estimate {
    /// Of an estimator only the parameters matter here: any population will do where there is a metric, and
    /// any range, which the data may declare.
    fn check(&self) -> Result<()> {
        let estimator = self.estimator();
        if self.scores.is_some() && self.metric.is_empty() {
            return Err(Error::key(
                "scores",
                "scores are given, but no metric of them",
            ));
        }
        let made = || {
            let entry = find("estimator", ESTIMATORS, &estimator.name)?;
            let marked = self.strata.is_some() || self.probabilities.is_some();
            let population = match self.metric.is_empty() && !marked {
                false => Population::from_scores([0.0, 1.0]),
                true => Population::unscored(2),
            };
            let [low, high] = self.range.map_or([0.0, 1.0], Range::value);
            let survey = Survey {
                population,
                range: Some(estimators::Range::new(low, high)?),
                seed: crate::rng::Seed::default(),
            };
            (entry.build.build)(&estimator.params, &survey).map(drop)
        };
        made().map_err(Error::of_key("estimator"))
    }
}

impl Stage for Estimate {
    fn label(&self) -> String {
        let estimator = self.estimator();
        let names = std::iter::once(&estimator).chain(&self.metric);
        let names: Vec<String> = names.map(Named::slug).collect();
        names.join("-")
    }

    fn plan(&self, _: &Context<'_>, _: &str, made: &mut Made) -> Result<()> {
        made.need_scores(self.scores.as_ref(), &self.metric)?;
        made.file("strata", self.strata.as_ref())?;
        made.file("probabilities", self.probabilities.as_ref())?;
        Ok(())
    }

    fn fits(&self, source: &Source) -> Result<()> {
        if !source.index.has(Kind::Judgments) {
            return Err(source.lacks("estimate", "judgments"));
        }
        let criterion = self.criterion.as_deref();
        let judged = criterion.map(|name| Judging::new(source, Some(name), None));
        let judged = judged.transpose().map(drop);
        judged.map_err(Error::of_key("criterion"))
    }

    fn run(&self, site: &Site<'_>, name: &str) -> Result<Vec<Done>> {
        let estimates = self.estimate(site)?;
        let path = Path::new("estimate").join(format!("{}.csv", file_name(name)));
        let format = Format::Csv(Compression::Plain);
        estimates.write(&Destination::File(site.out.join(&path), format))?;
        Ok(vec![Done {
            name: name.to_string(),
            path,
            signature: estimates.signature().to_string(),
        }])
    }
}
