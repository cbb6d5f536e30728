//! What only the place of a build can tell: which commit this is.

use std::path::PathBuf;
use std::process::Command;

/// What `cargo package` leaves in a package.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo:rustc-check-cfg=cfg(reflog)");
    println!("cargo:rerun-if-changed=build.rs");
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
