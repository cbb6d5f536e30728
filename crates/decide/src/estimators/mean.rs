//! The plain mean of the human judgments.
//!
//! Source: any textbook; standard error robust to clusters by item (see `clusters`). It is the
//! control-variates estimator without a control, and shares its code.
//!
//! Parameters: `interval=safe|corrected|normal|bootstrap`: by the rule of all estimators (see `rule`,
//! with its measurements), corrected for skewness and heavy tails (see `tails`), Student's t as in a
//! textbook, or percentiles of `resamples` resamples; `population=infinite|finite`, whether these
//! answers are all that matter (see `finite`).
//!
//! Deviations: the interval is no textbook's. `interval=corrected` reaches farther than one where
//! judgments are skewed or nearly all alike; it covers at 10, 30, 100 and 300 judgments (in brackets
//! Student's t, `interval=normal`): 95, 95, 95, 95 for normal judgments (the same); 98, 94, 95, 95 for
//! yes or no, 40 % yes (94, 94, 95, 95); 98, 96, 95, 95 on a three-point scale (94, 94, 95, 95);
//! 93, 95, 95, 95 for the cube of a uniform number (92, 94, 95, 95); 40, 79, 99, 96 where one in
//! twenty says yes (40, 79, 88, 93); 52, 81, 96, 95 where 92 % give the same rating (46, 76, 90, 93).
//! With few judgments all may be alike, and then it cannot estimate the error: the rule can.

use super::control_variates::{Control, ControlVariates};
use super::interval::UncertaintyParameters;
use super::{Estimator, EstimatorConstructor, Metrics, Survey};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "mean",
    summary: "mean of the human judgments",
    cite: "textbook; clusters after Liang and Zeger, Biometrika 1986",
    parameters: parameters::<UncertaintyParameters>,
    build: EstimatorConstructor::new(Metrics::Unused, build),
};

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let uncertainty: UncertaintyParameters = params.read(ENTRY.name)?;
    uncertainty.check(ENTRY.name)?;
    Ok(Box::new(ControlVariates::new(
        Control::NONE,
        &uncertainty,
        survey,
    )))
}
