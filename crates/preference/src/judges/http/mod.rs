//! An endpoint: requests out, answers in, with as many tries as that takes.

mod account;
mod client;
mod gate;
mod large;
mod retry;
mod secret;
mod stop;

pub(super) use account::{Account, check_limit, most_usage};
pub(crate) use client::address;
pub(super) use stop::StopSignal;

use crate::judges::descriptor::JudgeDescriptor;
use crate::judges::reply::JudgeReply;
use crate::judges::request::JudgeRequest;
use crate::verdicts::{UnreadableAnswer, Usage};
use account::Limit;
use client::{Client, HttpResponse, PostError};
use gate::ConcurrencyLimiter;
use large::LargeReplyPermit;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::rng::Seed;

/// The time a sleeping thread takes to notice an interruption.
pub(super) const NAP: Duration = Duration::from_millis(50);

pub(crate) struct Endpoint {
    name: String,
    client: Client,
    gate: ConcurrencyLimiter,
    limit: Limit,
    seed: Seed,
    /// Whether anything ever answered: what has not is not waited for.
    met: AtomicBool,
    /// Whether a request was ever answered, also by an earlier command: then one that is refused is at fault itself.
    answers: AtomicBool,
    /// Requests refused since the last answer.
    refused: AtomicU32,
    /// Whether a failure was told: the first is, at once, and the last, if there are too many.
    failed: AtomicBool,
    warning: Mutex<Option<String>>,
}

impl Endpoint {
    /// Makes an endpoint; connects to nothing yet.
    ///
    /// # Errors
    /// An address that is none; a variable without a key; a limit of cost without prices.
    pub(super) fn new(descriptor: &JudgeDescriptor, account: Account, seed: Seed) -> Result<Self> {
        let has_answers = account.before != Usage::default();
        let limit = Limit::new(descriptor.max_cost, descriptor.price, account)?;
        Ok(Self {
            name: descriptor.name().to_string(),
            client: Client::new(descriptor)?,
            gate: ConcurrencyLimiter::new(descriptor.concurrency()),
            limit,
            seed,
            met: AtomicBool::new(false),
            answers: AtomicBool::new(has_answers),
            refused: AtomicU32::new(0),
            failed: AtomicBool::new(false),
            warning: Mutex::default(),
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

    /// Takes the first failure that is tried again.
    pub(super) fn take_warning(&self) -> Option<String> {
        let mut warning = self.warning.lock().unwrap_or_else(PoisonError::into_inner);
        warning.take()
    }

    /// Sends a request until it is answered, or refused for what it holds, as a filter of contents does. `stop` is looked at
    /// while waiting.
    ///
    /// # Errors
    /// Nobody there from the start; a status that no waiting mends, with what the endpoint says; too many tries; a limit
    /// of cost; [`Error::Interrupted`].
    pub(super) fn send(
        &self,
        request: &JudgeRequest,
        most_tokens: Option<u64>,
        stop: &StopSignal,
    ) -> Result<Result<PaidReply, UnreadableAnswer>> {
        let reserved = self.limit.reserve(request.body.len(), most_tokens, stop)?;
        let mut jitter = self.seed.stream("retry", u64::from(request.key.first()));
        let mut last = String::new();
        for attempt in 0..retry::TRIES {
            stop.check()?;
            let response = {
                let _slot = self.gate.enter(stop)?;
                self.limit.asked(attempt > 0);
                self.client.post(&request.body, stop)
            };
            let wait = match self.outcome(response)? {
                AttemptOutcome::Answer(reply, permit) => {
                    self.gate.went_well();
                    self.limit.answered(reply.usage, &reserved);
                    self.answers.store(true, Ordering::Relaxed);
                    self.refused.store(0, Ordering::Relaxed);
                    return Ok(Ok(PaidReply {
                        reply,
                        reserved: reserved.usage,
                        _permit: permit,
                    }));
                }
                AttemptOutcome::Refused(status) => {
                    return Ok(Err(UnreadableAnswer::Status(status)));
                }
                AttemptOutcome::Again {
                    why,
                    after,
                    crowded,
                } => {
                    if crowded {
                        self.gate.crowded();
                    }
                    self.tell_first(&why);
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

    /// The outcome of one try.
    ///
    /// # Errors
    /// What no other try mends.
    fn outcome(&self, response: Result<HttpResponse, PostError>) -> Result<AttemptOutcome> {
        match response {
            Ok(response) => {
                self.met.store(true, Ordering::Relaxed);
                self.answered(response)
            }
            Err(PostError::Interrupted) => Err(Error::Interrupted),
            Err(PostError::Unreached(why)) if !self.met.load(Ordering::Relaxed) => {
                let what = format!("nothing answers at {}: {why}", self.client.shown_address());
                let hint = message!(
                    "start the server, or name where it is as `endpoint` in the descriptor or by {}",
                    Key("endpoint")
                );
                Err(Error::model(&self.name, what).with_hint(hint))
            }
            Err(PostError::Unreached(why) | PostError::Broken(why)) => Ok(again(why, None, false)),
        }
    }

    fn answered(&self, response: HttpResponse) -> Result<AttemptOutcome> {
        let HttpResponse {
            status,
            after,
            body,
            permit,
        } = response;
        let secret = &self.client.secret;
        let shown = || match &body {
            Ok(body) => shortened(&secret.cover_body(body)),
            Err(excess) => format!("a reply of {excess}"),
        };
        if status == 200 {
            let reply = match &body {
                Ok(body) => JudgeReply::parse(body, &|text| secret.cover_text(text)).ok(),
                Err(_) => Some(JudgeReply::too_long()),
            };
            // Some proxies answer 200 with an error inside.
            let is_one = |reply: &JudgeReply| reply.completion != Err(UnreadableAnswer::Failed);
            return Ok(match reply.filter(is_one) {
                Some(reply) => AttemptOutcome::Answer(reply, permit),
                None => {
                    let why = format!("200 with a body that is not a completion: {}", shown());
                    again(why, after, false)
                }
            });
        }
        match retry::is_worth_it(status) {
            true => Ok(again(
                format!("{status}: {}", shown()),
                after,
                matches!(status, 429 | 503 | 529),
            )),
            false if self.is_request_refused(status) => Ok(AttemptOutcome::Refused(status)),
            false => Err(self.refused(status, &shown())),
        }
    }

    /// Whether a status is about one request, since others are answered: not where too many in a row are refused.
    fn is_request_refused(&self, status: u16) -> bool {
        matches!(status, 400 | 413 | 422)
            && self.answers.load(Ordering::Relaxed)
            && self.refused.fetch_add(1, Ordering::Relaxed) < retry::REFUSALS
    }

    fn tell_first(&self, why: &str) {
        if !self.failed.swap(true, Ordering::Relaxed) {
            let told = format!(
                "a request to {} failed ({why}) and is tried again",
                self.client.shown_address()
            );
            *self.warning.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        }
    }

    fn refused(&self, status: u16, what: &str) -> Error {
        let refuses = |field: &str| what.contains(field);
        let hint = match status {
            401 | 403 => {
                "name the variable that holds the key: key-env = \"OPENAI_API_KEY\"; and its header, \
                 if it is another than Authorization: key-header = \"api-key\"; Anthropic's messages: dialect = \
                 \"anthropic\""
            }
            _ if refuses("max_tokens") || refuses("temperature") => {
                "some models need max_completion_tokens = 1024 and temperature = 1: write both under [body] in the descriptor"
            }
            _ => "the endpoint refuses the request: check endpoint, model, template and [body]",
        };
        let what = format!("the endpoint answered {status}: {what}");
        Error::model(&self.name, what).with_hint(hint)
    }
}

/// A reply that is paid for.
pub(super) struct PaidReply {
    pub reply: JudgeReply,
    /// The tokens that were set aside for it.
    pub reserved: Usage,
    _permit: Option<LargeReplyPermit>,
}

/// The outcome of one try.
enum AttemptOutcome {
    Answer(JudgeReply, Option<LargeReplyPermit>),
    /// Refused for what it holds.
    Refused(u16),
    Again {
        why: String,
        after: Option<Duration>,
        crowded: bool,
    },
}

fn again(why: String, after: Option<Duration>, crowded: bool) -> AttemptOutcome {
    AttemptOutcome::Again {
        why,
        after,
        crowded,
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

fn sleep(mut wait: Duration, stop: &StopSignal) -> Result<()> {
    while !wait.is_zero() {
        stop.check()?;
        let nap = wait.min(NAP);
        thread::sleep(nap);
        wait -= nap;
    }
    Ok(())
}
