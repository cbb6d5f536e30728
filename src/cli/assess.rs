//! `tiebreak assess`: how good predictions are.

use super::args::DataArgs;
use super::verbs::{Command, at, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::stages::assess;

/// `tiebreak assess`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak assess my-data --predictions p.parquet --out assessed\n\
Accuracy, Brier score, log loss and calibration against the recorded comparisons, with intervals that \
resample items; and the accuracy that is left when the predictions with the highest BALD, STD or \
1 − |2p − 1| are rejected, beside a random order and an oracle."
)]
pub(crate) struct AssessArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: assess::Assess,
    /// A folder for the assessment as JSON and text, its tables (CSV) and plots (SVG)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Assesses and returns what goes to standard output.
pub(super) fn assess(command: &Command<'_>, args: &AssessArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let found = at(context, &args.data, &args.keys, |site| {
        args.keys.assess(site)
    })?;
    if let Some(out) = &args.out {
        assess::write(&found, out)?;
    }
    shown(json, &found, assess::render)
}
