//! Disks that are full or failing, and kills, at the n-th thing that a command does to files.
//!
//! The system's calls are made to fail from outside, by `strace`, so the program has nothing to do with it. After
//! each fault nothing is half-written under a name that readers look for, a full disk is told with the file, and
//! the same command run again leaves the bytes of an undisturbed run and nothing else.
//!
//! Some places are tried, evenly spread, with one fault each; with `TIEBREAK_FAULTS=all` every fault at every
//! place; with `TIEBREAK_FAULTS_STORY` those of one story.

mod stories;
mod writers;

use crate::cli::tree;
use crate::support::say;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use stories::{STORIES, Story};

/// Calls by which files change.
const CALLS: [&str; 7] = [
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "linkat",
    "ftruncate",
    "mkdir",
];
/// What happens there.
const FAULTS: [&str; 3] = ["error=ENOSPC", "error=EIO", "signal=KILL"];

#[test]
fn what_fails_or_dies_anywhere_is_done_by_running_it_again() {
    if !can_trace() {
        say(
            "SKIPPED",
            "faults of the disk: strace is not there, or may not trace",
        );
        return;
    }
    let only = std::env::var("TIEBREAK_FAULTS_STORY").ok();
    let stories = STORIES
        .iter()
        .filter(|story| only.as_ref().is_none_or(|name| name == story.name));
    let failed: Vec<String> = stories.flat_map(told_with_faults).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What is wrong with a story wherever its last command is disturbed.
fn told_with_faults(story: &Story) -> Vec<String> {
    let whole = Scene::new(story);
    let counted = whole.folder.path().join("calls");
    let trace = format!("-e trace={} -o {}", CALLS.join(","), counted.display());
    let output = whole.run(story, &trace);
    assert!(output.status.success(), "{}: {}", story.name, said(&output));
    let calls = std::fs::read_to_string(&counted).unwrap();
    let mut failed = Vec::new();
    for call in CALLS {
        let count = calls
            .lines()
            .filter(|line| line.contains(&format!(" {call}(")))
            .count();
        for (place, faults) in places(count) {
            for fault in faults {
                let inject =
                    format!("-e trace={call} -e inject={call}:{fault}:when={place} -o /dev/null");
                let wrong = disturbed(story, &inject, &whole);
                failed.extend(wrong.map(|what| format!("{}, {inject}: {what}", story.name)));
            }
        }
    }
    failed
}

/// Of so many calls those that are disturbed, and how.
fn places(count: usize) -> Vec<(usize, &'static [&'static str])> {
    if std::env::var("TIEBREAK_FAULTS").is_ok_and(|which| which == "all") {
        return (1..=count).map(|place| (place, &FAULTS[..])).collect();
    }
    let tried = count.min(FAULTS.len());
    let place = |nth: usize| 1 + nth * (count - 1) / (tried - 1).max(1);
    (0..tried)
        .map(|nth| (place(nth), &FAULTS[nth..=nth]))
        .collect()
}

/// What is wrong after a fault, if anything.
fn disturbed(story: &Story, inject: &str, whole: &Scene) -> Option<String> {
    let scene = Scene::new(story);
    let before = scene.files();
    let output = scene.run(story, inject);
    let told = said(&output);
    let killed = inject.contains("KILL");
    if told.contains("fault of tiebreak") || (!killed && output.status.code().is_none()) {
        return Some(format!("{}: {told}", output.status));
    }
    let of_writing = inject.contains("ENOSPC") && output.status.code() == Some(1);
    if of_writing && !told.contains("cannot write") {
        return Some(format!("no file is named: {told}"));
    }
    let wanted = whole.files();
    // A file that grows line by line is read up to its last whole line.
    let torn = scene.files().into_iter().find(|(name, bytes)| {
        !is_temporary(name)
            && !grows(name)
            && ![before.get(name), wanted.get(name)].contains(&Some(bytes))
    });
    if let Some((name, _)) = torn {
        return Some(format!("{} is neither as before nor whole", name.display()));
    }
    let again = scene.run(story, "");
    // What was done before the fault came is not done twice.
    if !again.status.success() && scene.files() != wanted {
        return Some(format!("again: {}", said(&again)));
    }
    let found = scene.files();
    let differs = |(name, bytes): &(&PathBuf, &Vec<u8>)| wanted.get(*name) != Some(*bytes);
    let other = found.iter().find(differs).map(|(name, _)| name);
    let other = other.or_else(|| wanted.keys().find(|name| !found.contains_key(*name)));
    if let Some(name) = other {
        return Some(format!("run again, {} differs", name.display()));
    }
    let left = tree(&scene.temporary());
    left.first()
        .map(|(name, _)| format!("left over: {}", name.display()))
}

/// Whether a file grows line by line, or says how long such a file is.
fn grows(name: &Path) -> bool {
    name.ends_with("journal.jsonl") || name.ends_with("journal.length.json")
}

/// The lines of a journal without the random keys in them, and without digests, which cover what is made with these.
fn without_keys(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let plain = lines.map(|line| match serde_json::from_slice(line) {
        Ok(serde_json::Value::Object(mut object)) => {
            for key in ["keys", "chain", "last"] {
                object.remove(key);
            }
            format!("{}\n", serde_json::Value::from(object)).into_bytes()
        }
        _ => line.to_vec(),
    });
    plain.collect::<Vec<_>>().concat()
}

fn is_temporary(name: &Path) -> bool {
    name.components()
        .any(|part| part.as_os_str().to_string_lossy().starts_with(".tiebreak-"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).replace('\n', " | ")
}

/// A folder in which a story is told up to its last command.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(story: &Story) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["out", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let scene = Self { folder };
        for command in story.before {
            let output = scene.command(command, "").output().unwrap();
            assert!(output.status.success(), "{command}: {}", said(&output));
        }
        (story.prepare)(&scene.out());
        scene
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = tree(&self.out()).into_iter();
        files
            .map(|(name, bytes)| {
                let bytes = match grows(&name) {
                    true => without_keys(&bytes),
                    false => bytes,
                };
                (name, bytes)
            })
            .collect()
    }

    fn run(&self, story: &Story, strace: &str) -> Output {
        self.command(story.last, strace).output().unwrap()
    }

    /// A command as it is, or under strace with these of its options.
    fn command(&self, words: &str, strace: &str) -> Command {
        let program = env!("CARGO_BIN_EXE_tiebreak");
        let mut command = Command::new(if strace.is_empty() { program } else { "strace" });
        if !strace.is_empty() {
            command.args(TRACED).args(strace.split(' ')).arg(program);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let data = root.join("data/tiny").display().to_string();
        command
            .args(words.split(' ').map(|word| word.replace("DATA", &data)))
            .args(["--threads", "1", "--quiet"])
            .current_dir(self.out())
            .env("TMPDIR", self.temporary())
            .env("TIEBREAK_MODELS", root.join("models"))
            .stdin(Stdio::null());
        command
    }
}

/// Threads too, and no more calls than are asked for.
const TRACED: [&str; 3] = ["-f", "--seccomp-bpf", "-qq"];

pub(crate) fn can_trace() -> bool {
    let mut traced = Command::new("strace");
    traced
        .args(TRACED)
        .args(["-e", "trace=write", "-o", "/dev/null", "true"]);
    traced.output().is_ok_and(|output| output.status.success())
}
