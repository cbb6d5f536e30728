//! The folders of golden models.

use crate::support::{golden_dir, skip_golden};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The folders of golden models, in order; none, said aloud, if there are none.
pub(super) fn folders() -> Vec<PathBuf> {
    let models = golden_dir().join("models");
    let Ok(entries) = std::fs::read_dir(&models) else {
        skip_golden("golden models");
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// What the reference made of each case of a golden model.
pub(super) fn expected(folder: &Path) -> Vec<Value> {
    let file = File::open(folder.join("expected.jsonl.gz")).unwrap();
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// The `.bin` of a folder of fastText or sent2vec.
pub(super) fn static_model(folder: &Path) -> Option<PathBuf> {
    let file = folder.join("model.bin");
    file.exists().then_some(file)
}

/// Whether a folder is one of LASER's encoders.
pub(super) fn is_laser(folder: &Path) -> bool {
    folder.join("dictionary.json").exists()
}

/// Whether a folder without `config.json` is checked by the tests of static vectors or of LASER.
pub(super) fn read_elsewhere(folder: &Path) -> bool {
    let words = || folder.ends_with("word-vectors");
    static_model(folder).is_some() || is_laser(folder) || words()
}
