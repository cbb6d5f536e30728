//! `tiebreak report`: makes the report of a run again, from its tables.

use super::browser::open_report;
use super::live::CampaignSelection;
use super::rank::IN_USE;
use super::verbs::{Command, shown};
use crate::campaign;
use crate::campaign::race::{RaceStatus, is_race};
use clap::Args;
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::message;
use tiebreak_data::tables::Manifest;
use tiebreak_stages::stages::report;

/// `tiebreak report`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak report out/quickstart --open\n  \
tiebreak report run                 # a campaign")]
pub(crate) struct ReportArgs {
    /// The folder of a run, of a campaign, or of the tables of score, rank or estimate
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
}

/// Writes the report and returns what goes to standard output.
pub(super) fn report(command: &Command<'_>, args: &ReportArgs) -> Result<String> {
    if is_race(&args.dir, None)? {
        let status = campaign::race::report(command.context, &args.dir)?;
        if args.open {
            open_report(command, &args.dir);
        }
        return shown(command.json, &status, RaceStatus::render);
    }
    if campaign::is_campaign(&args.dir) {
        // The tables may be older than the journal, which is what counts.
        let stored = CampaignSelection::of_run(&args.dir).enter(command, campaign::refresh_status);
        match stored {
            Err(error) if Manifest::read(&args.dir)?.is_some() => {
                let note = match campaign::is_in_use(&args.dir) {
                    true => IN_USE.into(),
                    false => message!("this is the state as stored last: {}", error.message()),
                };
                command.context.progress.advise(&note);
            }
            stored => drop(stored?),
        }
    }
    let written = report::write(&args.dir)?;
    if args.open {
        open_report(command, &args.dir);
    }
    Ok(if command.json {
        written.json
    } else {
        written.text
    })
}
