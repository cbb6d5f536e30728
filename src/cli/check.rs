//! `tiebreak check`: what a data set holds.

use super::args::DataArgs;
use super::verbs::{open, to_json};
use crate::engine::Context;
use crate::error::Result;
use clap::Args;

/// `tiebreak check`
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub data: DataArgs,
}

/// Looks at the data set and returns what goes to standard output.
pub(super) fn check(context: &Context<'_>, args: &Check, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let summary = crate::records::check::check(&source.index, &source.dataset)?;
    if json {
        to_json(&summary)
    } else {
        Ok(summary.to_string())
    }
}
