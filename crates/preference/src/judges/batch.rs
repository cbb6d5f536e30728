//! Batch files: requests out in the form of OpenAI's batches, which `vllm run-batch` takes too, and results in.
//!
//! A result is joined to its request by `custom_id`, the digest of the request; their order is not promised, and
//! lines may come twice.

use super::answers::{Answers, Key};
use super::reply;
use super::request::{JudgeRequest, PATH};
use crate::verdicts::{Completion, UnreadableAnswer};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Flag, Location, Result};

/// The prefix of every `custom_id`.
const MARK: &str = "tiebreak-";

/// Requests to be written into a batch file, each once, in the order they came.
#[derive(Debug, Default)]
pub struct Outbox(Mutex<BatchRequests>);

#[derive(Debug, Default)]
struct BatchRequests {
    known: BTreeSet<Key>,
    bodies: Vec<(Key, String)>,
}

impl Outbox {
    /// Adds a request.
    pub(super) fn add(&self, request: &JudgeRequest) {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if collected.known.insert(request.key) {
            collected.bodies.push((request.key, request.body.clone()));
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
        for (key, body) in &collected.bodies {
            let line = format!(
                "{{\"custom_id\":\"{MARK}{}\",\"method\":\"POST\",\"url\":\"{PATH}\",\"body\":{body}}}\n",
                key.hex()
            );
            file.write_all(line.as_bytes())
                .map_err(Error::writing(path))?;
        }
        file.finish()?;
        Ok(collected.bodies.len())
    }
}

/// A line of results.
#[derive(Deserialize)]
struct BatchResultLine {
    custom_id: String,
    response: Option<BatchResponse>,
    #[serde(default)]
    error: Value,
}

#[derive(Deserialize)]
struct BatchResponse {
    status_code: u16,
    body: Value,
}

/// Reads a file of results into the answers; returns why the others are none.
///
/// # Errors
/// A line that is no result; one of another batch; answers that cannot be kept.
pub fn read_batch(path: &Path, answers: &Answers) -> Result<BTreeMap<Key, UnreadableAnswer>> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let mut failed = BTreeMap::new();
    let mut answered = BTreeSet::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line.map_err(Error::reading(path))?;
        if line.trim().is_empty() {
            continue;
        }
        let at = || Location::line(path, number);
        let line = reply::parse(line.as_bytes()).and_then(serde_json::from_value);
        let line: BatchResultLine = line.map_err(|source| {
            Error::record(at(), format!("is no result of a batch: {source}"))
                .with_hint("expected custom_id, response (status_code, body) and error")
        })?;
        let key = line
            .custom_id
            .strip_prefix(MARK)
            .and_then(Key::parse)
            .ok_or_else(|| {
                let what = format!(
                    "`{}` is no request of `tiebreak judge {}`",
                    line.custom_id,
                    Flag("write-batch")
                );
                Error::record(at(), what).with_hint("`tiebreak import` reads batches of others")
            })?;
        match line.response {
            Some(BatchResponse {
                status_code: 200,
                body,
            }) if line.error.is_null() => match Completion::read(&body) {
                Ok(_) => {
                    answers.keep(key, &body, None)?;
                    answered.insert(key);
                }
                Err(why) => {
                    failed.insert(key, why);
                }
            },
            Some(BatchResponse { status_code, .. }) if status_code != 200 => {
                failed.insert(key, UnreadableAnswer::Status(status_code));
            }
            _ => {
                failed.insert(key, UnreadableAnswer::Failed);
            }
        }
    }
    failed.retain(|key, _| !answered.contains(key));
    Ok(failed)
}
