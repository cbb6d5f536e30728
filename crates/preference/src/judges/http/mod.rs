//! An endpoint: requests out, answers in, with as many tries as that takes.

mod account;
mod client;
mod gate;
mod retry;

pub(super) use account::Account;
pub(crate) use client::address;

use crate::judges::descriptor::JudgeDescriptor;
use crate::judges::request::JudgeRequest;
use crate::verdicts::Completion;
use account::Limit;
use client::{Client, HttpResponse};
use gate::ConcurrencyLimiter;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The number of requests at a time, by default.
pub(crate) const CONCURRENCY: usize = 8;

/// The time a sleeping thread takes to notice an interruption.
const NAP: Duration = Duration::from_millis(50);

/// An endpoint.
pub(crate) struct Endpoint {
    name: String,
    client: Client,
    gate: ConcurrencyLimiter,
    limit: Limit,
    seed: Seed,
}

impl Endpoint {
    /// Makes an endpoint; connects to nothing yet.
    ///
    /// # Errors
    /// An address that is none; a variable without a key; a limit of cost without prices.
    pub(super) fn new(descriptor: &JudgeDescriptor, account: Account, seed: Seed) -> Result<Self> {
        let limit = Limit::new(descriptor.max_cost, descriptor.price, account)?;
        Ok(Self {
            name: descriptor.name().to_string(),
            client: Client::new(descriptor)?,
            gate: ConcurrencyLimiter::new(descriptor.concurrency.unwrap_or(CONCURRENCY)),
            limit,
            seed,
        })
    }

    /// The number of requests at a time.
    pub(super) fn concurrency(&self) -> usize {
        self.gate.most()
    }

    /// The account of requests and their cost.
    pub(super) fn account(&self) -> &Limit {
        &self.limit
    }

    /// Sends a request until it is answered. `stop` is looked at while waiting.
    ///
    /// # Errors
    /// A status that no waiting mends, with what the endpoint says; too many tries; a limit of cost;
    /// [`Error::Interrupted`].
    pub(super) fn send(
        &self,
        request: &JudgeRequest,
        most_tokens: Option<u64>,
        stop: &AtomicBool,
    ) -> Result<Value> {
        let _reserved = self.limit.reserve(request.body.len(), most_tokens, stop)?;
        let mut jitter = self.seed.stream("retry", u64::from(request.key.first()));
        let mut last = String::new();
        for attempt in 0..retry::TRIES {
            check(stop)?;
            let response = {
                let _slot = self.gate.enter(stop)?;
                self.limit.asked(attempt > 0);
                self.client.post(&request.body)
            };
            let wait = match answered(response) {
                AttemptOutcome::Answer(answer) => {
                    self.gate.went_well();
                    let usage = Completion::read(&answer).map(|one| one.usage);
                    self.limit.answered(usage.unwrap_or_default());
                    return Ok(answer);
                }
                AttemptOutcome::Refused(status, what) => return Err(self.refused(status, &what)),
                AttemptOutcome::Again {
                    why,
                    after,
                    crowded,
                } => {
                    if crowded {
                        self.gate.crowded();
                    }
                    last = why;
                    retry::delay(attempt, after, jitter.uniform())
                }
            };
            if attempt + 1 < retry::TRIES {
                sleep(wait, stop)?;
            }
        }
        let what = format!("no answer after {} tries; the last: {last}", retry::TRIES);
        Err(Error::model(&self.name, what)
            .with_hint("run the same command again to continue: what was answered is kept"))
    }

    fn refused(&self, status: u16, what: &str) -> Error {
        let what = format!("the endpoint answered {status}: {what}");
        Error::model(&self.name, what).with_hint(match status {
            401 | 403 => "name the variable that holds the key: key-env = \"OPENAI_API_KEY\"",
            _ => {
                "the endpoint refuses the request itself: see endpoint, model, template and [body]"
            }
        })
    }
}

/// The outcome of one try.
enum AttemptOutcome {
    Answer(Value),
    /// A refusal, with its status and message: no use to try again.
    Refused(u16, String),
    Again {
        why: String,
        after: Option<Duration>,
        crowded: bool,
    },
}

fn answered(response: std::result::Result<HttpResponse, String>) -> AttemptOutcome {
    let again = |why: String, after, crowded| AttemptOutcome::Again {
        why,
        after,
        crowded,
    };
    let HttpResponse {
        status,
        after,
        body,
    } = match response {
        Ok(response) => response,
        Err(why) => return again(why, None, false),
    };
    let text = String::from_utf8_lossy(&body);
    match status {
        200 => match serde_json::from_slice::<Value>(&body) {
            // Some proxies answer 200 with an error inside.
            Ok(answer) if Completion::read(&answer).is_some() => AttemptOutcome::Answer(answer),
            _ => again(
                format!("200 with what is no completion: {}", shortened(&text)),
                after,
                false,
            ),
        },
        status if retry::is_worth_it(status) => {
            let why = format!("{status}: {}", shortened(&text));
            again(why, after, matches!(status, 429 | 503))
        }
        status => AttemptOutcome::Refused(status, shortened(&text)),
    }
}

/// The beginning of a body, for messages.
fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

fn sleep(mut wait: Duration, stop: &AtomicBool) -> Result<()> {
    while !wait.is_zero() {
        check(stop)?;
        let nap = wait.min(NAP);
        thread::sleep(nap);
        wait -= nap;
    }
    Ok(())
}

fn check(stop: &AtomicBool) -> Result<()> {
    match stop.load(Ordering::Relaxed) {
        true => Err(Error::Interrupted),
        false => Ok(()),
    }
}
