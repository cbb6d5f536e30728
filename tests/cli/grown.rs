//! Budgets that grow after a campaign began.

use super::live::{Live, questions, refused};
use crate::support::assert_contains;
use serde_json::Value;
use std::fs;

/// Asks and answers `rounds` sheets of three questions; returns the last status and the text of all sheets.
fn rounds(live: &Live, names: &[&str], first: &[&str]) -> (Value, String) {
    let (mut told, mut asked) = (Value::Null, String::new());
    for (place, name) in names.iter().enumerate() {
        let (sheet, filled) = (format!("{name}.csv"), format!("{name}-filled.csv"));
        let n = ["--n", "3"];
        match (place, first) {
            (0, ["--begin", more @ ..]) => live.begin(&sheet, &[&n, more].concat()),
            (0, more) => live.ask(&sheet, &[&n, more].concat()),
            _ => live.ask(&sheet, &n),
        }
        .ok();
        asked += &fs::read_to_string(live.path(&sheet)).unwrap();
        live.fill(&sheet, &filled);
        told = live.tell(&filled, &["--json"]).json();
    }
    (told, asked)
}

/// The texts of a sheet, without the codes of its questions, which differ from campaign to campaign.
fn texts(sheets: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(sheets.as_bytes());
    let rows = reader.records().map(Result::unwrap);
    let mut texts: Vec<String> = rows.map(|row| row.iter().skip(1).collect()).collect();
    texts.sort();
    texts
}

#[test]
fn a_budget_that_grew_asks_and_proves_what_a_larger_one_would_have() {
    for bandit in ["adaptive", "plackett-luce"] {
        let (grown, whole) = (Live::new(), Live::new());
        let began = [
            "--begin", "--budget", "6", "--steps", "400", "--bandit", bandit,
        ];
        let (told, before) = rounds(&grown, &["a", "b"], &began);
        assert_eq!(told["stopped"], "budget", "{told}");
        assert_eq!(told["budget"]["questions_left"], 0);
        let next = told["next"].as_str().unwrap();
        assert_contains(next, &["raise the budget", "--budget "]);
        assert!(!next.contains("nothing"), "{next}");
        let (told, after) = rounds(&grown, &["c", "d"], &["--budget", "12"]);
        let began = [
            "--begin", "--budget", "12", "--steps", "400", "--bandit", bandit,
        ];
        let (other, all) = rounds(&whole, &["a", "b", "c", "d"], &began);
        assert_eq!(texts(&(before + &after)), texts(&all), "{bandit}");
        assert_eq!(questions(&told, "answered"), 12);
        assert_eq!(told["claim"], other["claim"], "{bandit}");
        assert_eq!(told["rivals"], other["rivals"], "{bandit}");
        // Who reads the claim sees that the budget grew.
        let raised = "raised to 12 questions after 6 questions";
        assert_eq!(told["budget"]["raised"], serde_json::json!([raised]));
        assert_eq!(other["budget"]["raised"], serde_json::json!([]));
        let ranking = fs::read_to_string(grown.path("run/ranking.json")).unwrap();
        let ranking: Value = serde_json::from_str(&ranking).unwrap();
        assert_eq!(ranking["campaign"]["raised"][0]["asked"], 6);
        let journal = String::from_utf8(grown.journal()).unwrap();
        assert_eq!(journal.matches(r#"{"limits":{"budget":12,"#).count(), 1);
        // A sheet from before is still known by its codes.
        let again = grown.tell("a-filled.csv", &["--json"]).json();
        assert_eq!(again["told"]["known"], 3, "{again}");
        refused(
            &grown.ask("e.csv", &["--budget", "9"]),
            &["--budget", "less than before (12)", "--budget 12"],
        );
    }
}
