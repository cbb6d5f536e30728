//! Keys in messages, as whoever reads them writes them: flags where flags were typed, keys where a file was run. What
//! only looks like a key stays as it is.

use super::newcomer::Desk;
use expect_test::expect;
use std::fs;

/// `mine`, and in `called` a data set of two systems of which one is called like a flag, the other like a key.
fn desk() -> Desk {
    let desk = Desk::new();
    for folder in ["called", "renamed"] {
        fs::create_dir(desk.path(folder)).unwrap();
    }
    for (name, content) in [
        (
            "called/outputs.csv",
            "item,system,output\n1,--mix,an output\n1,`model`,another\n",
        ),
        (
            "called/comparisons.csv",
            "item,system_a,system_b,outcome\n1,--mix,`model`,1\n",
        ),
        ("scores.csv", "item,system,score\n1,--mix,1\n"),
        ("renamed/outputs.csv", "item,system,text\n1,a,x\n1,b,y\n"),
        (
            "mixed.toml",
            "data = \"mine\"\n[[simulate]]\nmix = 0.5\npredictions = [\"mine/outputs.jsonl\", \"mine/items.jsonl\"]\n",
        ),
        (
            "stop.toml",
            "data = \"mine\"\n[[estimate]]\nestimator = \"mean\"\nstop = \"width=0.5\"\n",
        ),
        (
            "rank.toml",
            "data = \"called\"\n[[rank]]\nstyle = true\nbaseline = \"nobody\"\n",
        ),
        (
            "score.toml",
            "data = \"renamed\"\n[[score]]\nmetric = \"length\"\n",
        ),
        (
            "named.toml",
            "data = \"renamed\"\ncolumns.output = \"text\"\n[[score]]\nmetric = \"length\"\n",
        ),
    ] {
        desk.file(name, content);
    }
    desk
}

#[test]
fn a_key_is_a_flag_on_the_command_line_and_a_key_in_a_file() {
    expect![[r#"
        $ simulate mine --mix 0.5 --predictions mine/outputs.jsonl --predictions mine/items.jsonl
        error: --predictions: 2 predictions to answer or eliminate by, expected 1
        hint: the mean of several is only where a bandit starts from: leave out --mix, --select and --eliminate
        exit 2
        $ run mixed.toml --out out
        error: mixed.toml:4: predictions: 2 predictions to answer or eliminate by, expected 1
        hint: the mean of several is only where a bandit starts from: leave out `mix`, `select` and `eliminate`
        exit 2
        $ estimate mine --estimator mean --stop width=0.5
        error: --stop: only intervals that are valid at any time can say when to stop
        hint: name one: --estimator betting:anytime=true
        exit 2
        $ run stop.toml --out out
        error: stop.toml:4: stop: only intervals that are valid at any time can say when to stop
        hint: name one: `estimator = "betting:anytime=true"`
        exit 2
        $ check renamed
        error: renamed/outputs.csv:1: no column `output`; columns are item, system, text
        hint: map it with --column output=NAME
        exit 2
        $ run score.toml --out out
        error: renamed/outputs.csv:1: no column `output`; columns are item, system, text
        hint: map it with `columns.output = "NAME"`
        exit 2
    "#]].assert_eq(&desk().session(
        "simulate mine --mix 0.5 --predictions mine/outputs.jsonl --predictions mine/items.jsonl
         run mixed.toml --out out
         estimate mine --estimator mean --stop width=0.5
         run stop.toml --out out
         check renamed
         run score.toml --out out",
    ));
}

#[test]
fn a_column_or_a_system_that_is_called_like_a_key_is_none() {
    expect![[r#"
        $ correlate called --metric chrf --scores scores.csv
        note: scores.csv does not say from which texts it was made; this is not checked
        error: scores.csv:2: no column `metric`; columns are item, system, score
        hint: the column that holds it must be called `metric` in this table
        exit 2
        $ rank called --style --baseline nobody
        error: --baseline: unknown system `nobody`
        hint: the data set has --mix, `model`
        exit 2
        $ run rank.toml --out out
        error: rank.toml:4: baseline: unknown system `nobody`
        hint: the data set has --mix, `model`
        exit 2
    "#]]
    .assert_eq(&desk().session(
        "correlate called --metric chrf --scores scores.csv
         rank called --style --baseline nobody
         run rank.toml --out out",
    ));
}

/// What a hint says can be typed as it stands.
#[test]
fn a_column_is_renamed_in_the_file() {
    desk().run("run named.toml --out out").ok();
}

#[test]
fn a_flag_of_the_program_stays_one_in_a_file() {
    let desk = desk();
    let long = format!("item,system,stratum\n1,--mix,{}\n", "x".repeat(3 << 20));
    desk.file("strata.csv", &long);
    let judgments = "item,system,criterion,score\n1,--mix,c,1\n";
    desk.file("called/judgments.csv", judgments);
    let stage = "[[estimate]]\nestimator = \"stratified\"\nstrata = \"strata.csv\"";
    desk.file("p.toml", &format!("data = \"called\"\n{stage}\n"));
    expect![[r#"
        $ run p.toml --out out --limit-memory 64M
        error: p.toml:4: strata: strata.csv:2: a record of more than the limit of 1M
        hint: to read it, raise --limit-memory from 64M to 128M or more
        exit 2
    "#]]
    .assert_eq(&desk.session("run p.toml --out out --limit-memory 64M"));
}
