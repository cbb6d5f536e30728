//! What people see: the program itself, run as they run it.

mod annotators;
mod asked;
mod assess;
#[cfg(feature = "neural")]
mod browser;
mod calibration;
#[cfg(all(feature = "serve", feature = "judges"))]
mod checks;
#[cfg(all(target_os = "linux", feature = "serve", feature = "judges"))]
mod connections;
mod correlate;
#[cfg(all(feature = "serve", feature = "judges"))]
mod crowd;
mod dead_ends;
mod demo;
mod directions;
mod doubts;
#[cfg(all(feature = "serve", feature = "judges"))]
mod earlier;
#[cfg(all(unix, feature = "serve", feature = "judges"))]
mod erasure;
mod estimating;
mod foreign;
mod formats;
mod friends;
#[cfg(all(unix, feature = "serve", feature = "judges"))]
mod full;
mod gates;
mod grid;
mod grown;
mod help;
mod hints;
mod hours;
mod indexes;
mod installed;
mod intervals;
mod judging;
mod kept;
mod keys;
#[cfg(all(feature = "serve", feature = "judges"))]
mod languages;
mod live;
mod mistakes;
mod money;
pub(crate) mod newcomer;
#[cfg(feature = "neural")]
mod on_demand;
mod people;
mod plan;
#[cfg(feature = "neural")]
mod predicting;
mod predictions;
mod races;
mod ranking;
mod rated;
#[cfg(all(feature = "serve", feature = "judges"))]
mod ratings;
mod rendered;
mod replacement;
mod report;
mod resting;
mod resume;
mod returned;
mod sample;
mod seen;
#[cfg(all(feature = "serve", feature = "judges"))]
mod serve;
#[cfg(all(feature = "serve", feature = "judges"))]
mod served;
mod significance;
mod slices;
mod slips;
mod stages;
mod stub;
mod terminal;
#[cfg(feature = "neural")]
mod training;
mod verbs;
mod verdicts;
#[cfg(all(feature = "serve", feature = "judges"))]
mod view;
#[cfg(all(feature = "serve", feature = "judges"))]
mod visitors;
mod whose;

use crate::support::assert_contains;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// One finished run of the program.
pub(crate) struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// The standard output of a run that must have succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stderr: {}", self.stderr);
        self.stdout
    }

    /// Checks that the run was refused as a mistake, and what was said.
    #[track_caller]
    pub(crate) fn refused(&self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{}{}", self.stdout, self.stderr);
        assert_contains(&self.stderr, parts);
    }

    /// The standard output as JSON.
    pub(crate) fn json(self) -> serde_json::Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// The program with these arguments, in the repository's root, not yet run. A string with a flag in it may be several
/// words: `"score data/tiny --metric chrf"`.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiebreak"));
    for words in arguments {
        match words.contains("--") {
            true => command.args(words.split(' ')),
            false => command.arg(words),
        };
    }
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("TIEBREAK_LIMIT_INDEXES", "0")
        .stdin(Stdio::null());
    command
}

/// A pipeline that may lie anywhere: what it takes from the repository's `data` is named in full, since paths
/// in a pipeline are seen from its folder.
pub(crate) fn here(pipeline: &str) -> String {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data").replace('\\', "/");
    pipeline
        .replace("\"../data", &format!("\"{data}"))
        .replace("\"data/", &format!("\"{data}/"))
        .replace("data-root = \"data\"", &format!("data-root = \"{data}\""))
}

/// The tour with the tiny model and few, short runs: every kind of stage, soon done.
#[cfg(feature = "neural")]
pub(crate) fn small_tour() -> tempfile::NamedTempFile {
    let mut pipeline = std::fs::read_to_string("pipelines/tour.toml").unwrap();
    for (of_all, of_few) in [
        ("draws = 10", "model = \"tiny-electra\"\ndraws = 2"),
        ("\"tiebreak-small\"", "\"tiny-electra\""),
        ("runs = 100", "runs = 12"),
        ("budget = 8000", "budget = 400"),
    ] {
        assert!(pipeline.contains(of_all), "{of_all}");
        pipeline = pipeline.replace(of_all, of_few);
    }
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(file.path(), here(&pipeline)).unwrap();
    file
}

/// Runs the program with these arguments in the repository's root.
pub(crate) fn tiebreak(arguments: &[&str]) -> Finished {
    finished(&command(arguments).output().unwrap())
}

fn finished(output: &Output) -> Finished {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Finished {
        code: output.status.code(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// Runs the program with these keys typed; the end of the input is a polite stop.
pub(crate) fn typed(arguments: &[&str], keys: &str) -> Finished {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut terminal = child.stdin.take().unwrap();
    terminal.write_all(keys.as_bytes()).unwrap();
    drop(terminal);
    finished(&child.wait_with_output().unwrap())
}

/// Scores `data/tiny` with chrF into `out`.
pub(crate) fn score_with_chrf(out: &Path) {
    let score = ["score", "data/tiny", "--metric", "chrf", "--out", text(out)];
    tiebreak(&score).ok();
}

/// Asks for predictions of `data/tiny` from such scores; a link is still to be named.
pub(crate) fn predict_from(scores: &Path) -> [&str; 6] {
    let scores = text(scores);
    [
        "predict",
        "data/tiny",
        "--scores",
        scores,
        "--metric",
        "chrf",
    ]
}

/// Writes a sheet again with other cells where `cell` returns one, by the number of the row, the row, and the name of
/// the column. Returns the number of rows.
pub(crate) fn fill_in(
    sheet: &Path,
    into: &Path,
    mut cell: impl FnMut(usize, &BTreeMap<&str, &str>, &str) -> Option<String>,
) -> usize {
    let mut reader = csv::Reader::from_path(sheet).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let mut writer = csv::Writer::from_path(into).unwrap();
    writer.write_record(&header).unwrap();
    for (number, row) in rows.iter().enumerate() {
        let cells: BTreeMap<&str, &str> = header.iter().zip(row).collect();
        let written = header.iter().map(|column| {
            let other = cell(number, &cells, column);
            other.unwrap_or_else(|| cells[column].to_string())
        });
        writer.write_record(written.collect::<Vec<_>>()).unwrap();
    }
    writer.flush().unwrap();
    rows.len()
}

/// Every file below a folder with its bytes, hidden ones included.
pub(crate) fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(
                tree(&path).into_iter().map(|(inner, bytes)| {
                    (Path::new(path.file_name().unwrap()).join(inner), bytes)
                }),
            );
        } else {
            files.push((
                PathBuf::from(path.file_name().unwrap()),
                std::fs::read(&path).unwrap(),
            ));
        }
    }
    files.sort();
    files
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
