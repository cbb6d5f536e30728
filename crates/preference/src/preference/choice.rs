//! Which calibration a model is asked with.

use super::calibrator::Calibrator;
use std::path::Path;
use tiebreak_base::error::Result;

/// Stands for no calibration at all where a file might be named.
pub(crate) const NO_CALIBRATION: &str = "none";

/// Which calibration a model is asked with.
#[derive(Debug, Clone, Default)]
pub(super) enum CalibrationChoice {
    /// The one its descriptor names, if any.
    #[default]
    Own,
    /// None, whatever its descriptor says.
    Without,
    /// Another one.
    Given(Box<Calibrator>),
}

impl CalibrationChoice {
    /// From what a user gave: nothing, `none`, or a file.
    ///
    /// # Errors
    /// As [`Calibrator::read`].
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
