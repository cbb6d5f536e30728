//! `tiebreak people`: what a campaign's folder holds about one person, exported or erased.

use super::live::CampaignSelection;
use super::verbs::{Command, to_json};
use crate::campaign::people::{self, Erasure};
use crate::campaign::{is_campaign, refresh_tables};
use clap::{Args, Subcommand};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_base::words::counted;
use tiebreak_stages::stages::report;

/// `tiebreak people`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak people run export ben --out ben.json\n  \
tiebreak people run erase ben")]
pub(crate) struct PeopleArgs {
    /// The folder of the campaign
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What to do.
    #[command(subcommand)]
    pub action: PeopleCommand,
}

/// What is done.
#[derive(Debug, Subcommand)]
pub(crate) enum PeopleCommand {
    /// Write all that is stored about a person as one JSON document
    Export(PersonExportArgs),
    /// Erase a person's name, comments and link for good
    Erase(PersonErasureArgs),
}

/// `tiebreak people RUN export`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak people run export ben\n  \
tiebreak people run export ben --out ben.json")]
pub(crate) struct PersonExportArgs {
    /// The person, as the campaign calls them
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The file; without it the document is printed
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `tiebreak people RUN erase`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak people run erase ben\n  \
tiebreak people run erase ben --data moved/mine     # the data set has moved",
    after_help = "A pseudonym replaces the name for good. Comments, reasons for a skip and the link are deleted. Answers \
stay and count as before. This cannot be undone. If it is interrupted, run it again."
)]
pub(crate) struct PersonErasureArgs {
    /// The person, as the campaign calls them
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The data set, where it has moved
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

/// Exports or erases, and returns what goes to standard output.
pub(super) fn people(command: &Command<'_>, args: &PeopleArgs) -> Result<String> {
    if !is_campaign(&args.run) {
        let what = "no campaign was begun here";
        return Err(Error::input(&args.run, what).with_hint("name the folder of a campaign"));
    }
    match &args.action {
        PeopleCommand::Export(asked) => {
            let found = people::export(command.context, &args.run, &asked.name)?;
            let text = to_json(&found)?;
            match &asked.out {
                Some(out) => disk::write_private(out, text.as_bytes()).map(|()| String::new()),
                None => Ok(text),
            }
        }
        PeopleCommand::Erase(asked) => {
            let erased = erase(command, &args.run, asked)?;
            match command.json {
                true => to_json(&erased),
                false => Ok(render(&asked.name, &erased)),
            }
        }
    }
}

fn erase(command: &Command<'_>, run: &Path, asked: &PersonErasureArgs) -> Result<Erasure> {
    let mut erased = people::erase(run, &asked.name)?;
    let place = CampaignSelection::moved(run, asked.data.as_deref());
    let tables = place.enter(command, refresh_tables);
    let names = ["report.txt", "report.json", "report.html"];
    let is_reported = names.iter().any(|name| run.join(name).is_file());
    let reports = match is_reported {
        true => report::write(run).map(drop),
        false => Ok(()),
    };
    // The first error is the cause of the other.
    if let Err(error) = tables.and(reports) {
        let what = format!(
            "{} is erased from the journal and the links, but may still be in tables and reports. Repeat the \
             command, with {} DATA if the data set has moved",
            asked.name,
            Flag("data"),
        );
        command.context.progress.warn(&what);
        return Err(error);
    }
    erased.left = people::files_naming(&asked.name, run)?;
    Ok(erased)
}

/// What happened to a name.
fn called(name: &str, erased: &Erasure) -> String {
    let journal = &erased.journal;
    let pseudonyms: Vec<&str> = journal.pseudonyms.iter().map(String::as_str).collect();
    let mut text = match pseudonyms.is_empty() {
        false => {
            let called = pseudonyms.join(" or ");
            format!("{name} is erased, and is called {called} from now on.\n")
        }
        true => format!("Nothing in the journal names {name} any more.\n"),
    };
    if let Some(known) = erased.known.as_ref().filter(|known| !known.is_empty()) {
        let _ = writeln!(
            text,
            "If {name} was never there, look at the spelling: there are {}.",
            known.join(", ")
        );
    }
    text
}

fn render(name: &str, erased: &Erasure) -> String {
    let (journal, mut text) = (&erased.journal, called(name, erased));
    let counts = [
        format!("the name in {}", counted(journal.names, "place")),
        format!("{} comments and reasons", journal.remarks),
        format!("{} names of sheets", journal.sheets),
    ];
    let _ = writeln!(text, "journal  erased: {}", counts.join(", "));
    let link = match erased.link {
        true => "removed: their address works no more",
        false => "none",
    };
    let _ = writeln!(text, "link     {link}");
    text += "tables   made again without the name; answers count as before\n";
    for file in &erased.left {
        let in_path = if file.in_path { "in its name and " } else { "" };
        let (path, places) = (file.path.display(), file.places);
        let _ = writeln!(
            text,
            "left     {path}: the word is {in_path}{places} times in its text"
        );
    }
    if !erased.left.is_empty() {
        text += "Look at these files yourself: tiebreak changes only what it wrote there unasked.\n\
             Do not pass these sheets to tiebreak tell again: that would bring the name back.\n";
    }
    let _ = writeln!(text, "Not reached: {}.", erased.not_reached);
    text
}
