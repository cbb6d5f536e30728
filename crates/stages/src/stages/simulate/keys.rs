//! The keys of `simulate`.

use super::{Choices, Models, run};
use crate::engine::Context;
use crate::stages::simulate::summary::Simulation;
use crate::stages::site::find_model;
use crate::stages::{PipelineArtifacts, StageContext};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{BoundedInteger, Keys, MinimumInteger};
use tiebreak_data::records::Kind;

/// A number of runs; each is held in memory with its course.
type RunCount = BoundedInteger<1, 100_000, 1>;

/// `simulate`: a dueling bandit on recorded comparisons.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Simulate {
    /// How systems are compared.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub choices: Choices,
    /// Number of replays; from several comes the number of judgments needed
    #[cfg_attr(feature = "cli", arg(long, value_name = "R", value_parser = tiebreak_base::keys::flag::<RunCount>, default_value_t))]
    pub runs: RunCount,
    /// Answers arrive this many questions late
    #[cfg_attr(feature = "cli", arg(long, value_name = "D", value_parser = tiebreak_base::keys::flag::<usize>, default_value_t))]
    pub delay: usize,
    /// Replay one annotator's campaign: the first comparison of each item and pair, and asking again is free
    #[cfg_attr(feature = "cli", arg(long))]
    pub as_campaign: bool,
    /// Use only N systems: the best, and others drawn by the seed; a larger N adds to those of a smaller [default:
    /// all]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<MinimumInteger<2, 2>>))]
    pub systems: Option<MinimumInteger<2, 2>>,
}

impl Simulate {
    /// Checks that a data set has as many systems as are asked for.
    ///
    /// # Errors
    /// If it has fewer.
    pub fn check_systems(&self, k: usize) -> Result<()> {
        match self.systems.filter(|systems| systems.value() as usize > k) {
            Some(systems) => {
                let what = format!("{systems} of the {k} systems, expected 2 to {k}");
                Err(Error::key("systems", what))
            }
            None => Ok(()),
        }
    }

    /// Replays the comparisons; with `out` the runs are stored there.
    ///
    /// # Errors
    /// As `run`; predictions or a model that cannot be read.
    pub(crate) fn simulate(
        &self,
        site: &StageContext<'_>,
        out: Option<&Path>,
    ) -> Result<Simulation> {
        let StageContext {
            context, source, ..
        } = *site;
        let here = self.choices.resolve_paths(&site.made.folder);
        let models = Models::open(context, source, &here, out, |name| site.predictions(name));
        let models = models.map_err(Error::of_key(match self.choices.model {
            Some(_) => "model",
            None => "predictions",
        }))?;
        run(context, source, &models, self, out)
    }
}

impl Keys for Simulate {
    fn check(&self) -> Result<()> {
        if self.systems.is_some() && self.choices.eliminate.is_some() {
            let what =
                "elimination compares all systems, so it cannot be combined with some of them";
            return Err(Error::key("systems", what));
        }
        self.choices.check()
    }
}

impl Simulate {
    /// As [`PipelineStage::label`](crate::stages::PipelineStage::label), where comparisons are replayed; so are the next two.
    pub(super) fn label(&self) -> String {
        self.choices.label()
    }

    pub(crate) fn plan(&self, context: &Context<'_>, made: &mut PipelineArtifacts) -> Result<()> {
        if let Some(model) = &self.choices.model {
            find_model(&made.folder, model, &self.choices.asking, context)?;
        }
        if let Some(cache) = &self.choices.cache
            && made.folder.join(cache).is_file()
        {
            let what = format!("`{}` is a file, expected a folder", cache.display());
            return Err(Error::key("cache", what));
        }
        for name in &self.choices.predictions {
            let predicted = made.predicted(name)?;
            if self.choices.needs_uncertainty() && !predicted.uncertain {
                let what = format!(
                    "predictions `{name}` have no uncertainty (BALD, STD), which this stage uses"
                );
                return Err(Error::key("predictions", what).with_hint(
                    "predict with a model that has dropout, select by closeness to a half (margin:T), or let the model \
                     answer at random: mix = 0.5",
                ));
            }
        }
        Ok(())
    }

    pub(super) fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        if !site.source.index.has(Kind::Comparisons) {
            return Err(site.source.lacks("simulate", "comparisons"));
        }
        self.check_systems(site.source.systems().len())
    }
}
