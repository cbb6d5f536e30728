//! `assess`, as a person uses it.

use super::{here, predict_from, score_with_chrf, text, tiebreak, tree};
use crate::support::assert_contains;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Predictions of chrF on the tiny data set.
pub(super) struct Predicted {
    folder: TempDir,
}

impl Predicted {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (scores, predictions) = (path("scores.csv"), path("p.csv"));
        score_with_chrf(&scores);
        let link = ["--link", "btl-logistic", "--out", text(&predictions)];
        tiebreak(&[&predict_from(&scores)[..], &link].concat()).ok();
        Self { folder }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn assess(&self, more: &[&str]) -> super::Finished {
        let predictions = self.path("p.csv");
        let assess = ["assess", "data/tiny", "--predictions", text(&predictions)];
        tiebreak(&[&assess, more].concat())
    }
}

#[test]
fn text_json_tables_and_plots_say_the_same() {
    let predicted = Predicted::new();
    let out = predicted.path("assessed");
    let found = predicted.assess(&["--json", "--out", text(&out)]).json();
    let stored: serde_json::Value =
        tiebreak::tables::json::read(&out.join("assessment.json")).unwrap();
    assert_eq!(found, stored);
    let told = predicted.assess(&[]).ok();
    assert_eq!(
        told,
        fs::read_to_string(out.join("assessment.txt")).unwrap()
    );
    let accuracy = found["accuracy"]["value"].as_f64().unwrap();
    assert_contains(
        &told,
        &[
            &format!("{:.1} %", 100.0 * accuracy),
            "identical outputs",
            "1 − |2p − 1|",
        ],
    );
    // The link's thresholds were fitted here, so others are tested; a metric has no BALD.
    assert_eq!(found["thresholds"]["origin"], "halves");
    assert!(
        found["signature"]
            .as_str()
            .unwrap()
            .contains("|cross-fitted:5|")
    );
    let names: Vec<PathBuf> = tree(&out).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "assessment.json",
        "assessment.txt",
        "rejection.csv",
        "rejection.svg",
        "reliability.csv",
        "reliability.svg",
    ];
    assert_eq!(names, expected.map(PathBuf::from));
    let rows = fs::read_to_string(out.join("reliability.csv")).unwrap();
    assert_eq!(rows.lines().count(), 11);
    let fewer = predicted.assess(&["--bins", "4", "--json"]).json();
    assert_eq!(fewer["reliability"].as_array().unwrap().len(), 4);
    assert_eq!(fewer["accuracy"], found["accuracy"]);
    let ties = predicted.assess(&["--thresholds", "0,1", "--json"]).json();
    let share = found["counts"]["ties"].as_f64().unwrap()
        + found["counts"]["identical_ties"].as_f64().unwrap();
    let all = ties["three_way"]["comparisons"].as_f64().unwrap();
    assert!((ties["three_way"]["value"].as_f64().unwrap() - share / all).abs() < 1e-9);
}

#[test]
fn mistakes_are_told() {
    let predicted = Predicted::new();
    predicted.assess(&["--bins", "0"]).refused(&["--bins"]);
    predicted
        .assess(&["--thresholds", "0.6,0.4"])
        .refused(&["T1 not above T2"]);
    predicted
        .assess(&["--thresholds", "half"])
        .refused(&["two numbers with a comma"]);
    let write = |lines: &[&str]| {
        fs::write(predicted.path("p.csv"), lines.join("\n") + "\n").unwrap();
    };
    // From here on it is a table that somebody made.
    fs::remove_file(predicted.path("p.csv.meta.json")).unwrap();
    let rows = fs::read_to_string(predicted.path("p.csv")).unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    write(&[rows[0], rows[1], rows[1]]);
    predicted.assess(&[]).refused(&["a second row for"]);
    write(&rows[..1]);
    predicted.assess(&[]).refused(&["holds no predictions"]);
    write(&rows[..200]);
    let some = predicted.assess(&[]).ok();
    assert_contains(&some, &["Left out: "]);
    let data = predicted.path("bare.csv");
    fs::write(&data, "item,system,output\n1,a,x\n1,b,y\n").unwrap();
    let (data, path) = (text(&data).to_string(), predicted.path("q.csv"));
    fs::write(&path, "item,system_a,system_b,p\n1,a,b,0.7\n").unwrap();
    tiebreak(&["assess", &data, "--predictions", text(&path)])
        .refused(&["has no comparisons, which assess needs"]);
}

#[test]
fn a_pipeline_assesses_what_it_predicted() {
    let predicted = Predicted::new();
    let (file, out) = (predicted.path("p.toml"), predicted.path("out"));
    let stages = "data = \"data/tiny\"\n\
                  [[score]]\nmetric = \"chrf\"\n\
                  [[fit]]\nmetric = \"chrf\"\nlink = \"btl-logistic\"\n\
                  [[predict]]\nname = \"chrf\"\nmetric = \"chrf\"\nlink = \"btl-logistic\"\n\
                  [[assess]]\npredictions = \"chrf\"\nbins = 5\n";
    fs::write(&file, here(stages)).unwrap();
    let run = |file: &Path| tiebreak(&["run", text(file), "--out", text(&out)]);
    let report = run(&file).ok();
    assert_contains(&report, &["Quality of the predictions chrf"]);
    let verb = predicted.assess(&["--bins", "5"]).ok();
    let stored = fs::read_to_string(out.join("assess/chrf/assessment.txt")).unwrap();
    // But for its first line, which names the data in another way of opening it.
    assert_eq!(
        stored.lines().skip(1).collect::<Vec<_>>(),
        verb.lines().skip(1).collect::<Vec<_>>()
    );
    for (from, to, phrase) in [
        (
            "predictions = \"chrf\"",
            "predictions = \"chfr\"",
            "did you mean `chrf`",
        ),
        ("bins = 5", "bins = 0", "p.toml:13: bins: 0, expected"),
    ] {
        fs::write(&file, here(&stages.replace(from, to))).unwrap();
        run(&file).refused(&[phrase]);
    }
}
