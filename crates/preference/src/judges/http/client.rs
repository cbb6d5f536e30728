//! One request, one response.

use super::NAP;
use super::large::{LargeReplies, LargeReplyPermit};
use super::secret::Secret;
use super::stop::StopSignal;
use crate::judges::descriptor::JudgeDescriptor;
use crate::judges::dialect::Dialect;
use std::io::{ErrorKind, Read};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::limits::{CountingReader, Excess, Part, excess_of};
use tiebreak_base::message;
use ureq::http::header::AUTHORIZATION;
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use ureq::{Agent, Proxy};

/// The seconds an answer may take, unless the descriptor sets others: a reasoning model thinks for minutes.
const PATIENCE: f64 = 600.0;

/// The longest time until a connection stands.
const CONNECT: Duration = Duration::from_secs(20);

/// A response of any status.
pub(crate) struct HttpResponse {
    pub status: u16,
    pub after: Option<Duration>,
    /// The body, unless it is too long.
    pub body: Result<Vec<u8>, Excess>,
    /// The right to hold it, where it is large.
    pub permit: Option<LargeReplyPermit>,
}

/// What prevented a response.
pub(crate) enum PostError {
    /// No connection: the request was not sent.
    Unreached(String),
    /// A connection that ended before the response did.
    Broken(String),
    /// The user interrupted.
    Interrupted,
}

/// A client that sends requests to one address.
pub(crate) struct Client {
    connection: Arc<Connection>,
    /// The key, to be covered in whatever comes back.
    pub secret: Secret,
}

/// What a thread needs to send a request.
struct Connection {
    agent: Agent,
    address: String,
    /// The header with the key; it goes to the endpoint only.
    key: Option<(HeaderName, HeaderValue)>,
    /// The header that the dialect wants beside it.
    header: Option<(&'static str, &'static str)>,
    large: Arc<LargeReplies>,
}

impl Client {
    /// Makes a client, with the key that the descriptor names.
    ///
    /// # Errors
    /// An address that is none; a variable that is not set.
    pub(super) fn new(descriptor: &JudgeDescriptor) -> Result<Self> {
        let seconds = descriptor.timeout.unwrap_or(PATIENCE);
        if !(seconds > 0.0 && seconds <= 86_400.0) {
            return Err(Error::usage(format!(
                "timeout is {seconds}, expected seconds above 0"
            )));
        }
        let concurrency = descriptor.concurrency();
        let dialect = descriptor.dialect;
        let address = address(descriptor.endpoint.as_deref(), dialect)?;
        // Nothing outside this machine reaches it, and a proxy would be given the key.
        let proxy = Proxy::try_from_env().filter(|_| !is_this_machine(&address));
        let agent = Agent::config_builder()
            .proxy(proxy)
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(Duration::from_secs_f64(seconds)))
            .max_idle_connections(concurrency)
            .max_idle_connections_per_host(concurrency)
            .max_redirects(0)
            .user_agent(concat!("tiebreak/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let header = descriptor.key_header.as_deref().or(dialect.key_header());
        let key = descriptor.key_env.as_deref();
        let key = key.map(|variable| key_of(variable, header)).transpose()?;
        let (key, secret) = key.unzip();
        let connection = Arc::new(Connection {
            agent,
            address,
            key,
            header: dialect.header(),
            large: Arc::new(LargeReplies::new(concurrency)),
        });
        Ok(Self {
            connection,
            secret: secret.unwrap_or_default(),
        })
    }

    /// Sends a body and waits for the response, unless it is interrupted.
    pub(super) fn post(
        &self,
        body: &str,
        stop: &StopSignal,
    ) -> std::result::Result<HttpResponse, PostError> {
        let (send, receive) = channel();
        let (connection, body) = (Arc::clone(&self.connection), body.to_string());
        // On a thread of its own, which is left behind by an interruption: neither the search for a name nor a
        // connection that is being made can be ended from outside.
        let begun = thread::Builder::new().spawn(move || send.send(connection.exchange(&body)));
        begun.map_err(|error| PostError::Broken(error.to_string()))?;
        let response = loop {
            match receive.recv_timeout(NAP) {
                Ok(response) => break response,
                Err(RecvTimeoutError::Timeout) if stop.is_interrupted() => {
                    return Err(PostError::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PostError::Broken("the request was lost".to_string()));
                }
            }
        };
        let covered = |why: &str| self.secret.cover_text(why).into_owned();
        response.map_err(|error| match error {
            PostError::Unreached(why) => PostError::Unreached(covered(&why)),
            PostError::Broken(why) => PostError::Broken(covered(&why)),
            PostError::Interrupted => error,
        })
    }

    /// The address, and the proxy on the way, without names and passwords that may be in either.
    pub(super) fn shown_address(&self) -> String {
        let Connection { agent, address, .. } = &*self.connection;
        let place = without_login(address);
        let uri = address.parse::<Uri>().unwrap_or_default();
        match agent
            .config()
            .proxy()
            .filter(|proxy| !proxy.is_no_proxy(&uri))
        {
            Some(proxy) => format!("{place} by the proxy {}:{}", proxy.host(), proxy.port()),
            None => place,
        }
    }
}

impl Connection {
    /// Sends a body; the error says in words what prevented a response.
    fn exchange(&self, body: &str) -> std::result::Result<HttpResponse, PostError> {
        let mut request = self
            .agent
            .post(&self.address)
            .content_type("application/json");
        if let Some((name, key)) = &self.key {
            request = request.header(name.clone(), key.clone());
        }
        if let Some((name, value)) = self.header {
            request = request.header(name, value);
        }
        let response = request.send(body).map_err(no_response)?;
        let (head, body) = response.into_parts();
        let mut reader = CountingReader::new(body.into_reader(), Part::Reply);
        let (mut bytes, mut permit) = (Vec::new(), None);
        let most = self.large.threshold;
        let mut read = reader.by_ref().take(most).read_to_end(&mut bytes);
        if bytes.len() as u64 == most {
            permit = Some(self.large.enter());
            read = reader.read_to_end(&mut bytes);
        }
        let body = match read {
            Ok(_) => Ok(bytes),
            Err(error) => Err(excess_of(&error)
                .ok_or_else(|| PostError::Broken(format!("the body ended early: {error}")))?),
        };
        Ok(HttpResponse {
            status: head.status.as_u16(),
            after: after(&head.headers),
            body,
            permit,
        })
    }
}

fn no_response(error: ureq::Error) -> PostError {
    use ureq::{Error, Timeout};
    let why = error.to_string();
    let unreached = match error {
        Error::HostNotFound
        | Error::ConnectionFailed
        | Error::ConnectProxyFailed(_)
        | Error::Timeout(Timeout::Resolve | Timeout::Connect) => true,
        Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::ConnectionRefused
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
        ),
        _ => false,
    };
    match unreached {
        true => PostError::Unreached(why),
        false => PostError::Broken(why),
    }
}

/// Whether an address is on this machine.
fn is_this_machine(address: &str) -> bool {
    let uri = address.parse::<Uri>().unwrap_or_default();
    let host = uri.host().unwrap_or_default().to_lowercase();
    let host = host.trim_matches(['[', ']']).trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(ip) => ip.to_canonical().is_loopback() || ip.is_unspecified(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// An address for messages: a name and password in it are left out, and a query, which may hold a key.
fn without_login(address: &str) -> String {
    let address = address.split_once('?').map_or(address, |(place, _)| place);
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let Some((_, rest)) = rest.rsplit_once('@') else {
        return address.to_string();
    };
    match scheme {
        "" => rest.to_string(),
        scheme => format!("{scheme}://{rest}"),
    }
}

/// The address of chat completions, or of messages, from the address up to that; a query stays at its end.
///
/// # Errors
/// If there is none, or it is none of an endpoint.
pub(crate) fn address(endpoint: Option<&str>, dialect: Dialect) -> Result<String> {
    let hint = "such as http://127.0.0.1:8000/v1";
    let Some(endpoint) = endpoint else {
        return Err(Error::usage(message!("the judge has no {}", Key("endpoint"))).with_hint(hint));
    };
    let known = ["http://", "https://"]
        .iter()
        .any(|scheme| endpoint.starts_with(scheme));
    if !known || endpoint.parse::<Uri>().is_err() {
        let what = format!(
            "`{}` is not the address of an endpoint",
            without_login(endpoint)
        );
        return Err(Error::key("endpoint", what).with_hint(hint));
    }
    let (place, query) = match endpoint.find('?') {
        Some(at) => endpoint.split_at(at),
        None => (endpoint, ""),
    };
    let place = place.trim_end_matches('/');
    let end = dialect.address_end();
    let whole = place.trim_end_matches(end);
    Ok(format!("{whole}{end}{query}"))
}

/// The header with the key in a variable: `Authorization: Bearer KEY`, or the key alone under another name.
fn key_of(variable: &str, header: Option<&str>) -> Result<((HeaderName, HeaderValue), Secret)> {
    let missing = |why: &str| {
        let what = format!("the variable {variable}, which should hold the key, {why}");
        Error::usage(what).with_hint("set it in the shell; `key-env` names another")
    };
    let key = std::env::var(variable).map_err(|_| missing("is not set"))?;
    let key = key.trim();
    if key.is_empty() {
        return Err(missing("is empty"));
    }
    let (name, value) = match header {
        None => (AUTHORIZATION, format!("Bearer {key}")),
        Some(header) => {
            let name = header.parse().map_err(|_| {
                let what = format!("key-header is `{header}`, which is not a header name");
                Error::usage(what).with_hint("such as api-key")
            })?;
            (name, key.to_string())
        }
    };
    let value = HeaderValue::from_str(&value);
    let mut value = value.map_err(|_| missing("does not hold a valid key"))?;
    value.set_sensitive(true);
    Ok(((name, value), Secret::new(key)))
}

/// The time that the endpoint asks to wait. A date would need a clock; endpoints that send one are asked again as if
/// they had sent nothing.
fn after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let milliseconds = number("retry-after-ms").map(|one| one / 1e3);
    let seconds = milliseconds.or(number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_completions_are_made() {
        let whole = "http://localhost:1/v1/chat/completions";
        for one in ["http://localhost:1/v1", "http://localhost:1/v1/", whole] {
            assert_eq!(address(Some(one), Dialect::Openai).unwrap(), whole);
        }
        let messages = "https://api.anthropic.com/v1/messages";
        for one in ["https://api.anthropic.com/v1", messages] {
            assert_eq!(address(Some(one), Dialect::Anthropic).unwrap(), messages);
        }
        let address = |endpoint| address(endpoint, Dialect::Openai);
        let azure = "https://x/openai/deployments/gpt/chat/completions?api-version=2024-10-21";
        assert_eq!(address(Some(azure)).unwrap(), azure);
        let gateway = address(Some("https://x/v1/?key=abc")).unwrap();
        assert_eq!(gateway, "https://x/v1/chat/completions?key=abc");
        assert_eq!(without_login(&gateway), "https://x/v1/chat/completions");
        for bad in ["localhost:8000", "ftp://x/v1", "http://a b/v1", ""] {
            assert!(address(Some(bad)).is_err(), "{bad}");
        }
        assert!(address(None).is_err());
    }

    #[test]
    fn what_is_on_this_machine_needs_no_proxy() {
        for here in [
            "127.0.0.1:1",
            "127.9.9.9",
            "localhost",
            "LOCALHOST.:1",
            "[::1]:1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(&format!("http://{here}/v1")), "{here}");
        }
        for there in [
            "127.0.0.1.example.org",
            "127.0.0.1@example.org",
            "10.0.0.1",
            "[::2]",
        ] {
            assert!(!is_this_machine(&format!("http://{there}/v1")), "{there}");
        }
    }

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        assert_eq!(without_login("http://me:secret@x/v1"), "http://x/v1");
        assert_eq!(without_login("me:secret@x/v1"), "x/v1");
        assert_eq!(without_login("http://x/v1"), "http://x/v1");
    }

    #[test]
    fn waiting_times_are_read() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_static(value))])
        };
        let after = |name, value| after(&headers(name, value));
        assert_eq!(after("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(
            after("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(after("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(after("retry-after", "-1"), None);
    }
}
