//! Killed at any moment and run again: the same bytes, and nothing left over.

use super::{command, text, tiebreak, tree};
use std::path::Path;
use std::process::Stdio;

/// Starts the command, kills it as soon as `begun` holds, runs it again to the end, and compares
/// the folder with that of an undisturbed run.
fn killed_and_resumed(arguments: impl Fn(&Path) -> Vec<String>, begun: impl Fn(&Path) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let run = |out: &Path| {
        let arguments = arguments(out);
        tiebreak(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    };
    run(&whole);
    let spoken = arguments(&broken);
    let spoken: Vec<&str> = spoken.iter().map(String::as_str).collect();
    let mut child = command(&spoken)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !begun(&broken) {
        std::thread::yield_now();
    }
    let _ = child.kill(); // SIGKILL: nothing can be tidied up
    child.wait().unwrap();
    run(&broken);
    assert!(
        tree(&whole) == tree(&broken),
        "{:?}",
        names(&whole, &broken)
    );
}

fn names(a: &Path, b: &Path) -> (Vec<std::path::PathBuf>, Vec<std::path::PathBuf>) {
    let names = |folder| tree(folder).into_iter().map(|(name, _)| name).collect();
    (names(a), names(b))
}

fn owned(arguments: &[&str], out: &Path) -> Vec<String> {
    arguments
        .iter()
        .map(ToString::to_string)
        .chain(["--out".to_string(), text(out).to_string()])
        .collect()
}

/// Whether any file whose name begins so lies below the folder.
fn has(folder: &Path, prefix: &str) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.filter_map(Result::ok).any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(prefix) || (entry.path().is_dir() && has(&entry.path(), prefix))
    })
}

#[test]
fn score() {
    killed_and_resumed(
        |out| {
            owned(
                &["score", "data/tiny", "--metric", "chrf", "--metric", "bleu"],
                out,
            )
        },
        |out| has(out, "meta.json"),
    );
}

#[test]
fn a_paired_test() {
    killed_and_resumed(
        |out| {
            let metrics = [
                "--metric",
                "chrf",
                "bleu",
                "--paired-ar",
                "--resamples",
                "50",
            ];
            owned(&[&["score", "data/tiny"], &metrics[..]].concat(), out)
        },
        |out| has(out, "part-"),
    );
}

#[test]
#[cfg(feature = "neural")]
fn predict() {
    killed_and_resumed(
        |out| {
            owned(
                &[
                    "predict",
                    "data/tiny",
                    "--model",
                    "tiny-electra",
                    "--draws",
                    "3",
                ],
                out,
            )
        },
        |out| has(out, "part-"),
    );
}

#[test]
fn simulate() {
    killed_and_resumed(
        |out| {
            owned(
                &[
                    "simulate",
                    "data/tiny",
                    "--bandit",
                    "rucb",
                    "--runs",
                    "60",
                    "--budget",
                    "3000",
                ],
                out,
            )
        },
        |out| has(out, "part-"),
    );
}

#[test]
#[cfg(feature = "neural")]
fn simulate_asking_a_model() {
    killed_and_resumed(
        |out| {
            let asking = "simulate data/tiny --model tiny-electra --bandit rmed --mix 0.5 --runs 6";
            owned(&asking.split(' ').collect::<Vec<_>>(), out)
        },
        |out| has(out, "part-"),
    );
}

/// The quickstart with the tiny model and few, short runs: every kind of stage, soon done.
#[cfg(feature = "neural")]
fn small_quickstart() -> tempfile::NamedTempFile {
    let mut pipeline = std::fs::read_to_string("pipelines/quickstart.toml").unwrap();
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
    std::fs::write(file.path(), pipeline).unwrap();
    file
}

#[test]
#[cfg(feature = "neural")]
fn a_whole_pipeline() {
    let pipeline = small_quickstart();
    killed_and_resumed(
        |out| owned(&["run", text(pipeline.path())], out),
        |out| has(out, "part-"),
    );
}

#[test]
fn a_grid_of_experiments() {
    killed_and_resumed(
        |out| owned(&["run", "pipelines/grid.toml"], out),
        |out| has(out, "rmed."),
    );
}

#[test]
#[cfg(feature = "neural")]
fn threads_change_nothing() {
    let (pipeline, folder) = (small_quickstart(), tempfile::tempdir().unwrap());
    let (one, many) = (folder.path().join("one"), folder.path().join("many"));
    for (threads, out) in [("1", &one), ("3", &many)] {
        let run = ["run", text(pipeline.path()), "--threads", threads];
        tiebreak(&[&run[..], &["--out", text(out)]].concat()).ok();
    }
    assert!(tree(&one) == tree(&many));
}
