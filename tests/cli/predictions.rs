//! A table of predictions is the same table to every verb: what one refuses all do, with its place.

use super::assess::Predicted;
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use std::fs;
use std::path::{Path, PathBuf};

/// Verbs that read predictions.
const READERS: [&[&str]; 4] = [
    &["rank", "data/tiny"],
    &["simulate", "data/tiny", "--runs", "2", "--budget", "20"],
    &["assess", "data/tiny"],
    &["export", "data/tiny", "--as", "csv", "--out", "/dev/null/x"],
];

/// Predictions of a metric, as rows that somebody wrote.
struct Rows {
    predicted: Predicted,
    header: String,
    rows: Vec<String>,
}

impl Rows {
    fn new() -> Self {
        let predicted = Predicted::new();
        let table = fs::read_to_string(predicted.path("p.csv")).unwrap();
        let mut rows = table.lines().map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            cells[..4].join(",")
        });
        let header = rows.next().unwrap();
        let rows = rows.collect();
        Self {
            predicted,
            header,
            rows,
        }
    }

    /// The table of these rows.
    fn written(&self, header: &str, rows: &[String]) -> PathBuf {
        let path = self.predicted.path("own.csv");
        fs::write(&path, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
        path
    }

    /// The same with one more.
    fn and(&self, row: &str) -> PathBuf {
        let rows = [&self.rows[..], &[row.to_string()]].concat();
        self.written(&self.header, &rows)
    }
}

fn refused(path: &Path, phrases: &[&str]) {
    for verb in READERS {
        let run = tiebreak(&[verb, &["--predictions", text(path)]].concat());
        assert_eq!(run.code, Some(2), "{verb:?}: {} {}", run.stdout, run.stderr);
        for phrase in phrases {
            assert!(run.stderr.contains(phrase), "{verb:?}: {}", run.stderr);
        }
    }
}

#[test]
fn every_reader_refuses_what_is_no_prediction() {
    let rows = Rows::new();
    let cells: Vec<&str> = rows.rows[0].split(',').collect();
    let (item, a, b) = (cells[0], cells[1], cells[2]);
    let last = format!("own.csv:{}", rows.rows.len() + 2);
    for twice in [
        format!("{item},{a},{b},0.25"),
        format!("{item},{b},{a},0.25"),
    ] {
        let what =
            format!("a second row for `{a}` and `{b}` on item `{item}`; the first is in row 2");
        refused(&rows.and(&twice), &[&last, &what, "keep one of them"]);
    }
    let what = format!("system `{a}` is paired with itself, expected two systems");
    refused(&rows.and(&format!("{item},{a},{a},0.5")), &[&last, &what]);
    let what = "`p` is 1.5, expected a number from 0 to 1";
    refused(&rows.and(&format!("{item},{a},{b},1.5")), &[&last, what]);
    let header = format!("{},mean,bald,std", rows.header);
    for (spreads, what) in [
        ("0.5,-0.1,0.1", "`bald` is -0.1"),
        ("0.5,0.1,-0.1", "`std` is -0.1"),
        ("1.5,0.1,0.1", "`mean` is 1.5"),
    ] {
        let path = rows.written(&header, &[format!("{},{spreads}", rows.rows[0])]);
        refused(&path, &["own.csv:2", what, "expected a number"]);
    }
    refused(
        &rows.written(&rows.header, &[]),
        &["own.csv: holds no predictions", "all pairs"],
    );
    // The column cannot be mapped, so nobody is told to map it.
    let path = rows.written("item,system_a,system_b,prob", &rows.rows);
    refused(
        &path,
        &[
            "own.csv:1: no column `p`",
            "must be called `p` in this table",
        ],
    );
}

#[test]
fn what_reads_predictions_says_of_how_much_there_are_some() {
    let rows = Rows::new();
    let rank = |rows_of: &[String]| {
        let path = rows.written(&rows.header, rows_of);
        tiebreak(&["rank", "data/tiny", "--predictions", text(&path)])
    };
    let all = rank(&rows.rows);
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert_lacks(&all.stderr, &["pairs of outputs"]);
    let half: Vec<String> = rows.rows.iter().step_by(2).cloned().collect();
    let some = rank(&half);
    let told = format!(
        "own.csv has predictions for {} of {} pairs of outputs and ",
        half.len(),
        rows.rows.len()
    );
    assert!(
        some.code == Some(0) && some.stderr.contains(&told),
        "{}",
        some.stderr
    );
    let path = rows.written(&rows.header, &half);
    let [run, sheet] = ["run", "q.csv"].map(|name| rows.predicted.path(name));
    for command in [
        vec!["simulate", "data/tiny", "--runs", "1", "--budget", "20"],
        vec!["ask", text(&run), "data/tiny", "--out", text(&sheet)],
    ] {
        let hinted = tiebreak(&[&command[..], &["--predictions", text(&path)]].concat());
        assert_contains(&hinted.stderr, &[&told, "makes no proof wrong"]);
    }
    // Of a data set in which other pairs were compared.
    let data = rows.predicted.path("data");
    fs::create_dir(&data).unwrap();
    let outputs = "item,system,output\n1,a,x\n1,b,y\n1,c,z\n";
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    let compared = "item,system_a,system_b,outcome\n1,a,b,1\n";
    fs::write(data.join("comparisons.csv"), compared).unwrap();
    let path = rows.written(&rows.header, &["1,a,c,0.7".to_string()]);
    tiebreak(&["rank", text(&data), "--predictions", text(&path)])
        .refused(&["predicts none of the pairs"]);
}

#[test]
fn pairs_of_which_there_are_none_are_refused() {
    let rows = Rows::new();
    let scores = rows.predicted.path("scores.csv");
    let pairs = rows.written("item,system_a,system_b", &[]);
    let out = rows.predicted.path("q.csv");
    let link = ["--link btl --pairs", text(&pairs), "--out", text(&out)];
    tiebreak(&[&super::predict_from(&scores)[..], &link].concat())
        .refused(&["own.csv: holds no pairs"]);
    assert!(!out.exists());
}

#[test]
fn a_pair_that_is_asked_for_again_is_counted() {
    let rows = Rows::new();
    let scores = rows.predicted.path("scores.csv");
    let both = ["item-01,cedar,atlas", "item-01,atlas,cedar"].map(str::to_string);
    let pairs = rows.written("item,system_a,system_b", &both);
    let out = rows.predicted.path("q.csv");
    let link = ["--link btl --pairs", text(&pairs), "--out", text(&out)];
    let run = tiebreak(&[&super::predict_from(&scores)[..], &link].concat());
    let note = "own.csv: 1 of 2 rows repeat an item and its two systems";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let table = fs::read_to_string(&out).unwrap();
    let rows: Vec<&str> = table.lines().skip(1).collect();
    assert!(
        rows.len() == 1 && rows[0].starts_with("item-01,cedar,atlas,"),
        "{table}"
    );
}

#[test]
fn a_campaign_without_rivals_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(
        path("outputs.csv"),
        "item,system,output\n1,a,x\n1,b,y\n1,c,z\n",
    )
    .unwrap();
    fs::write(
        path("p.csv"),
        "item,system_a,system_b,p\n1,a,b,1\n1,a,c,1\n1,b,c,0.5\n",
    )
    .unwrap();
    let [run, data, predictions, out] = ["run", "outputs.csv", "p.csv", "q.csv"].map(path);
    let ask = [
        "ask",
        text(&run),
        text(&data),
        "--predictions",
        text(&predictions),
    ];
    let how = ["--eliminate alpha=0,copeland=1 --json --out", text(&out)];
    let asked = tiebreak(&[&ask[..], &how].concat());
    assert!(
        asked.stderr.contains("drop all systems but a:"),
        "{}",
        asked.stderr
    );
    let status = asked.json();
    let verdict = status["verdict"].as_str().unwrap();
    assert!(
        verdict
            .starts_with("Nothing is proved by people. The predictions dropped all systems but a,"),
        "{status}"
    );
    assert_eq!(status["claim"]["kind"], "undecided");
}
