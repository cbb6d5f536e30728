//! Finds the commit of a package: `cargo package` leaves it in a file.

const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(commit) = packaged() {
        println!("cargo:rustc-env=TIEBREAK_PACKAGED={commit}");
    }
}

/// The commit that a package was made from.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(PACKAGED).ok()?;
    let mut parts = text.split('"').skip_while(|&part| part != "sha1");
    parts.nth(2).map(str::to_string)
}
