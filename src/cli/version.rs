//! `tiebreak --version`: the version, the commit, and the features of this build.

use tiebreak_encoders::shipped;

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

/// Returns what follows the program's name.
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
    format!("{version} (commit {commit}; {})", has.join(", "))
}
