//! The choice of a model's calibration.

use super::calibrator::Calibrator;
use std::path::Path;
use tiebreak_base::error::Result;

/// The value that stands for no calibration at all where a file might be named.
pub(crate) const NO_CALIBRATION: &str = "none";

/// The choice of a model's calibration.
#[derive(Debug, Clone, Default)]
pub(super) enum CalibrationChoice {
    /// The calibration that the model's descriptor names, if any.
    #[default]
    Own,
    /// No calibration, whatever the descriptor names.
    Without,
    /// Another calibration.
    Given(Box<Calibrator>),
}

impl CalibrationChoice {
    /// Reads the choice from what a user gave: nothing, `none`, or a file.
    pub(super) fn read(given: Option<&Path>) -> Result<Self> {
        Ok(match given {
            None => Self::Own,
            Some(path) if path == Path::new(NO_CALIBRATION) => Self::Without,
            Some(path) => Self::Given(Box::new(Calibrator::read(path)?)),
        })
    }

    /// The calibration itself, where `own` is that of the model.
    pub(super) fn resolve(self, own: Option<Calibrator>) -> Option<Calibrator> {
        match self {
            Self::Own => own,
            Self::Without => None,
            Self::Given(given) => Some(*given),
        }
    }
}
