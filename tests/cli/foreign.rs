//! What strangers send, and what happens to commands from outside: names that command a terminal, signals,
//! two commands at one file.

use super::{command, score_with_chrf, text, tiebreak};
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

/// Two systems, one with a name that clears a screen, begins a line and closes an element.
const HOSTILE: &str = "a\u{1b}[2J\nb</svg>";

fn hostile(folder: &Path) {
    let mut outputs = String::new();
    let mut comparisons = String::new();
    for item in 0..8 {
        for system in [HOSTILE, "plain"] {
            let row = serde_json::json!({
                "item": item, "system": system, "output": format!("\u{1b}]0;owned\u{7} {item}"), "references": ["ref"],
            });
            outputs += &format!("{row}\n");
        }
        let row = serde_json::json!({
            "item": item, "system_a": HOSTILE, "system_b": "plain", "outcome": 1,
        });
        comparisons += &format!("{row}\n");
    }
    fs::write(folder.join("outputs.jsonl"), outputs).unwrap();
    fs::write(folder.join("comparisons.jsonl"), comparisons).unwrap();
}

fn commands_nothing(what: &str, text: &str) {
    let control = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!text.contains(control), "{what}: {text:?}");
}

#[test]
fn no_name_commands_a_terminal_or_breaks_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    hostile(&data);
    let pipeline = folder.path().join("p.toml");
    let stages = "data = \"data\"\n[[score]]\nmetric = \"chrf\"\n[[rank]]\n[[simulate]]\nruns = 2\nbudget = 20\n";
    fs::write(&pipeline, stages).unwrap();
    let out = folder.path().join("out");
    for arguments in [
        vec!["check", text(&data)],
        vec!["score", text(&data), "--metric", "chrf"],
        vec!["rank", text(&data)],
        vec!["run", text(&pipeline), "--out", text(&out)],
        vec!["estimate", text(&data), "--criterion", HOSTILE],
    ] {
        let done = tiebreak(&arguments);
        commands_nothing(arguments[0], &done.stdout);
        commands_nothing(arguments[0], &done.stderr);
    }
    for name in ["report.txt", "report.html"] {
        commands_nothing(name, &fs::read_to_string(out.join(name)).unwrap());
    }
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
}

#[test]
fn no_argument_commands_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("\u{1b}[2Jscores.csv");
    let done = tiebreak(&["score data/tiny --metric chrf --out", text(&out)]);
    assert!(
        done.stderr.contains("written: ") && out.is_file(),
        "{}",
        done.stderr
    );
    commands_nothing("--out", &done.stderr);
    for wrong in [
        ["rank", "data/tiny\u{1b}[2J"],
        ["rank", "--seed=\u{1b}[2J"],
        ["\u{1b}[2J", ""],
    ] {
        let refused = tiebreak(&wrong);
        refused.refused(&["\u{fffd}[2J"]);
        commands_nothing(wrong[0], &refused.stderr);
    }
}

/// Runs that would go on for minutes.
#[cfg(unix)]
fn long(out: &Path, under: &[&str]) -> Child {
    let simulate = ["simulate data/tiny --runs 100000 --budget 8000"];
    let arguments = [&simulate[..], &["--out", text(out)]].concat();
    let program = command(&arguments);
    let mut started = match under {
        [] => command(&arguments),
        [name, ..] => {
            let mut other = std::process::Command::new(name);
            other.arg(program.get_program()).args(program.get_args());
            other.current_dir(env!("CARGO_MANIFEST_DIR"));
            other
        }
    };
    let child = started.stdin(Stdio::null()).stdout(Stdio::null());
    let child = child.stderr(Stdio::null()).spawn().unwrap();
    while !out.join("trace").is_dir() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child
}

#[cfg(unix)]
fn signal(name: &str, child: &Child) {
    let kill = std::process::Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
}

#[cfg(unix)]
#[test]
fn signals_are_heard_alike() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["-INT", "-TERM", "-HUP"] {
        let out = folder.path().join(name);
        let mut child = long(&out, &[]);
        signal(name, &child);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{name}");
    }
}

/// Who starts a command under `nohup` wants it to go on.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_hangup_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = long(&folder.path().join("out"), &["nohup"]);
    signal("-HUP", &child);
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A pipe gives its bytes once and a table is read several times; one without a writer would be waited for. Nor is it
/// replaced by a result.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_table() {
    let folder = tempfile::tempdir().unwrap();
    for pipe in ["k.csv", "k.jsonl", "set/comparisons.jsonl"] {
        let path = folder.path().join(pipe);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }
    let tiny = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny");
    for line in [
        "check k.csv",
        "check k.jsonl",
        "check set",
        "score k.csv --metric length",
        "import k.jsonl --out x",
        "import --wide k.csv --out x",
        "correlate TINY --scores k.csv --metric length",
        "simulate TINY --predictions k.csv",
        "estimate TINY --criterion fluency --strata k.csv",
        "export TINY --as csv --out k.csv",
        "score TINY --metric length --out k.csv",
        "score TINY --metric length --out k.csv --force",
    ] {
        let line = line.replace("TINY", tiny);
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = command(&words);
        command.current_dir(folder.path()).stderr(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let ended = (0..600).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            child.try_wait().unwrap().is_some()
        });
        if !ended {
            child.kill().unwrap();
        }
        let told = super::finished(&child.wait_with_output().unwrap());
        assert_eq!(told.code, Some(2), "{line}: {}", told.stderr);
        let what = match line.contains("--out k.csv") {
            true => "k.csv: a pipe or a device, expected a name for a file or folder",
            false => "not a regular file: a table is read several times",
        };
        assert!(told.stderr.contains(what), "{line}: {}", told.stderr);
    }
}

/// Text files are read once, so they may be what another command writes.
#[cfg(unix)]
#[test]
fn text_files_may_be_pipes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    let program = env!("CARGO_BIN_EXE_tiebreak");
    for line in [
        "score <(cat a.txt) <(cat a.txt) --metric chrf",
        "import --reference <(cat a.txt) --system a=<(cat a.txt) --out x",
    ] {
        let mut shell = std::process::Command::new("bash");
        shell.current_dir(folder.path());
        let run = shell.args(["-c", &format!("'{program}' {line}")]).output();
        super::finished(&run.unwrap()).ok();
    }
}

/// Of two commands at one file one result is there, whole, and belongs to what lies beside it.
#[test]
fn two_commands_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..6 {
        let out = folder.path().join(format!("{round}.csv"));
        let started = ["chrf", "bleu"].map(|metric| {
            let score = ["score data/tiny --metric", metric, "--out", text(&out)];
            let mut command = command(&score);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            (metric, command.spawn().unwrap())
        });
        let done: Vec<(&str, bool)> = started
            .into_iter()
            .map(|(metric, mut child)| (metric, child.wait().unwrap().success()))
            .collect();
        assert!(done.iter().any(|(_, well)| *well), "{done:?}");
        let correlated = |metric: &&str| {
            let scores = ["--scores", text(&out), "--metric", metric];
            tiebreak(&[&["correlate", "data/tiny"], &scores[..]].concat()).code == Some(0)
        };
        let right = ["chrf", "bleu"]
            .iter()
            .filter(|one| correlated(one))
            .count();
        assert_eq!(right, 1, "round {round}");
    }
    let left: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A kill between a table and what lies beside it, and a flipped bit, are told.
#[test]
fn a_table_that_is_not_what_its_meta_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("scores.csv");
    score_with_chrf(&out);
    let correlate = ["correlate data/tiny --metric chrf --scores", text(&out)];
    let scores = fs::read_to_string(&out).unwrap();
    fs::write(&out, scores.replacen('7', "8", 1)).unwrap();
    tiebreak(&correlate).refused(&["not the table that"]);
    fs::write(&out, scores).unwrap();
    tiebreak(&correlate).ok();
}
