//! `fit pairwise`: what is learnt, what is said, and that nothing is lost.

use super::{Finished, command, text, tiebreak, tree};
use crate::support::{assert_contains, assert_lacks, table_rows};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;

/// A few steps on the tiny data set, from random weights.
const FEW: [&str; 2] = [
    "--max-pairs 500 --epochs 4 --batch-size 32 --learning-rate 5e-3",
    "--max-length 64",
];

fn arguments<'a>(out: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let fit = ["fit", "pairwise", "data/tiny", "--base", "tiny-electra"];
    let out = ["--out", text(out)];
    fit.into_iter()
        .chain(FEW)
        .chain(more.to_vec())
        .chain(out)
        .collect()
}

fn fit(out: &Path, more: &[&str]) -> Finished {
    tiebreak(&arguments(out, more))
}

/// The rows of a predictions table.
fn predictions(model: &Path, more: &[&str]) -> Vec<serde_json::Value> {
    predictions_of("data/tiny", model, more)
}

fn predictions_of(data: &str, model: &Path, more: &[&str]) -> Vec<serde_json::Value> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("p.jsonl");
    let predict = ["predict", data, "--model", text(model), "--out", text(&out)];
    tiebreak(&predict.into_iter().chain(more.to_vec()).collect::<Vec<_>>()).ok();
    let rows = fs::read_to_string(&out).unwrap();
    rows.lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect()
}

#[test]
fn a_pointwise_model_is_written_and_predicts() {
    writes_and_predicts(&[]);
}

#[test]
fn a_matching_model_is_written_and_predicts() {
    let folder = writes_and_predicts(&["--head", "matching", "--patience", "9"]);
    // Whoever goes on from it is told that its head is not used.
    let model = folder.path().join("model");
    for (head, is_said) in [("pointwise", true), ("matching", false)] {
        let out = folder.path().join(head);
        let more = ["--base", text(&model), "--head", head, "--epochs", "1"];
        let fit = [
            "fit",
            "pairwise",
            "data/tiny",
            "--max-pairs",
            "50",
            "--max-length",
            "64",
        ];
        let said = tiebreak(&[&fit[..], &more, &["--out", text(&out)]].concat());
        let words = "the head `matching` of";
        assert_eq!(said.stderr.contains(words), is_said, "{}", said.stderr);
        said.ok();
    }
    // Of several references it takes the mean score; without one it reads the source.
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let references = [
        ("first", serde_json::json!(["the cat sat there"])),
        ("second", serde_json::json!(["no cat was to be seen"])),
        (
            "both",
            serde_json::json!(["the cat sat there", "no cat was to be seen"]),
        ),
        ("none", serde_json::json!([])),
    ];
    let mut outputs = String::new();
    for (item, references) in references {
        for (system, output) in [("a", "the cat sat"), ("b", "a dog and a cat were seen")] {
            let source = "the cat sat there";
            let row = serde_json::json!({"item": item, "system": system, "output": output,
                "source": source, "references": references});
            outputs += &format!("{row}\n");
        }
    }
    fs::write(data.join("outputs.jsonl"), outputs).unwrap();
    let rows = predictions_of(text(&data), &folder.path().join("model"), &["--draws", "0"]);
    let log_odds = |item: &str| {
        let row = rows.iter().find(|row| row["item"] == item).unwrap();
        let p = row["p"].as_f64().unwrap();
        (p / (1.0 - p)).ln()
    };
    let (first, second) = (log_odds("first"), log_odds("second"));
    assert!((first - second).abs() > 1e-3, "{first}, {second}");
    assert!((log_odds("both") - 0.5 * (first + second)).abs() < 1e-5);
    assert!((log_odds("none") - first).abs() < 1e-9);
}

fn writes_and_predicts(head: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let fit = |out: &Path| tiebreak(&arguments(out, &[head, &["--json"]].concat()));
    let told = fit(&model).json();
    let looks = told["looks"].as_array().unwrap();
    assert_eq!(
        looks.len(),
        1 + 2 * 4,
        "before the first step, and twice an epoch"
    );
    let losses = looks.iter().map(|look| look["loss"].as_f64().unwrap());
    let best = told["best"]["loss"].as_f64().unwrap();
    assert!(losses.skip(1).all(|loss| loss >= best), "{looks:?}");
    let log = fs::read_to_string(model.join("training.csv")).unwrap();
    assert_eq!(log.lines().count(), 1 + looks.len());
    assert!(
        fs::read_to_string(model.join("training.svg"))
            .unwrap()
            .contains("validation")
    );
    assert!(!model.join("checkpoint").exists());
    let next = format!("next: tiebreak predict data/tiny --model {}", text(&model));
    assert!(tiebreak(&arguments(&model, head)).ok().contains(&next));
    // A second time there is nothing to do, and the same is told.
    let before = tree(&model);
    assert_eq!(fit(&model).json(), told);
    assert!(tree(&model) == before);

    let rows = predictions(&model, &["--draws", "3", "--keep-draws"]);
    let row = |item: &str, a: &str, b: &str| {
        let same = |row: &&serde_json::Value| {
            row["item"] == item && row["system_a"] == a && row["system_b"] == b
        };
        rows.iter().find(same).unwrap().clone()
    };
    // atlas-rerun wrote what atlas wrote: no pass of the network can tell them apart.
    let same = row("item-01", "atlas", "atlas-rerun");
    assert_eq!((&same["p"], &same["std"]), (&0.5.into(), &0.0.into()));
    assert_eq!(same["draws"], serde_json::json!([0.5, 0.5, 0.5]));
    let (forth, again) = (
        row("item-01", "atlas", "cedar"),
        row("item-01", "atlas-rerun", "cedar"),
    );
    assert_eq!(forth["draws"], again["draws"]);
    assert_ne!(forth["p"], 0.5);
    // Orders are one.
    assert_eq!(
        rows,
        predictions(&model, &["--draws", "3", "--keep-draws", "--order", "both"])
    );
    folder
}

#[test]
fn a_pairwise_model_may_have_a_class_for_ties() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let said = fit(&model, &["--head", "pairwise", "--ties", "class"]).ok();
    assert_contains(&said, &["held-out loss", "tiebreak predict"]);
    let descriptor = fs::read_to_string(model.join("tiebreak.toml")).unwrap();
    assert!(
        descriptor.contains(r#"labels = ["b", "tie", "a"]"#),
        "{descriptor}"
    );
    assert_contains(&descriptor, &["trained_on = \"tiny (sha256:"]);
    let sum: f64 = predictions(&model, &["--draws", "0"])
        .iter()
        .map(|row| row["p"].as_f64().unwrap())
        .sum();
    assert!(sum > 0.0);
    let models = ["list", "models", "--models", text(folder.path())];
    let listed = tiebreak(&models).ok();
    assert_contains(&listed, &["head=pairwise"]);
}

/// Items whose output is preferred that says it is good, 0.5 where neither does.
fn planted(folder: &Path) {
    let mut outputs = "item,system,output,source\n".to_string();
    let mut comparisons = "item,system_a,system_b,outcome\n".to_string();
    let systems = ["a", "b", "c"];
    for item in 0..120 {
        let best = item * 7 % 3;
        for (place, system) in systems.iter().enumerate() {
            let word = if place == best { "good" } else { "bad" };
            let number = item * 37 % 101;
            outputs += &format!("{item},{system},number {number} is {word},text {item}\n");
        }
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let outcome = 0.5 + 0.5 * (f64::from(a == best) - f64::from(b == best));
            comparisons += &format!("{item},{},{},{outcome}\n", systems[a], systems[b]);
        }
    }
    fs::write(folder.join("outputs.csv"), outputs).unwrap();
    fs::write(folder.join("comparisons.csv"), comparisons).unwrap();
}

#[test]
fn what_is_there_to_learn_is_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("models"));
    fs::create_dir(&data).unwrap();
    planted(&data);
    let file = folder.path().join("learn.toml");
    let stage = |name: &str, settings: &str| {
        format!(
            "[[train]]\nname = \"{name}\"\nbase = \"tiny-electra\"\ndata = [\"data\"]\n[train.settings]\n\
             epochs = 10\nbatch-size = 32\nlearning-rate = 0.005\nmax-length = 64\n{settings}\n"
        )
    };
    let stages = [
        stage("pointwise", "quantise = \"int8\""),
        stage("pairwise", "head = \"pairwise\""),
        stage("ties", "head = \"pairwise\"\nties = \"class\""),
        stage("matching", "head = \"matching\"\nquantise = \"int8\""),
    ];
    fs::write(&file, stages.concat()).unwrap();
    let told = tiebreak(&["run", text(&file), "--out", text(&out), "--json"]).json();
    let right_of = |name: &str| {
        let p = folder.path().join(format!("{name}.jsonl"));
        let model = out.join(name);
        let predict = ["predict", text(&data), "--draws 0 --model", text(&model)];
        tiebreak(&[&predict[..], &["--out", text(&p), "--force"]].concat()).ok();
        let right = |row: &&str| {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let best = row["item"].as_str().unwrap().parse::<usize>().unwrap() * 7 % 3;
            let is = |system: &str| row[system] == ["a", "b", "c"][best];
            let p = row["p"].as_f64().unwrap();
            (is("system_a") && p > 0.5) || (is("system_b") && p < 0.5)
        };
        let rows = fs::read_to_string(&p).unwrap();
        rows.lines().filter(right).count()
    };
    for name in ["pointwise", "pairwise", "ties", "matching"] {
        let accuracy = told[name]["best"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.85, "{name}: {accuracy}");
        // What was kept is what was looked at, in eight bits as well.
        let right = right_of(name);
        assert!(right > 200, "{name}: {right} of 240 decided pairs");
    }
    let bytes = |name: &str| {
        let weights = out.join(name).join("model.safetensors");
        fs::metadata(weights).unwrap().len()
    };
    let whole = bytes("pairwise");
    assert!(2 * bytes("pointwise") < whole);
    // Eight bits can also be asked for when training is over.
    let later = stage("pairwise", "head = \"pairwise\"\nquantise = \"int8\"");
    fs::write(&file, later).unwrap();
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    assert!(2 * bytes("pairwise") < whole);
    assert!(right_of("pairwise") > 200);
}

/// How many steps the saved state of a training has.
fn steps(folder: &Path) -> Option<u64> {
    let state = fs::read_to_string(folder.join("checkpoint/state.json")).ok()?;
    let state: serde_json::Value = serde_json::from_str(&state).ok()?;
    state["progress"]["step"].as_u64()
}

/// Killed in the middle, twice: the same bytes as undisturbed.
#[test]
fn killed_twice_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let often = ["--checkpoint-every", "1"];
    fit(&whole, &often).ok();
    for step in [3, 12] {
        let reached = || steps(&broken).is_some_and(|steps| steps >= step);
        let mut child = command(&arguments(&broken, &often))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() && !reached() {
            std::thread::yield_now();
        }
        let _ = child.kill(); // SIGKILL: nothing can be tidied up
        child.wait().unwrap();
    }
    fit(&broken, &["--seed", "7"]).refused(&["seed = 42"]);
    fit(&broken, &often).ok();
    let names = |folder| {
        tree(folder)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert!(tree(&whole) == tree(&broken), "{:?}", names(&broken));
}

const COMPLETED: [&str; 5] = ["--quantise", "int8", "--beside", "chrf", "--calibrate"];

/// A metric beside the network and a calibration need no editing, and are the same when they are asked
/// for later.
#[test]
fn what_completes_a_model_can_be_asked_for_at_once_or_later() {
    let folder = tempfile::tempdir().unwrap();
    let (once, later) = (
        folder.path().join("once/model"),
        folder.path().join("later/model"),
    );
    let told = fit(&once, &COMPLETED).ok();
    assert_contains(&told, &["chrf is added with", "temperature"]);
    let descriptor = fs::read_to_string(once.join("tiebreak.toml")).unwrap();
    assert_contains(
        &descriptor,
        &["calibration = \"calibration.toml\"", "metric = \"chrf\""],
    );
    let p = folder.path().join("p.jsonl");
    let predict = ["predict data/tiny --draws 0 --model", text(&once)];
    tiebreak(&[&predict[..], &["--out", text(&p)]].concat()).ok();
    let meta = fs::read_to_string(folder.path().join("p.jsonl.meta.json")).unwrap();
    assert_contains(&meta, &["|beside:", "|calibration:"]);

    let plain = fit(&later, &["--json"]).json();
    assert_eq!(plain["completed"], serde_json::Value::Null);
    fit(&later, &["--beside", "chrf"]).ok();
    fit(&later, &["--calibrate"]).ok();
    // In eight bits both are fitted anew, and none is lost.
    let completed = fit(&later, &["--quantise", "int8", "--json"]).json();
    let (before, after) = (
        &completed["completed"]["before"],
        &completed["completed"]["after"],
    );
    assert!(after.as_f64() < before.as_f64(), "{completed}");
    assert!(tree(&once) == tree(&later));
    assert_eq!(fit(&later, &["--json"]).json(), completed);
}

/// What stands beside the network where there are no references changes nothing where there are.
#[test]
fn another_metric_stands_beside_where_there_are_no_references() {
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (folder.path().join("data"), folder.path().join("model"));
    fs::create_dir(&data).unwrap();
    planted(&data);
    let items = (0..120).map(|item| {
        let references = if item % 2 == 0 {
            format!("\"text {item}\"")
        } else {
            String::new()
        };
        format!("{{\"item\": \"{item}\", \"references\": [{references}]}}\n")
    });
    fs::write(data.join("items.jsonl"), items.collect::<String>()).unwrap();
    let fit = [
        "fit",
        "pairwise",
        text(&data),
        "--base tiny-electra --out",
        text(&model),
    ];
    let learning = ["--epochs 10 --batch-size 32 --learning-rate 5e-3"];
    let letters = "length:tokenize=char,log=true";
    let both = [
        "--max-length 64 --beside chrf --beside-unreferenced",
        letters,
    ];
    let told = tiebreak(&[&fit[..], &learning, &both].concat()).ok();
    assert_contains(
        &told,
        &[
            "chrf is added with",
            "a point where there are no references",
        ],
    );
    let predictions = || predictions_of(text(&data), &model, &["--draws", "0"]);
    let with = predictions();
    let path = model.join("tiebreak.toml");
    let descriptor = fs::read_to_string(&path).unwrap();
    let (kept, lost) = descriptor.split_once("[beside_unreferenced]").unwrap();
    assert_contains(lost, &[letters]);
    fs::write(&path, kept).unwrap();
    let without = predictions();
    let changed = with
        .iter()
        .zip(&without)
        .filter(|(with, without)| with != without);
    let odd =
        |row: &serde_json::Value| row["item"].as_str().unwrap().parse::<u32>().unwrap() % 2 == 1;
    let changed: Vec<bool> = changed.map(|(row, _)| odd(row)).collect();
    assert!(
        changed.len() > 60 && changed.iter().all(|&odd| odd),
        "{changed:?}"
    );
    // Where the network counts for nothing there, the metric is all there is.
    let alone = |weight: f64| {
        let beside = format!(
            "[beside_unreferenced]\nmetric = \"{letters}\"\nweight = {weight}\nnetwork = 0.0\n"
        );
        fs::write(&path, kept.to_string() + &beside).unwrap();
        predictions()
    };
    let log_odds = |row: &serde_json::Value| {
        let p = row["p"].as_f64().unwrap();
        (p / (1.0 - p)).ln()
    };
    let (once, twice) = (alone(0.5), alone(1.0));
    for (row, (once, twice)) in without.iter().zip(once.iter().zip(&twice)) {
        match odd(row) {
            true => assert!((2.0 * log_odds(once) - log_odds(twice)).abs() < 1e-6),
            false => assert!(row == once && row == twice),
        }
    }
    assert!(
        once.iter()
            .filter(|row| odd(row))
            .any(|row| log_odds(row).abs() > 0.01)
    );
}

/// A metric that speaks of no pair held out has no weight, which is said.
#[test]
fn a_metric_without_pairs_to_weigh_it_by_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    let fitted = fit(&model, &["--beside-unreferenced", "length", "--calibrate"]);
    let said = "every pair held out has references, so length gets no weight";
    assert_contains(&fitted.stderr, &[said]);
    fitted.ok();
    let descriptor = fs::read_to_string(model.join("tiebreak.toml")).unwrap();
    assert_lacks(&descriptor, &["beside"]);
}

/// Killed while a finished model is changed: it loads all the same, and the command can be run again.
#[test]
fn a_model_that_is_being_completed_loads_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let (once, broken) = (
        folder.path().join("once/model"),
        folder.path().join("broken/model"),
    );
    fit(&once, &COMPLETED).ok();
    fit(&broken, &[]).ok();
    let descriptor = broken.join("tiebreak.toml");
    for round in 0..4 {
        let before = fs::read(&descriptor).unwrap();
        let mut child = command(&arguments(&broken, &COMPLETED))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Not yet begun, just begun, or somewhat later.
        let mut seen = 0;
        while child.try_wait().unwrap().is_none() && seen < round * 20 {
            seen += i32::from(fs::read(&descriptor).unwrap() != before);
            std::thread::yield_now();
        }
        let _ = child.kill(); // SIGKILL: nothing can be tidied up
        child.wait().unwrap();
        assert!(!predictions(&broken, &["--draws", "0"]).is_empty());
    }
    // As it is between the descriptor and the weights.
    let whole = fs::read_to_string(once.join("tiebreak.toml")).unwrap();
    let whole = whole.replace("\"sha256:", &format!("\"sha256:{} sha256:", "0".repeat(64)));
    fs::write(once.join("tiebreak.toml"), whole).unwrap();
    assert!(!predictions(&once, &["--draws", "0"]).is_empty());
    for model in [&once, &broken] {
        fit(model, &COMPLETED).ok();
    }
    let fresh = folder.path().join("fresh/model");
    fit(&fresh, &COMPLETED).ok();
    assert!(tree(&broken) == tree(&fresh));
    let files = |folder: &Path| {
        tree(folder)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&once), files(&fresh));
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let trained = ["1", "3"].map(|threads| {
        let out = folder.path().join(threads);
        fit(&out, &["--threads", threads]).ok();
        tree(&out)
    });
    assert!(trained[0] == trained[1]);
}

#[test]
fn a_rate_that_diverges_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("model");
    let wild = ["fit pairwise data/tiny --base tiny-electra --learning-rate 1e9 --max-length 20"];
    let run = || {
        tiebreak(
            &wild
                .into_iter()
                .chain(["--out", text(&out)])
                .collect::<Vec<_>>(),
        )
    };
    let first = run();
    assert_eq!(first.code, Some(1), "{}", first.stdout);
    let cut = "model inputs are longer than 20 tokens, so their texts were cut at the end";
    assert_contains(&first.stderr, &["diverged", "lower", cut]);
    assert_lacks(&first.stderr, &["panicked"]);
    assert_eq!(run().stderr, first.stderr);
}

#[test]
fn a_file_of_trainings_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("models.toml");
    let root = env!("CARGO_MANIFEST_DIR");
    let stage = format!(
        "[[train]]\nbase = \"tiny-electra\"\ndata = [\"{root}/data/tiny\"]\n\
         settings = {{ max-pairs = 100, epochs = 1, learning-rate = 0.002, max-length = 64 }}\n"
    );
    fs::write(&file, format!("seed = 1\n{stage}")).unwrap();
    let out = folder.path().join("out");
    let run = || tiebreak(&["run", text(&file), "--out", text(&out)]);
    assert!(run().ok().contains("held out"));
    assert!(out.join("model/model.safetensors").exists());
    for (text, says) in [
        (format!("{stage}{stage}"), "two [[train]] stages"),
        (stage.replace("max-pairs", "max-pair"), "max-pair"),
        (stage.replace("epochs = 1", "epochs = 0"), "epochs"),
        (stage.replace("data/tiny", "data/tinny"), "no such file"),
    ] {
        fs::write(&file, text).unwrap();
        run().refused(&[says, "models.toml:"]);
    }
}

/// A data set of one source with two outputs, judged.
fn judged(folder: &Path, name: &str, source: &str, comparisons: &str) -> String {
    let path = folder.join(name);
    fs::create_dir(&path).unwrap();
    let outputs = format!(
        "item,system,output,source\n1,a,one,{source}\n1,b,two,{source}\n1,c,two,{source}\n"
    );
    fs::write(path.join("outputs.csv"), outputs).unwrap();
    let comparisons = format!("item,system_a,system_b,outcome\n{comparisons}");
    fs::write(path.join("comparisons.csv"), comparisons).unwrap();
    text(&path).to_string()
}

#[test]
fn settings_that_do_not_fit_each_other_are_named() {
    let none = tempfile::tempdir().unwrap();
    for (more, word) in [
        (&["--beside", "chrff"][..], "chrf"),
        (&["--beside", "cider"], "whole data set"),
        (
            &["--beside", "chrf", "--head", "pairwise"],
            "pointwise or matching",
        ),
        (&["--beside-unreferenced", "chrf"], "chrf needs references"),
        (
            &["--beside-unreferenced", "length", "--head", "pairwise"],
            "beside-unreferenced is for a head that scores one output",
        ),
        (&["--calibrate", "warmly"], "isotonic"),
    ] {
        fit(&none.path().join("model"), more).refused(&[word]);
        assert!(!none.path().join("model").exists());
    }
}

/// Data sets, flags with their values after ` = `, and what is said.
const MISTAKES: &str = "
ONE        |  | held out
ONE SAME   |  | share sources
ONE ONE    |  | is the same data set
LABEL      |  | comparisons.csv:2
IDENTICAL  |  | no comparison of different outputs
ONE SAME   | --ties = drop | not a tie
SAME       | --ties = drop | not a tie
NONE       |  | comparisons
data/tiny  | --validation = 0 | validation is 0
data/tiny  | --validation = 1 | validation
data/tiny  | --learning-rate = NaN | learning-rate
data/tiny  | --warmup = 1.5 | warmup
data/tiny  | --epochs = 0 | epochs
data/tiny  | --ties = class | pairwise
data/tiny  | --template = [CLS] {a} [SEP] | {output}
data/tiny  | --head = matching = --template = [CLS] {context} [SEP] {text} [SEP] | {context}, which the matching head does not read
data/tiny  | --head = matching = --template = {text} [SEP] | one special token before {text} and one after
data/tiny  | --base = tiny-electro | tiny-electra
data/tinny |  | no such file
";

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name, source, comparisons| judged(folder.path(), name, source, comparisons);
    let made = [
        ("ONE", of("one", "x", "1,a,b,1\n")),
        ("SAME", of("same", "X ", "1,b,a,0.5\n")),
        ("LABEL", of("label", "y", "1,a,b,0.7\n")),
        ("IDENTICAL", of("identical", "z", "1,b,c,1\n")),
        ("NONE", of("none", "w", "")),
    ];
    for [data, more, says] in table_rows(MISTAKES) {
        let out = folder.path().join("never");
        let path = |name: &str| made.iter().find(|(one, _)| *one == name);
        let paths = data
            .split(' ')
            .map(|name| path(name).map_or(name, |(_, path)| path));
        let mut all = vec!["fit", "pairwise"];
        all.extend(paths);
        if !more.contains("--base") {
            all.extend(["--base", "tiny-electra"]);
        }
        all.extend(more.split(" = ").filter(|word| !word.is_empty()));
        all.extend(["--out", text(&out)]);
        let refused = tiebreak(&all);
        refused.refused(&[says]);
        let _ = fs::remove_dir_all(&out);
    }
}
