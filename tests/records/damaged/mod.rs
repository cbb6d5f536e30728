//! Each file of each format's folder, damaged in eight ways: the import is refused, or names the file, or makes what it made
//! of the whole folder.

pub(super) mod fixtures;
mod rules;

use super::Folder;
use crate::faults::can_trace;
use crate::golden::formats;
use crate::support::say;
use fixtures::Fixture;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tiebreak::error::Result;
use tiebreak::records::import::{FORMATS, ImportOptions, ImportSummary};

/// A way in which a file is damaged.
type Damage = (&'static str, fn(&Path, &[u8]));

const DAMAGES: [Damage; 8] = [
    ("its first line broken", break_first_line),
    ("emptied", |path, _| fs::write(path, "").unwrap()),
    ("NUL bytes in it", put_nuls),
    ("as UTF-16", as_utf16),
    ("a link to nothing", link_to_nothing),
    ("cut off", cut_off),
    ("garbage in it", put_garbage),
    ("a folder in its place", |path, _| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
];

/// Half of the first line is gone. Of a plain text, which has no form that could break, a byte is none of a text.
fn break_first_line(path: &Path, bytes: &[u8]) {
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(bytes.len());
    let is_plain = path
        .extension()
        .is_some_and(|ending| ["txt", "score"].iter().any(|one| ending == *one));
    let begun = match is_plain {
        true => &b"\xff"[..],
        false => &bytes[..end / 2],
    };
    fs::write(path, [begun, &bytes[end..]].concat()).unwrap();
}

fn put_nuls(path: &Path, bytes: &[u8]) {
    let mut damaged = bytes.to_vec();
    let middle = bytes.len() / 2;
    let end = bytes.len().min(middle + 8);
    damaged[middle..end].fill(0);
    fs::write(path, damaged).unwrap();
}

fn as_utf16(path: &Path, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    fs::write(path, units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
}

/// Permissions bind no administrator, who may run this.
fn link_to_nothing(path: &Path, _: &[u8]) {
    fs::remove_file(path).unwrap();
    std::os::unix::fs::symlink("gone", path).unwrap();
}

/// In the middle, but not at the end of a line, where nothing tells.
fn cut_off(path: &Path, bytes: &[u8]) {
    let mut end = bytes.len() / 2;
    while end > 1 && (bytes[end - 1] == b'\n' || bytes[end] == b'\n') {
        end -= 1;
    }
    fs::write(path, &bytes[..end]).unwrap();
}

fn put_garbage(path: &Path, bytes: &[u8]) {
    let (before, after) = bytes.split_at(bytes.len() / 2);
    let after = &after[after.len().min(4)..];
    fs::write(path, [before, b"\xff\"{\x01[\xfe", after].concat()).unwrap();
}

/// What an import leaves: its tables, and what it counts.
#[derive(Debug, PartialEq)]
struct Made {
    tables: BTreeMap<PathBuf, Vec<u8>>,
    counts: Vec<u64>,
}

fn imported(input: &Path, options: &ImportOptions) -> Result<(ImportSummary, Made)> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let imported = options.import(&[input.to_path_buf()], &out)?;
    let entries = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let tables = entries.map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap()));
    let counts = imported.dropped.iter().map(|one| one.count);
    let made = Made {
        tables: tables.collect(),
        counts: counts.chain([imported.nulls]).collect(),
    };
    Ok((imported, made))
}

/// What is wrong with an import of a folder in which a file is damaged.
fn lost(damaged: &Path, outcome: Result<(ImportSummary, Made)>, whole: &Made) -> Option<String> {
    match outcome {
        Err(error) if error.exit_code() == 2 => None,
        Err(error) => Some(format!("exit code {}: {error}", error.exit_code())),
        Ok((_, made)) if made == *whole => None,
        Ok((imported, _)) => {
            let told = imported.to_string();
            let is_named = told.contains(&damaged.display().to_string());
            (!is_named).then(|| format!("other tables, and not a word of it:\n{told}"))
        }
    }
}

fn check(fixture: &Fixture) -> Vec<String> {
    let lay = || {
        let folder = Folder::new();
        let input = fixture.lay(&folder);
        (folder, input)
    };
    let (_folder, input) = lay();
    let (_, whole) = imported(&input, &fixture.options)
        .unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
    let mut silent = Vec::new();
    for (file, bytes) in &fixture.files {
        for (how, damage) in DAMAGES {
            let (folder, input) = lay();
            let path = folder.path().join(file);
            damage(&path, bytes);
            let wrong = lost(&path, imported(&input, &fixture.options), &whole);
            silent.extend(wrong.map(|what| format!("{} {file}, {how}: {what}", fixture.name)));
        }
    }
    silent
}

#[test]
fn a_damaged_file_is_refused_or_named() {
    let fixtures = fixtures::all();
    let is_there = |name: &str| fixtures.iter().any(|fixture| fixture.name == name);
    assert!(FORMATS.iter().all(|format| is_there(format.name)));
    let silent: Vec<String> = fixtures.iter().flat_map(check).collect();
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn a_damaged_file_that_a_tool_wrote_is_refused_or_named() {
    let fixtures = formats::fixtures()
        .into_iter()
        .map(|folder| Fixture::golden(&folder));
    let silent: Vec<String> = fixtures.flat_map(|fixture| check(&fixture)).collect();
    assert!(silent.is_empty(), "{}\n{}", silent.len(), silent.join("\n"));
}

/// A disk that fails when a file is read, and only then.
#[test]
fn a_file_that_a_disk_does_not_give_is_refused() {
    if !can_trace() {
        return say(
            "SKIPPED",
            "files that a disk does not give: strace may not trace",
        );
    }
    for fixture in fixtures::all() {
        let folder = Folder::new();
        let input = fixture.lay(&folder);
        for (number, file) in fixture.files.iter().map(|(file, _)| file).enumerate() {
            let out = folder.path().join(format!("out-{number}"));
            let traced = Command::new("strace")
                .args([
                    "-f",
                    "-qq",
                    "-o",
                    "/dev/null",
                    "-e",
                    "trace=read,pread64",
                    "-e",
                ])
                .args(["inject=read,pread64:error=EIO", "-P"])
                .arg(folder.path().join(file))
                .arg(env!("CARGO_BIN_EXE_tiebreak"))
                .arg("import")
                .arg(&input)
                .args(fixture.flags())
                .arg("--out")
                .arg(&out)
                .output()
                .unwrap();
            let told =
                String::from_utf8_lossy(&traced.stderr) + String::from_utf8_lossy(&traced.stdout);
            let place = folder.path().join(file).display().to_string();
            let is_told = match traced.status.code() {
                Some(0) => left_out(&told).contains(&place),
                code => code == Some(2) && told.contains(&place),
            };
            assert!(is_told, "{} {file}: {told}", fixture.name);
        }
    }
}

/// The lines of a report about what was left out.
fn left_out(report: &str) -> String {
    let lines = report.lines().filter(|line| line.starts_with("left out: "));
    lines.collect()
}
