//! Killed at any moment and run again: the same bytes, and nothing left over.

#[cfg(feature = "neural")]
use super::small_tour;
use super::{command, text, tiebreak, tree};
use std::path::Path;
use std::process::Stdio;

/// So often a command is started that was done before it could be killed.
const ATTEMPTS: u32 = 20;

/// Kills the command when some of the files that begin with `prefix` are there and others are not, runs
/// it again to the end, and compares the folder with that of an undisturbed run.
fn killed_and_resumed(arguments: impl Fn(&Path) -> Vec<String>, prefix: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = |out: &Path| {
        let arguments = arguments(out);
        tiebreak(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    };
    let whole = folder.path().join("whole");
    run(&whole);
    let all = count(&whole, prefix);
    assert!(
        all > 1,
        "{all} files {prefix}: nothing to be in the middle of"
    );
    let attempts = (0..ATTEMPTS).map(|attempt| folder.path().join(format!("broken-{attempt}")));
    let broken = attempts.into_iter().find(|out| {
        let killed = killed(&arguments(out), || count(out, prefix) > 0);
        killed && (1..all).contains(&count(out, prefix))
    });
    let broken = broken.expect("no kill came in the middle");
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

/// Starts a command and kills it as soon as `begun` holds. Whether it was still running.
fn killed(arguments: &[String], begun: impl Fn() -> bool) -> bool {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut child = command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !begun() {
        std::thread::yield_now();
    }
    let _ = child.kill(); // SIGKILL: nothing can be tidied up
    !child.wait().unwrap().success()
}

/// How many files whose names begin so lie below the folder.
fn count(folder: &Path, prefix: &str) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let count = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.path().is_dir() {
            true => count(&entry.path(), prefix),
            false => usize::from(name.starts_with(prefix)),
        }
    };
    entries.filter_map(Result::ok).map(count).sum()
}

/// `data/tiny` with its items so many times over: enough for several parts.
fn large(times: usize) -> tempfile::TempDir {
    let (tiny, folder) = (Path::new("data/tiny"), tempfile::tempdir().unwrap());
    for name in ["items.jsonl", "outputs.jsonl"] {
        let text = std::fs::read_to_string(tiny.join(name)).unwrap();
        let copy = |at| text.replace("\"item-", &format!("\"copy-{at}-"));
        let copies: String = (0..times).map(copy).collect();
        std::fs::write(folder.path().join(name), copies).unwrap();
    }
    let about = "dataset.toml";
    std::fs::copy(tiny.join(about), folder.path().join(about)).unwrap();
    folder
}

#[test]
fn score() {
    let data = large(20);
    killed_and_resumed(
        |out| {
            let metrics = ["--metric", "chrf", "--metric", "bleu"];
            owned(&[&["score", text(data.path())], &metrics[..]].concat(), out)
        },
        "part-",
    );
}

#[test]
fn a_paired_test() {
    let data = large(20);
    killed_and_resumed(
        |out| {
            let metrics = ["--metric chrf bleu ter --paired-ar --resamples 50"];
            owned(&[&["score", text(data.path())], &metrics[..]].concat(), out)
        },
        "part-",
    );
}

#[test]
#[cfg(feature = "neural")]
fn predict() {
    killed_and_resumed(
        |out| owned(&["predict data/tiny --model tiny-electra --draws 3"], out),
        "part-",
    );
}

#[test]
fn simulate() {
    killed_and_resumed(
        |out| {
            owned(
                &["simulate data/tiny --bandit rucb --runs 400 --budget 3000"],
                out,
            )
        },
        "part-",
    );
}

#[test]
#[cfg(feature = "neural")]
fn simulate_asking_a_model() {
    killed_and_resumed(
        |out| {
            let asking =
                "simulate data/tiny --model tiny-electra --bandit rmed --mix 0.5 --runs 24";
            owned(&asking.split(' ').collect::<Vec<_>>(), out)
        },
        "part-",
    );
}

#[test]
#[cfg(feature = "neural")]
fn a_whole_pipeline() {
    let pipeline = small_tour();
    killed_and_resumed(|out| owned(&["run", text(pipeline.path())], out), "part-");
}

#[test]
fn a_grid_of_experiments() {
    killed_and_resumed(|out| owned(&["run", "pipelines/grid.toml"], out), "rmed.");
}

#[test]
#[cfg(feature = "neural")]
fn threads_change_nothing() {
    let (pipeline, folder) = (small_tour(), tempfile::tempdir().unwrap());
    let (one, many) = (folder.path().join("one"), folder.path().join("many"));
    for (threads, out) in [("1", &one), ("3", &many)] {
        let run = ["run", text(pipeline.path()), "--threads", threads];
        tiebreak(&[&run[..], &["--out", text(out)]].concat()).ok();
    }
    assert!(tree(&one) == tree(&many));
}
