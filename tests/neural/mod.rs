//! The preference model, the neural metrics and their encoders, on the tiny checkpoints that come with the code.

mod families;
#[cfg(feature = "hub")]
mod hub;
mod invariance;
mod loading;
mod metrics;
mod oracle;

use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tiebreak::env::Env;
use tiebreak::preference::{Contest, Options};

/// The folder of models that comes with the code.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models")
}

/// A tiny model of another family than ELECTRA.
fn family(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/families");
    folder.join(name)
}

fn env() -> Env {
    Env {
        models: models(),
        ..Env::default()
    }
}

/// A model asked as usual, but with so many draws.
fn drawn(draws: usize) -> Options {
    Options {
        draws: Some(draws.into()),
        ..Options::default()
    }
}

fn contest<'a>(context: &'a str, a: &'a str, b: &'a str) -> Contest<'a> {
    Contest {
        a,
        b,
        source: Some(context),
        references: &[],
    }
}

/// A copy of the tiny model without its descriptor, to be changed at will.
fn copy_of_tiny() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        std::fs::copy(
            models().join("tiny-electra").join(file),
            folder.path().join(file),
        )
        .unwrap();
    }
    folder
}
