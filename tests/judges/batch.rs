//! Batch files out and in.

use super::stub::{Reply, Stub, longer, message, words};
use super::{data, descriptor, judge, rows};
use crate::cli::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;

#[test]
fn requests_go_out_and_results_come_in_whatever_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = data(folder.path(), 5);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "");
    let requests = folder.path().join("requests.jsonl");
    let write = [
        "judge",
        text(&outputs),
        "--model",
        text(&model),
        "--write-batch",
        text(&requests),
    ];
    assert!(tiebreak(&write).ok().contains("15 requests"));
    let lines: Vec<Value> = fs::read_to_string(&requests)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["method"], "POST");
    assert_eq!(lines[0]["url"], "/v1/chat/completions");
    let result = |(n, line): (usize, &Value)| {
        let response = match n {
            0 => json!({"status_code": 429, "request_id": "r", "body": {"error": {}}}),
            1 => json!({"status_code": 200, "request_id": "r", "body": words("Neither.")}),
            _ => json!({"status_code": 200, "request_id": "r", "body": longer(&line["body"])}),
        };
        json!({"id": n, "custom_id": line["custom_id"], "response": response, "error": null})
            .to_string()
    };
    let mut results: Vec<String> = lines.iter().enumerate().map(result).collect();
    results.reverse();
    results.push(results[0].clone());
    results
        .pop()
        .into_iter()
        .for_each(|again| results.insert(3, again));
    // One never came back.
    results.remove(0);
    let results_path = folder.path().join("results.jsonl");
    fs::write(&results_path, results.join("\n")).unwrap();
    let read = judge(
        folder.path(),
        &model,
        &["--read-batch", text(&results_path)],
    );
    let told = &read.stderr;
    assert_contains(told, &["http 429 1", "no verdict in the text 1"]);
    read.ok();
    assert_eq!(stub.count(), 0, "nothing is sent");
    let batched = rows(&folder.path().join("p.csv"));
    assert!(batched.len() >= 12, "{}", batched.len());
    // What is missing is asked for afterwards, and nothing else; what was answered badly stays so.
    judge(folder.path(), &model, &[]).ok();
    let whole = rows(&folder.path().join("p.csv"));
    assert_eq!(whole.len(), 14);
    assert!(stub.count() <= 2);
    assert!(batched.iter().all(|(key, row)| whole[key] == *row));
}

#[test]
fn a_batch_keeps_the_limit_of_cost_and_its_results_say_what_they_cost() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = data(folder.path(), 5);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "price = [1000.0, 2000.0]");
    let requests = folder.path().join("requests.jsonl");
    let write = |more: &[&str]| {
        let write = [
            "judge",
            text(&outputs),
            "--model",
            text(&model),
            "--write-batch",
        ];
        tiebreak(&[&write[..], &[text(&requests)], more].concat())
    };
    write(&["--max-cost", "1"]).refused(&["--max-cost", "15 requests may cost $", "--shard"]);
    assert!(!requests.exists());
    let written = write(&["--max-cost", "100"]).ok();
    assert_contains(&written, &["15 requests", "at most"]);
    let results: String = fs::read_to_string(&requests)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| {
            let response = json!({"status_code": 200, "body": longer(&line["body"])});
            let id = &line["custom_id"];
            json!({"custom_id": id, "response": response, "error": null}).to_string() + "\n"
        })
        .collect();
    let path = folder.path().join("results.jsonl");
    // A line that comes twice is paid for once.
    fs::write(&path, results.clone() + results.lines().next().unwrap()).unwrap();
    let read = judge(folder.path(), &model, &["--read-batch", text(&path)]);
    let cost = "15 new answers: 1500 tokens read, 30 written, $1.5600";
    assert_contains(&read.stderr, &[cost]);
    read.ok();
    let again = judge(folder.path(), &model, &["--read-batch", text(&path)]);
    assert_lacks(&again.stderr, &["tokens read", "none of the results"]);
    again.ok();
    let more = ["--read-batch", text(&path), "--order", "both"];
    assert_lacks(
        &judge(folder.path(), &model, &more).stderr,
        &["none of the results"],
    );
    let other = descriptor(folder.path(), &stub, "max-tokens = 7");
    let other = judge(folder.path(), &other, &["--read-batch", text(&path)]);
    assert_contains(
        &other.stderr,
        &["none of the results is of a request of this judge"],
    );
    descriptor(folder.path(), &stub, "price = [1000.0, 2000.0]");
    // What is answered is paid for, and nothing is left to ask.
    write(&["--max-cost", "1"]).ok();
}

#[test]
fn results_of_another_batch_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "");
    let results = folder.path().join("results.jsonl");
    for (line, says) in [
        (
            "{\"custom_id\":\"q1\",\"response\":null,\"error\":null}",
            "q1",
        ),
        ("{\"id\": 3}", "custom_id"),
        ("nothing", "results.jsonl:1"),
    ] {
        fs::write(&results, line).unwrap();
        judge(folder.path(), &model, &["--read-batch", text(&results)]).refused(&[says]);
    }
}

#[test]
fn a_message_batch_of_anthropics_is_one_document_and_its_results_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = data(folder.path(), 2);
    let stub = Stub::new(|_, _| Reply::Status(500, "", ""));
    let model = descriptor(folder.path(), &stub, "dialect = \"anthropic\"");
    let requests = folder.path().join("requests.json");
    let write = [
        "judge",
        text(&outputs),
        "--model",
        text(&model),
        "--write-batch",
        text(&requests),
    ];
    assert!(tiebreak(&write).ok().contains("6 requests"));
    let document = fs::read_to_string(&requests).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let all = document["requests"].as_array().unwrap();
    assert_eq!(all.len(), 6);
    let id = all[0]["custom_id"].as_str().unwrap();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    assert!(id.len() <= 64 && id.chars().all(is_plain), "{id}");
    assert_eq!(all[0]["params"]["model"], "stub");
    assert_eq!(all[0]["params"]["messages"][0]["role"], "user");
    let result = |(n, request): (usize, &Value)| {
        let result = match n {
            0 => json!({"type": "expired"}),
            1 => json!({"type": "errored", "error": {"type": "error"}}),
            _ => json!({"type": "succeeded", "message": message("A")}),
        };
        json!({"custom_id": request["custom_id"], "result": result}).to_string()
    };
    let results: Vec<String> = all.iter().enumerate().map(result).collect();
    let results_path = folder.path().join("results.jsonl");
    fs::write(&results_path, results.join("\n")).unwrap();
    judge(
        folder.path(),
        &model,
        &["--read-batch", text(&results_path)],
    )
    .ok();
    let read = rows(&folder.path().join("p.csv"));
    assert_eq!(read.len(), 4);
    assert!(
        read.values()
            .all(|row| [0.0, 1.0].contains(&row["p"].unwrap()))
    );
    assert_eq!(stub.count(), 0, "nothing is sent");
}
