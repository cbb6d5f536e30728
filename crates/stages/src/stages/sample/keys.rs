//! The keys of a campaign of ratings: which outputs it asks about, and how precise estimates are to be.

use super::{SampleOptions, SamplingMethod};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::{Confidence, Keys, MinimumInteger, PositiveNumber};
use tiebreak_base::message;
use tiebreak_decide::estimators::{UNIFORM, probabilities};

/// Which outputs a campaign of ratings asks about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Sampling {
    /// Outputs to rate, divided evenly among the systems; all where nothing is said. Campaigns of pairs have the flag too.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub budget: Option<MinimumInteger<1, 1>>,
    /// Confidence of the intervals. Campaigns of pairs have the flag too.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub confidence: Confidence,
    /// How uncertain a model is of each output; uncertain outputs are drawn more often
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "FILE", conflicts_with = "strata")
    )]
    pub uncertainties: Option<PathBuf>,
    /// Share of the budget that is spread evenly, whatever the uncertainties [default: 0.2]
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "U", requires = "uncertainties")
    )]
    pub uniform: Option<f64>,
    /// The stratum of each output; each stratum gets its share of the budget
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub strata: Option<PathBuf>,
    /// A criterion of earlier judgments in DATA; its spread decides how many outputs each stratum gets
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", requires = "strata"))]
    pub pilot: Option<String>,
    /// Report when every interval is this narrow; the intervals hold at any time
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", value_parser = tiebreak_base::keys::flag::<PositiveNumber>))]
    pub target_width: Option<PositiveNumber>,
}

impl Sampling {
    /// The options of a draw among `outputs` outputs.
    pub fn options(&self, outputs: u64) -> SampleOptions<'_> {
        let by = match (&self.uncertainties, &self.strata) {
            (Some(table), _) => SamplingMethod::Uncertainty {
                table,
                uniform: self.uniform.unwrap_or(UNIFORM),
            },
            (None, Some(table)) => SamplingMethod::Strata {
                table,
                criterion: self.pilot.as_deref(),
            },
            (None, None) => SamplingMethod::Chance,
        };
        let budget = self.budget.map_or(outputs, MinimumInteger::value);
        SampleOptions { budget, by }
    }

    /// Whether every output of a system is as probable as any other.
    pub fn is_even(&self) -> bool {
        self.uncertainties.is_none() && self.strata.is_none()
    }

    /// Whether both draw the same outputs, by tables of the same names, wherever these are now.
    pub fn draws_the_same(&self, other: &Self) -> bool {
        let said = |one: &Self| {
            let mut one = Self {
                confidence: Confidence::default(),
                target_width: None,
                ..one.clone()
            };
            for table in one.tables_mut() {
                *table = table.file_name().map(PathBuf::from).unwrap_or_default();
            }
            one
        };
        said(self) == said(other)
    }

    /// The tables that outputs are drawn by.
    pub fn tables_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.uncertainties.iter_mut().chain(&mut self.strata)
    }
}

impl Keys for Sampling {
    fn check(&self) -> Result<()> {
        let uniform = self.uniform.unwrap_or(UNIFORM);
        probabilities(&[], 0, uniform).map_err(Error::of_key("uniform"))?;
        match self.target_width.is_some() && !self.is_even() {
            true => {
                let what =
                    "intervals that hold whenever one looks need outputs that are drawn evenly";
                Err(Error::key("target-width", what).with_hint(message!(
                    "leave out {} and {}, or rate the whole plan",
                    Key("uncertainties"),
                    Key("strata")
                )))
            }
            false => Ok(()),
        }
    }
}
