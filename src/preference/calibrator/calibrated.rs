//! A model whose preferences are calibrated.

use super::Calibrator;
use crate::error::Result;
use crate::preference::thresholds::Thresholds;
use crate::preference::{Contest, PairwiseModel, Preference};
use crate::signature::Signature;

/// What a model says, p and every draw calibrated.
pub struct Calibrated {
    /// Who is asked.
    model: Box<dyn PairwiseModel>,
    calibrator: Calibrator,
}

impl Calibrated {
    /// A model with the calibrator that was fitted to it.
    ///
    /// # Errors
    /// As [`Calibrator::check`].
    pub fn new(model: Box<dyn PairwiseModel>, calibrator: Calibrator) -> Result<Self> {
        calibrator.check(&model.signature().to_string())?;
        Ok(Self { model, calibrator })
    }
}

impl PairwiseModel for Calibrated {
    fn signature(&self) -> Signature {
        let Calibrator {
            map, thresholds, ..
        } = &self.calibrator;
        self.model
            .signature()
            .with("calibration", map)
            .with("tau1", thresholds.tau1())
            .with("tau2", thresholds.tau2())
    }

    fn reads_outputs_apart(&self) -> bool {
        self.model.reads_outputs_apart()
    }

    fn thresholds(&self) -> Thresholds {
        self.calibrator.thresholds
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let map = |p: f64| self.calibrator.map.preference(p);
        let calibrated = |raw: Preference| Preference {
            p: map(raw.p),
            draws: raw.draws.into_iter().map(map).collect(),
        };
        let raw = self.model.predict(contests)?;
        Ok(raw.into_iter().map(calibrated).collect())
    }
}
