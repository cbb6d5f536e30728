//! People's time: what replays take of it, and runs that end when it is spent.

use super::live::{Live, refused};
use super::tiebreak;
use crate::support::assert_contains;
use expect_test::expect;
use serde_json::Value;

const REPLAYS: [&str; 1] = ["simulate data/tiny --runs 6 --budget 300"];

fn replays(more: &[&str]) -> Value {
    tiebreak(&[&REPLAYS, more, &["--json"]].concat()).json()
}

#[test]
fn replays_say_what_they_take_of_peoples_time() {
    let found = replays(&["--bandit", "rmed"]);
    let time = &found["time"];
    let each = time["mean"].as_f64().unwrap() / found["mean_annotations"].as_f64().unwrap();
    // By the table the mean of all comparisons; pairs take different times.
    let seconds: Vec<f64> = std::fs::read_to_string("data/tiny/comparisons.jsonl")
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["seconds"]
                .as_f64()
                .unwrap()
        })
        .collect();
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
    assert!((each / mean - 1.0).abs() < 0.2, "{each} beside {mean}");
    let text = tiebreak(&REPLAYS).ok();
    assert_contains(&text, &["people's time", "hours a replay"]);
}

#[test]
fn hours_end_a_replay() {
    let found = replays(&["--bandit", "uniform", "--hours", "0.1"]);
    assert_eq!(found["stopped"]["reasons"]["budget"], 6);
    let mean = found["time"]["mean"].as_f64().unwrap();
    assert!((360.0..400.0).contains(&mean), "{mean}");
    assert!(found["signature"].as_str().unwrap().contains("hours:0.1"));
    let untimed = tiebreak(&["simulate", "data/mt-bench", "--hours", "1"]);
    refused(&untimed, &["--hours", "`seconds`", "--budget"]);
    let none = tiebreak(&["simulate", "data/tiny", "--hours", "0"]);
    refused(&none, &["--hours", "0"]);
}

#[test]
fn a_campaign_asks_nothing_new_once_its_hours_are_spent() {
    let live = Live::new();
    live.begin("0.csv", &["--n", "4", "--hours", "0.02"]).ok();
    live.fill_taking("0.csv", "0-filled.csv", "20");
    let told = live.tell("0-filled.csv", &["--json"]).json();
    assert_eq!(told["stopped"], "budget", "{told}");
    expect!["raise the budget, which is used up without a verdict: tiebreak ask run --hours 0.04 --out questions-2.csv"].assert_eq(told["next"].as_str().unwrap());
    assert_eq!(told["budget"]["hours"], 0.02);
    assert_eq!(told["budget"]["hours_left"], 0.0);
    refused(
        &live.ask("1.csv", &["--hours", "0.01"]),
        &["--hours", "less than before (0.02)", "--hours 0.02"],
    );
    let asked = live
        .ask("1.csv", &["--n", "4", "--hours", "0.04", "--json"])
        .json();
    assert_eq!(asked["stopped"], Value::Null, "{asked}");
    assert_eq!(asked["sheet"]["questions"], 4);
    assert_eq!(
        asked["budget"]["raised"],
        serde_json::json!(["raised to 10,000 questions and 0.04 hours after 4 questions"])
    );
}
