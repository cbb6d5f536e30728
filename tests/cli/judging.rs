//! `estimate` on post-edits, on judgments of parts, and without careless annotators.

use super::{text, tiebreak};
use crate::support::assert_contains;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Ten items, one system. Three people post-edit, score two passages and take their time, but `hasty`
/// takes a second, `random` scores against the others, and `idle` edits nothing.
struct Data(tempfile::TempDir);

impl Data {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut outputs, mut judgments) = (String::new(), String::new());
        for item in 0..10 {
            let output = "the cat sat on a mat";
            outputs += &format!(
                "{{\"item\": \"i{item}\", \"system\": \"s\", \"output\": \"{output}\"}}\n"
            );
            for (who, seconds, edited) in [
                ("careful", 30, "the cat sat on the mat"),
                ("hasty", 1, "the dog sat on the mat"),
                ("random", 40, "on a mat the cat sat"),
                ("idle", 20, output),
            ] {
                for part in 0..2 {
                    let good = (item + part) % 2;
                    let score = if who == "random" { 1 - good } else { good };
                    judgments += &format!(
                        "{{\"item\": \"i{item}\", \"system\": \"s\", \"criterion\": \"correct\", \
                         \"score\": {score}, \"annotator\": \"{who}\", \"part\": \"p{part}\", \
                         \"post_edit\": \"{edited}\", \"seconds\": {seconds}}}\n"
                    );
                }
            }
        }
        fs::write(folder.path().join("outputs.jsonl"), outputs).unwrap();
        fs::write(folder.path().join("judgments.jsonl"), judgments).unwrap();
        Self(folder)
    }

    fn run(&self, more: &[&str]) -> super::Finished {
        let estimate = ["estimate", text(self.0.path()), "--estimator", "mean"];
        tiebreak(&[&estimate[..], more].concat())
    }

    /// The one row, and what was left out.
    fn row(&self, more: &[&str]) -> (Value, Value) {
        let document = self.run(&[more, &["--json"]].concat()).json();
        (
            document["estimates"][0].clone(),
            document["left_out"].clone(),
        )
    }
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!(
        (found - expected).abs() < 1e-9,
        "{found}, expected {expected}"
    );
}

#[test]
fn post_edits_are_counted_with_and_without_moves() {
    let data = Data::new();
    // Each person's edit of a passage is a judgment: 1, 2, a move, and nothing, of six words.
    let (row, _) = data.row(&["--criterion", "hter"]);
    assert_eq!((&row["criterion"], &row["n"]), (&"hter".into(), &80.into()));
    close(&row["estimate"], (1.0 + 2.0 + 1.0 + 0.0) / 6.0 / 4.0);
    // Moving three words without moves is deleting and inserting them.
    let (row, _) = data.row(&["--criterion", "hwer"]);
    close(&row["estimate"], (1.0 + 2.0 + 6.0 + 0.0) / 6.0 / 4.0);
    tiebreak(&["estimate data/tiny --estimator mean --criterion hter"]).refused(&["post_edit"]);
}

#[test]
fn parts_become_one_judgment_of_each_annotator() {
    let data = Data::new();
    let (row, _) = data.row(&[]);
    assert_eq!(row["n"], 80);
    for (how, expected) in [("mean", 0.5), ("any", 1.0)] {
        let (row, _) = data.row(&["--parts", how]);
        assert_eq!(row["n"], 40, "{how}");
        close(&row["estimate"], expected);
    }
    data.run(&["--parts", "most"])
        .refused(&["expected `mean` or `any`"]);
}

#[test]
fn who_is_left_out_is_told() {
    let data = Data::new();
    for (demand, least, who, found) in [
        ("--min-seconds", "5", "hasty", 1.0),
        ("--min-edit", "0.1", "idle", 0.0),
        ("--min-agreement", "0", "random", -1.0),
    ] {
        let (row, left_out) = data.row(&[demand, least]);
        assert_eq!(row["n"], 60, "{demand}");
        assert_eq!(left_out.as_array().unwrap().len(), 1, "{left_out}");
        assert_eq!(left_out[0]["annotator"], who);
        assert_eq!(left_out[0]["judgments"], 20);
        close(&left_out[0]["found"], found);
        let told = data.run(&[demand, least]).stderr;
        assert_contains(&told, &[&format!("left out annotator `{who}`")]);
    }
    let out: PathBuf = data.0.path().join("e.csv");
    data.run(&["--min-seconds", "5", "--out", text(&out)]).ok();
    let beside = fs::read_to_string(out.with_extension("left-out.json")).unwrap();
    assert_contains(&beside, &["\"hasty\""]);
}

#[test]
fn demands_that_cannot_be_checked_are_refused() {
    let data = Data::new();
    data.run(&["--min-agreement", "2"])
        .refused(&["from -1 to 1"]);
    data.run(&["--min-seconds", "nan"])
        .refused(&["NaN, expected a number of at least 0"]);
    data.run(&["--min-seconds", "1000"])
        .refused(&["no judgment is left"]);
    let tiny = |more: &[&str]| {
        let estimate = ["estimate", "data/tiny", "--estimator", "mean"];
        tiebreak(&[&estimate[..], more].concat())
    };
    tiny(&["--min-edit", "0.1"]).refused(&["`post_edit`"]);
    tiny(&["--min-seconds", "1"]).refused(&["`seconds`"]);
}
