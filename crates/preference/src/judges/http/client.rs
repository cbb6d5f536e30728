//! One request, one response.

use crate::judges::descriptor::JudgeDescriptor;
use std::io::Read;
use std::time::Duration;
use tiebreak_base::error::{Error, Result};
use ureq::Agent;
use ureq::http::header::AUTHORIZATION;
use ureq::http::{HeaderMap, HeaderValue};

/// The seconds an answer may take, unless the descriptor sets others: a reasoning model thinks for minutes.
const PATIENCE: f64 = 600.0;

/// The longest time until a connection stands.
const CONNECT: Duration = Duration::from_secs(20);

/// The most bytes of an answer.
const LONGEST: u64 = 64 << 20;

/// A response of any status.
pub(crate) struct HttpResponse {
    pub status: u16,
    pub after: Option<Duration>,
    pub body: Vec<u8>,
}

/// A client that sends requests to one address.
pub(crate) struct Client {
    agent: Agent,
    address: String,
    /// The header `Bearer …`; it goes to the endpoint only.
    key: Option<HeaderValue>,
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
        let concurrency = descriptor.concurrency.unwrap_or(super::CONCURRENCY);
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(Duration::from_secs_f64(seconds)))
            .max_idle_connections(concurrency)
            .max_idle_connections_per_host(concurrency)
            .max_redirects(0)
            .user_agent(concat!("tiebreak/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            address: address(descriptor.endpoint.as_deref())?,
            key: descriptor.key_env.as_deref().map(key).transpose()?,
        })
    }

    /// Sends a body; the error says in words what prevented a response.
    pub(super) fn post(&self, body: &str) -> std::result::Result<HttpResponse, String> {
        let mut request = self
            .agent
            .post(&self.address)
            .content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let response = request.send(body).map_err(|error| error.to_string())?;
        let (head, body) = response.into_parts();
        let mut bytes = Vec::new();
        let mut reader = body.into_reader().take(LONGEST);
        let read = reader.read_to_end(&mut bytes);
        read.map_err(|error| format!("the body ended early: {error}"))?;
        Ok(HttpResponse {
            status: head.status.as_u16(),
            after: after(&head.headers),
            body: bytes,
        })
    }
}

/// The address of chat completions, from the address up to that.
///
/// # Errors
/// If there is none, or it is none of an endpoint.
pub(crate) fn address(endpoint: Option<&str>) -> Result<String> {
    let hint = "such as http://127.0.0.1:8000/v1";
    let Some(endpoint) = endpoint else {
        return Err(Error::usage("the judge has no `endpoint`").with_hint(hint));
    };
    let known = ["http://", "https://"]
        .iter()
        .any(|scheme| endpoint.starts_with(scheme));
    if !known || endpoint.parse::<ureq::http::Uri>().is_err() {
        let what = format!("`{endpoint}` is no address of an endpoint");
        return Err(Error::key("endpoint", what).with_hint(hint));
    }
    let endpoint = endpoint.trim_end_matches('/');
    let whole = endpoint.trim_end_matches("/chat/completions");
    Ok(format!("{whole}/chat/completions"))
}

fn key(variable: &str) -> Result<HeaderValue> {
    let missing = |why: &str| {
        let what = format!("the variable {variable}, which is to hold the key, {why}");
        Error::usage(what).with_hint("set it in the shell; `key-env` names another")
    };
    let key = std::env::var(variable).map_err(|_| missing("is not set"))?;
    let value = HeaderValue::from_str(&format!("Bearer {}", key.trim()));
    let mut value = value.map_err(|_| missing("holds what no key can be"))?;
    value.set_sensitive(true);
    Ok(value)
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
            assert_eq!(address(Some(one)).unwrap(), whole);
        }
        for bad in ["localhost:8000", "ftp://x/v1", "http://a b/v1", ""] {
            assert!(address(Some(bad)).is_err(), "{bad}");
        }
        assert!(address(None).is_err());
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
