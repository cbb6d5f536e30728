//! Replays that draw no comparison twice.

use super::live::refused;
use super::tiebreak;

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
}
