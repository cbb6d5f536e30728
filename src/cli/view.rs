//! `tiebreak view`: a data set or a campaign, to be looked at in a browser.

use super::args::DataArgs;
use super::serve::print_lines;
use super::values::address;
use super::verbs::{Command, open};
use crate::campaign::page::FRAMES;
use crate::web::{self, WebServer, bound, closing, guarded, is_same_token, reached_at};
use axum::Router;
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use clap::Args;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tiebreak_base::disk;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::secret::token;
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
    #[arg(long, value_name = "QUERY")]
    pub query: Option<String>,
    /// Address to listen at; port 0 is a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address, conflicts_with = "page")]
    pub listen: SocketAddr,
    /// Print the link on stdout as a JSON object
    #[arg(long, conflicts_with = "page")]
    pub print_links: bool,
}

/// Serves the pages behind a secret link until the user asks to stop, or writes one.
pub(super) fn view(command: &Command<'_>, args: &ViewArgs) -> Result<String> {
    let Command { context, .. } = *command;
    let query = args.query.as_deref().unwrap_or_default();
    let source = open(context, &args.data)?;
    let viewer = Viewer::open(context, source, &args.scores, args.predictions.as_deref())?;
    if let Some(path) = &args.page {
        if path.exists() {
            return Err(Error::input(path, "already there").with_hint("choose another name"));
        }
        let page = viewer.reply("page.html", query, "")?;
        disk::write(path, &page.unwrap_or_default().1)?;
        return Ok(format!("written: {}\n", path_argument(path)));
    }
    // A query that does not fit is an error before anything is served.
    viewer.reply("", query, "")?;
    let listener = bound(args.listen)?;
    let at = listener.local_addr().map_err(Error::failed)?;
    let base = reached_at(context, at, |_| "write that in its place".to_string());
    let token = token()?;
    let url = format!("{base}/v/{token}/?{query}");
    let url = url.trim_end_matches('?');
    let pages = Arc::new((token, viewer));
    let page = get(move |uri: Uri| look(Arc::clone(&pages), uri));
    let routes = Router::new().fallback_service(page);
    let server = WebServer::open(listener, guarded(routes))?;
    if args.print_links {
        print_lines(&[json!({ "view": true, "url": url })])?;
    } else {
        context.progress.done(url);
        context.progress.done("Ctrl-C ends it");
    }
    while context.check().is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    server.close();
    Ok(String::new())
}

/// The reply of the viewer in a thread of its own, so that a long search delays no other page. The page may run its own
/// script and send its own form, and load nothing else.
async fn look(pages: Arc<(String, Viewer)>, uri: Uri) -> Response {
    let Ok(nonce) = token() else {
        return closing();
    };
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; \
         form-action 'self'; {FRAMES}"
    );
    let made = tokio::task::spawn_blocking(move || {
        let (token, name) = uri.path().strip_prefix("/v/")?.split_once('/')?;
        let name = Some(name).filter(|_| is_same_token(&pages.0, token))?;
        let query = uri.query().unwrap_or_default();
        pages.1.reply(name, query, &nonce).transpose()
    });
    let text = "text/plain; charset=utf-8";
    let unknown = "This link is not known. The program that serves the page has printed it.\n";
    let (status, kind, body) = match made.await {
        Ok(Some(Ok((kind, body)))) => (200, kind, body),
        Ok(Some(Err(error))) => (400, text, format!("{error}\n").into()),
        Ok(None) => (404, text, unknown.into()),
        Err(_) => return closing(),
    };
    web::under_policy(web::response(status, kind, body), &policy)
}
