//! What every server of pages is made of: connections, limits, the headers of every response. All asynchronous code is
//! here and in the routes of campaigns and viewers.

mod connections;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use subtle::ConstantTimeEq;
use tiebreak_base::error::{Error, Result};
use tiebreak_stages::engine::context::Context;
use tokio::sync::oneshot;

/// The largest body that is read, in bytes: a long comment beside an answer, or an edited text.
const BODY: usize = 256 << 10;

/// The time for the whole body of a request.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The seconds after which a client may try again.
const PAUSE: &str = "1";

/// The type of a page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// The headers of every response. What is no page is data: nothing of it may run.
pub(crate) const SECURITY: [(&str, &str); 5] = [
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    (
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
    ),
];

/// A server in a thread of its own.
pub(crate) struct WebServer {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl WebServer {
    /// Opens the server of an application.
    pub(crate) fn open(listener: TcpListener, app: Router) -> Result<Self> {
        listener.set_nonblocking(true).map_err(Error::failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()
            .map_err(Error::failed)?;
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || runtime.block_on(run(listener, app, stopped)));
        Ok(Self { stop, thread })
    }

    /// Closes the server; replies in progress are still sent.
    pub(crate) fn close(self) {
        let _ = self.stop.send(());
        let _ = self.thread.join();
    }
}

async fn run(listener: TcpListener, app: Router, stopped: oneshot::Receiver<()>) {
    if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
        connections::serve(listener, app, stopped).await;
    }
}

/// Gives routes the limits and headers of every server.
pub(crate) fn guarded(routes: Router) -> Router {
    routes
        .layer(from_fn(whole))
        .layer(map_response(async |response| with_security(response)))
        .layer(DefaultBodyLimit::max(BODY))
}

/// Passes a request on once all of it is there: who sends slowly keeps nobody else waiting.
async fn whole(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let read = Bytes::from_request(Request::from_parts(head.clone(), body), &());
    match tokio::time::timeout(BODY_TIME, read).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, body.into())).await,
        Ok(Err(refused)) => refused.into_response(),
        Err(_) => later(StatusCode::REQUEST_TIMEOUT, "the request took too long"),
    }
}

/// A response with a body of some type.
pub(crate) fn response(status: u16, kind: &'static str, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if matches!(status, 408 | 429 | 503) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(PAUSE));
    }
    response
}

/// Gives a page a content security policy of its own.
pub(crate) fn under_policy(mut response: Response, policy: &str) -> Response {
    if let Ok(policy) = HeaderValue::from_str(policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Adds the headers that every response has, also one that no handler made.
fn with_security(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in SECURITY {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    }
    response
}

/// The reply of a server that ends.
pub(crate) fn closing() -> Response {
    later(StatusCode::SERVICE_UNAVAILABLE, "the server is closing")
}

/// The body of the reply for which there is no connection, and when to try again.
pub(crate) fn busy() -> (String, &'static str) {
    let what = serde_json::json!({ "error": "too many connections at once" });
    (what.to_string(), PAUSE)
}

/// A reply that asks a client to try again.
pub(crate) fn later(status: StatusCode, what: &str) -> Response {
    let what = serde_json::json!({ "error": what });
    let body = what.to_string().into_bytes();
    response(status.as_u16(), "application/json", body)
}

/// Whether two tokens are the same, in constant time.
pub(crate) fn is_same_token(ours: &str, theirs: &str) -> bool {
    ours.as_bytes().ct_eq(theirs.as_bytes()).into()
}

/// Listens at an address.
///
/// # Errors
/// If it is in use, or another machine's.
pub(crate) fn bound(at: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(at).map_err(|source| Error::usage(format!("cannot listen on {at}: {source}")))
}

/// Returns the URL that links begin with where none is given. A server that listens at all addresses is reached at the
/// one by which this machine reaches others; `otherwise` says of its port what to do if that is not how others do.
pub(crate) fn reached_at(
    context: &Context<'_>,
    mut at: SocketAddr,
    otherwise: impl FnOnce(u16) -> String,
) -> String {
    if at.ip().is_unspecified() {
        at.set_ip(own_address(at.ip()));
        context.progress.warn(&format!(
            "the links have an address of this machine, {}. If others reach it at another one, {}",
            at.ip(),
            otherwise(at.port())
        ));
    }
    format!("http://{at}")
}

/// Returns the address from which this machine reaches others, or that of itself where it reaches none.
fn own_address(all: IpAddr) -> IpAddr {
    // Addresses for documentation, which nobody has. Nothing is sent: the system only chooses a route.
    let (other, own) = match all {
        IpAddr::V4(_) => ("192.0.2.1:9", IpAddr::V4(Ipv4Addr::LOCALHOST)),
        IpAddr::V6(_) => ("[2001:db8::1]:9", IpAddr::V6(Ipv6Addr::LOCALHOST)),
    };
    let route = UdpSocket::bind(SocketAddr::new(all, 0)).and_then(|socket| {
        socket.connect(other)?;
        socket.local_addr()
    });
    route.map_or(own, |from| from.ip())
}
