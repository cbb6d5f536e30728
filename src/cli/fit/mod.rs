//! `tiebreak fit`: learns from comparisons.

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
#[command(before_help = "Examples:\n  \
tiebreak fit link data/tiny --scores scores.csv --metric chrf --link btl --out link.toml\n  \
tiebreak fit pairwise mine --base path/to/minilm --out my-model\n  \
tiebreak fit calibration mine --predictions p.parquet --out c.toml")]
pub(crate) struct FitArgs {
    /// What is learned.
    #[command(subcommand)]
    pub what: FitCommand,
}

/// What is learned.
#[derive(Debug, Subcommand)]
pub(crate) enum FitCommand {
    /// Fit link parameters and the thresholds τ1, τ2 on comparisons
    Link(link::FitLinkArgs),
    /// Fine-tune a preference model on the comparisons of data sets
    Pairwise(Box<pairwise::FitPairwiseArgs>),
    /// Fit a map that makes a model's preferences mean what they say, with its thresholds τ1, τ2
    Calibration(calibration::FitCalibrationArgs),
}

/// Fits and returns what goes to standard output.
pub(super) fn fit(command: &Command<'_>, args: &FitArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    match &args.what {
        FitCommand::Link(args) => link::link(context, args, json),
        FitCommand::Pairwise(args) => training::fit_pairwise(context, args, json),
        FitCommand::Calibration(args) => calibration::calibration(context, args, json),
    }
}
