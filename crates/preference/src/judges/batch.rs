//! Batch files: requests out in the form of OpenAI's batches, which `vllm run-batch` takes too, or of Anthropic's message
//! batches, whose one document is posted as it is; and the results of either in.
//!
//! A result is joined to its request by `custom_id`, the digest of the request; their order is not promised, and
//! lines may come twice.

use super::answers::{Answers, Key};
use super::dialect::Dialect;
use super::http::most_usage;
use super::price::Price;
use super::reply::{JsonLine, JudgeReply, lenient};
use super::request::JudgeRequest;
use crate::verdicts::{UnreadableAnswer, Usage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Flag, Key as NamedKey, Location, Result};
use tiebreak_base::limits::{CountingReader, Part, excess_of};
use tiebreak_base::message;
use tiebreak_base::words::counted;

/// The prefix of every `custom_id`.
const MARK: &str = "tiebreak-";

/// Requests to be written into a batch file, each once, in the order they came.
#[derive(Debug, Default)]
pub struct Outbox(Mutex<BatchRequests>);

#[derive(Debug, Default)]
struct BatchRequests {
    known: BTreeSet<Key>,
    bodies: Vec<(Key, String)>,
    dialect: Dialect,
    /// The most tokens that they may take.
    usage: Usage,
    price: Option<Price>,
    /// The most dollars for all answers, and the tokens of those that are there.
    limit: Option<(f64, Usage)>,
}

/// What a file of results has answered.
#[derive(Debug, Default)]
pub struct BatchResults {
    /// Why requests have no answer.
    pub(super) failed: BTreeMap<Key, UnreadableAnswer>,
    /// The requests that have one.
    answered: BTreeSet<Key>,
    /// Whether a judge has asked any of all these.
    is_met: AtomicBool,
    /// The number of answers that were not known.
    new: u64,
    /// Their tokens.
    usage: Usage,
    /// The number of those that do not say how many they took.
    uncounted: u64,
}

impl BatchResults {
    /// Notes that a judge asks a request.
    pub(super) fn meet(&self, key: Key) {
        if self.answered.contains(&key) || self.failed.contains_key(&key) {
            self.is_met.store(true, Ordering::Relaxed);
        }
    }

    /// A summary in a few words, with the cost where prices are known; `None` without a new answer.
    pub(super) fn summary(&self, price: Option<Price>) -> Option<String> {
        if !self.is_met.load(Ordering::Relaxed) {
            return Some(
                "none of the results is of a request of this judge: was the batch written for another model, descriptor or data \
                 set?"
                    .to_string(),
            );
        }
        let Usage { prompt, completion } = self.usage;
        let answers = counted(self.new, "new answer");
        let cost = price.map(|price| format!(", ${:.4}", price.cost(self.usage)));
        let uncounted = match self.uncounted {
            0 => String::new(),
            n => format!(" ({n} answers without a valid count of tokens are not counted)"),
        };
        let cost = cost.unwrap_or_default();
        (self.new > 0).then(|| {
            format!("{answers}: {prompt} tokens read, {completion} written{cost}{uncounted}")
        })
    }
}

impl Outbox {
    /// Sets what requests cost, the most dollars for all answers, and the tokens of those that are there.
    pub(super) fn limit(&self, price: Option<Price>, most: Option<f64>, before: Usage) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        collected.price = price;
        collected.limit = most.map(|most| (most, before));
    }

    /// Adds a request, whose answer may have so many tokens.
    pub(super) fn add(&self, request: &JudgeRequest, most_tokens: Option<u64>) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if collected.known.insert(request.key) {
            collected.usage += most_usage(request.body.len(), most_tokens);
            collected.bodies.push((request.key, request.body.clone()));
            collected.dialect = request.dialect;
        }
    }

    /// Writes all requests, sorted. Returns their number and, where prices are known, the most dollars that they cost.
    ///
    /// # Errors
    /// A limit that they may exceed: then nothing is written. If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(usize, Option<f64>)> {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        collected.check_limit()?;
        // Threads come in any order; the file is the same.
        collected.bodies.sort();
        let mut file = Draft::create(path)?;
        let dialect = collected.dialect;
        let [begin, between, end] = dialect.batch_frame();
        let mut before = begin;
        for (key, body) in &collected.bodies {
            let request = dialect.batch_request(&format!("{MARK}{}", key.hex()), body);
            file.write_all(format!("{before}{request}").as_bytes())
                .map_err(Error::writing(path))?;
            before = between;
        }
        if !collected.bodies.is_empty() {
            file.write_all(end.as_bytes())
                .map_err(Error::writing(path))?;
        }
        file.finish()?;
        let cost = collected.price.map(|price| price.cost(collected.usage));
        Ok((collected.bodies.len(), cost))
    }
}

impl BatchRequests {
    /// Refuses requests that may cost more than the limit leaves.
    fn check_limit(&self) -> Result<()> {
        let (Some(price), Some((most, before))) = (self.price, self.limit) else {
            return Ok(());
        };
        let (spent, cost) = (price.cost(before), price.cost(self.usage));
        if self.bodies.is_empty() || spent + cost <= most {
            return Ok(());
        }
        let requests = counted(self.bodies.len() as u64, "request");
        let what = format!(
            "the limit is ${most}: ${spent:.4} are spent, and {requests} may cost ${cost:.4}, a token for each byte"
        );
        Err(Error::key("max-cost", what).with_hint(message!(
            "raise it, or write fewer requests: {} or {}",
            NamedKey("shard").set("1/10"),
            NamedKey("pairs").set("FILE")
        )))
    }
}

#[derive(Deserialize)]
struct BatchResultLine {
    custom_id: String,
    response: Option<BatchResponse>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    /// The outcome, as Anthropic has it.
    #[serde(default)]
    result: Option<MessageBatchResult>,
}

/// The outcome of a request of a message batch.
#[derive(Deserialize)]
struct MessageBatchResult {
    #[serde(rename = "type")]
    kind: String,
    message: Option<JsonLine>,
}

#[derive(Deserialize)]
struct BatchResponse {
    status_code: u16,
    body: JsonLine,
}

impl BatchResults {
    /// Reads a file of results into the answers; returns what they took, and why the others are none.
    ///
    /// # Errors
    /// A line that is no result; one of another batch; answers that cannot be kept.
    pub fn read(path: &Path, answers: &Answers) -> Result<BatchResults> {
        let file = File::open(path).map_err(Error::reading(path))?;
        let mut lines = CountingReader::new(BufReader::new(file), Part::Reply);
        let mut results = BatchResults::default();
        let (mut line, mut number) = (String::new(), 1);
        while lines
            .next_line(&mut line)
            .map_err(|error| no_line(error, path, number))?
        {
            if !line.trim().is_empty() {
                let (key, reply) = result(&line, &Location::line(path, number))?;
                match reply {
                    Ok(reply) => {
                        if answers.keep(key, &reply, None)? {
                            results.new += 1;
                            results.uncounted += u64::from(reply.usage.is_none());
                            results.usage += reply.usage.unwrap_or_default();
                        }
                        results.answered.insert(key);
                    }
                    Err(why) => {
                        results.failed.insert(key, why);
                    }
                }
            }
            number += 1;
        }
        let answered = &results.answered;
        results.failed.retain(|key, _| !answered.contains(key));
        Ok(results)
    }
}

/// The error for a line that cannot be read.
fn no_line(error: std::io::Error, path: &Path, number: u64) -> Error {
    match excess_of(&error) {
        Some(excess) => Error::record(
            Location::line(path, number),
            format!("a result of {excess}"),
        )
        .with_hint("delete the line: what it answers is asked again"),
        None => Error::reading(path)(error),
    }
}

/// Reads a line: the request, and its reply or why there is none.
fn result(line: &str, at: &Location) -> Result<(Key, Result<JudgeReply, UnreadableAnswer>)> {
    let read = lenient(line.as_bytes(), |line| serde_json::from_slice(line));
    let line: BatchResultLine = read.map_err(|source| {
        Error::record(at.clone(), format!("is not a result of a batch: {source}")).with_hint(
            "expected custom_id, response (status_code, body) and error, or custom_id and result",
        )
    })?;
    let key = line.custom_id.strip_prefix(MARK).and_then(Key::parse);
    let key = key.ok_or_else(|| {
        let id = &line.custom_id;
        let flag = Flag("write-batch");
        let what = format!("`{id}` is not a request of `tiebreak judge {flag}`");
        Error::record(at.clone(), what).with_hint("`tiebreak import` reads batches of others")
    })?;
    if let Some(MessageBatchResult { kind, message }) = line.result {
        let reply = match (kind.as_str(), message) {
            ("succeeded", Some(message)) => readable(message),
            _ => Err(UnreadableAnswer::Failed),
        };
        return Ok((key, reply));
    }
    let reply = match line.response {
        Some(response) if response.status_code != 200 => {
            Err(UnreadableAnswer::Status(response.status_code))
        }
        Some(response) if line.error.is_none() => readable(response.body),
        _ => Err(UnreadableAnswer::Failed),
    };
    Ok((key, reply))
}

/// A reply, or the reason why it is no answer.
fn readable(body: JsonLine) -> Result<JudgeReply, UnreadableAnswer> {
    let reply = JudgeReply::from_line(body.0);
    match reply.completion {
        Ok(_) => Ok(reply),
        Err(why) => Err(why),
    }
}
