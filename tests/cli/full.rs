//! A disk that is full or failing: what was acknowledged is kept, nothing else is said to be, and once it can be written
//! to everything goes on by itself.

use super::live::Live;
use super::serve::{Came, Campaign, Server, get, post};
use super::text;
use crate::faults::can_trace;
use crate::support::{assert_contains, say};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Lets no file of a running server grow beyond this many bytes; false where there is no program for it.
fn limit_files(server: &Server, most: &str) -> bool {
    let mut limit = Command::new("prlimit");
    limit.args(["--pid", &server.id(), &format!("--fsize={most}:unlimited")]);
    limit.output().is_ok_and(|done| done.status.success())
}

fn skip_without_prlimit() {
    say("SKIPPED", "prlimit is not there (a disk that is full)");
}

fn skip_without_strace() {
    let what = "a disk that does not sync: strace is not there, or may not trace";
    say("SKIPPED", what);
}

/// Serves the campaign by another program, which is told after its own arguments what to run; what the server says at
/// the terminal is kept.
fn serve_by(campaign: &Campaign, program: &[&str]) -> Server {
    let heard = campaign.path("heard.txt");
    let run = campaign.path("run");
    Server::of(
        Command::new("sh")
            .args(["-c", "exec \"$@\" 2> \"$0\"", text(&heard)])
            .args(program)
            .args([env!("CARGO_BIN_EXE_tiebreak"), "serve", text(&run)])
            .arg("--print-links")
            .stdin(Stdio::null()),
    )
}

/// A campaign that goes on for long.
fn begun() -> Campaign {
    let campaign = Campaign::new(60);
    campaign.serve(&["--confidence", "0.999999"]).kill();
    campaign
}

fn said(task: &Value) -> Value {
    json!({ "question": task["question"], "answer": "1", "seconds": 1.0 })
}

fn trouble(server: &Server) -> Value {
    let status = get(&format!("{}/status", server.admin));
    assert_eq!(status.status(), 200, "{}", status.text());
    status.json()["trouble"].clone()
}

/// The journal and the record of its length.
fn stored(campaign: &Campaign) -> [Vec<u8>; 2] {
    ["run/journal.jsonl", "run/journal.length.json"]
        .map(|name| fs::read(campaign.path(name)).unwrap())
}

fn assert_refused(came: &Came) {
    assert_eq!(came.status(), 503, "{}", came.text());
    assert!(came.headers_but_length().contains("retry-after: 1"));
    assert_eq!(
        came.json()["error"],
        "answers cannot be stored at the moment"
    );
}

/// Asserts that another server has this many answers, to different questions.
fn assert_kept(campaign: &Campaign, answers: usize) {
    let server = campaign.serve(&[]);
    let table = get(&format!("{}/answers.csv", server.admin));
    let rows: Vec<&str> = table.text().lines().skip(1).collect();
    assert_eq!(rows.len(), answers, "{rows:#?}");
    // Item and systems.
    let asked = rows.iter().map(|row| {
        let mut asked: Vec<&str> = row.split(',').take(3).collect();
        asked.sort_unstable();
        asked
    });
    assert_eq!(asked.collect::<BTreeSet<_>>().len(), answers, "{rows:#?}");
}

#[test]
fn a_server_outlives_a_full_disk() {
    let campaign = begun();
    let server = serve_by(&campaign, &["env"]);
    let url = server.links["annotator"].clone();
    let mut task = get(&format!("{url}/task")).json();
    for _ in 0..3 {
        let came = post(&format!("{url}/answer"), &said(&task));
        assert_eq!(came.status(), 200);
        task = came.json();
    }
    let before = stored(&campaign);
    if !limit_files(&server, &(before[0].len() + 20).to_string()) {
        return skip_without_prlimit();
    }
    for _ in 0..3 {
        assert_refused(&post(&format!("{url}/answer"), &said(&task)));
        assert_refused(&post(&format!("{url}/undo"), &json!({ "question": null })));
        assert!(stored(&campaign) == before);
        // All that needs no writing goes on.
        assert_eq!(get(&format!("{url}/task")).json(), task);
        assert_eq!(get(&url).status(), 200);
        assert_eq!(get(&server.admin).status(), 200);
        let trouble = trouble(&server);
        let trouble = trouble.as_str().unwrap();
        assert_contains(trouble, &["refused", "No accepted answer is lost."]);
    }
    assert!(limit_files(&server, "unlimited"));
    let came = post(&format!("{url}/answer"), &said(&task));
    assert_eq!(came.status(), 200, "there is room again");
    assert_eq!(trouble(&server), Value::Null);
    let again = post(&format!("{url}/answer"), &said(&task));
    assert_eq!(again.status(), 200, "sent twice, it counts once");
    server.kill();
    assert_kept(&campaign, 4);
    let heard = fs::read_to_string(campaign.path("heard.txt")).unwrap();
    for said in ["are refused", "answers are stored."] {
        assert_eq!(heard.matches(said).count(), 1, "{heard}");
    }
}

/// Calls that fail for a while: what is tried again fails too, and then no more.
#[test]
fn a_server_outlives_a_disk_that_does_not_sync() {
    if !can_trace() {
        return skip_without_strace();
    }
    for (call, fault) in [
        ("fdatasync", "ENOSPC"),
        ("fdatasync", "EIO"),
        ("fsync", "ENOSPC"),
    ] {
        let campaign = begun();
        let inject = format!("inject={call}:error={fault}:when=9..60");
        let trace = format!("trace={call}");
        // The tracer is no parent of the server, so that killing the server ends it.
        let strace = [
            "strace",
            "-D",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-o",
            "/dev/null",
        ];
        let server = serve_by(
            &campaign,
            &[&strace[..], &["-e", &trace, "-e", &inject]].concat(),
        );
        let url = server.links["annotator"].clone();
        let (mut answered, mut refused) = (0, 0);
        let mut task = Value::Null;
        while answered < 12 {
            let came = match task["question"].is_string() {
                false => get(&format!("{url}/task")),
                true => post(&format!("{url}/answer"), &said(&task)),
            };
            if came.status() == 503 {
                refused += 1;
                assert!(refused < 600, "{call} {fault}: it goes on for ever");
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
            assert_eq!(came.status(), 200, "{call} {fault}: {}", came.text());
            answered += u32::from(task["question"].is_string());
            task = came.json();
        }
        assert!(refused > 0, "{call} {fault}");
        server.kill();
        assert_kept(&campaign, 12);
    }
}

#[test]
fn what_is_told_on_a_full_disk_is_told_whole_or_not_at_all() {
    if !can_trace() {
        return skip_without_strace();
    }
    let live = Live::new();
    live.begin("q.csv", &["--n", "6"]).ok();
    live.fill("q.csv", "filled.csv");
    let (run, sheet) = (live.path("run"), live.path("filled.csv"));
    let stored = || {
        let length = fs::read(run.join("journal.length.json")).unwrap();
        (live.journal(), length)
    };
    let before = stored();
    // Only journals are synced by this call.
    let trace = [
        "-e",
        "trace=fdatasync",
        "-e",
        "inject=fdatasync:error=ENOSPC:when=1",
    ];
    let told = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-qq", "-o", "/dev/null"])
        .args(trace)
        .args([
            env!("CARGO_BIN_EXE_tiebreak"),
            "tell",
            text(&run),
            text(&sheet),
        ])
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{words}");
    let hint = "free space on the disk and repeat the command: nothing stored before is lost";
    assert_contains(&words, &["journal.jsonl: cannot write", hint]);
    assert!(stored() == before);
    let told = live.tell("filled.csv", &["--json"]).json();
    assert_eq!(told["told"]["new"], 6);
}
