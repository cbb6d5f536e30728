//! The keys of `correlate`.

use super::{CorrelationLevel, CorrelationResult, FEWEST_RESAMPLES, Resample, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::source::ClusterKeys;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{
    BoundedInteger, Confidence, Keys, MOST_RESAMPLES, ParameterizedName, one_or_more,
};
use tiebreak_base::scope::ResultScope;
use tiebreak_data::tables::Destination;

/// `correlate`: metrics held against people.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Correlate {
    /// Scores of all outputs [default: in a pipeline those of its `[[score]]` stages]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", required = true))]
    pub scores: Option<PathBuf>,
    /// Metrics of the scores
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", required = true, num_args = 1.., value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    #[serde(with = "one_or_more")]
    pub metric: Vec<ParameterizedName>,
    /// Only this criterion of the judgments [default: each of them, and the comparisons]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub criterion: Option<String>,
    /// Compare segment (outputs), system, or both
    #[cfg_attr(feature = "cli", arg(long, value_name = "LEVEL", value_parser = tiebreak_base::keys::flag::<CorrelationLevel>, default_value_t))]
    pub level: CorrelationLevel,
    /// Draw again items only (these systems), or both (systems like these)
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHAT", value_parser = tiebreak_base::keys::flag::<Resample>, default_value_t))]
    pub resample: Resample,
    /// Slices of the items by a column too: language, domain; numbers in thirds; `length` of the source
    #[cfg_attr(feature = "cli", arg(long, value_name = "COLUMN"))]
    pub by: Option<String>,
    /// Which items count as one.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub clusters: ClusterKeys,
    /// Which people and items the coefficients are about.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub scope: ResultScope,
    /// Confidence of the intervals; differences are tested at the same level
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = tiebreak_base::keys::flag::<Confidence>, default_value_t))]
    pub confidence: Confidence,
    /// Resamples of an interval, and trials of a test
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<BoundedInteger<FEWEST_RESAMPLES, MOST_RESAMPLES, 1000>>, default_value_t))]
    pub resamples: BoundedInteger<FEWEST_RESAMPLES, MOST_RESAMPLES, 1000>,
}

impl Correlate {
    /// Correlates metrics with people.
    ///
    /// # Errors
    /// As [`run`]; scores that cannot be read.
    pub fn correlate(&self, site: &StageContext<'_>) -> Result<CorrelationResult> {
        site.on_scored_outputs(self.scores.as_deref(), |site| {
            let scores = site.scores_of_each(self.scores.as_deref(), &self.metric)?;
            run(site.context, site.source, &scores, self)
        })
    }
}

impl Keys for Correlate {
    fn check(&self) -> Result<()> {
        match self.metric.is_empty() {
            true => Err(Error::key(
                "metric",
                "metric is missing, expected at least one",
            )),
            false => Ok(()),
        }
    }
}

impl PipelineStage for Correlate {
    fn label(&self) -> String {
        crate::stages::of_criterion("correlate", self.criterion.as_deref())
    }

    fn plan(&self, _: &Context<'_>, _: &str, made: &mut PipelineArtifacts) -> Result<()> {
        made.need_scores(self.scores.as_ref(), &self.metric)?;
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        site.source.has_criterion(self.criterion.as_deref())
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let correlated = self.correlate(site)?;
        let path = Path::new("correlate").join(format!("{}.csv", file_name(name)));
        correlated.write(&Destination::from_path(&site.out.join(&path))?)?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: correlated.meta.signature,
        }])
    }
}
