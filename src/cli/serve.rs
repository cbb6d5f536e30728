//! `tiebreak serve`: a campaign in people's browsers.

use super::live::{CampaignArgs, annotator_roster};
use super::values::{address, public_url};
use super::verbs::Command;
use crate::campaign::serve::{Address, Announcement, OpenTo, ServeRequest};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::net::SocketAddr;
use tiebreak_base::error::{Error, Result};

/// `tiebreak serve`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak serve run mine                                   # one annotator, on this machine\n  \
tiebreak serve run mine --annotators ana,ben,cy           # a secret link for each\n  \
tiebreak serve run mine --open 200 --n 10                 # one link for many\n  \
tiebreak serve run mine --listen 127.0.0.1:8080 --public-url https://campaign.example.org",
    after_help = "Each annotator gets a secret link, and so do you. Links stay the same when the campaign is served again. \
An answer is on disk before the next question shows. Annotators can take it back for a minute, or until the next \
one. Ctrl-C ends.\n\n\
By default only this machine reaches it. For others a proxy must add TLS: who has a link can answer \
(docs/hosting.md)."
)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub campaign: CampaignArgs,
    /// The annotators, named before the first question, or a file with a name a line; without it one person
    #[arg(long, value_name = "NAME,…|FILE", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// One link for many visitors, this many at most: each gets --n questions and a completion code, and claims are
    /// about people like them
    #[arg(long, value_name = "N", conflicts_with_all = ["annotators", "code"], value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub open: Option<u32>,
    /// Number of questions of each visitor [default: 20]
    #[arg(long, value_name = "N", requires = "open", conflicts_with = "annotators", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub n: Option<u32>,
    /// New annotators: is refused with the reason, and with what to do
    #[arg(long, hide = true, conflicts_with = "annotators")]
    pub panel: bool,
    /// Address to listen at; port 0 is the earlier port, or a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    pub listen: SocketAddr,
    /// The address by which others reach the server through a proxy; links begin with it
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Print the links on stdout, one JSON object a line
    #[arg(long)]
    pub print_links: bool,
    /// A code that annotators see at the end, to prove elsewhere that they answered
    #[arg(long, value_name = "CODE")]
    pub code: Option<String>,
}

/// Serves until the user asks to stop; returns the status of the campaign afterwards.
pub(super) fn serve(command: &Command<'_>, args: &ServeArgs) -> Result<String> {
    let progress = command.context.progress;
    let campaign = &args.campaign;
    let people = annotator_roster(args.panel || args.open.is_some(), &args.annotators)?;
    let place = campaign.selection(people)?;
    let serving = ServeRequest {
        listen: args.listen,
        public_url: args.public_url.as_deref(),
        task: campaign.task.as_deref(),
        code: args.code.as_deref(),
        open: args.open.map(|places| OpenTo {
            places: places as usize,
            questions: args.n.map(|n| n as usize),
        }),
        announce: &|Announcement {
                        links,
                        rest,
                        notice,
                    }| {
            if let Some(notice) = notice {
                progress.advise(&(*notice).into());
            }
            match args.print_links {
                true => print_lines(links)?,
                false => links
                    .iter()
                    .map(link_line)
                    .for_each(|line| progress.done(&line)),
            }
            match rest {
                Some(next) => {
                    progress.done(&format!("Ctrl-C ends it. Nothing is left to ask: {next}"));
                }
                None if args.print_links => {}
                None => progress.done("Ctrl-C ends it; the same command goes on"),
            }
            Ok(())
        },
    };
    place.enter(command, |context, call| serving.perform(context, call))
}

fn link_line(link: &Address) -> String {
    match link {
        Address::Annotator { annotator, url } => format!("{annotator}: {url}"),
        Address::Open { open, url } => format!("for up to {open} visitors: {url}"),
        Address::Admin { url, .. } => format!("yours, to look after it: {url}"),
    }
}

/// Prints links at once, one JSON object a line, for a waiting reader.
pub(super) fn print_lines(links: &[impl Serialize]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let mut lines = String::new();
    for link in links {
        lines += &serde_json::to_string(link).map_err(Error::failed)?;
        lines.push('\n');
    }
    let written = stdout.write_all(lines.as_bytes());
    written
        .and_then(|()| stdout.flush())
        .map_err(|source| Error::Write {
            path: "standard output".into(),
            source,
        })
}
