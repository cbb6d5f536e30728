//! What is asked, how often, and what becomes of the answers.

use super::stub::{Reply, Stub, longer, message, shown, words};
use super::{data, descriptor, judge, rows};
use crate::cli::{command, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use tiebreak::records::reader::{ColumnMapping, Row, TableReader};

fn plain() -> Stub {
    Stub::new(|_, body| Reply::Answer(longer(body)))
}

#[test]
fn one_call_a_pair_and_nothing_is_asked_twice() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 20);
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "price = [1.0, 2.0]");
    let first = judge(folder.path(), &model, &["--json"]);
    assert_contains(
        &first.stderr,
        &["60 requests, 6000 tokens read, 120 written, $0.0062"],
    );
    first.ok();
    assert_eq!(stub.count(), 60);
    let table = fs::read(folder.path().join("p.csv")).unwrap();
    let again = judge(
        folder.path(),
        &model,
        &["--threads", "1", "--concurrency", "1"],
    );
    again.ok();
    assert_eq!(stub.count(), 60, "all answers are known");
    assert_eq!(fs::read(folder.path().join("p.csv")).unwrap(), table);
    for (key, row) in rows(&folder.path().join("p.csv")) {
        assert_eq!((row["bald"], row["std"]), (Some(0.0), Some(0.0)), "{key:?}");
        assert_eq!(row["p"], row["mean"]);
    }
    let body = &stub.bodies()[0];
    assert_eq!(
        (&body["temperature"], &body["logprobs"]),
        (&0.0.into(), &true.into())
    );
}

#[test]
fn equal_texts_are_one_request_whether_it_is_sent_or_known() {
    let folder = tempfile::tempdir().unwrap();
    let row = |item: u32, system: &str, output: &str| {
        format!(
            "{{\"item\":\"{item}\",\"system\":\"{system}\",\"source\":\"Hi\",\"output\":\"{output}\"}}\n"
        )
    };
    let rows = (1..=2).flat_map(|item| [row(item, "ash", "one"), row(item, "birch", "one two")]);
    fs::write(
        folder.path().join("outputs.jsonl"),
        rows.collect::<String>(),
    )
    .unwrap();
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "order = \"given\"");
    for told in [
        "note: 1 request, ",
        "no requests: 1 answer kept from before",
    ] {
        let judged = judge(folder.path(), &model, &[]);
        assert_contains(&judged.stderr, &[told]);
        judged.ok();
    }
    assert_eq!(stub.count(), 1);
}

#[test]
fn a_hint_takes_a_sample_of_the_items_and_says_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path(), 60);
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "");
    let ask = |run: &str, more: &[&str]| {
        let (run, out) = (
            folder.path().join(run),
            folder.path().join(format!("{run}.csv")),
        );
        let ask = [
            "ask",
            text(&run),
            text(&data),
            "--model",
            text(&model),
            "--n",
            "5",
        ];
        let out = ["--out", text(&out)];
        tiebreak(&[&ask[..], &out, more].concat())
    };
    let begun = ask("run", &[]);
    let told = "the judge is asked about 120 pairs of outputs first, 120 requests at most; fewer: --sample 10";
    assert_contains(&begun.stderr, &[told]);
    begun.ok();
    assert_eq!(stub.count(), 120, "40 items of each of 3 pairs");
    let other = ask("other", &["--sample", "50", "--order", "both"]);
    assert_contains(&other.stderr, &["150 pairs of outputs first, 300 requests"]);
    other.ok();
    // What is said to be fewer is fewer.
    let few = ask("few", &["--sample", "5", "--order", "both"]);
    assert_contains(&few.stderr, &["30 requests at most; fewer: --sample 2"]);
    few.ok();
    let one = ask("one", &["--sample", "1"]);
    assert_contains(&one.stderr, &["3 requests at most\n"]);
    assert_lacks(&one.stderr, &["--sample"]);
    one.ok();
}

#[test]
fn two_commands_at_once_ask_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 20);
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "");
    let data = folder.path().join("outputs.jsonl");
    std::thread::scope(|scope| {
        let commands = ["one.csv", "two.csv"].map(|table| {
            let (data, model, table) = (&data, &model, folder.path().join(table));
            scope.spawn(move || {
                let predict = [
                    "predict",
                    text(data),
                    "--model",
                    text(model),
                    "--out",
                    text(&table),
                ];
                tiebreak(&predict).ok();
                fs::read(&table).unwrap()
            })
        });
        let [one, two] = commands.map(|command| command.join().unwrap());
        assert_eq!(one, two);
    });
    assert_eq!(stub.count(), 60);
}

#[test]
fn which_is_shown_first_is_drawn_and_both_orders_cancel_the_bias() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 40);
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "");
    judge(folder.path(), &model, &[]).ok();
    let random = rows(&folder.path().join("p.csv"));
    let shorter_first = |body: &Value| {
        let (first, second) = shown(body);
        first.len() < second.len()
    };
    let count = stub
        .bodies()
        .iter()
        .filter(|body| shorter_first(body))
        .count();
    let share = count as f64 / 120.0;
    assert!((0.35..0.65).contains(&share), "{share}");
    judge(folder.path(), &model, &["--order", "both"]).ok();
    assert_eq!(stub.count(), 240, "the other order only");
    let both = rows(&folder.path().join("p.csv"));
    for (key, row) in &both {
        assert!((row["position"].unwrap() - 0.1).abs() < 1e-12, "{row:?}");
        assert!((row["std"].unwrap() - 0.05).abs() < 1e-12);
        assert!((row["p"].unwrap() - random[key]["p"].unwrap()).abs() < 0.0501);
    }
    let (outputs, table) = (
        folder.path().join("outputs.jsonl"),
        folder.path().join("p.csv"),
    );
    let compared = folder.path().join("data");
    fs::create_dir(&compared).unwrap();
    fs::copy(&outputs, compared.join("outputs.jsonl")).unwrap();
    let answers = "{\"item\":\"i000\",\"system_a\":\"ash\",\"system_b\":\"birch\",\"outcome\":0}\n";
    fs::write(compared.join("comparisons.jsonl"), answers).unwrap();
    let assess = [
        "assess",
        text(&compared),
        "--predictions",
        text(&table),
        "--json",
    ];
    let position = tiebreak(&assess).json()["position"].clone();
    assert!(
        (position["value"].as_f64().unwrap() - 0.1).abs() < 1e-12,
        "{position}"
    );
    assert_eq!(position["comparisons"], 120);
    // What it wrote in either order is kept, and shown beside its verdict.
    let page = folder.path().join("page.html");
    let view = ["view", text(&compared), "--static", text(&page)];
    tiebreak(&[&view[..], &["--predictions", text(&table)]].concat()).ok();
    let page = fs::read_to_string(&page).unwrap();
    assert!(page.contains("ash first: ") && page.contains("birch first: "));
    // The same pairs from the other side.
    let pairs = folder.path().join("pairs.csv");
    let line = |key: &[String; 3]| format!("{},{},{}\n", key[0], key[2], key[1]);
    let lines: String = both.keys().map(line).collect();
    fs::write(&pairs, format!("item,system_a,system_b\n{lines}")).unwrap();
    judge(
        folder.path(),
        &model,
        &["--order", "both", "--pairs", text(&pairs)],
    )
    .ok();
    assert_eq!(stub.count(), 240, "the two prompts are the same");
    for (key, row) in rows(&folder.path().join("p.csv")) {
        let [item, a, b] = key;
        assert_eq!(row["p"].unwrap(), 1.0 - both[&[item, b, a]]["p"].unwrap());
    }
}

#[test]
fn samples_are_draws_and_stop_early() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 4);
    let stub = Stub::new(|_, body| {
        let (first, second) = shown(body);
        let seed = body["seed"].as_u64().unwrap();
        let sure = first.len().abs_diff(second.len()) > 12;
        let first_wins = if sure {
            first.len() > second.len()
        } else {
            seed % 2 == 0
        };
        Reply::Answer(words(if first_wins {
            "I say [[A]]"
        } else {
            "I say [[B]]"
        }))
    });
    let rule = "verdict = \"[[A]]\"\nsamples = \"adaptive:tolerance=0.02,most=15\"";
    let model = descriptor(folder.path(), &stub, rule);
    judge(folder.path(), &model, &[]).ok();
    let rows = rows(&folder.path().join("p.csv"));
    let sure = rows.values().filter(|row| row["std"] == Some(0.0)).count();
    assert!((4..12).contains(&sure), "{sure}");
    let seeds: BTreeSet<u64> = stub
        .bodies()
        .iter()
        .map(|one| one["seed"].as_u64().unwrap())
        .collect();
    assert!(seeds.len() >= 10, "{}", seeds.len());
    assert!(stub.count() < 12 * 15, "{}", stub.count());
    let twice = descriptor(folder.path(), &stub, "samples = 3");
    judge(folder.path(), &twice, &[]).refused(&["--samples", "same"]);
}

#[test]
fn outputs_can_be_rated_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 6);
    let stub = Stub::new(|_, body| {
        let text = body["messages"][1]["content"].as_str().unwrap();
        let words_of = text
            .split("[Answer]")
            .nth(1)
            .unwrap()
            .matches("word")
            .count();
        Reply::Answer(words(&format!("Rating: [[{}]]", (words_of / 2 + 1).min(5))))
    });
    let model = descriptor(
        folder.path(),
        &stub,
        "template = \"rating\"\nverdict = \"[[A]]\"",
    );
    judge(folder.path(), &model, &[]).ok();
    assert_eq!(stub.count(), 18, "one call an output");
    let rows = rows(&folder.path().join("p.csv"));
    assert!(
        rows.values()
            .all(|row| [0.0, 0.5].contains(&row["p"].unwrap()))
    );
    // An output that is rated alone is not the first of two.
    let table = fs::read_to_string(folder.path().join("p.csv")).unwrap();
    assert_contains(&table, &["ash: Rating: [[1]]", "birch: Rating: [["]);
    assert_lacks(&table, &[" first: "]);
}

#[test]
fn simulate_asks_only_for_what_comes_up() {
    let folder = tempfile::tempdir().unwrap();
    let stub = plain();
    let model = descriptor(folder.path(), &stub, "");
    let cache = folder.path().join("kept");
    let all = [
        "simulate data/tiny --bandit rmed --model",
        text(&model),
        "--runs 2",
    ];
    let more = ["--select bald:0.01 --cache", text(&cache), "--budget 40"];
    let first = tiebreak(&[&all[..], &more].concat());
    assert_contains(&first.stderr, &["--order both or --samples"]);
    first.ok();
    assert!(stub.count() > 0);
    // Whatever is predicted on demand is kept with what the judge wrote; identical outputs are not asked about.
    let rows = TableReader::open(&cache, &ColumnMapping::default()).unwrap();
    let answer = |row: tiebreak::Result<Row>| row.unwrap().text("answer").unwrap();
    let wrote = rows
        .map(answer)
        .filter(|answer| answer.contains(" first: "));
    assert!(wrote.count() >= stub.count());
    let asked = stub.count();
    let both = [&all[..], &more, &["--order", "both"]].concat();
    let other = tiebreak(&both);
    assert_contains(&other.stderr, &["begun with"]);
    fs::remove_dir_all(&cache).unwrap();
    tiebreak(&[&all[..], &more].concat()).ok();
    assert_eq!(
        stub.count(),
        asked,
        "answers are kept beside the descriptor"
    );
}

/// The key goes alone into `x-api-key`, the version beside it; what is not known there is not sent.
#[test]
fn a_judge_that_speaks_anthropics_messages() {
    let folder = tempfile::tempdir().unwrap();
    data(folder.path(), 3);
    let stub = Stub::new(|n, body| match n {
        0 => Reply::Status(
            529,
            "retry-after: 0",
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
        ),
        _ => {
            let (first, second) = shown(body);
            let longer = if first.len() > second.len() { "A" } else { "B" };
            Reply::Answer(message(longer))
        }
    });
    let more =
        "dialect = \"anthropic\"\nkey-env = \"STUB_KEY\"\nprice = [1.0, 2.0]\nconcurrency = 1";
    let model = descriptor(folder.path(), &stub, more);
    let arguments = super::judging(folder.path(), &model);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut judging = command(&arguments);
    let judged = judging.env("STUB_KEY", "sk-ant-secret").output().unwrap();
    let told = String::from_utf8(judged.stderr).unwrap();
    assert_contains(&told, &["900 tokens read, 18 written"]);
    assert_eq!((judged.status.code(), stub.count()), (Some(0), 10));
    let head = stub.heads()[1].to_lowercase();
    assert!(head.starts_with("post /v1/messages "), "{head}");
    assert_contains(
        &head,
        &["x-api-key: sk-ant-secret", "anthropic-version: 2023-06-01"],
    );
    assert_lacks(&head, &["authorization"]);
    let body = &stub.bodies()[1];
    assert!(body["system"].is_string() && body["max_tokens"].is_u64());
    for unknown in ["logprobs", "top_logprobs", "seed", "response_format"] {
        assert!(body.get(unknown).is_none(), "{body}");
    }
    let read = rows(&folder.path().join("p.csv"));
    assert_eq!(read.len(), 9);
    // Ash writes least, cedar most, and `system_a` is the first by name.
    assert!(read.values().all(|row| row["p"] == Some(0.0)));
}
