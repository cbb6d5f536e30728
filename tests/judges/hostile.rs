//! Endpoints that answer badly, late, or not at all.

use super::stub::{Reply, Stub, completion, likely, longer, words};
use super::{data, descriptor, judge, rows};
use crate::cli::{command, text, tree};
use serde_json::json;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

#[test]
fn what_may_pass_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 3);
    let stub = Stub::new(|n, body| match n {
        0 => Reply::Status(429, "Retry-After: 1", "{\"error\":\"slow down\"}"),
        1 => Reply::Status(500, "", "oh"),
        2 => Reply::Garbage("<html>"),
        3 => Reply::Half(longer(body)),
        4 => Reply::Garbage("{\"error\":{\"message\":\"overloaded\"}}"),
        5 => Reply::Status(408, "", ""),
        _ => Reply::Answer(longer(body)),
    });
    let model = descriptor(folder.path(), &stub, "concurrency = 2");
    let done = judge(folder.path(), &model, &[]);
    assert!(
        done.stderr.contains("15 requests (6 of them again)"),
        "{}",
        done.stderr
    );
    done.ok();
    assert_eq!(rows(&folder.path().join("p.csv")).len(), 9);
    assert!(stub.most() <= 2);
}

#[test]
fn what_cannot_be_read_is_a_missing_row_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 2);
    let stub = Stub::new(|_, body| {
        let text = body["messages"][1]["content"].as_str().unwrap();
        let second = text.contains("say it 1");
        let (ash, cedar) = (
            text.contains("\nword 0\n") || text.contains("\nword word 1\n"),
            text.matches("word").count(),
        );
        Reply::Answer(match (second, ash, cedar) {
            (false, true, 4) => completion(
                &json!({"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}),
            ),
            (false, true, _) => {
                completion(&json!({"message": {"content": "I th"}, "finish_reason": "length"}))
            }
            (false, false, _) => words("Both are fine."),
            (true, true, 6) => likely(0.0, 0.0, 0.0),
            (true, true, _) => words("A"),
            (true, false, _) => likely(0.3, 0.1, 0.2),
        })
    });
    let model = descriptor(folder.path(), &stub, "order = \"given\"");
    let done = judge(folder.path(), &model, &[]);
    let told = &done.stderr;
    assert!(
        told.contains("refusal 1") && told.contains("cut off 1"),
        "{told}"
    );
    assert!(told.contains("no verdict in the text 1"), "{told}");
    done.ok();
    let rows = rows(&folder.path().join("p.csv"));
    let p: Vec<f64> = rows.values().map(|row| row["p"].unwrap()).collect();
    assert!(
        p.contains(&1.0) && p.iter().any(|p| (p - 0.4 / 0.6).abs() < 1e-12),
        "{p:?}"
    );
    assert!(!p.contains(&0.5) && p.len() < 6);
}

#[test]
fn a_refused_request_stops_with_the_body_and_the_key_is_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 3);
    let stub = Stub::new(|n, body| match n {
        0..3 => Reply::Answer(longer(body)),
        _ => Reply::Status(400, "", "{\"error\":{\"message\":\"no such model: stub\"}}"),
    });
    let model = descriptor(
        folder.path(),
        &stub,
        "key-env = \"STUB_KEY\"\nconcurrency = 1",
    );
    let run = |key: Option<&str>| {
        let (data, out) = (
            folder.path().join("outputs.jsonl"),
            folder.path().join("p.csv"),
        );
        let mut command = command(&[
            "judge",
            text(&data),
            "--model",
            text(&model),
            "--out",
            text(&out),
        ]);
        match key {
            Some(key) => command.env("STUB_KEY", key),
            None => command.env_remove("STUB_KEY"),
        };
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, told) = run(None);
    assert_eq!((code, stub.count()), (Some(2), 0));
    assert!(told.contains("STUB_KEY"), "{told}");
    let (code, told) = run(Some("sk-very-secret"));
    assert_eq!((code, stub.count()), (Some(2), 4), "{told}");
    assert!(
        told.contains("400") && told.contains("no such model: stub"),
        "{told}"
    );
    assert!(
        stub.heads()[0]
            .to_lowercase()
            .contains("authorization: bearer sk-very-secret")
    );
    assert!(!told.contains("sk-very-secret"));
    for (path, bytes) in tree(folder.path()) {
        let found = bytes.windows(14).any(|window| window == b"sk-very-secret");
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn a_limit_of_cost_ends_cleanly_and_goes_on_when_it_is_raised() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 10);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "price = [10, 10]");
    let stopped = judge(folder.path(), &model, &["--max-cost", "0.02"]);
    assert_eq!(stopped.code, Some(2));
    assert!(
        stopped.stderr.contains("limit of $0.02"),
        "{}",
        stopped.stderr
    );
    let asked = stub.count();
    assert!((1..=19).contains(&asked), "$0.00102 each: {asked}");
    let again = judge(folder.path(), &model, &["--max-cost", "0.02"]);
    assert_eq!(
        (again.code, stub.count()),
        (Some(2), asked),
        "what was paid counts"
    );
    judge(folder.path(), &model, &["--max-cost", "1"]).ok();
    assert_eq!(stub.count(), 30);
    let unpriced = descriptor(folder.path(), &stub, "");
    let error = judge(folder.path(), &unpriced, &["--max-cost", "1"]);
    assert!(error.stderr.contains("--price"), "{}", error.stderr);
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_only_what_was_on_its_way_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 40);
    let stub = Stub::late(|_, body| (Duration::from_millis(20), Reply::Answer(longer(body))));
    let model = descriptor(folder.path(), &stub, "concurrency = 4");
    let (data, out) = (
        folder.path().join("outputs.jsonl"),
        folder.path().join("p.csv"),
    );
    let arguments = [
        "judge",
        text(&data),
        "--model",
        text(&model),
        "--out",
        text(&out),
    ];
    for _ in 0..3 {
        let mut child = command(&arguments).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(180));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    thread::sleep(Duration::from_millis(50));
    let before = stub.count();
    assert!(before > 4 && before < 120, "{before}");
    judge(folder.path(), &model, &[]).ok();
    assert!(stub.count() <= 120 + 3 * 4, "{}", stub.count());
    assert_eq!(rows(&out).len(), 120);
}

#[test]
fn an_endpoint_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let (data, out) = (
        folder.path().join("outputs.jsonl"),
        folder.path().join("p.csv"),
    );
    let answers = folder.path().join("judged");
    let call = |endpoint: &str| {
        crate::cli::tiebreak(&[
            "judge",
            text(&data),
            "--endpoint",
            endpoint,
            "--model",
            "m",
            "--out",
            text(&out),
            "--answers",
            text(&answers),
        ])
    };
    let error = call("127.0.0.1:8000");
    assert_eq!(error.code, Some(2));
    assert!(
        error.stderr.contains("--endpoint") || error.stderr.contains("endpoint"),
        "{}",
        error.stderr
    );
}
