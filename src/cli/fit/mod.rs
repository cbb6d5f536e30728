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

use super::verbs::Command;
use clap::{Args, Subcommand};
use tiebreak_base::error::Result;

pub(super) use training::run_trainings;

/// `tiebreak fit`
#[derive(Debug, Args)]
pub(crate) struct Fit {
    /// What is learned.
    #[command(subcommand)]
    pub what: Learned,
}

/// What is learned.
#[derive(Debug, Subcommand)]
pub(crate) enum Learned {
    /// Fit link parameters and the thresholds τ1, τ2 on comparisons
    Link(link::FitLink),
    /// Fine-tune a preference model on the comparisons of data sets
    Pairwise(Box<pairwise::FitPairwise>),
    /// Fit a map that makes a model's preferences mean what they say, with its thresholds τ1, τ2
    Calibration(calibration::FitCalibration),
}

/// Fits and returns what goes to standard output.
pub(super) fn fit(command: &Command<'_>, args: &Fit) -> Result<String> {
    let Command { context, json, .. } = *command;
    match &args.what {
        Learned::Link(args) => link::link(context, args, json),
        Learned::Pairwise(args) => training::fit_pairwise(context, args, json),
        Learned::Calibration(args) => calibration::calibration(context, args, json),
    }
}
