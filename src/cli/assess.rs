//! `tiebreak assess`: how good predictions are.

use super::args::DataArgs;
use super::verbs::{Command, at, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::assess;

/// `tiebreak assess`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak assess data/mt-bench --predictions data/mt-bench/hints/gpt-4.jsonl.gz\n  \
tiebreak assess mine --predictions p.parquet --out assessed      # with tables and plots",
    after_help = "Compares predictions with recorded comparisons: accuracy, Brier score, log loss, calibration. Intervals \
resample items. It also rejects the predictions with the highest BALD, STD or 1 − |2p − 1|. The accuracy of the \
others is compared with a random order and with an oracle."
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
        found.write(out)?;
    }
    shown(json, &found, ShownResult::render)
}
