//! The server of `view`: pages of a data set on this machine, behind a secret link.

use crate::campaign::page::{self, FRAMES, PageWords};
use crate::web::{self, HTML, WebServer, bound, closing, guarded, is_same_token, reached_at};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::secret::token;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::viewer::Viewer;

/// How often the server looks whether it should end.
const TICK: Duration = Duration::from_millis(100);

/// Lets a page run its own script and send its own form, and load nothing else.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; \
         form-action 'self'; {FRAMES}"
    )
}

/// What handlers share.
struct ViewServer {
    token: String,
    viewer: Viewer,
}

/// Serves a data set until the user asks to stop. `announce` is called with the link once it works.
///
/// # Errors
/// An address that cannot be listened on; those of `announce`.
pub(crate) fn serve(
    context: &Context<'_>,
    viewer: Viewer,
    listen: SocketAddr,
    announce: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    let listener = bound(listen)?;
    let at = listener.local_addr().map_err(Error::failed)?;
    let base = reached_at(context, at, |_| "write that in its place".to_string());
    let token = token()?;
    let link = format!("{base}/v/{token}/");
    let routes = Router::new()
        .route("/v/{token}/", get(look))
        .route("/v/{token}/{what}", get(look))
        .fallback(async || missing())
        .with_state(Arc::new(ViewServer { token, viewer }));
    let server = WebServer::open(listener, guarded(routes))?;
    announce(&link)?;
    while context.check().is_ok() {
        sleep(TICK);
    }
    server.close();
    Ok(())
}

/// The reply of the viewer in a thread of its own, so that a long search keeps nobody waiting.
async fn look(
    State(server): State<Arc<ViewServer>>,
    Path(place): Path<Vec<String>>,
    uri: Uri,
) -> Response {
    if !is_same_token(&server.token, &place[0]) {
        return missing();
    }
    let Ok(nonce) = token() else {
        return closing();
    };
    let policy = policy(&nonce);
    let query = uri.query().unwrap_or_default().to_string();
    let made = tokio::task::spawn_blocking(move || {
        let name = place.get(1).map_or("", String::as_str);
        server.viewer.reply(name, &query, &nonce)
    });
    match made.await {
        Ok(Ok(Some((kind, body)))) => web::under_policy(web::response(200, kind, body), &policy),
        Ok(Ok(None)) => missing(),
        Ok(Err(error)) => notice(400, &error.to_string()),
        Err(_) => closing(),
    }
}

fn missing() -> Response {
    notice(
        404,
        "This link is not known. The program that serves the page has printed it.",
    )
}

fn notice(status: u16, text: &str) -> Response {
    let back = "<p><a href=\"./\">Back to the list</a></p>\n";
    let page = page::notice("tiebreak", &[text.into()], back, &PageWords::default());
    web::response(status, HTML, page.into_bytes())
}
