//! `tiebreak check`: what a data set holds.

use super::args::DataArgs;
use super::verbs::{Command, open, to_json};
use clap::Args;
use tiebreak_base::error::Result;
use tiebreak_data::records::DatasetSummary;

/// `tiebreak check`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak check data/mt-bench\n  \
tiebreak check mine --column item=segment_id    # the column of items has another name",
    after_help = "Run it first on data of your own: it names what is missing and which commands fit."
)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub data: DataArgs,
}

/// Looks at the data set and returns what goes to standard output.
pub(super) fn check(command: &Command<'_>, args: &CheckArgs) -> Result<String> {
    let Command { context, json, .. } = *command;
    let source = open(context, &args.data)?;
    let summary = DatasetSummary::new(&source.index, &source.dataset)?;
    if json {
        to_json(&summary)
    } else {
        Ok(summary.to_string())
    }
}
