//! What can be asked of `assess`.

use super::rows::Assessment;
use super::{run, write};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::error::{Error, Result};
use crate::inputs::source::Source;
use crate::keys::Keys;
use crate::keys::bounds::TieBounds;
use crate::preference::calibrator::Calibrator;
use crate::records::Kind;
use crate::stages::{Done, Made, Site, Stage};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// `assess`: how good predictions are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Assess {
    /// The predictions, as `tiebreak predict` writes them; in a pipeline also the name of a `[[predict]]`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", required = true))]
    pub predictions: Option<String>,
    /// A calibration of the model to apply first (BALD and STD stay as they were predicted)
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub calibration: Option<PathBuf>,
    /// The outcome is a tie from T1 to T2 [default: those of the predictions, else fitted on half of
    /// the items and tested on the other half]
    #[cfg_attr(feature = "cli", arg(long, value_name = "T1,T2", value_parser = crate::keys::flag::<TieBounds>))]
    pub thresholds: Option<TieBounds>,
    /// Bins of preferences, and of BALD
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = crate::keys::flag::<Bins>, default_value_t))]
    pub bins: Bins,
}

/// A number of bins, from 1 to 1000; 10 where none is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u64")]
pub struct Bins(u16);

impl Bins {
    /// The number.
    pub fn value(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for Bins {
    fn default() -> Self {
        Self(10)
    }
}

impl TryFrom<i64> for Bins {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        match u16::try_from(number) {
            Ok(number) if (1..=1000).contains(&number) => Ok(Self(number)),
            _ => Err(format!("{number}, expected a whole number from 1 to 1000")),
        }
    }
}

impl From<Bins> for u64 {
    fn from(bins: Bins) -> Self {
        Self::from(bins.0)
    }
}

impl std::fmt::Display for Bins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Assess {
    /// The assessment of some predictions, as usual.
    pub fn of(predictions: &str) -> Self {
        Self {
            predictions: Some(predictions.to_string()),
            ..Self::default()
        }
    }

    fn predictions(&self) -> Result<&str> {
        let missing = || Error::key("predictions", "predictions are missing");
        self.predictions.as_deref().ok_or_else(missing)
    }

    /// Assesses.
    ///
    /// # Errors
    /// As [`run`]; predictions or a calibration that cannot be read.
    pub fn assess(&self, site: &Site<'_>) -> Result<Assessment> {
        let predictions = site.predictions(self.predictions()?)?;
        let calibrator = self.calibration.as_deref();
        let calibrator = calibrator.map(|path| Calibrator::read(&site.path(path)));
        let calibrator = calibrator.transpose()?;
        run(
            site.context,
            site.source,
            &predictions,
            calibrator.as_ref(),
            self,
        )
    }
}

impl Keys for Assess {
    fn check(&self) -> Result<()> {
        self.predictions().map(drop)
    }
}

impl Stage for Assess {
    fn label(&self) -> String {
        super::stem(self.predictions.as_deref().unwrap_or_default())
    }

    fn plan(&self, _: &Context<'_>, name: &str, made: &mut Made) -> Result<()> {
        made.file("calibration", self.calibration.as_ref())?;
        let predictions = self.predictions()?;
        made.predicted(predictions)?;
        made.assessed
            .extend([name, predictions].map(str::to_string));
        Ok(())
    }

    fn fits(&self, source: &Source) -> Result<()> {
        match source.index.rows(Kind::Comparisons) {
            0 => Err(source.lacks("assess", "comparisons")),
            _ => Ok(()),
        }
    }

    fn run(&self, site: &Site<'_>, name: &str) -> Result<Vec<Done>> {
        let assessment = self.assess(site)?;
        let path = Path::new("assess").join(file_name(name));
        write(&assessment, &site.out.join(&path))?;
        Ok(vec![Done {
            name: name.to_string(),
            path,
            signature: assessment.signature,
        }])
    }
}
