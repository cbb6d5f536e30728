//! What several tests need: where the golden values and data sets lie, and how to say that they
//! do not.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of golden values: `TIEBREAK_GOLDEN`, by default `../shared/golden`.
pub(crate) fn golden_dir() -> PathBuf {
    folder("TIEBREAK_GOLDEN", "../shared/golden")
}

/// The folder of inputs for open issues: `TIEBREAK_NEXT`, by default `../shared/next`.
pub(crate) fn next_dir() -> PathBuf {
    folder("TIEBREAK_NEXT", "../shared/next")
}

/// The folder of real data sets: `TIEBREAK_DATA`, by default `../shared/data`.
pub(crate) fn data_dir() -> PathBuf {
    folder("TIEBREAK_DATA", "../shared/data")
}

/// A file of the golden folder; `corpus/` and `resources/` may lie in the default one only.
pub(crate) fn golden_file(name: &str) -> Option<PathBuf> {
    let fallback = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden");
    [golden_dir(), fallback]
        .into_iter()
        .map(|dir| dir.join(name))
        .find(|path| path.exists())
}

fn folder(variable: &str, default: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join(default),
        PathBuf::from,
    )
}

/// Says something at the start of a line that the test harness does not swallow: `SKIPPED`,
/// `UNANCHORED` or `PENDING`.
pub(crate) fn say(what: &str, name: &str) {
    let _ = std::io::stderr().write_all(format!("\n{what}: {name}\n").as_bytes());
}

/// Says that golden values are not there, or fails where `TIEBREAK_REQUIRE_GOLDENS` is set: where they
/// ought to be there, nobody reads that they are not.
pub(crate) fn skip_golden(name: &str) {
    assert!(
        std::env::var_os("TIEBREAK_REQUIRE_GOLDENS").is_none_or(|set| set.is_empty()),
        "{name} is not there, and TIEBREAK_REQUIRE_GOLDENS is set"
    );
    say("SKIPPED", name);
}

/// A regression model: the tiny one that comes with the code with only the first of its logits.
#[cfg(feature = "neural")]
pub(crate) fn regression_model() -> tempfile::TempDir {
    use candle_core::{Device, safetensors};
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tiny-electra");
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json"] {
        std::fs::copy(tiny.join(file), folder.path().join(file)).unwrap();
    }
    let mut tensors = safetensors::load(tiny.join("model.safetensors"), &Device::Cpu).unwrap();
    for name in ["classifier.out_proj.weight", "classifier.out_proj.bias"] {
        let first = tensors[name].narrow(0, 0, 1).unwrap().contiguous().unwrap();
        tensors.insert(name.to_string(), first);
    }
    safetensors::save(&tensors, folder.path().join("model.safetensors")).unwrap();
    folder
}

/// Checks that a text has all of these parts.
#[track_caller]
pub(crate) fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

/// Checks that a text has none of these parts.
#[track_caller]
pub(crate) fn assert_lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "`{part}` in: {text}");
    }
}

/// The rows of a table in a text: a line each, with bars between cells.
pub(crate) fn table_rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        cells.try_into().expect(line)
    })
}

/// Values that differ from one in some fields, in a line each; those with names are pairs.
macro_rules! variants {
    ($base:expr => $type:ident $({ $($field:ident: $value:expr),* })*) => {
        [$($type { $($field: $value,)* ..$base }),*]
    };
    ($base:expr => $type:ident $($name:literal { $($field:ident: $value:expr),* })*) => {
        [$(($name, $type { $($field: $value,)* ..$base })),*]
    };
}
pub(crate) use variants;

/// Has the record of a journal's length say nothing, as where it was written before a machine was lost.
pub(crate) fn forget_length(journal: &Path) {
    let record = journal.with_extension("length.json");
    std::fs::write(record, "{\"lines\":0,\"last\":\"\"}\n").unwrap();
}

/// All files of Rust in a folder and those below it, by name.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
