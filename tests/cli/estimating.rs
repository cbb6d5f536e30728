//! `estimate` beyond one mean per system: several metrics, strata, probabilities, differences, stopping.

use super::{here, text, tiebreak};
use crate::support::assert_contains;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ESTIMATE: [&str; 4] = ["estimate", "data/tiny", "--criterion", "adequacy"];

fn run(more: &[&str]) -> Value {
    tiebreak(&[&ESTIMATE[..], more, &["--json"]].concat()).json()
}

/// What is said about a mistake, with its hint.
fn mistake(more: &[&str]) -> String {
    let finished = tiebreak(&[&ESTIMATE[..], more].concat());
    assert_eq!(finished.code, Some(2), "{more:?}: {}", finished.stderr);
    finished.stderr
}

fn score(metrics: &str, out: &Path) {
    tiebreak(&[
        "score",
        "data/tiny",
        "--metric",
        metrics,
        "--out",
        text(out),
    ])
    .ok();
}

fn rows<'a>(document: &'a Value, name: &str) -> &'a Vec<Value> {
    document[name].as_array().unwrap()
}

#[test]
fn several_metrics_serve_one_estimate_or_one_each() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.csv");
    score("chrf,bleu", &scores);
    let with = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--metric",
        "bleu",
        "--estimator",
    ];
    let together = run(&[&with[..], &["regression"]].concat());
    assert_eq!(rows(&together, "estimates").len(), 7);
    for row in rows(&together, "estimates") {
        assert_eq!(row["metric"], "chrf+bleu");
        assert!(
            row["alpha"].is_null() && row["correlation"].is_null(),
            "{row}"
        );
        assert!(row["lower"].as_f64().unwrap() < row["upper"].as_f64().unwrap());
    }
    let apart = run(&[&with[..], &["control-variates"]].concat());
    let metrics: Vec<&Value> = rows(&apart, "estimates")
        .iter()
        .map(|row| &row["metric"])
        .collect();
    assert_eq!(metrics.len(), 14);
    assert!(metrics[0] == "chrf" && metrics[13] == "bleu");
}

#[test]
fn differences_say_which_systems_are_tied_and_lie_beside_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("estimates.csv");
    let document = run(&["--estimator", "mean", "--differences", "--out", text(&out)]);
    let pairs = rows(&document, "differences");
    assert_eq!(pairs.len(), 21);
    let means = rows(&document, "estimates");
    let mean = |system: &Value| {
        let found = means.iter().find(|row| row["system"] == *system).unwrap();
        found["estimate"].as_f64().unwrap()
    };
    for pair in pairs {
        let number = |key: &str| pair[key].as_f64().unwrap();
        let expected = mean(&pair["system_a"]) - mean(&pair["system_b"]);
        assert!((number("difference") - expected).abs() < 1e-9, "{pair}");
        assert!(number("lower") <= expected && expected <= number("upper"));
        assert!((0.0..=1.0).contains(&number("win_rate")));
        // What Holm finds, a single interval finds too.
        let zero = number("lower") <= 0.0 && number("upper") >= 0.0;
        assert!(!(zero && pair["significant"] == true), "{pair}");
    }
    // Groups are runs in which no two systems differ, and each system is in one at least.
    let mut grouped = BTreeSet::new();
    for group in rows(&document, "groups") {
        let systems = group["systems"].as_array().unwrap();
        let both = |pair: &&Value| {
            ["system_a", "system_b"]
                .iter()
                .all(|side| systems.contains(&pair[*side]))
        };
        assert!(
            pairs
                .iter()
                .filter(both)
                .all(|pair| pair["significant"] == false),
            "{group}"
        );
        grouped.extend(systems.iter().map(Value::to_string));
    }
    assert_eq!(grouped.len(), 7);
    let table = fs::read_to_string(folder.path().join("estimates.differences.csv")).unwrap();
    assert_eq!(table.lines().count(), 22);
    assert!(table.starts_with("system_a,system_b,criterion,metric,estimator,difference"));
    let told = tiebreak(&[&ESTIMATE[..], &["--estimator", "mean", "--differences"]].concat()).ok();
    assert_contains(
        &told,
        &[
            "Differences of adequacy\n",
            "No significant difference within: ",
        ],
    );
    let betting = [
        "--range",
        "0,100",
        "--estimator",
        "betting",
        "--differences",
    ];
    assert!(mistake(&betting).contains("such as mean or regression"));
}

#[test]
fn stopping_is_told_for_intervals_that_hold_at_any_time() {
    let anytime = ["--range", "0,100", "--estimator", "betting:anytime=true"];
    let document = run(&[&anytime[..], &["--stop", "width=95"]].concat());
    let stops = rows(&document, "stops");
    assert_eq!(stops.len(), 7);
    let reached = stops.iter().filter(|stop| stop["n"].is_u64());
    for stop in reached.clone() {
        let width = stop["upper"].as_f64().unwrap() - stop["lower"].as_f64().unwrap();
        assert!(width <= 95.0 && stop["goal"] == "width=95", "{stop}");
    }
    assert!(reached.count() > 0);
    let never = run(&[&anytime[..], &["--stop", "relative=0.001"]].concat());
    assert!(rows(&never, "stops").iter().all(|stop| stop["n"].is_null()));
    for (more, says) in [
        (vec!["--stop", "width=0"], "width=W with W above 0"),
        (vec!["--stop", "soon"], "cannot stop at `soon`"),
        (vec!["--stop", "relative=2"], "relative=2"),
    ] {
        let message = mistake(&[&anytime[..], &more].concat());
        assert_contains(&message, &[says]);
    }
    let message = mistake(&["--estimator", "mean", "--stop", "width=9"]);
    assert_contains(&message, &["betting:anytime=true"]);
    let message = mistake(&["--estimator", "betting"]);
    assert_contains(&message, &["--range LO,HI"]);
}

/// A range may begin below 0, which is no unknown flag.
#[test]
fn a_range_may_begin_below_zero() {
    let wide = run(&["--estimator", "mean", "--range", "-5,105"]);
    assert_eq!(rows(&wide, "estimates").len(), 7);
    assert!(mistake(&["--range", "-5,-9"]).contains("LO below HI"));
}

#[test]
fn strata_and_probabilities_come_from_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("marks.csv");
    let items: Vec<String> = fs::read_to_string("data/tiny/items.jsonl")
        .unwrap()
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["item"]
                .as_str()
                .unwrap()
                .to_string()
        })
        .collect();
    let write = |header: &str, cell: &dyn Fn(usize) -> String| {
        let lines = items
            .iter()
            .enumerate()
            .map(|(at, item)| format!("{item},{}\n", cell(at)));
        fs::write(&path, format!("{header}\n{}", lines.collect::<String>())).unwrap();
    };
    write("item,stratum", &|at| {
        if at < items.len() / 2 { "easy" } else { "hard" }.to_string()
    });
    let stratified = ["--strata", text(&path), "--estimator", "stratified"];
    let document = run(&stratified);
    assert_eq!(rows(&document, "estimates").len(), 7);
    write("item,stratum", &|at| format!("{}", at % 2));
    assert_ne!(run(&stratified), document);
    write("item,probability", &|_| "0.5".to_string());
    let active = ["--probabilities", text(&path), "--estimator", "active"];
    for row in rows(&run(&active), "estimates") {
        assert!(row["estimate"].is_f64() && row["lower"].is_f64(), "{row}");
    }
    write("item,probability", &|at| {
        if at == 2 { "0" } else { "0.5" }.to_string()
    });
    assert!(mistake(&active).contains("marks.csv:4: probability is 0"));
    assert!(mistake(&["--estimator", "active"]).contains("--probabilities: active needs"));
    assert!(mistake(&["--estimator", "stratified"]).contains("--strata"));
    fs::write(&path, format!("item,stratum\n{},a\n", items[0])).unwrap();
    assert!(mistake(&stratified).contains("no stratum of system"));
    fs::write(&path, format!("item,stratum\n{0},a\n{0},b\n", items[0])).unwrap();
    assert!(mistake(&stratified).contains("marks.csv:3: a second row"));
    fs::write(&path, "item,stratum\nnowhere,a\n").unwrap();
    assert!(mistake(&stratified).contains("item `nowhere` is not in the data set"));
}

#[test]
fn a_pipeline_and_flags_give_the_same_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let stages = "data = \"data/tiny\"\n\
        [[score]]\nmetric = \"chrf\"\n[[score]]\nmetric = \"bleu\"\n\
        [[estimate]]\nestimator = \"guarded\"\nmetric = [\"chrf\", \"bleu\"]\ncriterion = \"adequacy\"\n\
        differences = true\n";
    fs::write(path("run.toml"), here(stages)).unwrap();
    tiebreak(&["run", text(&path("run.toml")), "--out", text(&path("out"))]).ok();
    let (scores, out) = (path("scores.csv"), path("estimates.csv"));
    score("chrf,bleu", &scores);
    let with = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--metric",
        "bleu",
    ];
    let flags = [
        "--estimator",
        "guarded",
        "--differences",
        "--out",
        text(&out),
    ];
    run(&[&with[..], &flags].concat());
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    for kind in ["", ".differences"] {
        let stage = path("out").join(format!("estimate/guarded-chrf-bleu{kind}.csv"));
        let flags = path(&format!("estimates{kind}.csv"));
        assert_eq!(read(&stage), read(&flags), "{kind}");
    }
    let wrong = stages.replace("differences = true", "stop = \"never\"");
    fs::write(path("wrong.toml"), here(&wrong)).unwrap();
    tiebreak(&[
        "run",
        text(&path("wrong.toml")),
        "--out",
        text(&path("bad")),
    ])
    .refused(&["wrong.toml:10"]);
}

/// What was said beside an earlier table is not read as of the one that takes its place.
#[test]
fn what_lies_beside_a_table_is_moved_away_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("e.csv");
    let rich = [
        "--estimator",
        "betting:anytime=true",
        "--range",
        "0,100",
        "--target-width",
        "10",
        "--stop",
        "width=25",
    ];
    run(&[&rich[..], &["--out", text(&out)]].concat());
    let tests = [
        "--estimator",
        "mean",
        "--differences",
        "--force",
        "--out",
        text(&out),
    ];
    run(&tests);
    run(&["--estimator", "mean", "--force", "--out", text(&out)]);
    let names = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<String> = names.map(|name| name.into_string().unwrap()).collect();
    let left: Vec<&String> = names
        .iter()
        .filter(|name| !name.starts_with("e.old"))
        .collect();
    let own = ["e.csv", "e.csv.meta.json", "e.hints.json"];
    assert!(
        left.iter().all(|name| own.contains(&name.as_str())),
        "{names:?}"
    );
    for moved in [
        "e.old.plan.json",
        "e.old.stops.json",
        "e.old2.groups.json",
        "e.old2.differences.csv",
    ] {
        assert!(names.contains(moved), "{names:?}");
    }
}
