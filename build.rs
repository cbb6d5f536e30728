//! What only the place of a build can tell: whether the shipped model's weights are there, which commit this is,
//! and what reads data sets.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The largest of the shipped model's files, which the package of the registry is without.
const WEIGHTS: &str = "models/tiebreak-small/model.safetensors";

/// What `cargo package` leaves in a package.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// All that decides what is read of a data set.
const READERS: [&str; 3] = ["src/records", "src/duel.rs", "Cargo.lock"];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(shipped_model)");
    println!("cargo:rustc-check-cfg=cfg(reflog)");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={WEIGHTS}");
    println!("cargo:rustc-env=TIEBREAK_INDEX_SOURCES={:016x}", sources());
    let wanted = std::env::var_os("CARGO_FEATURE_SHIPPED_MODEL").is_some();
    if wanted && Path::new(WEIGHTS).is_file() {
        println!("cargo:rustc-cfg=shipped_model");
    }
    if let Some(commit) = packaged() {
        println!("cargo:rustc-env=TIEBREAK_PACKAGED={commit}");
    } else if let Some(log) = reflog() {
        // `main.rs` alone reads it, so that a commit costs a developer a link and not the library.
        println!("cargo:rustc-cfg=reflog");
        println!("cargo:rustc-env=TIEBREAK_REFLOG={}", log.display());
        // Where the checkout has lost its git, or has another.
        let head = log.with_file_name("../HEAD");
        println!("cargo:rerun-if-changed={}", head.display());
    }
}

/// A hash (FNV-1a) of what reads data sets: an index that other sources made is not taken for one of these.
fn sources() -> u64 {
    // Files may come and go.
    println!("cargo:rerun-if-changed={}", READERS[0]);
    let mut left: Vec<PathBuf> = READERS.map(PathBuf::from).to_vec();
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        match path.read_dir() {
            Ok(entries) => left.extend(entries.flatten().map(|entry| entry.path())),
            // A library has no Cargo.lock of its own.
            Err(_) => files.extend(path.is_file().then_some(path)),
        }
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        for byte in std::fs::read(file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// The commit that a package was made from.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(PACKAGED).ok()?;
    let mut parts = text.split('"').skip_while(|&part| part != "sha1");
    parts.nth(2).map(str::to_string)
}

/// Where git notes each commit that this checkout is moved to; none where tiebreak lies in the repository of
/// something else.
fn reflog() -> Option<PathBuf> {
    let git = |what: &[&str]| {
        let output = Command::new("git")
            .arg("rev-parse")
            .args(what)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim_end().to_string())
    };
    let above = git(&["--show-prefix"])?;
    let log = std::path::absolute(git(&["--git-path", "logs/HEAD"])?).ok()?;
    (above.is_empty() && log.is_file()).then_some(log)
}
