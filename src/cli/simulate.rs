//! `tiebreak simulate`: replays of recorded comparisons or scores.

use super::args::DataArgs;
use super::verbs::{Command, at, shown};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::simulate;

/// `tiebreak simulate`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak simulate data/mt-bench --runs 50\n  \
tiebreak simulate data/mt-bench --bandit rmed --runs 50 --budget 500   # another way to ask\n  \
tiebreak simulate mine --predictions p.parquet --runs 200   # with a hint\n  \
tiebreak simulate mine --scores s.csv --metric chrf --range 0,100 --runs 200   # a race by scores",
    after_help = "Replays draw recorded comparisons again and again, by default with replacement. They compare ways to ask; \
they do not prove which system is best. `tiebreak rank` does, and `tiebreak ask` begins a campaign. With --model \
the default bandit needs predictions of all pairs first, others only of the pairs that come up."
)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: simulate::SimulateStage,
    /// A folder for the outcome. Of comparisons, with the trace of all runs: an interrupted command continues there
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
    shown(json, &found, ShownResult::render)
}
