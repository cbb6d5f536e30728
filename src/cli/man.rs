//! `tiebreak man`: the help as manual pages.

use super::args::Cli;
use super::verbs::Command;
use clap::{Args, CommandFactory};
use std::fs;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};

/// `tiebreak man`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder for the pages, one a command; without it the program's own page is printed
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// Writes the pages, or returns the first one.
pub(super) fn man(_: &Command<'_>, args: &ManArgs) -> Result<String> {
    // The pages of `help`, which takes the name of a command, would repeat those of all commands.
    let command = Cli::command().disable_help_subcommand(true);
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
