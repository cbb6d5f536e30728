//! The keys of `fit link`.

use crate::engine::Context;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{Keys, ParameterizedName};
use tiebreak_base::registry::{find_entry, name_list};
use tiebreak_data::records::Kind;
use tiebreak_preference::preference::calibration::Calibration;
use tiebreak_preference::preference::links::LINKS;

/// `fit link`: link parameters and thresholds from comparisons.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FitLink {
    /// Scores of the data set's outputs [default: in a pipeline those of its `[[score]]` stages]
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", required = true))]
    pub scores: Option<PathBuf>,
    /// The metric of the scores
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", required = true, value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    pub metric: Option<ParameterizedName>,
    /// The link: linear, btl or btl-logistic
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", required = true))]
    pub link: Option<String>,
}

impl FitLink {
    /// The metric and the link.
    ///
    /// # Errors
    /// If one is missing.
    pub fn both(&self) -> Result<(&ParameterizedName, &str)> {
        match (&self.metric, &self.link) {
            (Some(metric), Some(link)) => Ok((metric, link)),
            (None, _) => Err(Error::key("metric", "metric is missing, expected a name")),
            (_, None) => Err(Error::key("link", "link is missing, expected a name")
                .with_hint(name_list("link", LINKS))),
        }
    }

    /// Fits the link.
    ///
    /// # Errors
    /// As `run`; scores that cannot be read.
    pub fn fit(&self, site: &StageContext<'_>) -> Result<Calibration> {
        let (metric, link) = self.both()?;
        site.on_scored_outputs(self.scores.as_deref(), |site| {
            let scores = site.scores(self.scores.as_deref(), metric)?;
            super::run(site.context, site.source, &scores, link)
        })
    }
}

impl Keys for FitLink {
    fn check(&self) -> Result<()> {
        let (_, link) = self.both()?;
        find_entry("link", LINKS, link)
            .map(drop)
            .map_err(Error::of_key("link"))
    }
}

/// The path of a fitted link in the folder of a pipeline's results.
fn path(metric: &ParameterizedName, link: &str) -> PathBuf {
    Path::new("fit").join(format!("{}-{link}.toml", metric.slug()))
}

impl PipelineStage for FitLink {
    fn label(&self) -> String {
        match self.both() {
            Ok((metric, link)) => format!("{}-{link}", metric.label()),
            Err(_) => String::new(),
        }
    }

    fn plan(&self, _: &Context<'_>, _: &str, made: &mut PipelineArtifacts) -> Result<()> {
        let (metric, link) = self.both()?;
        made.need_scores(self.scores.as_ref(), [metric])?;
        made.link(metric, link, path(metric, link))
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        match site.source.index.rows(Kind::Comparisons) {
            0 => Err(site.source.lacks("fit", "comparisons")),
            _ => Ok(()),
        }
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let (metric, link) = self.both()?;
        let calibration = self.fit(site)?;
        let path = path(metric, link);
        super::write(&calibration, &site.out.join(&path))?;
        let held_out = calibration.held_out;
        let held_out = held_out.map_or_else(String::new, |share| format!("|held out:{share:.4}"));
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: format!(
                "{link}|metric:{metric}|n:{}|three-way accuracy:{:.4}{held_out}",
                calibration.n, calibration.accuracy
            ),
        }])
    }
}
