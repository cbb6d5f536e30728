//! The verbs, used as a person uses them.

use super::newcomer::Desk;
use super::{command, here, predict_from, score_with_chrf, text, tiebreak, tree, typed};
use crate::support::{assert_contains, assert_lacks};
use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// From line-aligned files to an answer, as in the README.
#[test]
fn a_new_user_comes_from_text_files_to_an_answer() {
    let desk = Desk::new();
    let system = |name: &str| format!(" --system {name}=mine/text/{name}.en");
    let systems = ["atlas", "cedar", "delta"].map(system).concat();
    let texts = "--source mine/text/source.de --reference mine/text/reference.en";
    expect![[r#"
        $ import --source mine/text/source.de --reference mine/text/reference.en --system atlas=mine/text/atlas.en --system cedar=mine/text/cedar.en --system delta=mine/text/delta.en --out three
        60 items, 3 systems, 180 outputs, source, 1 reference an item
        read as: line-aligned text files
        systems: atlas, cedar, delta
        source: mine/text/source.de
        reference: mine/text/reference.en
        atlas: mine/text/atlas.en
        cedar: mine/text/cedar.en
        delta: mine/text/delta.en
        next: tiebreak check three
        $ check three
        three
          systems            3
          items              60 (60 with a source)
          references an item 1
          outputs            180
            empty            0.0 %
            identical pairs  5.0 %
          comparisons        0
          judgments          0

        system  outputs  missing  empty  comparisons  judgments
        atlas        60        0      0            0          0
        cedar        60        0      0            0          0
        delta        60        0      0            0          0

        can be run
          score     yes
          predict   yes
          rank      no: there are no comparisons
          simulate  no: there are no comparisons
          ask       yes
          estimate  no: there are no judgments
        $ score three --metric chrf --corpus
        system  mean chrf  corpus chrf
        atlas       74.10        75.51
        cedar       48.25        48.26
        delta       78.42        78.77

        chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:1
        chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:1
    "#]].assert_eq(&desk.session(&format!(
        "import {texts}{systems} --out three
         check three
         score three --metric chrf --corpus"
    )));
    // The data set of which these are the texts and the first references: the same numbers.
    let means = |data: &str, metric: &str| {
        let rows = desk
            .run(&format!("score {data} --metric {metric} --json"))
            .json();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| (row["system"].to_string(), row["score"].clone()))
            .collect::<BTreeMap<_, _>>()
    };
    let first = means("mine", "chrf:multi-reference=first");
    for (system, mean) in means("three", "chrf") {
        assert_eq!(mean, first[&system], "{system}");
    }
}

#[test]
fn corpus_scores_have_the_interfaces_fields() {
    let rows = tiebreak(&["score data/tiny --metric bleu --metric chrf --corpus --json"]).json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 14);
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["system", "metric", "score", "n", "signature"]);
        assert_eq!(row["n"], 60);
    }
    let [atlas, rerun] = [0, 1].map(|at| &rows[at]["score"]);
    assert_eq!(atlas, rerun, "atlas and its rerun wrote the same texts");
}

/// Every format holds the same rows, and can be read back by the next verb.
#[test]
fn scores_come_in_every_format() {
    let desk = Desk::new();
    let names = "s.jsonl s.csv s.tsv s.csv.gz s.jsonl.zst s.parquet s.arrow parts".split(' ');
    let calibrations = names.map(|name| {
        desk.run(&format!("score mine --metric chrf --out {name}"))
            .ok();
        let of = format!("mine --scores {name} --metric chrf --link btl-logistic");
        desk.run(&format!("fit link {of} --out {name}.toml")).ok();
        fs::read_to_string(desk.path(&format!("{name}.toml"))).unwrap()
    });
    let calibrations: Vec<String> = calibrations.collect();
    assert!(
        calibrations.windows(2).all(|two| two[0] == two[1]),
        "{calibrations:#?}"
    );
    let meta = fs::read_to_string(desk.path("s.csv.meta.json")).unwrap();
    assert_contains(&meta, &["\"signature\": \"chrf|nrefs:var|", "\"seed\": 42"]);
}

/// A calibration belongs to its metric, whatever else was scored beside it.
#[test]
fn a_calibration_fits_its_metric_in_any_table_of_scores() {
    let desk = Desk::new();
    let tables = [
        ("chrf.csv", "chrf"),
        ("three.csv", "bleu chrf ter"),
        ("three.parquet", "bleu chrf ter"),
        ("folder", "bleu chrf ter"),
    ];
    let mut fitted = Vec::new();
    for (table, metrics) in tables {
        desk.run(&format!("score mine --out {table} --metric {metrics}"))
            .ok();
        let of = format!("mine --scores {table} --metric chrf --link linear");
        desk.run(&format!("fit link {of} --out link.toml")).ok();
        fitted.push(fs::read_to_string(desk.path("link.toml")).unwrap());
    }
    assert_contains(&fitted[0], &["signature = \"chrf|nrefs:var|"]);
    assert!(fitted.windows(2).all(|two| two[0] == two[1]), "{fitted:#?}");
    // So what was fitted from one table predicts from any other, and only that metric.
    for (table, metrics) in tables {
        let predict = |metric: &str| {
            let of = format!("mine --scores {table} --metric {metric} --link linear");
            desk.run(&format!("predict {of} --calibration link.toml --out p.csv"))
        };
        predict("chrf").ok();
        if metrics != "chrf" {
            predict("bleu").refused(&["fitted on `chrf`"]);
        }
    }
}

/// Whatever the order of rows and other items, an item's prediction is by what was fitted without it; on
/// another data set all are by the whole fit.
#[test]
fn predictions_on_the_data_of_a_fit_are_cross_fitted() {
    let desk = Desk::new();
    let of = "--scores scores.csv --metric chrf --link btl-logistic";
    expect![[r#"
        $ score mine --metric chrf --out scores.csv
        written: scores.csv
        next: tiebreak correlate mine --scores scores.csv --metric chrf
        $ fit link mine --scores scores.csv --metric chrf --link btl-logistic --out link.toml
        btl-logistic: scale = 49.02, tau1 = 0.492, tau2 = 0.508
        three-way accuracy 53.6 % on the 3055 comparisons it was fitted to; 53.2 % where each item is predicted by what was fitted without it
        written: link.toml
    "#]].assert_eq(&desk.session(&format!(
        "score mine --metric chrf --out scores.csv
         fit link mine {of} --out link.toml"
    )));
    let predict = |data: &str| {
        desk.run(&format!(
            "predict {data} {of} --calibration link.toml --out {data}.csv"
        ))
        .ok();
        let read =
            |ending: &str| fs::read_to_string(desk.path(&format!("{data}.{ending}"))).unwrap();
        (read("csv"), read("csv.meta.json"))
    };
    let (own, own_meta) = predict("mine");
    assert_contains(&own_meta, &["|cross-fitted:5|", "tau1 by fold"]);
    // The same outputs without the comparisons are other data.
    fs::create_dir(desk.path("bare")).unwrap();
    for table in ["items.jsonl", "outputs.jsonl"] {
        fs::copy(desk.path("mine").join(table), desk.path("bare").join(table)).unwrap();
    }
    let (other, other_meta) = predict("bare");
    assert_lacks(&other_meta, &["cross-fitted", "by fold"]);
    assert_eq!(own.lines().count(), other.lines().count());
    assert_ne!(own, other);
}

#[test]
fn a_direct_metric_goes_all_the_way_to_a_ranking() {
    let desk = Desk::new();
    let direct = "mine --scores scores.parquet --metric chrf --link linear";
    desk.run("score mine --metric chrf --out scores.parquet")
        .ok();
    desk.run(&format!("fit link {direct} --out link.toml")).ok();
    desk.run(&format!(
        "predict {direct} --calibration link.toml --out p.jsonl"
    ))
    .ok();
    let rows = fs::read_to_string(desk.path("p.jsonl")).unwrap();
    let first: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    let expected = ["item", "system_a", "system_b", "p", "mean", "bald", "std"];
    assert_eq!(keys, expected);
    assert!(first["bald"].is_null(), "unknown is not certain");
    let simulate = |more: &str| desk.run(&format!("simulate mine --predictions p.jsonl {more}"));
    let mixed =
        "--mix 0.3 --eliminate alpha=0,copeland=0.3 --bandit rcs:variant=released --runs 20";
    let ranking = simulate(&format!("{mixed} --budget 800 --json")).json();
    for key in "systems true_winner winner bandit runs seed annotation_complexity accuracy \
        mean_annotations stopped condorcet verdict eliminated model_answers"
        .split(' ')
    {
        assert!(ranking.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(ranking["true_winner"], "cedar");
    assert_eq!(ranking["stopped"]["share"], 0.0);
    assert!(ranking["stopped"]["correct"].is_null());
    assert!(ranking["model_answers"].as_f64().unwrap() > 0.0);
    assert!(ranking["mean_annotations"].as_f64().unwrap() <= 800.0);
    // Without mixing or elimination, predictions are for a bandit that starts from them.
    assert_eq!(simulate("--bandit rmed").code, Some(2));
    let adaptive = |budget: &str| simulate(&format!("--bandit adaptive --budget {budget}"));
    expect![[r#"
        The replay did not stop within 100 judgments; cedar led then.

        system       replays end with it  beats  preferred
        cedar                    100.0 %      6      0.652
        delta                      0.0 %      5      0.627
        atlas-rerun                0.0 %      3      0.592
        atlas                      0.0 %      3      0.578
        fjord                      0.0 %      2      0.459
        ember                      0.0 %      1      0.426
        birch                      0.0 %      0      0.165

        bandit                  adaptive
        replays                 1
        human judgments         100
        people's time           34 minutes
        winner of all records   cedar
        not separated by them   cedar, delta, atlas-rerun, atlas
        The replay stopped with proof after 14,795 judgments, naming cedar.

        system       replays end with it  beats  preferred
        cedar                    100.0 %      6      0.652
        delta                      0.0 %      5      0.627
        atlas-rerun                0.0 %      3      0.592
        atlas                      0.0 %      3      0.578
        fjord                      0.0 %      2      0.459
        ember                      0.0 %      1      0.426
        birch                      0.0 %      0      0.165

        bandit                  adaptive
        replays                 1
        human judgments         14795
        people's time           98 hours
        winner of all records   cedar
        not separated by them   cedar, delta, atlas-rerun, atlas
    "#]]
    .assert_eq(&(adaptive("100").ok() + &adaptive("40000").ok()));
}

#[test]
fn estimates_have_the_interfaces_columns_and_a_plan() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out scores.csv").ok();
    let with = "--scores scores.csv --metric chrf --estimator control-variates";
    let planned = "--criterion adequacy --range 0,100 --target-width 2";
    let document = desk
        .run(&format!("estimate mine {with} {planned} --json"))
        .json();
    let rows = document["estimates"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let keys: Vec<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys.join(" "),
            "system criterion metric estimator n estimate lower upper standard_error alpha correlation rho gamma \
             data_efficiency interval over annotators new_annotators confidence range"
        );
        let number = |key: &str| row[key].as_f64().unwrap();
        assert!(number("lower") < number("estimate") && number("estimate") < number("upper"));
        assert!(number("upper") <= 100.0);
    }
    assert_eq!(document["plans"].as_array().unwrap().len(), 7);
}

/// Four shards of a table, written by four commands into one folder, are the table.
#[test]
fn shards_put_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let scores = path("scores");
    score_with_chrf(&scores);
    let direct = [&predict_from(&scores)[..], &["--link", "linear"]].concat();
    let (whole, sharded) = (path("whole"), path("sharded"));
    tiebreak(&[&direct[..], &["--out", text(&whole)]].concat()).ok();
    for shard in ["3/4", "1/4", "4/4", "2/4"] {
        tiebreak(&[&direct[..], &["--shard", shard, "--out", text(&sharded)]].concat()).ok();
    }
    assert!(tree(&whole) == tree(&sharded));
}

/// Likewise the scores of several metrics.
#[test]
fn shards_of_scores_put_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    let (data, whole, sharded) = (path("data"), path("whole"), path("sharded"));
    fs::create_dir(&data).unwrap();
    let row = |item| format!("{item},a,text {item},one\n{item},b,the text,one\n");
    let rows: String = (0..1000).map(row).collect();
    fs::write(
        data.join("outputs.csv"),
        "item,system,output,references\n".to_string() + &rows,
    )
    .unwrap();
    let score = ["score", text(&data), "--metric", "length", "bleu"];
    tiebreak(&[&score[..], &["--out", text(&whole)]].concat()).ok();
    for shard in ["2/3", "3/3", "1/3"] {
        tiebreak(&[&score[..], &["--shard", shard, "--out", text(&sharded)]].concat()).ok();
    }
    assert!(tree(&whole).len() > 6 && tree(&whole) == tree(&sharded));
    // A shard without a part, since there are fewer parts than shards, leaves no table yet.
    let few = path("few");
    let few = [
        "score",
        "data/tiny",
        "--metric",
        "length",
        "--out",
        text(&few),
    ];
    let next = |shard: &str| tiebreak(&[&few[..], &["--shard", shard]].concat()).stderr;
    let told = next("2/2");
    assert!(
        told.contains("next: the same command for the other shards"),
        "{told}"
    );
    let told = next("1/2");
    assert!(told.contains("next: tiebreak correlate"), "{told}");
    let printed = tiebreak(&[&score[..], &["--shard", "1/3"]].concat());
    assert_eq!(printed.code, Some(2), "{}", printed.stderr);
}

/// The order of rows and the form of the files are not part of the data.
#[test]
fn the_order_of_rows_changes_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let shuffled = folder.path().join("shuffled");
    fs::create_dir(&shuffled).unwrap();
    for table in ["items", "outputs"] {
        let text = fs::read_to_string(format!("data/tiny/{table}.jsonl")).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        fs::write(
            shuffled.join(format!("{table}.jsonl")),
            lines.join("\n") + "\n",
        )
        .unwrap();
    }
    let scores = |data: &str, name: &str| {
        let out = folder.path().join(name);
        tiebreak(&["score", data, "--metric", "rouge-l", "--out", text(&out)]).ok();
        fs::read_to_string(out).unwrap()
    };
    assert_eq!(
        scores("data/tiny", "a.csv"),
        scores(text(&shuffled), "b.csv")
    );
}

/// A person answers at the terminal, stops, and goes on: the run equals one without the break.
#[test]
fn a_person_at_the_terminal_can_stop_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, whole) = (folder.path().join("broken"), folder.path().join("whole"));
    let answers = "1\n2\nt\n1\nx\n2\n1\n1\nt\n2\n1\n2\n";
    let (begin, rest) = answers.split_at(10);
    ask(&broken, begin);
    ask(&broken, rest);
    ask(&whole, answers);
    let ranking = |out: &Path| fs::read_to_string(out.join("ranking.json")).unwrap();
    assert_eq!(ranking(&broken), ranking(&whole));
    assert_eq!(asked_and_answered(&broken), asked_and_answered(&whole));
}

/// What was asked, in order, and what was answered; not when, nor in how many lines.
fn asked_and_answered(run: &Path) -> (Vec<Value>, BTreeMap<u64, Value>) {
    let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap();
    let (mut asked, mut answered) = (Vec::new(), BTreeMap::new());
    for line in journal.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        asked.extend(list(&line["questions"]["asked"]));
        for answer in list(&line["answers"]) {
            answered.insert(answer["id"].as_u64().unwrap(), answer["outcome"].clone());
        }
    }
    assert!(asked.len() > 5 && answered.len() > 5, "{journal}");
    (asked, answered)
}

/// Runs a campaign with these keys typed.
fn ask(out: &Path, keys: &str) {
    let how = ["data/tiny", "--bandit", "rucb", "--budget", "30", "--json"];
    let arguments = [&["ask", text(out)], &how[..]].concat();
    let run = typed(&arguments, keys);
    let shown = &run.stderr;
    assert_lacks(
        shown,
        &["atlas", "cedar", "delta", "ember", "fjord", "birch"],
    );
    run.ok();
}

#[test]
fn a_key_of_another_stage_is_told_that_stage() {
    let desk = Desk::empty();
    let pipeline = "data = \"data/tiny\"\n[[rank]]\nbandit = \"rmed\"\n";
    desk.file("p.toml", &here(pipeline));
    desk.run("run p.toml")
        .refused(&["p.toml:3", "[[simulate]]"]);
}

#[test]
fn lists_say_what_there_is() {
    for (kind, name) in [
        ("metrics", "rouge-lsum"),
        ("links", "btl-logistic"),
        ("bandits", "rmed"),
        ("estimators", "control-variates"),
    ] {
        assert!(tiebreak(&["list", kind]).ok().contains(name));
        let entries = tiebreak(&["list", kind, "--json"]).json();
        let entry = entries
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["name"] == name)
            .unwrap()
            .clone();
        let keys: Vec<&String> = entry.as_object().unwrap().keys().collect();
        let (common, more) = keys.split_at(4);
        assert_eq!(common, ["name", "summary", "cite", "parameters"]);
        let of_kind: &[&str] = if kind == "metrics" { &["better"] } else { &[] };
        assert_eq!(more, of_kind);
    }
}

#[test]
fn a_closed_pipe_is_success() {
    let mut child = command(&["list", "metrics"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn help_names_every_verb_and_the_way_in() {
    let help = tiebreak(&["--help"]).ok();
    for verb in
        "import check score predict fit rank simulate ask estimate report run list".split(' ')
    {
        assert!(
            help.contains(&format!("\n  {verb} ")),
            "{verb} is missing: {help}"
        );
    }
    let bare = tiebreak(&[]);
    assert_eq!((bare.code, bare.stdout.as_str()), (Some(2), ""));
    assert_eq!(bare.stderr.lines().count(), 9, "{}", bare.stderr);
    for text in [&help, &bare.stderr] {
        assert_contains(text, &["  tiebreak demo "]);
    }
}

/// The report can be made again from the tables alone.
#[test]
#[cfg(feature = "neural")]
fn a_report_is_remade_from_its_tables() {
    let (pipeline, folder) = (super::small_tour(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let brief = tiebreak(&["run", text(pipeline.path()), "--out", text(&out)]).ok();
    assert!(brief.lines().count() <= 40, "{brief}");
    let printed = fs::read_to_string(out.join("report.txt")).unwrap();
    let document = fs::read_to_string(out.join("report.json")).unwrap();
    fs::remove_file(out.join("report.txt")).unwrap();
    fs::remove_file(out.join("report.json")).unwrap();
    assert_eq!(tiebreak(&["report", text(&out)]).ok(), printed);
    assert_eq!(
        fs::read_to_string(out.join("report.json")).unwrap(),
        document
    );
    assert_contains(
        &printed,
        &[
            "cedar",
            "human judgments",
            "answers of the model",
            "control-variates",
            "chrf|nrefs:var|",
        ],
    );
}

/// From draws of a metric to preferences with uncertainty.
#[test]
#[cfg(feature = "neural")]
fn a_metric_with_dropout_gives_preferences_with_uncertainty() {
    let model = crate::support::regression_model();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (scores, link, out) = (at("scores.jsonl"), at("link.toml"), at("predictions.jsonl"));
    let metric = format!("bleurt:model={}", text(model.path()));
    let score = ["score", "data/tiny", "--metric", &metric, "--draws", "4"];
    tiebreak(&[&score[..], &["--out", text(&scores)]].concat()).ok();
    let of = ["data/tiny", "--scores", text(&scores), "--metric", &metric];
    let fitted = ["--link", "btl-logistic", "--out", text(&link)];
    tiebreak(&[&["fit", "link"][..], &of, &fitted].concat()).ok();
    let calibrated = ["--link", "btl-logistic", "--calibration", text(&link)];
    let written = ["--out", text(&out)];
    tiebreak(&[&["predict"][..], &of, &calibrated, &written].concat()).ok();
    let rows = fs::read_to_string(&out).unwrap();
    let mut spread = 0;
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert!(row["bald"].as_f64().unwrap() >= 0.0, "{row}");
        spread += usize::from(row["std"].as_f64().unwrap() > 0.0);
    }
    assert!(spread > 0, "no prediction is uncertain: {rows}");
}

/// Document frequencies are those of the whole data set, whatever the threads.
#[test]
#[cfg(feature = "neural")]
fn a_metric_with_document_frequencies_sees_the_data_set_first() {
    let means = |metric: &str, threads: &str| {
        let arguments = ["score", "data/tiny", "--json", "--metric", metric];
        tiebreak(&[&arguments[..], &["--threads", threads]].concat()).json()
    };
    for name in ["bertscore", "moverscore"] {
        let with = format!("{name}:model=tiny-electra,idf=true");
        let without = format!("{name}:model=tiny-electra,idf=false");
        let found = means(&with, "1");
        assert_eq!(found, means(&with, "3"));
        let scores = |rows: &serde_json::Value| -> Vec<f64> {
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| row["score"].as_f64().unwrap()).collect()
        };
        let (found, plain) = (scores(&found), scores(&means(&without, "2")));
        assert!(found.len() > 2 && found.len() == plain.len());
        assert!(
            found
                .iter()
                .zip(&plain)
                .all(|(found, plain)| found != plain)
        );
    }
}
