//! `run` on a file of experiments: cells, tables and plots, continued and changed.

use super::{here, text, tiebreak, tree};
use crate::support::{assert_contains, table_rows};
use expect_test::expect;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::tables::json;
use tiebreak::tables::sealed_text::seal_json;

/// Two quick experiments in a file of their own.
const SMALL: &str = r#"
data-root = "data"
[defaults]
data = "tiny"
runs = 20
budget = 300
[[experiment]]
bandit = ["rmed", "uniform"]
[[experiment]]
measure = "sentence-accuracy"
metric = "chrf"
link = ["linear", "btl"]
[[table]]
name = "complexity"
title = "Complexity"
columns = "data"
value = "annotation-complexity"
[[plot]]
name = "accuracy"
title = "Accuracy"
panels = "data"
"#;

struct Grid {
    folder: tempfile::TempDir,
}

impl Grid {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("grid.toml"), here(text)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, more: &[&str]) -> super::Finished {
        let (file, out) = (self.path("grid.toml"), self.path("out"));
        let mut arguments = vec!["run", text(&file), "--out", text(&out)];
        arguments.extend(more);
        tiebreak(&arguments)
    }

    /// What a broken file is told: the exit code must be 2.
    fn refused(text: &str) -> String {
        let finished = Self::new(text).run(&[]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        finished.stderr
    }
}

fn cells(out: &Path) -> Vec<PathBuf> {
    tree(&out.join("cells"))
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn a_cell_says_what_simulate_says() {
    let grid = Grid::new(SMALL);
    let report = grid.run(&["--json"]).json();
    let rank = ["simulate data/tiny --bandit rmed --runs 20 --budget 300 --json"];
    let rank = tiebreak(&rank).json();
    let cell = &report["cells"][0];
    assert_eq!(cell["settings"]["bandit"], "rmed");
    assert_eq!(cell["outcome"]["accuracy"], rank["accuracy"]);
    let quantities = &cell["outcome"]["quantities"];
    assert_eq!(
        quantities["mean-annotations"]["value"],
        rank["mean_annotations"]
    );
    let accuracy =
        |cell: usize| report["cells"][cell]["outcome"]["quantities"]["sentence-accuracy"].clone();
    for (cell, link) in [(2, "linear"), (3, "btl")] {
        let (scores, fitted) = (
            grid.path("out/score/tiny/chrf"),
            grid.path(&format!("{link}.toml")),
        );
        let fit = [
            "fit link data/tiny --scores",
            text(&scores),
            "--metric chrf --link",
            link,
            "--out",
            text(&fitted),
            "--json",
        ];
        let fit = tiebreak(&fit).json();
        // No other data set to fit on: each item is predicted by what was fitted without it.
        let (ours, fitted) = (&accuracy(cell)["value"], &fit["held_out"]);
        let (ours, fitted) = (ours.as_f64().unwrap(), fitted.as_f64().unwrap());
        assert!((ours - fitted).abs() < 1e-12, "{link}: {ours} {fitted}");
        let ends = [
            accuracy(cell)["lower"].as_f64().unwrap(),
            accuracy(cell)["upper"].as_f64().unwrap(),
        ];
        assert!(ends[0] < ours && ours < ends[1], "{ends:?}");
    }
}

#[test]
fn only_missing_cells_are_computed() {
    let grid = Grid::new(SMALL);
    grid.run(&[]).ok();
    let (out, whole) = (grid.path("out"), tree(&grid.path("out")));
    assert_eq!(cells(&out).len(), 4);
    let first = out.join("cells").join(&cells(&out)[0]);
    let changed = seal_json(&json::printed_text(&first).unwrap().replace("0.", "0.0"));
    fs::write(&first, &changed).unwrap();
    fs::remove_file(out.join("cells").join(&cells(&out)[1])).unwrap();
    grid.run(&[]).ok();
    assert_eq!(
        fs::read_to_string(&first).unwrap(),
        changed,
        "it was computed again"
    );
    fs::remove_file(&first).unwrap();
    grid.run(&[]).ok();
    assert!(tree(&out) == whole, "the same cells give the same files");

    let longer = SMALL.replace("bandit = [", "budget = 400\nbandit = [");
    fs::write(grid.path("grid.toml"), here(&longer)).unwrap();
    grid.run(&[]).ok();
    assert_eq!(cells(&out).len(), 6, "two cells have another budget");
}

#[test]
fn published_numbers_stand_below_ours() {
    let grid =
        Grid::new(&SMALL.replace("value = \"ann", "published = \"theirs.csv\"\nvalue = \"ann"));
    fs::write(grid.path("theirs.csv"), "bandit,tiny\nrmed,1,2\n").unwrap();
    grid.run(&[]).refused(&["theirs.csv:2"]);
    assert!(
        !grid.path("out/cells").exists(),
        "ran before it was refused"
    );
    fs::write(
        grid.path("theirs.csv"),
        "bandit,tiny,other\nrmed,123,\nuniform,> 1000,5\n",
    )
    .unwrap();
    let report = grid.run(&[]).ok();
    let published = |line: &&str| line.contains("published ");
    let lines: Vec<&str> = report.lines().filter(published).collect();
    assert!(
        lines[0].contains("123") && lines[1].contains("> 1000"),
        "{report}"
    );
    let table = fs::read_to_string(grid.path("out/complexity.csv")).unwrap();
    assert!(
        table.starts_with("row,column,value,lower,upper,published\nrmed,tiny,"),
        "{table}"
    );
    assert!(grid.path("out/accuracy-tiny.svg").exists());
    let told = tiebreak(&["report", text(&grid.path("out"))]).ok();
    assert_eq!(told, report, "`report` tells the same again");
}

#[test]
fn data_sets_that_are_not_there_are_skipped_by_name() {
    let two = SMALL.replace("data = \"tiny\"", "data = [\"tiny\", \"huge\"]");
    let grid = Grid::new(&two);
    let finished = grid.run(&[]);
    assert_contains(&finished.stderr, &["skipped `huge`"]);
    assert!(finished.ok().contains("skipped (not found): huge"));
    let nowhere = grid.run(&["--data-root", "nowhere"]);
    nowhere.refused(&["grid.toml:2", "--data-root DIR"]);
}

/// What stands in the small grid, what is written in its place, and the line of the mistake with its message.
const MISTAKES: &str = r#"
"rmed", "uniform"               | "rmde"                          | 8  | did you mean `rmed`?
"rmed", "uniform"               |                                 | 8  | expected at least one value
metric = "chrf"\n               |                                 | 11 | a metric together with a link
metric = "chrf"\n               | metric = "chrf"\nmix = 0.5\n    | 12 | annotation-complexity only
budget = 300                    | budget = 300\nbuget = 3         | 7  | unknown key `buget`
columns = "data"                | columns = "data"\nrows = "data" | 17 | two cells fall into row `tiny`
columns = "data"                | columns = "data"\nbaseline = "dts"| 17 | no row is called `dts`: rmed, uniform
value = "annotation-complexity" | value = "ac"                    | 17 | unknown variant `ac`
"uniform"]                      | "uniform"]\nmix = 0.5           | 9  | a `metric` with a `link`
"uniform"]                      | "uniform"]\naltered = "reversed"| 9  | this alters `predictions`
panels = "data"                 | panels = "data"\nbaseline = "a" | 22 | which is missing
panels = "data"                 | x = "data"\ny = "annotation-complexity"\nbaseline = "a" | 23 | no series is called `a`: rmed, uniform
"#;

/// The column of the reference table whose data we may give away, by fewer runs.
#[test]
fn the_reference_table_is_made_again_to_the_byte() {
    let text = fs::read_to_string("pipelines/reference.toml").unwrap();
    let mut file: toml::Table = text.parse().unwrap();
    file["data-root"] = "data".into();
    file["defaults"]["data"] = "mt-bench".into();
    file["defaults"]["runs"] = 20.into();
    let experiments = file["experiment"].as_array_mut().unwrap();
    // It has no references, and a model takes longer.
    experiments.retain(|one| one.get("metric").or(one.get("model")).is_none());
    let hints = |name: &str| format!("data/mt-bench/hints/{name}.jsonl.gz").into();
    for helped in experiments.iter_mut().skip(1) {
        helped["data"] = "mt-bench".into();
        helped["predictions"] = hints("gpt-4");
    }
    // The verdicts that we turned round are those that the file of experiments turns round.
    let mut turned = experiments[1].clone();
    turned["label"] = "turned".into();
    turned["predictions"] = hints("reversed");
    experiments.push(turned);
    file["table"].as_array_mut().unwrap().truncate(2);
    for plot in file["plot"].as_array_mut().unwrap() {
        plot.as_table_mut().unwrap().remove("only");
    }
    let grid = Grid::new(&file.to_string());
    grid.run(&[]).ok();
    let table = |name: &str| fs::read_to_string(grid.path(&format!("out/{name}.csv"))).unwrap();
    expect![[r#"
        row,column,value,lower,upper,published
        uniform,mt-bench,1463.0,430.0,1893.0,
        single-elimination,mt-bench,2500.0,2500.0,2500.0,
        knockout,mt-bench,908.0,844.0,1580.0,
        beat-the-mean,mt-bench,691.0,490.0,833.0,
        plackett-luce,mt-bench,359.0,230.0,467.0,
        pocowista,mt-bench,,,,
        borda-ucb,mt-bench,476.0,199.0,727.0,
        ccb,mt-bench,323.0,186.0,423.0,
        savage,mt-bench,499.0,215.0,718.0,
        rucb,mt-bench,408.0,146.0,426.0,
        rcs,mt-bench,460.0,110.0,465.0,
        rmed,mt-bench,149.0,106.0,263.0,
        dts,mt-bench,114.0,101.0,297.0,
        dts++,mt-bench,146.0,91.0,176.0,
        adaptive,mt-bench,79.0,69.0,284.0,
        "adaptive, GPT-4",mt-bench,4.0,0.0,319.0,
        "adaptive, GPT-4, reversed",mt-bench,260.0,61.0,387.0,
        "adaptive, GPT-4, swapped",mt-bench,136.0,89.0,351.0,
        turned,mt-bench,260.0,61.0,387.0,
        row,column,value,lower,upper,published
        uniform,mt-bench,6000.0,,,
        single-elimination,mt-bench,2500.0,,,
        knockout,mt-bench,909.95,,,
        beat-the-mean,mt-bench,6000.0,,,
        plackett-luce,mt-bench,2239.75,,,
        pocowista,mt-bench,2993.95,,,
        borda-ucb,mt-bench,6000.0,,,
        ccb,mt-bench,1225.05,,,
        savage,mt-bench,3714.65,,,
        rucb,mt-bench,1238.75,,,
        rcs,mt-bench,860.5,,,
        rmed,mt-bench,972.3,,,
        dts,mt-bench,407.85,,,
        dts++,mt-bench,442.85,,,
        adaptive,mt-bench,317.9,,,
        "adaptive, GPT-4",mt-bench,211.5,,,
        "adaptive, GPT-4, reversed",mt-bench,321.2,,,
        "adaptive, GPT-4, swapped",mt-bench,323.9,,,
        turned,mt-bench,321.2,,,
    "#]]
    .assert_eq(&(table("reference") + &table("reference-ended")));
}

#[test]
fn mistakes_are_told_with_their_line_before_anything_runs() {
    for [from, to, line, says] in table_rows(MISTAKES) {
        let [from, to] = [from, to].map(|text| text.replace("\\n", "\n"));
        assert!(SMALL.contains(&from), "{from}");
        let told = Grid::refused(&SMALL.replacen(&from, &to, 1));
        assert_contains(&told, &[&format!("grid.toml:{line}: "), says]);
    }
    let pipeline = tiebreak(&["run", "pipelines/tour.toml", "--data-root", "data"]);
    assert_eq!(pipeline.code, Some(2));
}

#[test]
fn some_of_the_systems_are_nested_and_judged_among_themselves() {
    let bandits = "bandit = [\"rmed\", \"uniform\"]";
    let grid = Grid::new(
        &SMALL
            .replace(bandits, "bandit = \"rmed\"\nsystems = [2, 3, 7]")
            .replace(
                "columns = \"data\"",
                "columns = \"data\"\nrows = \"systems\"",
            ),
    );
    let report = grid.run(&["--json"]).json();
    let all = tiebreak(&["simulate data/tiny --bandit rmed --runs 20 --budget 300 --json"]);
    let of = |cell: usize| report["cells"][cell]["outcome"]["accuracy"].clone();
    assert_eq!(of(2), all.json()["accuracy"], "all seven are all");
    let last = |curve: Value| {
        curve.as_array().unwrap().last().unwrap()[1]
            .as_f64()
            .unwrap()
    };
    assert!(
        last(of(0)) > 0.5,
        "one of two systems is named sooner: {}",
        of(0)
    );
}

#[cfg(feature = "neural")]
#[test]
fn a_row_of_a_table_can_be_a_model() {
    let text = "data-root = \"data\"\n\
                [defaults]\ndata = \"tiny\"\nmeasure = \"assessment\"\nmetric = \"chrf\"\nlink = \"btl\"\n\
                [[experiment]]\n[[experiment]]\nmodel = \"tiny-electra\"\ndraws = 2\n\
                [[table]]\nname = \"quality\"\ntitle = \"Quality\"\nrows = [\"model\", \"metric\", \"link\"]\n\
                value = [\"sentence-accuracy\", \"decided-accuracy\", \"brier\", \"calibration-error\", \"bald-worth\"]\n";
    let grid = Grid::new(text);
    let report = grid.run(&["--json"]).json();
    let entries = report["tables"][0]["entries"].as_array().unwrap();
    let of = |row: &str| entries.iter().filter(|entry| entry["row"] == row).count();
    // A metric has no BALD.
    assert_eq!((of("chrf, btl"), of("tiny-electra")), (4, 5));
    let predictions = grid.path("out/predict/tiny/tiny-electra.2");
    let assess = [
        "assess data/tiny --predictions",
        super::text(&predictions),
        "--json",
    ];
    let assessed = tiebreak(&assess).json();
    let cell = &report["cells"][1]["outcome"]["quantities"];
    assert_eq!(cell["brier"]["value"], assessed["brier"]["value"]);
    assert_eq!(
        cell["sentence-accuracy"]["upper"],
        assessed["three_way"]["upper"]
    );
    for (from, to, phrase) in [
        (
            "draws = 2",
            "draws = 2\nmetric = \"chrf\"",
            "in place of a metric",
        ),
        (
            "tiny-electra",
            "tiny-elektra",
            "did you mean `tiny-electra`",
        ),
    ] {
        let told = Grid::refused(&text.replacen(from, to, 1));
        assert_contains(&told, &[phrase]);
    }
}

/// What `simulate` can, an experiment can, from paths relative to its file.
#[cfg(feature = "neural")]
#[test]
fn a_cell_is_the_stage_with_all_its_keys() {
    let text = "data-root = \"data\"\n[[experiment]]\ndata = \"tiny\"\nbandit = \"rmed\"\nruns = 6\n\
                budget = 60\nmodel = \"tiny-electra\"\norder = \"both\"\ncache = \"kept\"\n\
                mix = 0.5\naudit = [0, 0.2]\nconfidence = 0.8\n\
                [[table]]\nname = \"t\"\ntitle = \"T\"\nrows = \"audit\"\nvalue = \"mean-annotations\"\n";
    let grid = Grid::new(text);
    let finished = grid.run(&["--json"]);
    let once = finished.stderr.matches("predicted ").count();
    assert_eq!(
        once, 1,
        "the second cell has all it needs: {}",
        finished.stderr
    );
    let report = finished.json();
    assert!(grid.path("kept/tiny/tiny-electra.0.both").is_dir());
    for (cell, audit) in [(0, "0"), (1, "0.2")] {
        let simulate = "simulate data/tiny --bandit rmed --runs 6 --budget 60 --model tiny-electra \
                        --order both --mix 0.5 --confidence 0.8 --json --audit";
        let arguments: Vec<&str> = simulate.split_whitespace().chain([audit]).collect();
        let alone = tiebreak(&arguments).json();
        let outcome = &report["cells"][cell]["outcome"];
        assert_eq!(outcome["accuracy"], alone["accuracy"], "audit {audit}");
        let annotations = &outcome["quantities"]["mean-annotations"]["value"];
        assert_eq!(annotations, &alone["mean_annotations"]);
        assert_eq!(report["tables"][0]["entries"][cell]["row"], audit);
    }
}
