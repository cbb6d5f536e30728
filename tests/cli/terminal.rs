//! A campaign at the terminal: one person there, key by key.

use super::live::{Live, questions};
use super::{command, text, tiebreak, typed};
use crate::support::assert_contains;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;

fn ask(live: &Live, more: &[&str], keys: &str) -> (Value, String) {
    let (run, data) = (live.path("run"), live.path("data"));
    let arguments = [&["ask", text(&run), text(&data), "--json"], more].concat();
    let finished = typed(&arguments, keys);
    let shown = finished.stderr.clone();
    assert!(!shown.contains("secret"), "questions are blind: {shown}");
    (finished.json(), shown)
}

fn answers(live: &Live) -> Vec<Value> {
    let out = live.path("answers.jsonl");
    let _ = fs::remove_file(&out);
    live.run(&["export run --as jsonl --out answers.jsonl --force"])
        .ok();
    let path = if out.is_dir() {
        out.join("comparisons.jsonl")
    } else {
        out
    };
    let rows = fs::read_to_string(path).unwrap();
    rows.lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect()
}

#[test]
fn keys_answer_skip_and_take_back() {
    let live = Live::new();
    let keys = "x\nh\n1\nb\ns no idea\nu\n2\nu\nu\n0\nt\nq\n";
    let (status, shown) = ask(&live, &["--annotator", "ana"], keys);
    // 1, both bad, a skip taken back for a 2, that taken back for a tie, and a tie.
    assert_eq!(questions(&status, "answered"), 4, "{status}");
    assert_eq!(questions(&status, "skipped"), 0);
    assert_eq!(status["told"]["new"], 4);
    assert_eq!(status["told"]["skipped"], 0);
    assert_contains(
        &shown,
        &[
            "This key has no meaning here",
            "Type one key",
            "nothing to take back",
            "-- 2 answered, 1 skipped --",
            "-- 3 answered --",
        ],
    );
    let (status, shown) = ask(&live, &["--annotator", "ana"], "s\nq\n");
    assert_eq!([&status["told"]["new"], &status["told"]["skipped"]], [0, 1]);
    assert_contains(&shown, &["-- 4 answered, 1 skipped --"]);
    let rows = answers(&live);
    let outcomes: Vec<f64> = rows
        .iter()
        .map(|row| row["outcome"].as_f64().unwrap())
        .collect();
    assert_eq!(
        outcomes.iter().filter(|&&outcome| outcome == 0.5).count(),
        3
    );
    assert!(
        rows.iter()
            .all(|row| row["annotator"] == "ana" && row["seconds"].is_number())
    );
}

#[test]
fn the_last_answer_is_taken_back_where_nothing_is_left_to_ask() {
    let live = Live::new();
    let plan = ["--task", "rating:quality=1..5", "--budget", "3"];
    let (status, shown) = ask(&live, &plan, "5\n4\n3\nx\nu\n1\nq\n");
    assert_eq!(status["told"]["new"], 3, "{status}");
    assert_eq!(shown.matches("take back your last answer) or q").count(), 3);
    let run = live.path("run");
    let out = live.path("ratings.csv");
    tiebreak(&["export", text(&run), "--as", "answers", "--out", text(&out)]).ok();
    let table = fs::read_to_string(&out).unwrap();
    let score = |row: &str| row.split(',').nth(3).unwrap().parse::<f64>().unwrap();
    let scores: Vec<f64> = table.lines().skip(1).map(score).collect();
    assert_eq!(scores, [5.0, 4.0, 1.0]);
    // What is final stays, and nobody is asked about it.
    let (_, shown) = ask(&live, &[], "u\n");
    assert!(!shown.contains("take back"), "{shown}");
}

#[test]
fn a_listed_person_says_who_she_is() {
    let live = Live::new();
    live.begin("sheets", &["--annotators", "ana,ben", "--n", "4"])
        .ok();
    let (run, data) = (live.path("run"), live.path("data"));
    for (who, says) in [
        (&[][..], "--annotator NAME (ana, ben)"),
        (&["--annotator", "eve"], "`eve` is not listed"),
    ] {
        tiebreak(&[&["ask", text(&run), text(&data)], who].concat()).refused(&[says]);
    }
    let (status, _) = ask(&live, &["--annotator", "ben"], "1\n1\n1\n1\n1\n1\nq\n");
    assert_eq!(questions(&status, "answered"), 6);
    assert_eq!(status["annotators"], serde_json::json!(["ana", "ben"]));
}

/// One Ctrl-C, and every answer is on disk.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_at_once() {
    let live = Live::new();
    let (run, data) = (live.path("run"), live.path("data"));
    let mut person = command(&["ask", text(&run), text(&data)])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = person.stdin.take().unwrap();
    keys.write_all(b"1\n2\n").unwrap();
    let mut shown = String::new();
    let mut screen = person.stderr.take().unwrap();
    while shown.matches("Which text is better?").count() < 3 {
        let mut some = [0; 256];
        let read = screen.read(&mut some).unwrap();
        assert!(read > 0, "{shown}");
        shown += &String::from_utf8_lossy(&some[..read]);
    }
    let id = person.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    let mut rest = String::new();
    screen.read_to_string(&mut rest).unwrap();
    assert_eq!(person.wait().unwrap().code(), Some(130));
    assert_contains(
        &rest,
        &[&format!("To go on: tiebreak ask {}", run.display())],
    );
    let (status, _) = ask(&live, &[], "q\n");
    assert_eq!(questions(&status, "answered"), 2);
}
