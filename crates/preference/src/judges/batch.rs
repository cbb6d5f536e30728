//! Batch files: requests out in the form of OpenAI's batches, which `vllm run-batch` takes too, or of Anthropic's message
//! batches, whose one document is posted as it is; and the results of either in.
//!
//! A result is joined to its request by `custom_id`, the digest of the request; their order is not promised, and
//! lines may come twice.

use super::answers::{Answers, Key};
use super::dialect::Dialect;
use super::reply::{JsonLine, JudgeReply, lenient};
use super::request::JudgeRequest;
use crate::verdicts::UnreadableAnswer;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Flag, Location, Result};
use tiebreak_base::limits::{CountingReader, Part, excess_of};

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
}

impl Outbox {
    /// Adds a request.
    pub(super) fn add(&self, request: &JudgeRequest) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if collected.known.insert(request.key) {
            collected.bodies.push((request.key, request.body.clone()));
            collected.dialect = request.dialect;
        }
    }

    /// Writes all requests, sorted, and returns their number.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<usize> {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        Ok(collected.bodies.len())
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

/// Reads a file of results into the answers; returns why the others are none.
///
/// # Errors
/// A line that is no result; one of another batch; answers that cannot be kept.
pub fn read_batch(path: &Path, answers: &Answers) -> Result<BTreeMap<Key, UnreadableAnswer>> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let mut lines = CountingReader::new(BufReader::new(file), Part::Reply);
    let mut failed = BTreeMap::new();
    let mut answered = BTreeSet::new();
    let (mut line, mut number) = (String::new(), 1);
    while lines
        .next_line(&mut line)
        .map_err(|error| no_line(error, path, number))?
    {
        if !line.trim().is_empty() {
            let (key, reply) = result(&line, &Location::line(path, number))?;
            match reply {
                Ok(reply) => {
                    answers.keep(key, &reply, None)?;
                    answered.insert(key);
                }
                Err(why) => {
                    failed.insert(key, why);
                }
            }
        }
        number += 1;
    }
    failed.retain(|key, _| !answered.contains(key));
    Ok(failed)
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
