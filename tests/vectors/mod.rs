//! Files of vectors: their forms, what they give, and what is wrong with them.

mod files;
mod sentences;

use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use tiebreak::env::Env;
use tiebreak::error::Result;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};

/// A file of vectors that comes with the tests.
fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/vectors")
        .join(name)
}

fn file(bytes: &[u8]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

fn metric(spec: &str) -> Result<Box<dyn Metric>> {
    let (name, params) = Params::parse(spec)?;
    (find_entry("metric", METRICS, &name)?.build.build)(&params, &Env::default())
}

/// The score of one text.
fn score(metric: &dyn Metric, hypothesis: &str, references: &[&str]) -> f64 {
    let references: Vec<String> = references.iter().map(ToString::to_string).collect();
    let segment = Segment {
        hypothesis,
        references: &references,
        context: None,
    };
    metric.score(&[segment]).unwrap()[0]
}
