//! The verbs, used as a person uses them.

use super::{command, here, predict_from, score_with_chrf, text, tiebreak, tree, typed};
use crate::support::{assert_contains, assert_lacks};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// From line-aligned files to an answer, as in the README.
#[test]
fn a_new_user_comes_from_text_files_to_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("mine");
    let systems: Vec<String> = ["atlas", "cedar", "delta"]
        .map(|name| format!("{name}=data/tiny/text/{name}.en"))
        .to_vec();
    let mut import = vec![
        "import",
        "--source",
        "data/tiny/text/source.de",
        "--reference",
        "data/tiny/text/reference.en",
    ];
    import.extend(
        systems
            .iter()
            .flat_map(|system| ["--system", system.as_str()]),
    );
    import.extend(["--out", text(&data)]);
    assert!(tiebreak(&import).ok().contains("60 items, 3 systems"));
    let check = tiebreak(&["check", text(&data)]).ok();
    assert_contains(&check, &["cedar", "60"]);
    let means = tiebreak(&["score", text(&data), "--metric", "chrf", "--corpus"]).ok();
    assert_contains(&means, &["mean chrf", "corpus chrf"]);
    // The data set of which these are the texts and the first references: the same numbers.
    for system in ["atlas", "cedar", "delta"] {
        let imported = mean_of(text(&data), "chrf", system);
        let first = mean_of("data/tiny", "chrf:multi-reference=first", system);
        assert_eq!(imported, first, "{system}");
    }
}

fn mean_of(data: &str, metric: &str, system: &str) -> f64 {
    let rows = tiebreak(&["score", data, "--metric", metric, "--json"]).json();
    let row = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["system"] == system)
        .unwrap()
        .clone();
    row["score"].as_f64().unwrap()
}

#[test]
fn corpus_scores_have_the_interfaces_fields() {
    let rows = tiebreak(&[
        "score",
        "data/tiny",
        "--metric",
        "bleu",
        "--metric",
        "chrf",
        "--corpus",
        "--json",
    ])
    .json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 14);
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["system", "metric", "score", "n", "signature"]);
        assert_eq!(row["n"], 60);
    }
    assert_eq!(
        rows[0]["score"], rows[1]["score"],
        "atlas and its rerun wrote the same texts"
    );
}

/// Every format holds the same rows, and can be read back by the next verb.
#[test]
fn scores_come_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let mut calibrations = Vec::new();
    for name in "s.jsonl s.csv s.tsv s.csv.gz s.jsonl.zst s.parquet s.arrow parts".split(' ') {
        let scores = folder.path().join(name);
        let link = folder.path().join(format!("{name}.toml"));
        score_with_chrf(&scores);
        let fit = [
            "fit",
            "link",
            "data/tiny",
            "--scores",
            text(&scores),
            "--metric",
            "chrf",
            "--link",
            "btl-logistic",
        ];
        tiebreak(&[&fit[..], &["--out", text(&link)]].concat()).ok();
        calibrations.push(fs::read_to_string(link).unwrap());
    }
    assert!(
        calibrations.windows(2).all(|two| two[0] == two[1]),
        "{calibrations:#?}"
    );
    let meta = fs::read_to_string(folder.path().join("s.csv.meta.json")).unwrap();
    assert_contains(&meta, &["\"signature\": \"chrf|nrefs:var|", "\"seed\": 42"]);
}

/// A calibration belongs to its metric, whatever else was scored beside it.
#[test]
fn a_calibration_fits_its_metric_in_any_table_of_scores() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let fit = |scores: &Path, metric: &str, out: &Path| {
        let of = [
            "--scores",
            text(scores),
            "--metric",
            metric,
            "--link",
            "linear",
        ];
        let fit = [
            &["fit", "link", "data/tiny"],
            &of[..],
            &["--out", text(out)],
        ]
        .concat();
        tiebreak(&fit).ok();
        fs::read_to_string(out).unwrap()
    };
    let tables = [
        (path("chrf.csv"), &["chrf"][..]),
        (path("three.csv"), &["bleu", "chrf", "ter"]),
        (path("three.parquet"), &["bleu", "chrf", "ter"]),
        (path("folder"), &["bleu", "chrf", "ter"]),
    ];
    let mut fitted = Vec::new();
    for (table, metrics) in &tables {
        let score = [
            &["score", "data/tiny", "--metric"],
            *metrics,
            &["--out", text(table)],
        ];
        tiebreak(&score.concat()).ok();
        fitted.push(fit(table, "chrf", &path("link.toml")));
    }
    assert_contains(&fitted[0], &["signature = \"chrf|nrefs:var|"]);
    assert!(fitted.windows(2).all(|two| two[0] == two[1]), "{fitted:#?}");
    // So what was fitted from one table predicts from any other, and only that metric.
    for (table, metrics) in &tables {
        let of = ["--scores", text(table), "--link", "linear"];
        let predict = |metric: &str| {
            let (link, out) = (path("link.toml"), path("p.csv"));
            let with = [
                "--metric",
                metric,
                "--calibration",
                text(&link),
                "--out",
                text(&out),
            ];
            tiebreak(&[&["predict", "data/tiny"], &of[..], &with].concat())
        };
        predict("chrf").ok();
        if metrics.len() > 1 {
            predict("bleu").refused(&["fitted on `chrf`"]);
        }
    }
}

/// Whatever the order of rows and other items, an item's prediction is by what was fitted without it; on
/// another data set all are by the whole fit.
#[test]
fn predictions_on_the_data_of_a_fit_are_cross_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (scores, link) = (path("scores.csv"), path("link.toml"));
    score_with_chrf(&scores);
    let of = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--link",
        "btl-logistic",
    ];
    let told = tiebreak(
        &[
            &["fit", "link", "data/tiny"],
            &of[..],
            &["--out", text(&link)],
        ]
        .concat(),
    );
    let told = told.ok();
    assert_contains(
        &told,
        &["where each item is predicted by what was fitted without it"],
    );
    let predict = |data: &str, out: &str| {
        let out = path(out);
        let with = ["--calibration", text(&link), "--out", text(&out)];
        tiebreak(&[&["predict", data], &of[..], &with].concat()).ok();
        let meta = fs::read_to_string(path("").join(out.with_extension("csv.meta.json"))).unwrap();
        (fs::read_to_string(out).unwrap(), meta)
    };
    let (own, own_meta) = predict("data/tiny", "own.csv");
    assert_contains(&own_meta, &["|cross-fitted:5|", "tau1 by fold"]);
    // The same outputs without the comparisons are other data.
    let bare = path("bare");
    fs::create_dir(&bare).unwrap();
    for table in ["items.jsonl", "outputs.jsonl"] {
        fs::copy(Path::new("data/tiny").join(table), bare.join(table)).unwrap();
    }
    let (other, other_meta) = predict(text(&bare), "other.csv");
    assert_lacks(&other_meta, &["cross-fitted", "by fold"]);
    assert_eq!(own.lines().count(), other.lines().count());
    assert_ne!(own, other);
}

#[test]
fn a_direct_metric_goes_all_the_way_to_a_ranking() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (scores, link, predictions) = (path("scores.parquet"), path("link.toml"), path("p.jsonl"));
    score_with_chrf(&scores);
    let direct = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--link",
        "linear",
    ];
    tiebreak(
        &[
            &["fit", "link", "data/tiny"],
            &direct[..],
            &["--out", text(&link)],
        ]
        .concat(),
    )
    .ok();
    let out = ["--calibration", text(&link), "--out", text(&predictions)];
    tiebreak(&[&["predict", "data/tiny"], &direct[..], &out[..]].concat()).ok();
    let first: serde_json::Value = serde_json::from_str(
        fs::read_to_string(&predictions)
            .unwrap()
            .lines()
            .next()
            .unwrap(),
    )
    .unwrap();
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["item", "system_a", "system_b", "p", "mean", "bald", "std"]
    );
    assert!(first["bald"].is_null(), "unknown is not certain");
    let model = [
        "--predictions",
        text(&predictions),
        "--mix",
        "0.3",
        "--eliminate",
        "alpha=0,copeland=0.3",
    ];
    let run = [
        "--bandit",
        "rcs:variant=released",
        "--runs",
        "20",
        "--budget",
        "800",
        "--json",
    ];
    let ranking = tiebreak(&[&["simulate", "data/tiny"], &model[..], &run[..]].concat()).json();
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
    starting_from_predictions(&predictions);
}

/// Without mixing or elimination, predictions are for a bandit that starts from them.
fn starting_from_predictions(predictions: &Path) {
    let alone = ["simulate", "data/tiny", "--predictions", text(predictions)];
    let refused = tiebreak(&[&alone[..], &["--bandit", "rmed"]].concat());
    assert_eq!(refused.code, Some(2));
    let adaptive = |budget: &str| {
        let run = ["--bandit", "adaptive", "--budget", budget, "--json"];
        tiebreak(&[&alone[..], &run[..]].concat()).json()
    };
    let early = adaptive("100");
    let verdict = early["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("The replay did not stop within 100 judgments; "),
        "{verdict}"
    );
    let ranking = adaptive("40000");
    assert_eq!(ranking["winner"], "cedar");
    let verdict = ranking["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("The replay stopped with proof after ")
            && verdict.ends_with(", naming cedar."),
        "{verdict}"
    );
    assert_eq!(ranking["stopped"]["share"], 1.0);
    assert!(ranking["mean_annotations"].as_f64().unwrap() < 40_000.0);
}

#[test]
fn estimates_have_the_interfaces_columns_and_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.csv");
    score_with_chrf(&scores);
    let common = ["estimate", "data/tiny", "--criterion", "adequacy", "--json"];
    let with = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--estimator",
        "control-variates",
    ];
    let planned = ["--range", "0,100", "--target-width", "2"];
    let document = tiebreak(&[&common[..], &with[..], &planned[..]].concat()).json();
    let rows = document["estimates"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "system",
                "criterion",
                "metric",
                "estimator",
                "n",
                "estimate",
                "lower",
                "upper",
                "standard_error",
                "alpha",
                "correlation",
                "rho",
                "gamma",
                "data_efficiency",
                "interval",
                "over",
                "annotators",
                "new_annotators",
                "confidence",
                "range"
            ]
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

/// A key of another stage is told that stage.
#[test]
fn a_key_of_another_stage_is_told_that_stage() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.toml");
    fs::write(
        &file,
        here("data = \"data/tiny\"\n[[rank]]\nbandit = \"rmed\"\n"),
    )
    .unwrap();
    let run = tiebreak(&["run", text(&file)]);
    run.refused(&["p.toml:3", "[[simulate]]"]);
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
