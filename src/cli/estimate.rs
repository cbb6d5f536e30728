//! `tiebreak estimate`: each system's mean human judgment, with an interval.

use super::args::DataArgs;
use super::verbs::{Command, at, destination, is_given, shown};
use crate::campaign;
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_stages::report::ShownResult;
use tiebreak_stages::stages::estimate;

/// `tiebreak estimate`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak estimate data/tiny --criterion adequacy\n  \
tiebreak estimate data/tiny --scores scores.csv --metric chrf        # narrower, by a metric\n  \
tiebreak estimate mine --range 1,5 --estimator betting:anytime=true --stop width=0.5",
    after_help = "`tiebreak list estimators` lists the estimators with their parameters. Files of strata or probabilities have \
the columns item, system (unless all systems share them), and stratum or probability."
)]
pub(crate) struct EstimateArgs {
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub keys: estimate::EstimateStage,
    /// A file for the table
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// Estimates and returns what goes to standard output.
pub(super) fn estimate(command: &Command<'_>, args: &EstimateArgs) -> Result<String> {
    let Command {
        context,
        json,
        matches,
        ..
    } = *command;
    let destination = destination(args.out.as_deref())?;
    let given = |key: &str| is_given(matches, key);
    let keys = campaign::estimate_as_begun(&args.data.data, &args.keys, &given)?;
    let estimates = at(context, &args.data, &keys, |site| keys.estimate(site))?;
    if let Some(destination) = &destination {
        estimates.write(destination)?;
    }
    shown(json, &estimates.to_json(), |_| estimates.render())
}
