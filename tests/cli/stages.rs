//! One proof over the list of stages: each of its keys is a flag and a TOML key, and what cannot be is
//! refused before anything runs, at its line; and a run's manifest is all it takes to run it again.

use super::newcomer::Desk;
use super::{here, text, tiebreak, tree};
use crate::support::{assert_lacks, table_rows};
use std::fmt::Write;
use std::fs;
use tiebreak::stages::STAGES;

/// What makes the other keys of a stage right, where a wrong one is looked for.
fn needed(kind: &str) -> &'static str {
    match kind {
        "score" | "correlate" => "metric = \"chrf\"\n",
        "fit" => "metric = \"chrf\"\nlink = \"btl\"\n",
        "assess" => "predictions = \"data\"\n",
        "estimate" => "estimator = \"mean\"\n",
        _ => "",
    }
}

/// Runs `[[kind]]` with these lines and returns what is said, once it is sure that nothing ran.
fn refused(kind: &str, lines: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    let before = "data = \"data/tiny\"\n[[score]]\nmetric = \"length\"\n";
    fs::write(&file, here(&format!("{before}[[{kind}]]\n{lines}"))).unwrap();
    let run = tiebreak(&["run", text(&file), "--out", text(&out)]);
    assert_eq!(run.code, Some(2), "{kind}: {lines}{}", run.stderr);
    assert!(!out.exists(), "{kind}: {lines}: something ran");
    assert_lacks(&run.stderr, &["--"]);
    run.stderr
}

#[test]
fn every_key_is_a_flag() {
    for entry in STAGES {
        let verb = match entry.name {
            "fit" => vec!["fit", "link", "--help"],
            verb => vec![verb, "--help"],
        };
        let mut help = tiebreak(&verb).ok();
        // What several commands share is in a topic that the page names.
        let (_, more) = help.split_once("\nMore options:\n").unwrap();
        let topics: Vec<String> = more
            .lines()
            .map(|line| line.split_whitespace().nth(2).unwrap().to_string())
            .collect();
        for topic in topics {
            help += &tiebreak(&["help", &topic]).ok();
        }
        for key in (entry.keys)() {
            assert!(help.contains(&format!("--{key}")), "{verb:?} --{key}");
        }
    }
}

#[test]
fn every_key_is_refused_at_its_line_where_it_cannot_be() {
    for entry in STAGES {
        let kind = entry.name;
        for key in (entry.keys)() {
            let others = needed(kind).lines();
            let others = others.filter(|line| !line.starts_with(&key));
            let lines = others.fold(String::new(), |lines, line| lines + line + "\n");
            let line = 5 + lines.lines().count();
            let said = refused(kind, &format!("{lines}{key} = {{ nonsense = 1 }}\n"));
            let place = format!("p.toml:{line}: {key}: ");
            assert!(said.contains(&place), "[[{kind}]] {key}: {said}");
        }
    }
}

#[test]
fn a_stage_with_axes_is_each_of_its_stages() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, stages: &str| {
        let (file, out) = (
            folder.path().join(format!("{name}.toml")),
            folder.path().join(name),
        );
        fs::write(&file, here(&format!("data = \"data/tiny\"\n{stages}"))).unwrap();
        let told = tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
        // Intervals of two confidences are no rows of one table.
        let mixed = told
            .lines()
            .filter(|line| line.starts_with("delta ") && line.contains('['));
        assert_eq!(mixed.count(), 1, "{told}");
        tree(&out.join("estimate"))
    };
    let axes = run(
        "axes",
        "[[estimate]]\nestimator = [\"mean\", \"betting\"]\nrange = [0, 100]\n\
         [[estimate]]\nname = \"x\"\nestimator = \"mean\"\nconfidence = [0.8, 0.9]\n",
    );
    let one = |estimator: &str, more: &str| {
        format!("[[estimate]]\nestimator = \"{estimator}\"\n{more}\n")
    };
    let apart = [
        one("mean", "range = [0, 100]"),
        one("betting", "range = [0, 100]"),
        one("mean", "name = \"x-0.8\"\nconfidence = 0.8"),
        one("mean", "name = \"x-0.9\"\nconfidence = 0.9"),
    ];
    assert_eq!(axes, run("apart", &apart.concat()));
    for name in ["mean", "betting", "x-0.8", "x-0.9"] {
        let table = format!("{name}.csv");
        assert!(
            axes.iter().any(|(path, _)| path.ends_with(&table)),
            "{name}"
        );
    }
}

/// A stage, its keys, and where and of which key is told what is wrong; its first key is on line 5.
const WRONG: &str = r#"
score      | metric = "chrf"\nname = ".."               | p.toml:6: a stage called `..`
score      |                                            | p.toml:4: metric:
score      | metric = "bleu4"                           | p.toml:5: metric: unknown
score      | metric = "chrf:beta=x"                     | p.toml:5: metric:
score      | metric = ["chrf", "chrf"]                  | p.toml:5: metric:
score      | metric = "chrf"\ndraws = 5                 | p.toml:6: draws:
score      | metric = "length"                          | p.toml:4: two [[score]]
fit        | metric = "length"                          | p.toml:4: link:
fit        | metric = "length"\nlink = "logit"          | p.toml:6: link:
fit        | metric = "chrf"\nlink = "btl"              | p.toml:5: metric:
predict    | link = "btl"                               | p.toml:5: link:
predict    | metric = "length"                          | p.toml:5: metric:
predict    | metric = "length"\nlink = "btl"            | p.toml:6: link: no stage fits
predict    | pairs = "no.csv"                           | p.toml:5: pairs:
correlate  | metric = "length"\nscores = "no.csv"       | p.toml:6: scores:
estimate   | estimator = "stratified"\nstrata = "no.csv" | p.toml:6: strata:
predict    | model = "nobody"                           | p.toml:5: model:
predict    | calibration = "no.toml"                    | p.toml:5: calibration:
simulate   | model = "nobody"                           | p.toml:5: model:
predict    | draws = -1                                 | p.toml:5: draws:
predict    | draws = "adaptive:most=1"                  | p.toml:5: draws:
predict    | dropout = "none"                           | p.toml:5: dropout:
predict    | precision = "f16"                          | p.toml:5: precision:
predict    | order = "sometimes"                        | p.toml:5: order:
predict    | keep-draws = 1                             | p.toml:5: keep-draws:
predict    | keep_draws = true                          | p.toml:5: unknown key `keep_draws`
assess     |                                            | p.toml:4: predictions:
assess     | predictions = "nobody"                     | p.toml:5: predictions:
assess     | predictions = "nobody"\nbins = 0           | p.toml:6: bins: 0
assess     | predictions = "x"\nthresholds = [0.6, 0.4] | p.toml:6: thresholds:
simulate   | bandit = "rucbb"                           | p.toml:5: bandit: unknown
simulate   | bandit = "rucb:alpa=1"                     | p.toml:5: bandit:
simulate   | runs = 0                                   | p.toml:5: runs: 0, expected a whole number from 1 to 100000
simulate   | budget = 0                                 | p.toml:5: budget: 0
simulate   | steps = -3                                 | p.toml:5: steps: -3
simulate   | systems = 1                                | p.toml:5: systems: 1
simulate   | delay = -1                                 | p.toml:5: delay:
simulate   | bandit = "uniform"\nconfidence = 1.5       | p.toml:6: confidence: 1.5
simulate   | mix = 0.5                                  | p.toml:5: mix:
simulate   | mix = "much"                               | p.toml:5: mix:
simulate   | audit = 0.5                                | p.toml:5: audit:
simulate   | sample = 5                                 | p.toml:5: sample:
simulate   | draws = 5                                  | p.toml:5: draws:
simulate   | cache = "c"                                | p.toml:5: cache:
simulate   | predictions = "nobody"                     | p.toml:5: predictions:
simulate   | bandit = "rmed"\npredictions = "../tests"  | p.toml:6: predictions:
simulate   | eliminate = { alpha = -1.0 }               | p.toml:5: eliminate:
simulate   | select = { by = "bald" }                   | p.toml:5: select:
simulate   | select = "bald"                            | p.toml:5: select: `bald`, expected bald:T, std:T, margin:T or auto
simulate   | select = { by = "bold", above = 0.1 }      | expected one of `bald`, `std`, `margin`
simulate   | criterion = "x"\nbandit = "rmed"          | p.toml:6: bandit: this is for replays of comparisons
simulate   | epsilon = 0.1                              | p.toml:5: epsilon: this is for replays of scores
simulate   | metric = "chrf"                            | p.toml:5: metric:
rank       | baseline = "atlas"                         | p.toml:5: baseline:
rank       | confidence = 95                            | p.toml:5: confidence: 95
rank       | mix = 1.5                                  | p.toml:5: unknown key `mix`
rank       | predictions = "nobody"                     | p.toml:5: predictions:
estimate   | estimator = "median"                       | p.toml:5: estimator: unknown
estimate   | estimator = "mean"\ntarget-width = -1      | p.toml:6: target-width: -1
estimate   | estimator = "mean"\nrange = [5, 1]         | p.toml:6: range: 5,1
estimate   | estimator = "mean"\nrange = [0, 90]        | judgments.jsonl:1: a judgment is 100, outside
estimate   | estimator = "mean"\nstop = "soon"          | p.toml:6: stop:
estimate   | estimator = "mean"\nparts = "most"         | p.toml:6: parts:
estimate   | estimator = "ppi++"\nmetric = "bleu"       | p.toml:6: metric: no stage
correlate  |                                            | p.toml:4: metric:
correlate  | metric = []                                | p.toml:5: metric:
correlate  | metric = "length"\nresamples = 5           | p.toml:6: resamples: 5
correlate  | metric = "length"\nlevel = "word"          | p.toml:6: level:
annotators | labels = "majority"                        | p.toml:5: labels:
annotators | criteria = "x"                             | p.toml:5: unknown key `criteria`
ranks      |                                            | p.toml:4: unknown stage [[ranks]]
judge      |                                            | a judge is a model of [[predict]]
"#;

#[test]
fn what_cannot_be_is_refused_at_its_line_before_anything_runs() {
    let model = "model = \"tiny-electra\"\n";
    for [kind, lines, at] in table_rows(WRONG) {
        let said = refused(kind, &(lines.replace("\\n", "\n") + "\n"));
        assert!(said.contains(at), "[[{kind}]] {lines}: {said}");
    }
    for (lines, at) in [
        ("mix = 1.5", "p.toml:6: mix: "),
        ("mix = 0.5\nselect = \"auto\"", "p.toml:7: select: "),
        ("bandit = \"rmed\"", "p.toml:5: model: "),
        ("predictions = \"x\"", "p.toml:5: model: "),
        ("systems = 3\neliminate = \"auto\"", "p.toml:6: systems: "),
        ("mix = 0.5\naudit = 2", "p.toml:7: audit: "),
    ] {
        let said = refused("simulate", &format!("{model}{lines}\n"));
        assert!(said.contains(at), "{lines}: {said}");
    }
}

#[test]
fn two_stages_alike_are_told_apart_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    let twice = "data = \"data/tiny\"\n[[score]]\nmetric = \"length\"\n[[score]]\nname = \"again\"\nmetric = \"length\"\n";
    fs::write(&file, here(twice)).unwrap();
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    assert!(out.join("score/length").is_dir() && out.join("score/again").is_dir());
}

#[test]
fn a_manifest_is_all_it_takes_to_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("a")).unwrap();
    fs::create_dir(path("b")).unwrap();
    let pipeline = "seed = 7\ndata = \"data/tiny\"\n[[score]]\nmetric = [\"chrf:word-order=2\", \"length\"]\n\
        [[fit]]\nmetric = \"length\"\nlink = \"btl\"\n[[predict]]\nmetric = \"length\"\nlink = \"btl\"\n\
        [[assess]]\npredictions = \"length-btl\"\nbins = 4\n\
        [[simulate]]\nbandit = { name = \"rmed\", f = 0.3 }\nruns = 4\nbudget = 50\n\
        [[simulate]]\npredictions = \"length-btl\"\nmix = 0.5\nbudget = 50\neliminate = { alpha = 0.0 }\n\
        [[rank]]\n[[rank]]\nname = \"both\"\npredictions = \"length-btl\"\n\
        [[estimate]]\nestimator = \"regression\"\nmetric = [\"length\", \"chrf:word-order=2\"]\nrange = [0, 100]\n\
        [[correlate]]\nmetric = \"length\"\nresamples = 100\n[[annotators]]\n";
    fs::write(path("a/p.toml"), here(pipeline)).unwrap();
    let run = |which: &str| {
        let out = path(which).join("out");
        tiebreak(&[
            "run",
            text(&path(which).join("p.toml")),
            "--out",
            text(&out),
        ])
        .ok();
        out
    };
    let first = run("a");
    let manifest: toml::Table = fs::read_to_string(first.join("run.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let mut again = format!("seed = {}\ndata = \"data/tiny\"\n", manifest["seed"]);
    let mut before = None;
    for stage in manifest["stage"].as_array().unwrap() {
        // A stage that scores with several metrics has a table for each.
        let (kind, settings) = (&stage["kind"], &stage["settings"]);
        if before == Some((kind, settings)) {
            continue;
        }
        before = Some((kind, settings));
        let _ = writeln!(again, "[[{}]]", kind.as_str().unwrap());
        if kind.as_str() != Some("score") {
            let _ = writeln!(again, "name = {}", stage["name"]);
        }
        for (key, value) in settings.as_table().unwrap() {
            let _ = writeln!(again, "{key} = {value}");
        }
    }
    fs::write(path("b/p.toml"), here(&again)).unwrap();
    assert_eq!(tree(&first), tree(&run("b")));
}

#[test]
fn the_recorded_command_makes_the_same_bytes_again() {
    let (desk, far) = (Desk::empty(), Desk::empty());
    far.file(
        "p.toml",
        &here("data = \"data/tiny\"\n[[score]]\nmetric = \"length\"\n"),
    );
    let file = far.path("p.toml");
    desk.call(&["run", text(&file), "--out", "first"]).ok();
    let first = fs::read_to_string(desk.path("first/run.toml")).unwrap();
    let recorded: toml::Table = first.parse().unwrap();
    assert_eq!(recorded["note"].as_str(), Some("in the folder of p.toml"));
    let command = recorded["command"].as_str().unwrap();
    far.run(command.strip_prefix("tiebreak ").unwrap()).ok();
    assert_eq!(tree(&desk.path("first")), tree(&far.path("out/p")));
}
