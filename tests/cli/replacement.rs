//! Replays and campaigns that draw no comparison twice.

use super::live::{Live, questions, refused};
use super::{fill_in, tiebreak};
use crate::support::assert_contains;
use expect_test::expect;
use serde_json::json;
use std::fs;

const REPLAYS: [&str; 7] = [
    "simulate",
    "data/mt-bench",
    "--runs",
    "12",
    "--budget",
    "1500",
    "--without-replacement",
];

#[test]
fn nothing_is_drawn_twice_and_certificates_come_sooner() {
    let once = tiebreak(&[&REPLAYS[..], &["--json"]].concat()).json();
    let again = tiebreak(&[&REPLAYS[..6], &["--json"]].concat()).json();
    assert_eq!(once["without_replacement"], true);
    assert!(again.get("without_replacement").is_none());
    let signature = |found: &serde_json::Value| found["signature"].as_str().unwrap().to_string();
    assert!(signature(&once).contains("drawn:without replacement"));
    assert!(!signature(&again).contains("drawn:"));
    assert_eq!(once["stopped"]["reasons"]["certificate"], 12);
    assert_eq!(once["stopped"]["correct"], 1.0);
    let mean = |found: &serde_json::Value| found["mean_annotations"].as_f64().unwrap();
    assert!(
        mean(&once) < 0.8 * mean(&again),
        "{} {}",
        mean(&once),
        mean(&again)
    );
    let text = tiebreak(&REPLAYS).ok();
    assert!(text.contains("at most once each: the proof is about these comparisons alone"));
    let alone = tiebreak(&[&REPLAYS[..], &["--json", "--threads", "1"]].concat()).json();
    assert_eq!(alone, once);
}

/// A ranking of all asks for all there is of close pairs, and ends there.
#[test]
fn a_run_ends_where_nothing_is_left() {
    let ranking = ["--bandit", "adaptive:target=ranking", "--json"];
    let found = tiebreak(&[&REPLAYS[..4], &REPLAYS[6..], &ranking].concat()).json();
    let comparisons = 1751.0;
    assert!(found["mean_annotations"].as_f64().unwrap() <= comparisons);
    let reasons = &found["stopped"]["reasons"];
    let ended = |reason: &str| reasons[reason].as_u64().unwrap_or(0);
    assert_eq!(ended("certificate") + ended("finished"), 12, "{found}");
    assert!(ended("certificate") > 0);
}

#[test]
fn what_cannot_know_the_rest_is_refused() {
    let rmed = tiebreak(&[&REPLAYS[..], &["--bandit", "rmed"]].concat());
    refused(&rmed, &["--without-replacement", "`adaptive`"]);
    let hints = "data/mt-bench/hints/gpt-4.jsonl.gz";
    let mixed = tiebreak(&[&REPLAYS[..], &["--predictions", hints, "--mix", "0.5"]].concat());
    refused(&mixed, &["--without-replacement", "--mix"]);
    let skips = tiebreak(&[&REPLAYS[..], &["--skips", "no-preference"]].concat());
    refused(&skips, &["--without-replacement", "--skips"]);
}

/// All answers there can be decide where the same campaign with replacement ends without a verdict
/// (`live::where_nothing_is_left_to_ask_all_doors_say_so`). Open ones are waited for.
#[test]
fn a_campaign_proves_what_all_answers_are_and_says_that_it_is_about_these() {
    let live = Live::new();
    let outputs = fs::read_to_string(live.path("data/outputs.jsonl")).unwrap();
    let few: String = outputs.split_inclusive('\n').take(36).collect();
    fs::write(live.path("data/outputs.jsonl"), few).unwrap();
    let once = ["--annotators", "ann,ben", "--without-replacement"];
    let begun = [&once[..], &["--n", "50", "--json"]].concat();
    let begun = live.begin("0.csv", &begun).json();
    assert_eq!(
        (questions(&begun, "asked"), questions(&begun, "open")),
        (36, 36)
    );
    assert!(begun["stopped"].is_null() && begun["claim"]["confidence"].is_null());
    let mut whose = std::collections::BTreeMap::new();
    fill_in(
        &live.path("0.csv"),
        &live.path("0.csv"),
        |_, row, column| {
            let number = row["text_1"].rsplit(' ').next().unwrap().to_string();
            let item: usize = number.parse().unwrap();
            let before = whose.insert(item, row["annotator"].to_string());
            assert!(
                before.is_none_or(|before| before == row["annotator"]),
                "item {item}"
            );
            let [one, two] = ["text_1", "text_2"].map(|side| row[side].contains("fine"));
            // A fine text wins on two items of three.
            let answer = match (one, two) {
                (true, false) if !item.is_multiple_of(3) => "1",
                (false, true) if !item.is_multiple_of(3) => "2",
                (true, false) => "2",
                (false, true) => "1",
                _ => "tie",
            };
            (column == "answer").then(|| answer.to_string())
        },
    );
    assert!(whose.values().any(|name| name == "ann") && whose.values().any(|name| name == "ben"));
    let told = live.tell("0.csv", &["--json"]).json();
    expect!["secret-good is the best of the 3 systems (95 % confidence). Based on 36 comparisons by 2 annotators. It holds for the answers that these annotators would give on all these items, one annotator an item. Assumptions: One system beats every other one. The item and the annotator of each question were drawn at random. No answer depends on the order of the questions."].assert_eq(told["verdict"].as_str().unwrap());
    let claim = &told["claim"];
    assert_eq!(
        claim["assumes"],
        json!(["condorcet", "dealt-at-random", "order-free"])
    );
    assert_eq!(
        (&claim["about"], &claim["items"]),
        (&json!("these-annotators"), &json!("at-hand"))
    );
    let ranked = live.run(&["rank", "run", "--json"]).json();
    assert_eq!(&ranked["claim"], claim);
    let report = live.run(&["report", "run"]).ok();
    assert_contains(&report, &["one annotator an item"]);
}

/// What would let answers depend on what is asked, or be others' than those fixed beforehand.
#[test]
fn a_campaign_whose_answers_are_not_fixed_beforehand_is_refused() {
    let live = Live::new();
    let panel = live.begin("p.csv", &["--panel", "--n", "5", "--without-replacement"]);
    refused(
        &panel,
        &["--without-replacement", "panel", "--annotators ana,ben"],
    );
    let once = [
        "--annotators",
        "ann,ben",
        "--without-replacement",
        "--n",
        "8",
    ];
    live.begin("0.csv", &once).ok();
    live.ask("1.csv", &["--n", "4"]).ok();
    let others = live.ask("2.csv", &["--annotators", "ann,cy"]);
    refused(&others, &["another list of annotators", "new folder"]);
    live.ask("3.csv", &["--annotators", "ann,ben", "--n", "4"])
        .ok();
    fs::rename(live.path("run"), live.path("kept")).unwrap();
    live.begin("4.csv", &["--n", "8"]).ok();
    let later = live.ask("5.csv", &["--without-replacement"]);
    refused(
        &later,
        &["--without-replacement", "when the campaign began"],
    );
}

/// Of 1,751 comparisons 1,232 are the first of their item and pair, which is all there is to ask one annotator.
#[test]
fn a_replay_as_a_campaign_asks_nothing_twice() {
    let long = ["--bandit", "uniform", "--as-campaign", "--budget", "4000"];
    let more = ["--steps", "200000", "--json"];
    let found = tiebreak(&[&REPLAYS[..4], &long, &more].concat()).json();
    assert_eq!(found["as_campaign"], true);
    assert!(
        found["signature"]
            .as_str()
            .unwrap()
            .contains("as a campaign")
    );
    let mean = found["mean_annotations"].as_f64().unwrap();
    assert!(mean > 1000.0 && mean <= 1232.0, "{mean}");
    assert_eq!(found["stopped"]["reasons"]["ended"], 12, "{found}");
    // Where nothing new comes up nothing more is proved, unless what is left is known.
    let proofs = |more: &[&str]| {
        let found = tiebreak(&[&REPLAYS[..6], &["--as-campaign", "--json"], more].concat()).json();
        found["stopped"]["reasons"]["certificate"]
            .as_u64()
            .unwrap_or(0)
    };
    assert!(proofs(&[]) < 6);
    assert_eq!(proofs(&["--without-replacement"]), 12);
    let text = tiebreak(&[&REPLAYS[..6], &["--as-campaign"]].concat()).ok();
    assert!(text.contains("as one annotator's campaign"));
    let ended = text.split("replays ended").nth(1).unwrap();
    let ended = ended.lines().next().unwrap();
    assert!(ended.contains(" with all comparisons judged"), "{ended}");
}
