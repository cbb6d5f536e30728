//! What reads data sets, as a number: an index that other sources made is not taken for one of these.

use std::path::{Path, PathBuf};

/// What `cargo package` leaves in a package.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// All that decides what is read of a data set.
const READERS: [&str; 3] = ["src/records", "../base/src/duel.rs", "../../Cargo.lock"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // What lies beside a package is not in it, and its version says as much.
    let readers = match Path::new(PACKAGED).is_file() {
        true => &READERS[..1],
        false => &READERS[..],
    };
    println!(
        "cargo:rustc-env=TIEBREAK_INDEX_SOURCES={:016x}",
        sources(readers)
    );
}

/// A hash (FNV-1a) of files and folders, which must be there: what is not hashed would go unseen.
fn sources(readers: &[&str]) -> u64 {
    let mut left: Vec<PathBuf> = readers.iter().map(PathBuf::from).collect();
    let mut files = Vec::new();
    while let Some(path) = left.pop() {
        println!("cargo:rerun-if-changed={}", path.display());
        if path.is_dir() {
            let entries = path.read_dir().expect("a folder of sources can be listed");
            left.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else {
            files.push(path);
        }
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let bytes = std::fs::read(&file);
        for byte in bytes.unwrap_or_else(|error| panic!("{}: {error}", file.display())) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
