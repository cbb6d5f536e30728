//! `tiebreak simulate`: replays of recorded comparisons.

use super::args::DataArgs;
use super::verbs::{Command, at, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::stages::simulate;

/// `tiebreak simulate`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
tiebreak simulate mine --runs 200                  # how many judgments would have been enough?\n  \
tiebreak simulate mine --predictions p.parquet --mix auto --runs 200\n  \
tiebreak simulate mine --bandit rmed --model tiebreak-small --select margin:0.5 --out replays\n\
Replays draw the same comparisons again and again, so they say nothing about which system is best. \
`tiebreak rank` does, and `tiebreak ask` begins a campaign.")]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: simulate::Simulate,
    /// A folder for the outcome and the trace of all runs; an interrupted command continues there
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Replays and returns what goes to standard output.
pub(super) fn simulate(command: &Command<'_>, args: &SimulateArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let out = args.out.as_deref();
    let found = at(context, &args.data, &args.keys, |site| {
        args.keys.simulate(site, out)
    })?;
    shown(json, &found, simulate::render)
}
