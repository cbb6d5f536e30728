//! `tiebreak man`: the help as manual pages.

use super::args::Cli;
use super::help;
use super::verbs::Command;
use clap::{Args, CommandFactory};
use std::fs;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};

/// `tiebreak man`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak man | man -l -          # the program's own page\n  \
tiebreak man man1                # all pages, in a folder")]
pub(crate) struct ManArgs {
    /// The folder for the pages, one for each command; without it the program's own page is printed
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Writes the pages, or returns the first one.
pub(super) fn man(_: &Command<'_>, args: &ManArgs) -> Result<String> {
    let command = help::with_headings(Cli::command());
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        let main = clap_mangen::Man::new(command);
        main.render(&mut page).map_err(Error::failed)?;
        return String::from_utf8(page).map_err(Error::failed);
    };
    fs::create_dir_all(folder).map_err(Error::writing(folder))?;
    clap_mangen::generate_to(command, folder).map_err(Error::writing(folder))?;
    Ok(format!(
        "next: man {}\n",
        folder.join("tiebreak.1").display()
    ))
}
