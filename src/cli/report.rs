//! `tiebreak report`: the report of a run again, from its tables.

use super::verbs::Command;
use crate::error::Result;
use crate::stages::report;
use clap::Args;
use std::path::PathBuf;

/// `tiebreak report`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:  tiebreak report out/quickstart, then open out/quickstart/report.html in a browser"
)]
pub struct Report {
    /// The folder of a run, or of the tables of score, rank or estimate
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

/// Writes the report and returns what goes to standard output.
pub(super) fn report(command: &Command<'_>, args: &Report) -> Result<String> {
    let written = report::write(&args.dir)?;
    Ok(if command.json {
        written.json
    } else {
        written.text
    })
}
