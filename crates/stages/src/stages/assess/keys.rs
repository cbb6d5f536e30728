//! The keys of `assess`.

use super::rows::Assessment;
use super::run;
use crate::engine::Context;
use crate::engine::names::{file_name, stem};
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::bounds::TieBounds;
use tiebreak_base::keys::{BoundedInteger, Keys};
use tiebreak_data::records::Kind;
use tiebreak_preference::preference::calibrator::Calibrator;

/// `assess`: how good predictions are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct Assess {
    /// The predictions, as `tiebreak predict` writes them; in a pipeline also the name of a `[[predict]]`
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", required = true))]
    pub predictions: Option<String>,
    /// Apply a calibration of the model first; BALD and STD stay as they are
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub calibration: Option<PathBuf>,
    /// The outcome is a tie from T1 to T2 [default: those of the predictions; else fitted on half of the items,
    /// tested on the rest]
    #[cfg_attr(feature = "cli", arg(long, value_name = "T1,T2", value_parser = tiebreak_base::keys::flag::<TieBounds>))]
    pub thresholds: Option<TieBounds>,
    /// Number of bins of preferences, and of BALD
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<Bins>, default_value_t))]
    pub bins: Bins,
}

/// A number of bins.
pub type Bins = BoundedInteger<1, 1000, 10>;

impl Assess {
    /// Creates the assessment of some predictions, with default settings.
    pub fn with_predictions(predictions: &str) -> Self {
        Self {
            predictions: Some(predictions.to_string()),
            ..Self::default()
        }
    }

    fn predictions(&self) -> Result<&str> {
        let missing = || Error::key("predictions", "predictions are missing");
        self.predictions.as_deref().ok_or_else(missing)
    }

    /// Assesses the predictions.
    ///
    /// # Errors
    /// As `run`; predictions or a calibration that cannot be read.
    pub fn assess(&self, site: &StageContext<'_>) -> Result<Assessment> {
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

impl PipelineStage for Assess {
    fn label(&self) -> String {
        stem(self.predictions.as_deref().unwrap_or_default().as_ref())
    }

    fn plan(&self, _: &Context<'_>, name: &str, made: &mut PipelineArtifacts) -> Result<()> {
        made.file("calibration", self.calibration.as_ref())?;
        if let Some(path) = &self.calibration {
            let read = Calibrator::read(&made.folder.join(path));
            read.map_err(Error::of_key("calibration"))?;
        }
        let predictions = self.predictions()?;
        made.predicted(predictions)?;
        made.assessed
            .extend([name, predictions].map(str::to_string));
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        match site.source.index.rows(Kind::Comparisons) {
            0 => Err(site.source.lacks("assess", "comparisons")),
            _ => Ok(()),
        }
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let assessment = self.assess(site)?;
        let path = Path::new("assess").join(file_name(name));
        assessment.write(&site.out.join(&path))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path,
            signature: assessment.signature,
        }])
    }
}
