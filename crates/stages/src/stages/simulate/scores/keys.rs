//! The keys of replays of scores, and which stage is meant: `simulate` replays comparisons or scores.

use super::{ScoreSimulation, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::judging::JudgmentSelection;
use crate::stages::simulate::summary::Simulation;
use crate::stages::simulate::{Replays, Simulate, write};
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{Keys, NonNegativeNumber, ParameterizedName, ScaleRange};
use tiebreak_base::message;
use tiebreak_data::records::Kind;
use tiebreak_decide::race::replay::RaceMethod;

/// The keys of comparisons that replays of scores have too.
const SHARED: [&str; 3] = ["runs", "budget", "confidence"];

/// Recorded scores, and how they are replayed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub(crate) struct ScoreReplays {
    /// Scores of all outputs; a race by scores is replayed, not comparisons
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires = "metric"))]
    pub scores: Option<PathBuf>,
    /// The metric of the scores
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "scores", value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    pub metric: Option<ParameterizedName>,
    /// Instead of a metric: a criterion of the judgments, whose means are the scores
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub criterion: Option<String>,
    /// The lowest and highest possible score [default: that of dataset.toml; 0,1 if all are 0 or 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "LO,HI", value_parser = tiebreak_base::keys::flag::<ScaleRange>, allow_hyphen_values = true))]
    pub range: Option<ScaleRange>,
    /// Method: race, uniform (the same proof, no system dropped), successive-halving or successive-rejects (no proof)
    #[cfg_attr(feature = "cli", arg(long, value_name = "METHOD", value_parser = tiebreak_base::keys::flag::<RaceMethod>, default_value_t))]
    pub method: RaceMethod,
    /// Stop at a system whose mean no other one exceeds by more than this
    #[cfg_attr(feature = "cli", arg(long, value_name = "E", value_parser = tiebreak_base::keys::flag::<NonNegativeNumber>))]
    pub epsilon: Option<NonNegativeNumber>,
    /// Draw items with replacement, not each once
    #[cfg_attr(feature = "cli", arg(long))]
    pub repeated: bool,
}

impl ScoreReplays {
    /// Whether scores are meant, not comparisons.
    fn are_meant(&self) -> bool {
        self.scores.is_some() || self.metric.is_some() || self.criterion.is_some()
    }
}

impl Keys for ScoreReplays {
    fn check(&self) -> Result<()> {
        if self.criterion.is_some() && (self.metric.is_some() || self.scores.is_some()) {
            let what = "scores of a metric and a criterion, expected one of the two";
            return Err(Error::key("criterion", what));
        }
        match self.scores.is_some() && self.metric.is_none() {
            true => Err(Error::key(
                "scores",
                "scores are given, but no metric of them",
            )),
            false => Ok(()),
        }
    }
}

/// `simulate`: replays of recorded comparisons or, where they are named, of recorded scores.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SimulateStage {
    /// A bandit on comparisons, and what both kinds have.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub comparisons: Simulate,
    /// A race by scores.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub(crate) scores: ScoreReplays,
}

impl SimulateStage {
    /// Replays comparisons or scores; with `out` the outcome is stored there.
    ///
    /// # Errors
    /// As `Simulate::simulate`; scores that cannot be read or do not fit.
    pub fn simulate(&self, site: &StageContext<'_>, out: Option<&Path>) -> Result<Replays> {
        if !self.scores.are_meant() {
            let found: Simulation = self.comparisons.simulate(site, out)?;
            return Ok(Replays::Comparisons(Box::new(found)));
        }
        let file = self.scores.scores.as_deref();
        let found: ScoreSimulation = site.on_scored_outputs(file, |site| run(site, self))?;
        write(&found, out)?;
        Ok(Replays::Scores(Box::new(found)))
    }
}

impl Keys for SimulateStage {
    fn check(&self) -> Result<()> {
        if self.scores.are_meant() {
            let mut given = self.comparisons.non_default().into_iter();
            return match given.find(|key| !SHARED.contains(&key.as_str())) {
                None => self.scores.check(),
                Some(key) => {
                    let what = "this is for replays of comparisons, and scores are replayed";
                    Err(Error::key(&key, what).with_hint("leave it out"))
                }
            };
        }
        match self.scores.non_default().first() {
            None => self.comparisons.check(),
            Some(key) => {
                let what = "this is for replays of scores, and comparisons are replayed";
                Err(Error::key(key, what).with_hint(message!(
                    "name the scores: {} and {}, or {}",
                    Key("scores").set("FILE"),
                    Key("metric").set("NAME"),
                    Key("criterion").set("NAME")
                )))
            }
        }
    }
}

impl PipelineStage for SimulateStage {
    fn label(&self) -> String {
        let scores = &self.scores;
        if !scores.are_meant() {
            return self.comparisons.label();
        }
        let metric = scores.metric.as_ref().map(ParameterizedName::slug);
        let of = metric.or_else(|| scores.criterion.clone());
        let replaced = if scores.repeated { "+repeated" } else { "" };
        format!(
            "{}-{}{replaced}",
            scores.method,
            of.as_deref().unwrap_or_default()
        )
    }

    fn plan(&self, context: &Context<'_>, _: &str, made: &mut PipelineArtifacts) -> Result<()> {
        match self.scores.are_meant() {
            true => made.need_scores(self.scores.scores.as_ref(), &self.scores.metric),
            false => self.comparisons.plan(context, made),
        }
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        if !self.scores.are_meant() {
            return self.comparisons.fits(site);
        }
        let Some(criterion) = &self.scores.criterion else {
            return Ok(());
        };
        if !site.source.index.has(Kind::Judgments) {
            return Err(site.source.lacks("simulate", "judgments"));
        }
        let judging = JudgmentSelection::new(site.source, Some(criterion), None);
        judging.map(drop).map_err(Error::of_key("criterion"))
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let path = Path::new("simulate").join(file_name(name));
        let replays = self.simulate(site, Some(&site.out.join(&path)))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: replays.signature().to_string(),
        }])
    }
}
