//! Files are written through `base::disk` alone.

use crate::support::rust_files;
use std::fs;
use std::path::Path;

/// What makes or changes a file.
const CALLS: [&str; 7] = [
    " File::create",
    " File::options",
    "OpenOptions::new",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "NamedTempFile",
];

/// Who may, and why.
const EXCEPT: [(&str, &str); 11] = [
    ("crates/base/src/disk/", "it is how files are written"),
    (
        "src/cli/gate/forms.rs",
        "appends to the summary of a workflow's job, which others write too",
    ),
    ("src/cli/way.rs", "moves out of the way what is whole"),
    (
        "crates/stages/src/journal/file.rs",
        "grows line by line, each synced; what is no whole line is cut off",
    ),
    ("crates/stages/src/journal/erasure.rs", "only locks it"),
    ("crates/stages/src/stages/predict/store.rs", "only locks it"),
    ("crates/stages/src/fine_tuning/folder.rs", "only locks it"),
    (
        "crates/encoders/src/training/mod.rs",
        "in a folder of its own, synced before it has its name",
    ),
    (
        "crates/data/src/records/index/",
        "in a folder of its own, gone with the index",
    ),
    (
        "crates/data/src/records/import/frame/writer.rs",
        "in a folder of its own, each file then put in its place",
    ),
    (
        "crates/stages/src/viewer/texts.rs",
        "in a temporary folder, for as long as a viewer is open",
    ),
];

#[test]
fn files_are_written_through_one_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let mut unused: Vec<&str> = EXCEPT.iter().map(|(place, _)| *place).collect();
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let folders = crates.map(|one| one.unwrap().path().join("src"));
    for file in folders
        .chain([root.join("src")])
        .flat_map(|folder| rust_files(&folder))
    {
        let text = fs::read_to_string(&file).unwrap();
        let name = file
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        // Tests and examples of the documentation make what files they like.
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        let lines = code
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
            .filter(|(_, line)| CALLS.iter().any(|call| line.contains(call)));
        for (at, line) in lines.filter(|_| !name.ends_with("tests.rs")) {
            match EXCEPT.iter().find(|(place, _)| name.starts_with(place)) {
                Some((place, _)) => unused.retain(|other| other != place),
                None => faults.push(format!("{name}:{}: {}", at + 1, line.trim())),
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(unused.is_empty(), "no longer needed: {unused:?}");
}
