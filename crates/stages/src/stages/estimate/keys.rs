//! The keys of `estimate`.

use super::gather::all_within;
use super::{Estimates, GivenRange, OutputSamplingDesign, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::judging::{AnnotatorRequirements, JudgmentSelection, PartsRule};
use crate::inputs::source::{ClusterKeys, PROBABILITY, STRATUM, Source};
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{
    Confidence, Keys, ParameterizedName, PositiveNumber, ScaleRange, one_or_more,
};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_base::scope::{ItemScope, ResultScope};
use tiebreak_data::records::Kind;
use tiebreak_data::records::import::Repeats;
use tiebreak_data::tables::Destination;
use tiebreak_data::tables::format::{Compression, OutputTableFormat};
use tiebreak_decide::estimators::{self, ESTIMATORS, Goal, Metrics, Population, Survey};

/// The estimator of outputs that were chosen with known probabilities.
const CHOSEN: &str = "active";

/// The estimator of outputs in strata.
const STRATIFIED: &str = "stratified";

/// The usual estimator with a metric.
const WITH_METRIC: &str = "control-variates";

/// Why outputs that were chosen by a design are in no clusters.
const CHOSEN_ONE_BY_ONE: &str =
    "outputs were chosen by a design, one by one, and count by themselves";

/// `estimate`: each system's mean score, by people or a benchmark, with an interval.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct EstimateStage {
    /// A criterion of the judgments, or of post-edits hter (edits per word) or hwer (without moves) [default: each
    /// of the judgments]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub criterion: Option<String>,
    /// Scores of all outputs [default: in a pipeline those of its `[[score]]` stages]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", requires = "metric"))]
    pub scores: Option<PathBuf>,
    /// Metrics of the scores; estimators that use one take each in turn
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "scores", num_args = 1.., value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    #[serde(with = "one_or_more")]
    pub metric: Vec<ParameterizedName>,
    /// The estimator: NAME or NAME:key=value [default: mean; control-variates with a metric, stratified with
    /// strata, active with probabilities]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    pub estimator: Option<ParameterizedName>,
    /// Confidence of the intervals
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = tiebreak_base::keys::flag::<Confidence>, default_value_t))]
    pub confidence: Confidence,
    /// The range of the judgments; others are errors. Of several criteria, that of those without a default [default: that
    /// of dataset.toml; 0,1 if all are 0 or 1; or unknown: approximate intervals]
    #[cfg_attr(feature = "cli", arg(long, value_name = "LO,HI", value_parser = tiebreak_base::keys::flag::<ScaleRange>, allow_hyphen_values = true))]
    pub range: Option<ScaleRange>,
    /// Compute how many judgments an interval of this width takes
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", value_parser = tiebreak_base::keys::flag::<PositiveNumber>))]
    pub target_width: Option<PositiveNumber>,
    /// Join each annotator's judgments of an item's parts: their `mean`, or the highest (`any`)
    #[cfg_attr(feature = "cli", arg(long, value_name = "HOW", value_parser = tiebreak_base::keys::flag::<PartsRule>))]
    pub parts: Option<PartsRule>,
    /// Which repeats (epochs, trials) of an output count: `all`, averaged, or the `first`
    #[cfg_attr(feature = "cli", arg(long, value_name = "all|first", value_parser = tiebreak_base::keys::flag::<Repeats>, default_value = "all", hide_default_value = true))]
    pub repeats: Repeats,
    /// Which items count as one.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub clusters: ClusterKeys,
    /// Which people and items the estimates are about.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub scope: ResultScope,
    /// Who is left out.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub quality: AnnotatorRequirements,
    /// The stratum of every output (estimator stratified)
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub strata: Option<PathBuf>,
    /// The probability with which each output was chosen to be judged (estimator active)
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub probabilities: Option<PathBuf>,
    /// Compare every pair of systems: differences, win rates, groups without a proved difference
    #[cfg_attr(feature = "cli", arg(long))]
    pub differences: bool,
    /// Compare them in slices of the items by a column too: language, domain; numbers in thirds; `length` of the source
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "COLUMN", requires = "differences")
    )]
    pub by: Option<String>,
    /// Show when one could have stopped: width=W or relative=E (estimators with anytime=true)
    #[cfg_attr(feature = "cli", arg(long, value_name = "GOAL", value_parser = tiebreak_base::keys::flag::<Goal>))]
    pub stop: Option<Goal>,
}

impl EstimateStage {
    /// The estimator: the named one, or else the one that uses what is given.
    pub fn estimator(&self) -> ParameterizedName {
        let usual = || {
            ParameterizedName::new(if self.probabilities.is_some() {
                CHOSEN
            } else if self.strata.is_some() {
                STRATIFIED
            } else if self.metric.is_empty() {
                "mean"
            } else {
                WITH_METRIC
            })
        };
        self.estimator.clone().unwrap_or_else(usual)
    }

    /// The estimator for a data set, which may be a campaign whose plan was not even.
    pub(super) fn estimator_of(&self, source: &Source) -> ParameterizedName {
        let is_chosen = source.chosen.is_some() && self.strata.is_none();
        match is_chosen && self.estimator.is_none() {
            true => ParameterizedName::new(CHOSEN),
            false => self.estimator(),
        }
    }

    /// Estimates the systems.
    ///
    /// # Errors
    /// As [`run`]; scores that cannot be read.
    pub fn estimate(&self, site: &StageContext<'_>) -> Result<Estimates> {
        site.on_scored_outputs(self.scores.as_deref(), |site| {
            let scores = site.scores_of_each(self.scores.as_deref(), &self.metric)?;
            run(site.context, site.source, &scores, &self.here(site))
        })
    }

    /// The keys with paths from here, where they are relative to the pipeline.
    fn here(&self, site: &StageContext<'_>) -> Self {
        Self {
            strata: self.strata.as_deref().map(|path| site.path(path)),
            probabilities: self.probabilities.as_deref().map(|path| site.path(path)),
            ..self.clone()
        }
    }

    /// Checks that the estimator uses every file and metric that is given: one that is ignored would seem to count.
    fn check_used(&self, estimator: &str, metrics: Metrics) -> Result<()> {
        let name = |estimator| message!("name one that does: {}", Key("estimator").set(estimator));
        let unused = |key: &'static str, what: &str, hint| {
            let what = format!("the estimator {estimator} uses no {what}");
            Err(Error::key(key, what).with_hint(hint))
        };
        let is_stratified = estimator == STRATIFIED;
        if self.strata.is_some() && self.probabilities.is_some() {
            let hint = message!("leave out {} or {}", Key("strata"), Key("probabilities"));
            return match is_stratified {
                true => unused("probabilities", "probabilities", hint),
                false => unused("strata", "strata", hint),
            };
        }
        if self.strata.is_some() && !is_stratified {
            return unused("strata", "strata", name(STRATIFIED));
        }
        if self.probabilities.is_some() && estimator != CHOSEN {
            return unused("probabilities", "probabilities", name(CHOSEN));
        }
        if self.metric.is_empty() || metrics != Metrics::Unused {
            return Ok(());
        }
        // Strata that are not given are made by the metric.
        match (is_stratified, &self.strata) {
            (true, None) => Ok(()),
            (true, Some(_)) => {
                let hint = message!("leave out {} or {}", Key("metric"), Key("strata"));
                unused("metric", "metric together with strata", hint)
            }
            (false, _) => unused("metric", "metric", name(WITH_METRIC)),
        }
    }
}

impl Keys for EstimateStage {
    /// Checks the keys. Only an estimator's parameters matter here: any population will do where there
    /// is a metric, and any range, which the data may declare.
    fn check(&self) -> Result<()> {
        let estimator = self.estimator();
        if self.scores.is_some() && self.metric.is_empty() {
            return Err(Error::key(
                "scores",
                "scores are given, but no metric of them",
            ));
        }
        if self.by.is_some() && !self.differences {
            let what = "slices are of differences";
            return Err(Error::key("by", what).with_hint(message!("add {}", Key("differences"))));
        }
        if self.by.is_some() && estimator.name != "mean" {
            let what = format!(
                "slices compare plain means, and the estimator is {}",
                estimator.name
            );
            return Err(Error::key("by", what)
                .with_hint(message!("leave out {}, or the slices", Key("estimator"))));
        }
        self.clusters.check(self.scope.items)?;
        let designs = [
            ("strata", &self.strata),
            ("probabilities", &self.probabilities),
        ];
        for (key, _) in designs.iter().filter(|(_, path)| path.is_some()) {
            self.clusters.refuse(CHOSEN_ONE_BY_ONE, Key(key))?;
        }
        let entry = find_entry("estimator", ESTIMATORS, &estimator.name);
        let entry = entry.map_err(Error::of_key("estimator"))?;
        self.check_used(&estimator.name, entry.build.metrics)?;
        let made = || {
            let marked = self.strata.is_some() || self.probabilities.is_some();
            let population = match self.metric.is_empty() && !marked {
                false => Population::from_scores([0.0, 1.0]),
                true => Population::unscored(2),
            };
            let [low, high] = self.range.map_or([0.0, 1.0], ScaleRange::value);
            let survey = Survey {
                range: Some(estimators::Range::new(low, high)?),
                ..Survey::new(population)
            };
            (entry.build.build)(&estimator.params, &survey)
        };
        let made = made().map_err(Error::of_key("estimator"))?;
        let finite = ["mean", WITH_METRIC].contains(&estimator.name.as_str());
        if self.scope.items == ItemScope::These && !finite {
            let what = format!("{} speaks of items like these", estimator.name);
            return Err(Error::key("items", what)
                .with_hint("of these items alone speak `mean` and `control-variates`"));
        }
        let can_stop = self.stop.is_none() || made.holds_at_any_time();
        can_stop.then_some(()).ok_or_else(|| {
            Error::key("stop", Goal::NOT_AT_ANY_TIME).with_hint(message!(
                "name one: {}",
                Key("estimator").set("betting:anytime=true")
            ))
        })
    }
}

impl PipelineStage for EstimateStage {
    fn label(&self) -> String {
        let estimator = self.estimator();
        let names = std::iter::once(&estimator).chain(&self.metric);
        let names: Vec<String> = names.map(ParameterizedName::slug).collect();
        names.join("-")
    }

    fn plan(&self, _: &Context<'_>, _: &str, made: &mut PipelineArtifacts) -> Result<()> {
        made.need_scores(self.scores.as_ref(), &self.metric)?;
        made.table("strata", self.strata.as_ref(), &["item", STRATUM])?;
        let chosen = self.probabilities.as_ref();
        made.table("probabilities", chosen, &["item", PROBABILITY])?;
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        if !site.source.index.has(Kind::Judgments) {
            return Err(site.source.lacks("estimate", "judgments"));
        }
        if self.estimator().name == CHOSEN
            && self.probabilities.is_none()
            && site.source.chosen.is_none()
        {
            let what = format!("{CHOSEN} needs the probabilities with which outputs were chosen");
            return Err(Error::key("probabilities", what));
        }
        if site.source.chosen.is_some() && self.clusters.cluster.is_some() {
            return Err(Error::key("cluster", CHOSEN_ONE_BY_ONE));
        }
        let estimator = self.estimator_of(site.source);
        if site.source.chosen.is_some() && ![CHOSEN, STRATIFIED].contains(&estimator.name.as_str())
        {
            let what = format!(
                "this campaign chose some outputs more often than others, and {} does not correct for that",
                estimator.name
            );
            return Err(Error::key("estimator", what).with_hint(message!(
                "leave it out, or write {}",
                Key("estimator").set(CHOSEN)
            )));
        }
        let marked = OutputSamplingDesign::open(site.source, &self.here(site));
        marked.map_err(Error::of_key(match self.strata {
            Some(_) => "strata",
            None => "probabilities",
        }))?;
        let judging = JudgmentSelection::new(site.source, self.criterion.as_deref(), self.parts);
        let judging = judging.map_err(Error::of_key("criterion"))?;
        let judging = judging.of_repeats(self.repeats);
        match self.range {
            // Which judgments count is not known before annotators are screened.
            Some(_) if self.quality.asks_nothing() => {
                let given = GivenRange::new(self.range, judging.is_of_one(site.source))?;
                all_within(site.source, &judging, given)
            }
            _ => Ok(()),
        }
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let estimates = self.estimate(site)?;
        let path = Path::new("estimate").join(format!("{}.csv", file_name(name)));
        let format = OutputTableFormat::Csv(Compression::Plain);
        estimates.write(&Destination::File(site.out.join(&path), format))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: estimates.signature().to_string(),
        }])
    }
}
