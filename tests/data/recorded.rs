//! The tables of the public data sets.

use crate::support;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufRead, BufReader};

#[derive(serde::Deserialize)]
pub(super) struct Comparison {
    pub item: String,
    pub system_a: String,
    pub system_b: String,
    pub outcome: f64,
}

#[derive(serde::Deserialize)]
pub(super) struct Output {
    pub item: String,
    pub system: String,
    pub output: String,
}

/// The rows of a table of the data set called `name`; `None`, said aloud, where it is not there.
pub(super) fn rows<R: DeserializeOwned>(name: &str, table: &str) -> Option<Vec<R>> {
    let path = support::data_dir().join(format!("{name}/{table}.jsonl.gz"));
    if !path.exists() {
        support::say("SKIPPED", name);
        return None;
    }
    let lines = BufReader::new(flate2::read::GzDecoder::new(File::open(path).unwrap())).lines();
    let row = |line: Result<String, _>| serde_json::from_str(&line.unwrap()).unwrap();
    Some(lines.map(row).collect())
}
