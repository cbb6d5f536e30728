//! The keys of `rank`.

use super::verdicts::{VerdictSource, own_table};
use super::{FILE, rankable, run, systems};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::source::ClusterKeys;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::claims;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{Confidence, Keys};
use tiebreak_base::message;
use tiebreak_base::scope::ResultScope;
use tiebreak_data::tables::json;
use tiebreak_decide::ranking::result::Ranking;

/// `rank`: what collected comparisons say of all systems.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Rank {
    /// Predictions of all pairs, which people's comparisons correct; gaps must not depend on answers; in a pipeline
    /// also the name of a `[[predict]]`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub predictions: Option<String>,
    /// Rank by a judge's verdicts, not by people: those of the data set, of a table, or in a pipeline of a `[[predict]]`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "",
          value_parser = tiebreak_base::keys::flag::<VerdictSource>))]
    pub verdicts: Option<VerdictSource>,
    /// Hold style equal: length, headings, lists and bold. Strengths are then those of outputs that look alike
    #[cfg_attr(feature = "cli", arg(long))]
    pub style: bool,
    /// How often each system beats this one: with style held equal (length-controlled win rate), or by verdicts
    #[cfg_attr(feature = "cli", arg(long, value_name = "SYSTEM"))]
    pub baseline: Option<String>,
    /// Compare every pair of systems in slices of the items by a column: language, domain; numbers in thirds; `length`
    /// of the source
    #[cfg_attr(feature = "cli", arg(long, value_name = "COLUMN"))]
    pub by: Option<String>,
    /// Which items count as one.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub clusters: ClusterKeys,
    /// Which people and items the ranking is about.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub scope: ResultScope,
    /// Confidence with which all intervals and ranks hold together [default: 0.95, which rankings of one pipeline share]
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = tiebreak_base::keys::flag::<Confidence>))]
    pub confidence: Option<Confidence>,
}

impl Rank {
    /// Ranks the systems; rankings of one page without a confidence of their own share the error probability. With `out`
    /// the ranking is stored there.
    ///
    /// # Errors
    /// As [`run`]; predictions that cannot be read.
    pub fn rank(&self, site: &StageContext<'_>, out: Option<&Path>) -> Result<Ranking> {
        let sharing = match self.confidence {
            Some(_) => 1,
            None => site.made.sharing_rankings.max(1),
        };
        let together = self.confidence.unwrap_or_default().value();
        let confidence = claims::shared(together, sharing);
        let table = match &self.verdicts {
            Some(VerdictSource::DataSet) => {
                let table = site.table(&own_table(site.source)?);
                Some(table.map_err(|error| site.source.dataset.relocate_error(error))?)
            }
            Some(VerdictSource::Table(name)) => Some(site.predictions(name)?),
            None => {
                let named = self.predictions.as_deref();
                named.map(|name| site.predictions(name)).transpose()?
            }
        };
        let mut ranking = run(site.context, site.source, self, table.as_ref(), confidence)?;
        if sharing > 1 {
            ranking.evidence.sharing = sharing as u64;
        }
        if let Some(out) = out {
            json::write_result(&out.join(FILE), &ranking)?;
        }
        Ok(ranking)
    }
}

impl Keys for Rank {
    fn check(&self) -> Result<()> {
        if self.baseline.is_some() && !self.style && self.verdicts.is_none() {
            let what = "win rates against a baseline need style held equal";
            return Err(Error::key("baseline", what).with_hint(message!("add {}", Key("style"))));
        }
        if self.by.is_some() && self.predictions.is_some() {
            let what = "slices compare people's answers, or a judge's, by themselves";
            return Err(
                Error::key("by", what).with_hint(message!("leave out {}", Key("predictions")))
            );
        }
        if self.verdicts.is_some() && self.predictions.is_some() {
            let what = "verdicts replace people's comparisons, and predictions need these";
            return Err(Error::key("verdicts", what)
                .with_hint(message!("leave out {}", Key("predictions"))));
        }
        self.clusters.check(self.scope.items)?;
        match self.style && self.predictions.is_some() {
            true => Err(Error::key(
                "style",
                "style is held equal among people's comparisons alone",
            )
            .with_hint(message!("leave out {}", Key("predictions")))),
            false => Ok(()),
        }
    }
}

impl PipelineStage for Rank {
    fn label(&self) -> String {
        "rank".to_string()
    }

    fn plan(&self, _: &Context<'_>, _: &str, made: &mut PipelineArtifacts) -> Result<()> {
        made.sharing_rankings += usize::from(self.confidence.is_none());
        let verdicts = match &self.verdicts {
            Some(VerdictSource::Table(name)) => Some(name),
            _ => None,
        };
        let mut named = self.predictions.iter().chain(verdicts);
        named.try_for_each(|name| made.predicted(name).map(drop))
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        systems(site.source)?;
        match &self.verdicts {
            Some(VerdictSource::DataSet) => own_table(site.source).map(drop)?,
            Some(VerdictSource::Table(_)) => {}
            None => rankable(site.source)?,
        }
        let baseline = self.baseline.as_deref();
        let known = baseline
            .map(|name| site.source.index.system(name))
            .transpose();
        known.map(drop).map_err(Error::of_key("baseline"))
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let path = Path::new("rank").join(file_name(name));
        let ranking = self.rank(site, Some(&site.out.join(&path)))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: ranking.signature,
        }])
    }
}
