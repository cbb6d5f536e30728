//! Keys in messages, as whoever reads them writes them: flags where flags were typed, keys where a file was run. What
//! only looks like a key stays as it is.

use super::{here, text, tiebreak};
use crate::support::assert_contains;
use std::fs;

/// A data set of two systems of which one is called like a flag, the other like a key.
const OUTPUTS: &str = "item,system,output\n1,--mix,an output\n1,`model`,another\n";
const COMPARISONS: &str = "item,system_a,system_b,outcome\n1,--mix,`model`,1\n";

/// Runs a pipeline whose data set is `data` and returns what is said of it.
fn refused(data: &str, stages: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.toml");
    fs::write(&file, here(&format!("data = {data:?}\n{stages}\n"))).unwrap();
    let run = tiebreak(&[
        "run",
        text(&file),
        "--out",
        text(&folder.path().join("out")),
    ]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    run.stderr
}

#[test]
fn a_key_is_a_flag_on_the_command_line_and_a_key_in_a_file() {
    let two @ [first, second] = ["data/tiny/outputs.jsonl", "data/tiny/items.jsonl"];
    let typed = ["simulate", "data/tiny", "--mix", "0.5", "--predictions"];
    let flags = tiebreak(&[&typed[..], &[first, "--predictions", second]].concat()).stderr;
    let hint = "the mean of several is only where a bandit starts from: leave out";
    assert!(
        flags.ends_with(&format!("hint: {hint} --mix, --select and --eliminate\n")),
        "{flags}"
    );
    assert!(
        flags.starts_with("error: --predictions: 2 predictions"),
        "{flags}"
    );
    let keys = refused(
        "data/tiny",
        &format!("[[simulate]]\nmix = 0.5\npredictions = {two:?}"),
    );
    assert!(
        keys.ends_with(&format!("hint: {hint} `mix`, `select` and `eliminate`\n")),
        "{keys}"
    );
    assert_contains(&keys, &["p.toml:4: predictions: 2 predictions"]);
}

#[test]
fn a_value_is_written_as_it_is_typed() {
    let typed = ["--estimator", "mean", "--stop", "width=0.5"];
    let flags = tiebreak(&[&["estimate", "data/tiny"], &typed[..]].concat()).stderr;
    let hint = "hint: name one: --estimator betting:anytime=true\n";
    assert!(flags.ends_with(hint), "{flags}");
    let stage = "[[estimate]]\nestimator = \"mean\"\nstop = \"width=0.5\"";
    let keys = refused("data/tiny", stage);
    let hint = "hint: name one: `estimator = \"betting:anytime=true\"`\n";
    assert!(keys.ends_with(hint), "{keys}");
}

#[test]
fn a_column_or_a_system_that_is_called_like_a_key_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("outputs.csv"), OUTPUTS).unwrap();
    fs::write(path("comparisons.csv"), COMPARISONS).unwrap();
    fs::write(path("scores.csv"), "item,system,score\n1,--mix,1\n").unwrap();
    let data = text(folder.path());
    let scores = path("scores.csv");
    let typed = ["--metric", "chrf", "--scores", text(&scores)];
    let lacks = tiebreak(&[&["correlate", data], &typed[..]].concat()).stderr;
    assert_contains(&lacks, &["scores.csv:2: no column `metric`;"]);
    let hint = "hint: the data set has --mix, `model`\n";
    let rank = ["rank", data, "--style", "--baseline", "nobody"];
    let flags = tiebreak(&rank).stderr;
    assert!(flags.ends_with(hint), "{flags}");
    let keys = refused(data, "[[rank]]\nstyle = true\nbaseline = \"nobody\"");
    assert!(keys.ends_with(hint), "{keys}");
}

#[test]
fn a_column_is_renamed_by_a_flag_or_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("outputs.csv"),
        "item,system,text\n1,a,x\n1,b,y\n",
    )
    .unwrap();
    let data = text(folder.path());
    let flags = tiebreak(&["check", data]).stderr;
    assert_contains(&flags, &["hint: map it with --column output=NAME"]);
    let stage = "[[score]]\nmetric = \"length\"";
    let keys = refused(data, stage);
    assert_contains(&keys, &["hint: map it with `columns.output = \"NAME\"`"]);
    // What it says can be typed as it stands.
    let file = folder.path().join("p.toml");
    let typed = format!("data = {data:?}\ncolumns.output = \"text\"\n{stage}\n");
    fs::write(&file, typed).unwrap();
    let out = folder.path().join("out");
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
}

#[test]
fn a_flag_of_the_program_stays_one_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("outputs.csv"), OUTPUTS).unwrap();
    let file = folder.path().join("p.toml");
    let long = format!("item,system,stratum\n1,--mix,{}\n", "x".repeat(3 << 20));
    fs::write(folder.path().join("strata.csv"), long).unwrap();
    fs::write(
        folder.path().join("judgments.csv"),
        "item,system,criterion,score\n1,--mix,c,1\n",
    )
    .unwrap();
    let data = text(folder.path());
    let stage = "[[estimate]]\nestimator = \"stratified\"\nstrata = \"strata.csv\"";
    fs::write(&file, format!("data = {data:?}\n{stage}\n")).unwrap();
    let out = folder.path().join("out");
    let limited = ["--limit-memory", "64M"];
    let run = tiebreak(&[&["run", text(&file), "--out", text(&out)], &limited[..]].concat());
    assert_contains(&run.stderr, &["raise --limit-memory from 64M"]);
}
