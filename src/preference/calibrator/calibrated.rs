//! A model whose preferences are calibrated.

use super::Calibrator;
use crate::error::Result;
use crate::preference::Contest;
use crate::preference::sampled::Sampled;
use crate::preference::thresholds::Thresholds;
use crate::signature::Signature;

/// What a model says, p and every draw calibrated.
pub struct Calibrated {
    /// Who is asked.
    model: Box<dyn Sampled>,
    calibrator: Calibrator,
}

impl Calibrated {
    /// A model with the calibrator that was fitted to it.
    ///
    /// # Errors
    /// As [`Calibrator::check`].
    pub fn new(model: Box<dyn Sampled>, calibrator: Calibrator) -> Result<Self> {
        calibrator.check(&model.signature().to_string())?;
        Ok(Self { model, calibrator })
    }
}

impl Sampled for Calibrated {
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

    fn cost(&self) -> u64 {
        self.model.cost()
    }

    fn thresholds(&self) -> Thresholds {
        self.calibrator.thresholds
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let mut preferences = self.model.preferences(contests, passes)?;
        for p in preferences.iter_mut().flatten() {
            *p = self.calibrator.map.preference(*p);
        }
        Ok(preferences)
    }
}
