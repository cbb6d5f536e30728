//! Readers meet files that were valid before something happened to them.
//!
//! A target is a reader and files it takes; a case is a number, from which the change to one of those files
//! follows. A case fails when the reader panics, is ended by the system, takes more memory than it may, or takes
//! what must be whole for whole. `TIEBREAK_FUZZ_CASES` says how many cases of each target are tried,
//! `TIEBREAK_FUZZ_FROM` the first of them, `TIEBREAK_FUZZ_TARGET` one target alone.
//!
//! Readers are run in a process of their own, this test binary once more, so that an abort fails a test and
//! does not end all of them.
//!
//! Small tables that are valid, and what the verbs make of them, are in [`tables`].

mod bombs;
mod kept;
mod mutate;
mod tables;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use targets::{TARGETS, Target};
use tiebreak::limits;
use tiebreak::rng::Seed;

/// Cases of each target unless told otherwise.
const CASES: u64 = 150;
/// What files may lead to, and what a process may take in all, in bytes.
const LIMIT: u64 = 64 << 20;
const PEAK: u64 = 288 << 20;

/// What the process on the other side is asked for: a target, the first case, and the one after the last.
const WORK: &str = "TIEBREAK_FUZZ_WORK";

#[test]
fn every_reader_survives_every_case() {
    let (cases, first) = (
        number("TIEBREAK_FUZZ_CASES", CASES),
        number("TIEBREAK_FUZZ_FROM", 0),
    );
    let only = std::env::var("TIEBREAK_FUZZ_TARGET").ok();
    let targets = TARGETS
        .iter()
        .filter(|target| only.as_ref().is_none_or(|name| name == target.name));
    let work = targets.map(|target| format!("{} {first} {}", target.name, first + cases));
    let failed: Vec<String> = work.filter_map(|work| in_a_process(&work).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// Does what it is told in a process of its own.
fn in_a_process(work: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("case");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fuzz::work", "--ignored", "--nocapture"])
        .env(WORK, work)
        .env("RUST_BACKTRACE", "0")
        .env("TIEBREAK_FUZZ_TOLD", &told)
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let case = std::fs::read_to_string(&told).unwrap_or_default();
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().rev().take(6).collect();
    Err(format!(
        "{work}: case {case}: {}: {}",
        output.status,
        last.join(" | ")
    ))
}

/// The other side.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn work() {
    let Ok(work) = std::env::var(WORK) else {
        return;
    };
    limits::set(LIMIT);
    let told = std::env::var_os("TIEBREAK_FUZZ_TOLD").unwrap();
    let words: Vec<&str> = work.split(' ').collect();
    match words[..] {
        ["bomb", path] => bombs::read(path),
        [name, first, end] => {
            let target = TARGETS.iter().find(|target| target.name == name).unwrap();
            let cases = first.parse().unwrap()..end.parse().unwrap();
            for case in cases {
                std::fs::write(&told, format!("{case}")).unwrap();
                try_case(target, case);
            }
        }
        _ => panic!("{work}"),
    }
    assert!(peak().is_none_or(|peak| peak <= PEAK), "{:?} bytes", peak());
}

fn try_case(target: &Target, case: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Seed(16).stream(target.name, case);
    let valid = (target.valid)(folder.path());
    let (name, bytes) = rng.choose(&valid);
    let (_, other) = rng.choose(&valid);
    let changed = mutate::mutated(bytes, other, &mut rng);
    let changed = (target.packed)(name, changed);
    std::fs::write(folder.path().join(name), &changed).unwrap();
    let read = || (target.read)(folder.path(), &folder.path().join(name));
    let survived = catch_unwind(AssertUnwindSafe(read)).is_ok();
    let within = peak().is_none_or(|peak| peak <= PEAK);
    assert!(
        survived && within,
        "{}: {:?} bytes",
        keep(target.name, case, name, &changed),
        peak()
    );
}

/// Where a case that failed is kept.
fn keep(target: &str, case: u64, name: &str, bytes: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz");
    let path = folder.join(format!("{target}-{case}-{name}"));
    let _ = std::fs::create_dir_all(folder);
    let _ = std::fs::write(&path, bytes);
    path.display().to_string()
}

/// The most memory this process had, in bytes, where the system says so.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}
