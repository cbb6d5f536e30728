//! `tiebreak view`: a data set or a campaign, to be looked at in a browser.

use super::args::DataArgs;
use super::values::address;
use super::verbs::{Command, open};
use crate::view;
use clap::Args;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_stages::viewer::Viewer;

/// `tiebreak view`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak view mine\n  \
tiebreak view mine --scores scores.jsonl --predictions verdicts.jsonl\n  \
tiebreak view run                                  # a campaign and its answers so far\n  \
tiebreak view data/mt-bench --static page.html --query sort=length",
    after_help = "A page on this machine, behind a secret link: items as a list, outputs side by side, all that is known of them. \
It searches, and filters by system, answer, annotator and columns of items. Items stand in order of disagreement (people \
with a metric, a judge or each other), difference of systems, score or length.\n\n\
Each view is a link, and a selection is saved as JSON lines, CSV or a page (docs/view.md). Keys: / j k u. Ctrl-C ends."
)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub data: DataArgs,
    /// Tables of scores, as `score` writes them
    #[arg(long, value_name = "FILE")]
    pub scores: Vec<PathBuf>,
    /// Predictions of a model or judge [default: those of the data set]
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Write one page that needs no server, of 200 items at most, and end
    #[arg(long = "static", value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// The selection: what stands after ? in a link
    #[arg(
        long,
        value_name = "QUERY",
        default_value = "",
        hide_default_value = true
    )]
    pub query: String,
    /// Address to listen at; port 0 is a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address, conflicts_with = "page")]
    pub listen: SocketAddr,
    /// Print the link on stdout as a JSON object
    #[arg(long, conflicts_with = "page")]
    pub print_links: bool,
}

/// Serves the pages until the user asks to stop, or writes one.
pub(super) fn view(command: &Command<'_>, args: &ViewArgs) -> Result<String> {
    let Command { context, .. } = *command;
    let source = open(context, &args.data)?;
    let viewer = Viewer::open(context, source, &args.scores, args.predictions.as_deref())?;
    if let Some(path) = &args.page {
        if path.exists() {
            return Err(Error::input(path, "already there").with_hint("choose another name"));
        }
        let page = viewer.reply("page.html", &args.query, "")?;
        disk::write(path, &page.unwrap_or_default().1)?;
        return Ok(format!("written: {}\n", path_argument(path)));
    }
    // A query that does not fit is an error before anything is served.
    viewer.reply("", &args.query, "")?;
    view::serve(context, viewer, args.listen, |link| {
        let url = format!("{link}?{}", args.query);
        let url = url.trim_end_matches('?');
        if args.print_links {
            return super::serve::print_lines(&[json!({ "view": true, "url": url })]);
        }
        context.progress.done(url);
        context.progress.done("Ctrl-C ends it");
        Ok(())
    })?;
    Ok(String::new())
}
