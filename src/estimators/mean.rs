//! The plain mean of the human judgments.
//!
//! Source: any textbook; standard error robust to clusters by item (see `clusters`). It is the
//! control-variates estimator without a control, and shares its code.
//!
//! Parameters: `interval=normal|bootstrap`, `resamples`, how many for a bootstrap;
//! `population=infinite|finite`, whether the outputs at hand are all that matter (see `finite`);
//! `clusters=item|item-and-annotator` (see `crossed`).
//!
//! Deviations: none. What the central limit theorem costs, as the measured coverage of 95 % intervals
//! at 10, 30 and 100 judgments: 95, 95, 95 for normal judgments; 94, 94, 95 for yes or no, 40 % yes;
//! 92, 92, 95 on a three-point scale; 43, 82, 91 where one in twenty says yes; 48, 78, 91 where
//! 92 % give the same rating. `betting` keeps what it says everywhere.

use super::control_variates::{Control, ControlVariates};
use super::interval::Uncertainty;
use super::{Blueprint, Estimator, Metrics, Survey};
use crate::error::Result;
use crate::registry::{Entry, Params, parameters};

pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "mean",
    summary: "mean of the human judgments",
    cite: "textbook; clusters after Liang and Zeger, Biometrika 1986",
    parameters: parameters::<Uncertainty>,
    build: Blueprint {
        metrics: Metrics::Unused,
        build,
    },
};

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let uncertainty: Uncertainty = params.read(ENTRY.name)?;
    uncertainty.check(ENTRY.name)?;
    Ok(Box::new(ControlVariates::new(
        Control::NONE,
        &uncertainty,
        survey,
    )))
}
