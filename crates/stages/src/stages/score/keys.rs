//! The keys of `score`.

use super::Scorer;
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::engine::parts::Shard;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::named::ParameterizedNameList;
use tiebreak_base::keys::{BoundedInteger, Keys, MOST_DRAWS, ParameterizedName, one_or_more};
use tiebreak_base::registry::name_list;
use tiebreak_data::tables::Destination;
use tiebreak_metrics::metrics::METRICS;

/// A number of Monte Carlo draws.
type DrawCount = BoundedInteger<1, MOST_DRAWS, 1>;

/// `score`: outputs to metric scores.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ScoreStage {
    /// Metrics, with parameters as NAME:key=value,key=value
    #[cfg_attr(feature = "cli", arg(long, short, alias = "metrics", value_name = "NAME", required = true, num_args = 1.., value_parser = tiebreak_base::keys::flag::<ParameterizedNameList>))]
    #[serde(with = "one_or_more")]
    pub metric: Vec<ParameterizedNameList>,
    /// Monte Carlo draws, for metrics with dropout
    #[cfg_attr(feature = "cli", arg(long, value_name = "L", value_parser = tiebreak_base::keys::flag::<DrawCount>))]
    pub draws: Option<DrawCount>,
}

impl ScoreStage {
    /// The metrics.
    pub fn metrics(&self) -> impl Iterator<Item = &ParameterizedName> {
        self.metric.iter().flat_map(|names| &names.0)
    }

    /// The metrics, ready to run.
    ///
    /// # Errors
    /// Those of [`Scorer::new`].
    pub fn scorers(&self, context: &Context<'_>) -> Result<Vec<Scorer>> {
        let scorers = self
            .metrics()
            .map(|metric| Scorer::new(context, metric, self.draws()));
        scorers.collect()
    }

    fn draws(&self) -> Option<usize> {
        self.draws.map(|draws| draws.value() as usize)
    }

    /// The path of a metric's scores in the folder of a pipeline's results.
    fn path(&self, name: &str, metric: &ParameterizedName) -> PathBuf {
        let folder = match (name == self.label(), self.metrics().count()) {
            (true, _) => metric.slug(),
            (false, 1) => file_name(name),
            (false, _) => format!("{}-{}", file_name(name), metric.slug()),
        };
        Path::new("score").join(folder)
    }
}

impl Keys for ScoreStage {
    fn check(&self) -> Result<()> {
        let metrics: Vec<&ParameterizedName> = self.metrics().collect();
        if metrics.is_empty() {
            let what = "metric is missing, expected at least one, such as chrf";
            return Err(Error::key("metric", what).with_hint(name_list("metric", METRICS)));
        }
        // Tables know a metric by its label, which holds no paths.
        let called = |one: &ParameterizedName| {
            metrics
                .iter()
                .position(|other| other.label() == one.label())
        };
        let both = metrics.iter().enumerate();
        let mut both = both.filter_map(|(place, one)| Some((place, called(one)?)));
        let Some((place, first)) = both.find(|(place, first)| first < place) else {
            return Ok(());
        };
        let (one, other) = (metrics[first], metrics[place]);
        if one == other {
            let what = format!("metric {one} is asked for twice");
            return Err(Error::key("metric", what));
        }
        let what = format!(
            "{one} and {other} are both called {} in tables",
            one.label()
        );
        Err(Error::key("metric", what).with_hint("call one of the files otherwise"))
    }
}

impl PipelineStage for ScoreStage {
    fn label(&self) -> String {
        let labels: Vec<String> = self.metrics().map(ParameterizedName::label).collect();
        labels.join(",")
    }

    fn plan(&self, context: &Context<'_>, name: &str, made: &mut PipelineArtifacts) -> Result<()> {
        for metric in self.metrics() {
            Scorer::new(context, metric, self.draws()).map_err(Error::of_key("metric"))?;
            made.scores(metric, self.path(name, metric), self.draws.is_some())?;
        }
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        let (fewest, _) = site.source.index.references();
        for metric in self.metrics().filter(|_| fewest == 0) {
            let scorer = Scorer::new(site.context, metric, self.draws())?;
            let defined = scorer.require_references(site.source);
            defined.map_err(Error::of_key("metric"))?;
        }
        Ok(())
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let StageContext {
            context, source, ..
        } = *site;
        let mut done = Vec::new();
        for metric in self.metrics() {
            let mut scorer = Scorer::new(context, metric, self.draws())?;
            scorer.prepare(context, source)?;
            let signature = scorer.signature(source).to_string();
            let path = self.path(name, metric);
            let folder = Destination::Folder(site.out.join(&path));
            super::run_one(context, source, &scorer, Shard::default(), &folder)?;
            done.push(StageArtifact {
                name: metric.label(),
                path,
                signature,
            });
        }
        Ok(done)
    }
}
