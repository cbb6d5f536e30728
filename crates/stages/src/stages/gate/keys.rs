//! The keys of `gate`.

use super::compare::{require_scales, systems};
use super::{GateReport, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::inputs::source::ClusterKeys;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{
    BoundedInteger, Confidence, Keys, NonNegativeNumber, ParameterizedName, ScaleRange, one_or_more,
};
use tiebreak_base::registry::find_entry;
use tiebreak_base::scope::ResultScope;
use tiebreak_data::records::Kind;
use tiebreak_decide::evaluation::gate::Requirement;
use tiebreak_metrics::metrics::METRICS;

/// A number of gates.
pub(crate) type GateCount = BoundedInteger<1, 1_000_000, 1>;

/// What becomes of an undecided gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UndecidedOutcome {
    /// It does not pass.
    #[default]
    Fail,
    /// It passes.
    Pass,
}

impl std::fmt::Display for UndecidedOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// `gate`: is the new system good enough to ship.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct Gate {
    /// The current system; with logs, the system to take from the first log
    #[cfg_attr(feature = "cli", arg(long, value_name = "SYSTEM"))]
    pub base: Option<String>,
    /// The new system, or several [default: all others]; with logs, the system to take from the others
    #[cfg_attr(feature = "cli", arg(long, value_name = "SYSTEM", num_args = 1..))]
    #[serde(with = "one_or_more")]
    pub new: Vec<String>,
    /// Criteria of judgments or scores; `preference` are comparisons of the two, `verdicts` those
    /// of a judge [default: all there are; verdicts where nothing else is]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", num_args = 1..))]
    #[serde(with = "one_or_more")]
    pub criterion: Vec<String>,
    /// Metrics of the whole corpus, such as `bleu`, by a paired bootstrap; alone, or with named criteria
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", num_args = 1.., value_parser = tiebreak_base::keys::flag::<ParameterizedName>))]
    #[serde(with = "one_or_more")]
    pub metric: Vec<ParameterizedName>,
    /// What is required: `no-regression` (not proved worse), `not-worse` (by the margin or more), `equivalent`
    /// (within the margin) or `better`
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHAT", value_parser = tiebreak_base::keys::flag::<Requirement>, default_value_t))]
    pub require: Requirement,
    /// The margin of `not-worse` and `equivalent`, on the criterion's scale
    #[cfg_attr(feature = "cli", arg(long, value_name = "M", value_parser = tiebreak_base::keys::flag::<NonNegativeNumber>))]
    pub margin: Option<NonNegativeNumber>,
    /// Show slices of the items by a column: language, domain; numbers in thirds; `length` of the source
    #[cfg_attr(feature = "cli", arg(long, value_name = "COLUMN"))]
    pub by: Option<String>,
    /// How many gates of one project share the confidence
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<GateCount>, default_value_t))]
    pub over: GateCount,
    /// Whether an undecided gate passes: `pass` or `fail`
    #[cfg_attr(feature = "cli", arg(long, value_name = "HOW", value_parser = tiebreak_base::keys::flag::<UndecidedOutcome>, default_value_t))]
    pub(crate) undecided: UndecidedOutcome,
    /// The scale of the scores; of several criteria, that of those without a default [default: that of dataset.toml; 0,1 if
    /// all are 0 or 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "LO,HI", value_parser = tiebreak_base::keys::flag::<ScaleRange>, allow_hyphen_values = true))]
    pub range: Option<ScaleRange>,
    /// Which items count as one.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub clusters: ClusterKeys,
    /// Which people and items the result is about.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub scope: ResultScope,
    /// Confidence of the gate
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", value_parser = tiebreak_base::keys::flag::<Confidence>, default_value_t))]
    pub confidence: Confidence,
}

impl Gate {
    /// The level of the whole gate.
    pub(super) fn level(&self) -> f64 {
        (1.0 - self.confidence.value()) / self.over.value() as f64
    }

    /// The margin, where it is above 0.
    pub(super) fn positive_margin(&self) -> Option<f64> {
        let margin = self.margin.map(NonNegativeNumber::value);
        margin.filter(|&margin| margin > 0.0)
    }

    /// Decides the gate.
    ///
    /// # Errors
    /// Systems or criteria that cannot be compared; a scale or a margin that is not known; data that cannot be read.
    pub fn decide(&self, site: &StageContext<'_>) -> Result<GateReport> {
        run(site.context, site.source, self)
    }
}

impl Keys for Gate {
    fn check(&self) -> Result<()> {
        for metric in &self.metric {
            find_entry("metric", METRICS, &metric.name).map_err(Error::of_key("metric"))?;
        }
        self.clusters.check(self.scope.items)
    }
}

impl PipelineStage for Gate {
    fn label(&self) -> String {
        "gate".to_string()
    }

    fn plan(&self, _: &Context<'_>, _: &str, _: &mut PipelineArtifacts) -> Result<()> {
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        let index = &site.source.index;
        let predicted = site.source.dataset.predictions().is_some();
        let judged = index.has(Kind::Judgments) || index.has(Kind::Comparisons) || predicted;
        if !judged && self.metric.is_empty() {
            return Err(site.source.lacks("gate", "judgments or comparisons"));
        }
        systems(site.source, self)?;
        require_scales(site.context, site.source, self)?;
        match self.require.needs_margin() && self.positive_margin().is_none() {
            // The margin that these items can show takes all of them.
            true => self.decide(site).map(drop),
            false => Ok(()),
        }
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let path = Path::new("gate").join(file_name(name));
        let report = self.decide(site)?;
        report.store(&site.out.join(&path))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: report.signature,
        }])
    }
}
