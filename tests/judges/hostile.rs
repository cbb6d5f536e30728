//! Endpoints that answer badly, late, or not at all.

use super::stub::{Reply, Stub, completion, likely, longer, words};
use super::{data, descriptor, judge, judging, rows, said};
use crate::cli::{command, text, tiebreak, tree};
use crate::support::{assert_contains, assert_lacks};
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    assert_contains(&done.stderr, &["15 requests (6 of them again)"]);
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
    expect![[r#"
        note: 6 requests, 600 tokens read, 12 written; no preference, since a verdict is missing: refusal 1, cut off 1, no verdict in the text 1
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&done.stderr, folder.path(), &stub));
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
    let stub = Stub::new(|_, _| {
        Reply::Status(400, "", "{\"error\":{\"message\":\"no such model: stub\"}}")
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
    expect![[r#"
        error: --model: the variable STUB_KEY, which should hold the key, is not set
        hint: set it in the shell; `key-env` names another
    "#]]
    .assert_eq(&said(&told, folder.path(), &stub));
    let (code, told) = run(Some("sk-very-secret"));
    assert_eq!((code, stub.count()), (Some(2), 1), "{told}");
    expect![[r#"
        error: model judge: the endpoint answered 400: {"error":{"message":"no such model: stub"}}
        hint: the endpoint refuses the request: check endpoint, model, template and [body]
    "#]]
    .assert_eq(&said(&told, folder.path(), &stub));
    assert!(
        stub.heads()[0]
            .to_lowercase()
            .contains("authorization: bearer sk-very-secret")
    );
    assert_lacks(&told, &["sk-very-secret"]);
    for (path, bytes) in tree(folder.path()) {
        let found = bytes.windows(14).any(|window| window == b"sk-very-secret");
        assert!(!found, "{}", path.display());
    }
}

/// A filter of contents refuses some requests for good: these are missing, and the rest is a table.
#[test]
fn requests_that_a_filter_refuses_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 9);
    let filter = "{\"error\":{\"code\":\"content_filter\"}}";
    let is_filtered = |body: &Value| body.to_string().contains("say it 7");
    let stub = Stub::new(move |_, body| match is_filtered(body) {
        true => Reply::Status(400, "", filter),
        false => Reply::Answer(longer(body)),
    });
    let model = descriptor(folder.path(), &stub, "concurrency = 1");
    for requests in [27, 30] {
        let done = judge(folder.path(), &model, &[]);
        assert_contains(&done.stderr, &["a verdict is missing: http 400 3"]);
        done.ok();
        assert_eq!(rows(&folder.path().join("p.csv")).len(), 24);
        // What is refused is tried again, and what is answered is not.
        assert_eq!(stub.count(), requests);
    }
    // An endpoint that refuses all is no filter.
    let other = Stub::new(move |n, body| match n {
        0 => Reply::Answer(longer(body)),
        _ => Reply::Status(400, "", filter),
    });
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 9);
    let model = descriptor(folder.path(), &other, "concurrency = 1");
    judge(folder.path(), &model, &[]).refused(&["answered 400", "content_filter"]);
    assert_eq!(other.count(), 12);
}

/// A reply without any choice is no answer: the next command asks again.
#[test]
fn an_empty_reply_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 2);
    let stub = Stub::new(|n, body| match n {
        0 => Reply::Answer(
            json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}),
        ),
        _ => Reply::Answer(longer(body)),
    });
    let model = descriptor(folder.path(), &stub, "concurrency = 1");
    judge(folder.path(), &model, &[]).ok();
    assert_eq!(rows(&folder.path().join("p.csv")).len(), 5);
    judge(folder.path(), &model, &[]).ok();
    assert_eq!(
        (rows(&folder.path().join("p.csv")).len(), stub.count()),
        (6, 7)
    );
}

#[test]
fn a_limit_of_cost_ends_cleanly_and_goes_on_when_it_is_raised() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 10);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "price = [10, 10]");
    judge(folder.path(), &model, &["--max-cost", "0.02"]).refused(&["limit of $0.02"]);
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
    expect![[r#"
        error: --max-cost: a cost limit, but no prices
        hint: give the prices of a million tokens read and written: --price 0.15,0.60
    "#]]
    .assert_eq(&said(&error.stderr, folder.path(), &stub));
}

#[test]
fn a_campaign_that_the_limit_stopped_before_its_first_question_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = data(folder.path(), 10);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "price = [10, 10]");
    let (run, sheet) = (folder.path().join("run"), folder.path().join("q.csv"));
    let ask = |limit| {
        let ask = [
            "ask",
            text(&run),
            text(&outputs),
            "--n",
            "5",
            "--out",
            text(&sheet),
        ];
        tiebreak(&[&ask[..], &["--model", text(&model), "--max-cost", limit]].concat())
    };
    ask("0.02").refused(&["limit of $0.02"]);
    ask("1").ok();
}

/// A campaign that began from a judge's predictions goes on from these: another answer is another campaign.
#[test]
fn a_campaign_names_what_changed_about_its_judge() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = data(folder.path(), 10);
    let is_turned = Arc::new(AtomicBool::new(false));
    let turned = Arc::clone(&is_turned);
    let stub = Stub::new(move |_, body| {
        Reply::Answer(match turned.load(Ordering::SeqCst) {
            true => likely(0.3, 0.7, 0.0),
            false => longer(body),
        })
    });
    let model = descriptor(folder.path(), &stub, "order = \"random\"");
    let [run, kept, sheet] = ["run", "kept", "q.csv"].map(|name| folder.path().join(name));
    let begin = [
        "ask",
        text(&run),
        text(&outputs),
        "--n",
        "5",
        "--out",
        text(&sheet),
    ];
    tiebreak(&[&begin[..], &["--model", text(&model)]].concat()).ok();
    let tell = || tiebreak(&["tell", text(&run), text(&sheet)]);
    tell().ok();
    // A copy without the predictions, and a judge that has changed its mind.
    let predictions = run.join("predictions");
    fs::rename(&predictions, &kept).unwrap();
    fs::remove_dir_all(folder.path().join("judged")).unwrap();
    is_turned.store(true, Ordering::SeqCst);
    let restore = format!(
        "restore {0} from a copy (cp -R COPY/. {0})",
        text(&predictions)
    );
    tell().refused(&["the predictions changed since the campaign began", &restore]);
    fs::remove_dir_all(&predictions).unwrap();
    fs::rename(&kept, &predictions).unwrap();
    tell().ok();
    descriptor(folder.path(), &stub, "order = \"both\"");
    let changed = tell();
    changed.refused(&[
        "order = random, now order = both",
        "set order = random again",
    ]);
    assert_lacks(&changed.stderr, &["--force"]);
    fs::remove_file(&model).unwrap();
    tell().refused(&[
        "judge.toml: no such file or folder",
        "`model` in ",
        "campaign.toml",
    ]);
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_only_what_was_on_its_way_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 40);
    let stub = Stub::late(|_, body| (Duration::from_millis(20), Reply::Answer(longer(body))));
    let model = descriptor(folder.path(), &stub, "concurrency = 4");
    let arguments = judging(folder.path(), &model);
    let arguments = arguments.each_ref().map(String::as_str);
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
    assert_eq!(rows(&folder.path().join("p.csv")).len(), 120);
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
            "--model m --out",
            text(&out),
            "--answers",
            text(&answers),
        ])
    };
    let error = call("127.0.0.1:8000");
    error.refused(&["endpoint"]);
}

#[test]
fn a_reply_that_is_too_long_is_paid_for_and_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let stub = Stub::new(|n, body| match n {
        0 => Reply::Answer(completion(
            &json!({"message": {"content": "A", "reasoning": "x".repeat(9 << 20)}}),
        )),
        _ => Reply::Answer(longer(body)),
    });
    let model = descriptor(folder.path(), &stub, "concurrency = 1");
    let first = judge(folder.path(), &model, &[]);
    expect![[r#"
        note: 3 requests, 200 tokens read, 4 written; no preference, since a verdict is missing: reply too long 1
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&first.stderr, folder.path(), &stub));
    first.ok();
    let table = folder.path().join("p.csv");
    assert_eq!((stub.count(), rows(&table).len()), (3, 2));
    let kept = tree(&folder.path().join("judged"));
    assert!(kept.iter().all(|(_, bytes)| bytes.len() < 1 << 16));
    let again = judge(folder.path(), &model, &[]);
    expect![[r#"
        note: 1 of the answers kept cannot be read (an invalid log-probability, say): they are skipped, and asked again where needed
        note: 1 request, 100 tokens read, 2 written
        FOLDER/p.csv is now FOLDER/p.old.csv
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&again.stderr, folder.path(), &stub));
    again.ok();
    assert_eq!((stub.count(), rows(&table).len()), (4, 3));
}

#[test]
fn a_batch_file_with_a_line_too_long_is_refused_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "");
    let results = folder.path().join("results.jsonl");
    std::fs::write(&results, format!("\n{{\"{}", "[".repeat(9 << 20))).unwrap();
    let refused = judge(folder.path(), &model, &["--read-batch", text(&results)]);
    assert_eq!(refused.code, Some(2));
    expect![[r#"
        error: FOLDER/results.jsonl:2: a result of more than the limit of 8M
        hint: delete the line: what it answers is asked again
    "#]]
    .assert_eq(&said(&refused.stderr, folder.path(), &stub));
}

/// A refusal whose first token is a label only by a chance of one in millions, as endpoints that list 20 tokens show.
#[test]
fn a_refusal_with_unlikely_labels_is_missing_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let refusal = |n: usize, body: &serde_json::Value| {
        if n > 0 {
            return Reply::Answer(longer(body));
        }
        let listed = [("I", -1e-4), ("A", -20.0), ("B", -25.0)];
        let listed = listed.map(|(token, logprob)| json!({"token": token, "logprob": logprob}));
        let first = json!({"token": "I", "logprob": -1e-4, "top_logprobs": listed});
        Reply::Answer(completion(
            &json!({"message": {"content": "I"}, "logprobs": {"content": [first]}}),
        ))
    };
    let stub = Stub::new(refusal);
    let model = descriptor(folder.path(), &stub, "concurrency = 1");
    let judged = judge(folder.path(), &model, &[]);
    assert_contains(&judged.stderr, &["missing: no verdict token 1\n"]);
    judged.ok();
    assert_eq!(rows(&folder.path().join("p.csv")).len(), 2);
}

/// An answer whose label A has this log-probability.
fn with_logprob(logprob: f64) -> serde_json::Value {
    let token = json!({"token": "A", "logprob": logprob});
    let first = json!({"token": "A", "logprob": -0.1, "top_logprobs": [token]});
    completion(&json!({"message": {"content": "A"}, "logprobs": {"content": [first]}}))
}

#[test]
fn a_log_probability_that_is_none_is_no_verdict_and_no_answer_for_good() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 2);
    let nan = "{\"choices\": [{\"message\": {\"content\": \"A\"}, \"logprobs\": {\"content\": \
               [{\"top_logprobs\": [{\"token\": \"A\", \"logprob\": NaN}]}]}}]}";
    let stub = Stub::new(move |n, body| match n {
        0 => Reply::Answer(with_logprob(710.0)),
        1 => Reply::Answer(with_logprob(0.5)),
        2 => Reply::Garbage(nan),
        _ => Reply::Answer(longer(body)),
    });
    let model = descriptor(folder.path(), &stub, "concurrency = 1");
    let first = judge(folder.path(), &model, &[]);
    expect![[r#"
        note: 6 requests, 500 tokens read, 10 written; no preference, since a verdict is missing: invalid log-probability 3
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&first.stderr, folder.path(), &stub));
    first.ok();
    assert_eq!(
        (stub.count(), rows(&folder.path().join("p.csv")).len()),
        (6, 3)
    );
    let again = judge(folder.path(), &model, &[]);
    expect![[r#"
        note: 3 of the answers kept cannot be read (an invalid log-probability, say): they are skipped, and asked again where needed
        note: 3 requests, 300 tokens read, 6 written
        FOLDER/p.csv is now FOLDER/p.old.csv
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&again.stderr, folder.path(), &stub));
    again.ok();
    assert_eq!(
        (stub.count(), rows(&folder.path().join("p.csv")).len()),
        (9, 6)
    );
    let last = judge(folder.path(), &model, &[]);
    assert_lacks(&last.stderr, &["cannot be read"]);
    last.ok();
    assert_eq!(stub.count(), 9);
}

#[test]
fn a_limit_of_cost_holds_where_tokens_are_not_counted() {
    for usage in [
        json!(null),
        json!({"prompt_tokens": -100, "completion_tokens": 2}),
        json!({"prompt_tokens": 100.5, "completion_tokens": 2}),
    ] {
        let folder = tempfile::tempdir().unwrap();
        data(folder.path(), 10);
        let stub = Stub::new(move |_, body| {
            let mut answer = longer(body);
            answer["usage"] = usage.clone();
            Reply::Answer(answer)
        });
        let model = descriptor(folder.path(), &stub, "price = [10, 10]\nconcurrency = 1");
        let run = || judge(folder.path(), &model, &["--max-cost", "0.05"]);
        run().refused(&["limit of $0.05"]);
        let asked = stub.count();
        assert!(
            (1..30).contains(&asked),
            "a prompt has some 1000 bytes: {asked}"
        );
        assert_eq!(
            (run().code, stub.count()),
            (Some(2), asked),
            "kept answers count"
        );
    }
}

#[test]
fn a_key_that_is_repeated_is_neither_shown_nor_kept() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 3);
    let stub = Stub::new(|n, body| match n {
        0 => Reply::Status(500, "", "sk-very-secret is overloaded"),
        1..4 => {
            let mut answer = longer(body);
            answer["choices"][0]["message"]["content"] = json!("you sent sk-very-secret");
            Reply::Answer(answer)
        }
        _ => Reply::Status(
            401,
            "",
            "{\"error\": \"no key: sk-very-secret, sk-very-\\u0073ecret\"}",
        ),
    });
    let model = descriptor(
        folder.path(),
        &stub,
        "key-env = \"STUB_KEY\"\nconcurrency = 1",
    );
    let arguments = judging(folder.path(), &model);
    let arguments = arguments.each_ref().map(String::as_str);
    let output = command(&arguments)
        .env("STUB_KEY", "sk-very-secret")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stub.count(), 5, "{told}");
    expect![[r#"
        note: a request to ENDPOINT/chat/completions failed (500: [key] is overloaded) and is tried again
        error: model judge: the endpoint answered 401: {"error":"no key: [key], [key]"}
        hint: name the variable that holds the key: key-env = "OPENAI_API_KEY"; and its header, if it is another than Authorization: key-header = "api-key"; Anthropic's messages: dialect = "anthropic"
    "#]].assert_eq(&said(&told, folder.path(), &stub));
    let answers = std::fs::read_to_string(folder.path().join("judged/answers.jsonl")).unwrap();
    assert_eq!(answers.matches("you sent [key]").count(), 3);
    for (path, bytes) in tree(folder.path()) {
        let found = bytes.windows(14).any(|window| window == b"sk-very-secret");
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn no_proxy_is_between_this_machine_and_itself() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let (stub, proxy) = (
        Stub::new(|_, body| Reply::Answer(longer(body))),
        Stub::new(|_, _| Reply::Status(403, "", "a proxy")),
    );
    let model = descriptor(folder.path(), &stub, "");
    let arguments = judging(folder.path(), &model);
    let arguments = arguments.each_ref().map(String::as_str);
    let output = command(&arguments)
        .env("ALL_PROXY", proxy.address.trim_end_matches("/v1"))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), stub.count(), proxy.count()),
        (Some(0), 3, 0),
        "{told}"
    );
}

#[test]
fn a_closed_port_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 1);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let stub = Stub::new(|_, _| Reply::Garbage(""));
    let model = descriptor(folder.path(), &stub, "");
    let toml = std::fs::read_to_string(&model).unwrap();
    let stub_at = stub
        .address
        .trim_start_matches("http://")
        .trim_end_matches("/v1");
    std::fs::write(&model, toml.replace(stub_at, &address)).unwrap();
    let error = judge(folder.path(), &model, &[]);
    let told = &error.stderr;
    assert_eq!(error.code, Some(2), "{told}");
    let nowhere = format!("nothing answers at http://{address}/v1");
    assert_contains(told, &[&nowhere, "start the server"]);
}

#[cfg(unix)]
#[test]
fn an_interruption_does_not_wait_for_answers() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 2);
    let stub = Stub::late(|_, body| (Duration::from_mins(1), Reply::Answer(longer(body))));
    let model = descriptor(folder.path(), &stub, "");
    let arguments = judging(folder.path(), &model);
    let arguments = arguments.each_ref().map(String::as_str);
    let mut child = command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    while stub.count() == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    let mut ended = None;
    // Half a second is its own; a busy machine may take longer, but never the minute.
    for _ in 0..100 {
        ended = child.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    assert_eq!(ended.and_then(|status| status.code()), Some(130));
}

#[test]
fn a_damaged_end_of_the_answers_is_told() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 2);
    let stub = Stub::new(|_, body| Reply::Answer(longer(body)));
    let model = descriptor(folder.path(), &stub, "");
    judge(folder.path(), &model, &[]).ok();
    let kept = folder.path().join("judged/answers.jsonl");
    let whole = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, &whole[..whole.len() - 20]).unwrap();
    let done = judge(folder.path(), &model, &[]);
    expect![[r#"
        note: FOLDER/judged/answers.jsonl:6: the line is damaged, as when a command is ended while it writes it, and is cut off; what it answered is asked again
        note: 1 request, 100 tokens read, 2 written
        FOLDER/p.csv is now FOLDER/p.old.csv
        written: FOLDER/p.csv
        next: tiebreak ask RUN FOLDER/outputs.jsonl --predictions FOLDER/p.csv --out questions.csv
    "#]].assert_eq(&said(&done.stderr, folder.path(), &stub));
    done.ok();
    assert_eq!(
        (stub.count(), std::fs::read(&kept).unwrap().len()),
        (7, whole.len())
    );
}
