//! A model whose preferences are calibrated.

use super::Calibrator;
use crate::preference::Contest;
use crate::preference::sampled::StochasticModel;
use tiebreak_base::error::Result;
use tiebreak_base::signature::Signature;
use tiebreak_decide::model_based::thresholds::Thresholds;

/// A model with its preferences calibrated, p and every draw.
pub(crate) struct CalibratedModel {
    /// The model that is asked.
    model: Box<dyn StochasticModel>,
    calibrator: Calibrator,
}

impl CalibratedModel {
    /// Makes a model with the calibrator that was fitted to it.
    pub(crate) fn new(model: Box<dyn StochasticModel>, calibrator: Calibrator) -> Result<Self> {
        calibrator.check(&model.signature().to_string())?;
        Ok(Self { model, calibrator })
    }
}

impl Calibrator {
    /// Adds the calibration to a model's signature.
    pub fn sign(&self, signature: Signature) -> Signature {
        signature
            .with("calibration", &self.map)
            .with("tau1", self.thresholds.tau1())
            .with("tau2", self.thresholds.tau2())
    }
}

impl StochasticModel for CalibratedModel {
    fn signature(&self) -> Signature {
        self.calibrator.sign(self.model.signature())
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

    fn account(&self) -> Option<String> {
        self.model.account()
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
