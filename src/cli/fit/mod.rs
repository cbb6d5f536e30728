//! `tiebreak fit`: what is learned from comparisons.

mod calibration;
mod link;
#[cfg_attr(not(feature = "neural"), allow(dead_code))] // nothing reads the flags then
mod pairwise;
#[cfg(feature = "neural")]
mod training;
#[cfg(not(feature = "neural"))]
#[path = "without_neural.rs"]
mod training;

use crate::engine::Context;
use crate::error::Result;
use clap::Subcommand;

pub(super) use training::run_trainings;

/// `tiebreak fit`
#[derive(Debug, Subcommand)]
pub enum Fit {
    /// Fit link parameters and the thresholds τ1, τ2 on comparisons
    Link(link::FitLink),
    /// Fine-tune a preference model on the comparisons of data sets
    Pairwise(Box<pairwise::FitPairwise>),
    /// Fit a map that makes a model's preferences mean what they say, with its thresholds τ1, τ2
    Calibration(calibration::FitCalibration),
}

/// Fits and returns what goes to standard output.
pub(super) fn fit(context: &Context<'_>, what: &Fit, json: bool) -> Result<String> {
    match what {
        Fit::Link(args) => link::link(context, args, json),
        Fit::Pairwise(args) => training::fit_pairwise(context, args, json),
        Fit::Calibration(args) => calibration::calibration(context, args, json),
    }
}
