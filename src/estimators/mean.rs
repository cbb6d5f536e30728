//! The plain mean of the human judgments.
//!
//! Source: any textbook; standard error robust to clusters by item (see `clusters`). It is the
//! control-variates estimator without a control, and shares its code.
//!
//! Parameters: `interval=normal|bootstrap`, `resamples`, how many for a bootstrap.
//!
//! Deviations: none.

use super::control_variates::{Control, ControlVariates};
use super::interval::{IntervalKind, check_resamples};
use super::{Blueprint, Estimator, Metrics, Survey};
use crate::error::Result;
use crate::registry::{Entry, Params, parameters};
use serde::{Deserialize, Serialize};

pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "mean",
    summary: "mean of the human judgments",
    cite: "textbook; clusters after Liang and Zeger, Biometrika 1986",
    parameters: parameters::<Parameters>,
    build: Blueprint {
        metrics: Metrics::Unused,
        build,
    },
};

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    interval: IntervalKind,
    resamples: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            interval: IntervalKind::Normal,
            resamples: 1000,
        }
    }
}

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let read: Parameters = params.read(ENTRY.name)?;
    check_resamples(ENTRY.name, read.resamples)?;
    let resamples = read.interval.resamples(read.resamples);
    Ok(Box::new(ControlVariates::new(
        Control::NONE,
        resamples,
        survey.seed,
    )))
}
