//! What was run, on what, and how to run it again.

use super::Context;
use crate::inputs::source::Source;
use crate::records::Kind;
use crate::report::{Manifest, Stage};
use crate::rng::Seed;
use std::path::Path;

/// How to run it again: the pipeline as it was named, but nothing of where this machine keeps it.
pub(crate) fn command(path: &Path, seed: Seed) -> String {
    let named = match path.is_relative() {
        true => path,
        false => Path::new(path.file_name().unwrap_or_default()),
    };
    let named = named.to_string_lossy().replace('\\', "/");
    let plain = |c: char| c.is_alphanumeric() || "-_./+".contains(c);
    let named = match named.chars().all(plain) {
        true => named,
        false => format!("'{}'", named.replace('\'', "'\\''")),
    };
    format!("tiebreak run {named} --seed {}", seed.0)
}

/// What was run, on what.
pub(crate) fn manifest(
    context: &Context<'_>,
    source: &Source,
    name: String,
    stages: Vec<Stage>,
) -> Manifest {
    Manifest {
        tiebreak: env!("CARGO_PKG_VERSION").to_string(),
        name,
        seed: context.seed.0,
        data: source.dataset.name(),
        digest: source.digest.clone(),
        contents: contents(source),
        command: String::new(),
        stages,
    }
}

/// What a data set holds, in a phrase.
fn contents(source: &Source) -> String {
    let index = &source.index;
    let mut text = format!(
        "{} systems, {} items, {} outputs",
        index.systems().len(),
        index.items(),
        index.rows(Kind::Outputs)
    );
    for kind in [Kind::Comparisons, Kind::Judgments] {
        if index.has(kind) {
            text += &format!(", {} {}", index.rows(kind), kind.name());
        }
    }
    text
}

/// A stage's name as a file name.
pub(crate) fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.+".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
