//! HTTP: the routes of a campaign, and who may use them. Nothing is served from disk.

use super::desk::{CampaignRequest, HttpReply, PendingRequest, PostedAnswer, UndoRequest};
use super::links::SharedLinks;
use super::pace::RateLimiter;
use crate::campaign::page::{self, PageWords};
use crate::web::{self, HTML, closing, later};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use tiebreak_base::secret::token;
use tokio::sync::oneshot;

/// The seconds for which a visitor's browser comes back to its own link: a year.
const COOKIE_TIME: u32 = 31_536_000;

/// The state that handlers share.
struct ServerState {
    links: SharedLinks,
    /// The words of annotators' pages.
    words: PageWords,
    /// The rate limits of the links that were used, by their tokens.
    paces: Mutex<BTreeMap<String, RateLimiter>>,
    /// Whether browsers reach the server encrypted only.
    encrypted: bool,
    desk: SyncSender<PendingRequest>,
}

type StateExtractor = State<Arc<ServerState>>;

/// The pages of a campaign, and what they ask.
pub(super) fn routes(
    links: SharedLinks,
    words: PageWords,
    encrypted: bool,
    desk: SyncSender<PendingRequest>,
) -> Router {
    let shared = ServerState {
        links,
        words,
        paces: Mutex::default(),
        encrypted,
        desk,
    };
    let routes = Router::new()
        .route("/j/{token}", get(annotator_page))
        .route("/j/{token}/task", get(task))
        .route("/j/{token}/earlier/{number}", get(earlier))
        .route("/j/{token}/answer", post(answer))
        .route("/j/{token}/undo", post(undo))
        .route("/open/{token}", get(visit).post(admit))
        .route("/admin/{token}", get(admin_page))
        .route("/admin/{token}/pause", post(pause))
        .route("/admin/{token}/close", post(close))
        .route("/admin/{token}/{what}", get(look))
        .fallback(nowhere)
        .with_state(Arc::new(shared));
    web::guarded(routes)
}

async fn nowhere(State(door): StateExtractor) -> Response {
    missing(&door.words)
}

async fn annotator_page(State(door): StateExtractor, Path(token): Path<String>) -> Response {
    match door.annotator(&token) {
        Ok(_) => html(|nonce| page::annotator(nonce, &door.words)),
        Err(refused) => refused.page(&door.words),
    }
}

async fn admin_page(State(door): StateExtractor, Path(token): Path<String>) -> Response {
    match door.admin(&token) {
        Ok(()) => html(page::admin),
        Err(refused) => refused.page(&door.words),
    }
}

async fn task(State(door): StateExtractor, Path(token): Path<String>) -> Response {
    match door.annotator(&token) {
        Ok(place) => door.ask(CampaignRequest::Task(place)).await,
        Err(refused) => refused.response(),
    }
}

async fn earlier(
    State(door): StateExtractor,
    Path((token, number)): Path<(String, usize)>,
) -> Response {
    match door.annotator(&token) {
        Ok(place) => door.ask(CampaignRequest::Earlier(place, number)).await,
        Err(refused) => refused.response(),
    }
}

async fn answer(State(door): StateExtractor, Path(token): Path<String>, body: Bytes) -> Response {
    door.annotators(&token, &body, |place, posted: PostedAnswer| {
        CampaignRequest::Answer(place, posted)
    })
    .await
}

async fn undo(State(door): StateExtractor, Path(token): Path<String>, body: Bytes) -> Response {
    door.annotators(&token, &body, |place, back: UndoRequest| {
        CampaignRequest::Undo(place, back)
    })
    .await
}

async fn visit(
    State(door): StateExtractor,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Response {
    door.visitors(&token, &headers, CampaignRequest::Visit)
        .await
}

async fn admit(
    State(door): StateExtractor,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Response {
    door.visitors(&token, &headers, CampaignRequest::Admit)
        .await
}

#[derive(Deserialize)]
struct PauseRequest {
    paused: bool,
}

async fn pause(State(door): StateExtractor, Path(token): Path<String>, body: Bytes) -> Response {
    door.admins(&token, &body, |PauseRequest { paused }| {
        CampaignRequest::Pause(paused)
    })
    .await
}

#[derive(Deserialize)]
struct LinkCloseRequest {
    annotator: String,
    closed: bool,
}

async fn close(State(door): StateExtractor, Path(token): Path<String>, body: Bytes) -> Response {
    let what = |LinkCloseRequest { annotator, closed }| CampaignRequest::Close(annotator, closed);
    door.admins(&token, &body, what).await
}

async fn look(
    State(door): StateExtractor,
    Path((token, what)): Path<(String, String)>,
) -> Response {
    if let Err(refused) = door.admin(&token) {
        return refused.response();
    }
    match what.as_str() {
        "status" => door.ask(CampaignRequest::Status).await,
        "codes.csv" => door.ask(CampaignRequest::Codes).await,
        "answers.csv" => door.ask(CampaignRequest::Answers).await,
        "journal.jsonl" => door.ask(CampaignRequest::Journal).await,
        "report.html" => door.ask(CampaignRequest::Report).await,
        _ => unknown(),
    }
}

/// The reason why a request is refused.
#[derive(Debug, Clone, Copy)]
enum RequestRefusal {
    Unknown,
    TooFast,
}

impl RequestRefusal {
    /// The response to an opened link.
    fn page(self, words: &PageWords) -> Response {
        match self {
            Self::Unknown => missing(words),
            Self::TooFast => self.response(),
        }
    }

    /// The response to a page's request.
    fn response(self) -> Response {
        match self {
            Self::Unknown => unknown(),
            Self::TooFast => later(StatusCode::TOO_MANY_REQUESTS, "too many requests"),
        }
    }
}

impl ServerState {
    /// Returns the place of a link, unless it is unknown or asks too fast.
    fn annotator(&self, token: &str) -> std::result::Result<usize, RequestRefusal> {
        let place = self.links.look(|links| links.annotator(token));
        let place = place.ok_or(RequestRefusal::Unknown)?;
        self.passes(token).map(|()| place)
    }

    fn admin(&self, token: &str) -> std::result::Result<(), RequestRefusal> {
        match self.links.look(|links| links.is_admin(token)) {
            true => self.passes(token),
            false => Err(RequestRefusal::Unknown),
        }
    }

    /// Whether a link that is known may be used once more now.
    fn passes(&self, token: &str) -> std::result::Result<(), RequestRefusal> {
        let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = paces.entry(token.to_string());
        match pace.or_insert_with(RateLimiter::new).allows() {
            true => Ok(()),
            false => Err(RequestRefusal::TooFast),
        }
    }

    /// Passes a visitor's request on, with the token that their browser has; it keeps the one it is led to.
    async fn visitors(
        &self,
        token: &str,
        headers: &HeaderMap,
        what: impl FnOnce(Option<String>) -> CampaignRequest,
    ) -> Response {
        let is_open = self.links.look(|links| links.is_open(token));
        let passes = match is_open {
            true => self.passes(token),
            false => Err(RequestRefusal::Unknown),
        };
        if let Err(refused) = passes {
            return refused.page(&self.words);
        }
        let cookie = cookie_name(token);
        let reply = match self.reply(what(cookie_value(headers, &cookie))).await {
            Ok(reply) => reply,
            Err(refused) => return refused,
        };
        let leads_to = reply.leads_to.clone();
        let mut response = sent(reply);
        if let Some(own) = leads_to {
            let secure = if self.encrypted { "; Secure" } else { "" };
            // Without a path it is that of open links, whatever a proxy puts before them.
            let kept =
                format!("{cookie}={own}; Max-Age={COOKIE_TIME}; HttpOnly; SameSite=Strict{secure}");
            let to = format!("../j/{own}");
            for (name, value) in [(header::SET_COOKIE, kept), (header::LOCATION, to)] {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    response.headers_mut().insert(name, value);
                }
            }
        }
        response
    }

    async fn annotators<T: DeserializeOwned>(
        &self,
        token: &str,
        body: &[u8],
        what: impl FnOnce(usize, T) -> CampaignRequest,
    ) -> Response {
        match self.annotator(token) {
            Ok(place) => match serde_json::from_slice(body) {
                Ok(read) => self.ask(what(place, read)).await,
                Err(source) => sent(HttpReply::bad(&source.to_string())),
            },
            Err(refused) => refused.response(),
        }
    }

    async fn admins<T: DeserializeOwned>(
        &self,
        token: &str,
        body: &[u8],
        what: impl FnOnce(T) -> CampaignRequest,
    ) -> Response {
        match self.admin(token) {
            Ok(()) => match serde_json::from_slice(body) {
                Ok(read) => self.ask(what(read)).await,
                Err(source) => sent(HttpReply::bad(&source.to_string())),
            },
            Err(refused) => refused.response(),
        }
    }

    /// Sends a request to the campaign's thread and waits for the reply.
    async fn ask(&self, what: CampaignRequest) -> Response {
        self.reply(what).await.map_or_else(|refused| refused, sent)
    }

    /// As [`ask`](Self::ask), with the reply as it is.
    async fn reply(&self, what: CampaignRequest) -> std::result::Result<HttpReply, Response> {
        let (reply, replied) = oneshot::channel();
        match self.desk.try_send(PendingRequest { what, reply }) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                let what = "too many requests at once";
                return Err(later(StatusCode::TOO_MANY_REQUESTS, what));
            }
            Err(TrySendError::Disconnected(_)) => return Err(closing()),
        }
        replied.await.map_err(|_| closing())
    }
}

/// The name of the cookie of an open link: other campaigns on the same host have others.
fn cookie_name(token: &str) -> String {
    format!("visitor-{}", token.get(..8).unwrap_or(token))
}

/// The value of a cookie, where the browser sent it.
fn cookie_value(headers: &HeaderMap, name: &str) -> Option<String> {
    let sent = headers.get_all(header::COOKIE).iter();
    let mut pairs = sent
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(known, value)| (known == name).then(|| value.to_string()))
}

/// A page, under a policy that lets nothing run but its own scripts.
fn html(page: impl FnOnce(&str) -> String) -> Response {
    let Ok(nonce) = token() else {
        return closing();
    };
    let response = web::response(200, HTML, page(&nonce).into_bytes());
    web::under_policy(response, &page::policy(&nonce))
}

fn sent(reply: HttpReply) -> Response {
    web::response(reply.status, reply.kind, reply.body)
}

fn missing(words: &PageWords) -> Response {
    web::response(404, HTML, page::missing(words).into_bytes())
}

fn unknown() -> Response {
    sent(HttpReply::json(
        404,
        &serde_json::json!({ "error": "unknown link" }),
    ))
}
