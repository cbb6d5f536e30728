//! `tiebreak --version`: the version, the commit, and the features of this build; with `--verbose` what it finds on
//! this machine.

use std::path::Path;
use tiebreak_base::words::labelled;
#[cfg(feature = "neural")]
use tiebreak_encoders::hardware;
use tiebreak_encoders::{places, shipped};
use tiebreak_metrics::env::Cache;

/// Features that change what the program can do.
const FEATURES: [(&str, bool); 7] = [
    ("report", cfg!(feature = "report")),
    ("neural", cfg!(feature = "neural")),
    ("hub", cfg!(feature = "hub")),
    ("judges", cfg!(feature = "judges")),
    ("serve", cfg!(feature = "serve")),
    ("cuda", cfg!(feature = "cuda")),
    ("metal", cfg!(feature = "metal")),
];

/// Returns the line of `--version`.
pub(super) fn line(commit: Option<&str>) -> String {
    let short = |commit: &str| commit.chars().take(12).collect();
    let commit = commit.map_or_else(|| "unknown".to_string(), short);
    let has = FEATURES.iter().filter(|(_, has)| *has);
    let mut has: Vec<&str> = has.map(|(name, _)| *name).collect();
    has.push(match shipped::is_here() {
        true => "shipped model",
        false => "no shipped model",
    });
    let version = env!("CARGO_PKG_VERSION");
    format!("tiebreak {version} (commit {commit}; {})\n", has.join(", "))
}

/// Returns the lines of `--version --verbose`.
pub(super) fn verbose(commit: Option<&str>, models: &Path, indexes: Option<&Cache>) -> String {
    let exact = commit.unwrap_or("unknown").to_string();
    let found = match places::names(models) {
        none if none.is_empty() => "none".to_string(),
        names => names.join(", "),
    };
    let folders = places::folders(models).into_iter();
    let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
    let mut facts = vec![("commit", exact)];
    facts.extend(machine());
    facts.push(("models", found));
    facts.push(("folders of models", folders.join(", ")));
    facts.push((
        "folder of indexes",
        match indexes {
            Some(cache) => cache.folder().display().to_string(),
            None => "none".to_string(),
        },
    ));
    line(commit) + &labelled(facts)
}

/// The processor, and the devices that run neural models.
#[cfg(feature = "neural")]
fn machine() -> Vec<(&'static str, String)> {
    let sets = match hardware::instruction_sets() {
        none if none.is_empty() => "no special instructions".to_string(),
        sets => sets.join(", "),
    };
    let processor = format!("{} with {sets}", std::env::consts::ARCH);
    vec![
        ("processor", processor),
        ("threads", rayon::current_num_threads().to_string()),
        ("devices", hardware::devices().join(", ")),
    ]
}

#[cfg(not(feature = "neural"))]
fn machine() -> Vec<(&'static str, String)> {
    let threads = rayon::current_num_threads().to_string();
    vec![
        ("processor", std::env::consts::ARCH.to_string()),
        ("threads", threads),
    ]
}
