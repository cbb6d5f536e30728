//! `run` on experiments with judgments of single outputs: variance, correlation, data efficiency,
//! improvements.

use super::{here, score_with_chrf, text, tiebreak, tree};
use crate::support::{assert_contains, table_rows};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const SMALL: &str = r#"
data-root = "data"
[defaults]
data = "tiny"
criterion = "adequacy"
[[experiment]]
label = "variance"
measure = "variance"
[[experiment]]
label = "correlation"
measure = "correlation"
metric = ["chrf", "ter"]
[[experiment]]
label = "efficiency"
measure = "data-efficiency"
metric = "chrf"
runs = 60
budget = 100
[[experiment]]
label = "improvements"
measure = "improvements"
metric = ["chrf", "ter"]
[[table]]
name = "variance"
title = "Variance"
only = "variance"
rows = ["criterion", "system"]
value = ["signal", "noise", "gamma"]
[[table]]
name = "matrix"
title = "Correlation"
only = "correlation"
rows = "system"
columns = "metric"
panels = ["data", "criterion"]
value = "correlation"
drawn = true
[[plot]]
name = "widths"
title = "Widths"
shows = "widths"
panels = ["metric", "system"]
[[plot]]
name = "contour"
title = "Contour"
only = "correlation"
shows = "contour"
series = "metric"
[[plot]]
name = "systems"
title = "Systems"
only = "correlation"
shows = "systems"
[[plot]]
name = "outputs"
title = "Outputs"
only = "correlation"
shows = "outputs"
panels = ["metric", "system"]
"#;

struct Run {
    folder: tempfile::TempDir,
    report: Value,
}

impl Run {
    fn of(grid: &str, threads: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("rated.toml"), folder.path().join("out"));
        fs::write(&file, here(grid)).unwrap();
        let run = ["run", text(&file), "--out", text(&out), "--json"];
        let run = [&run[..], &["--threads", threads]].concat();
        let report = tiebreak(&run).json();
        Self { folder, report }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("out").join(name)
    }

    /// What was found in the first cell with a label.
    fn outcome(&self, label: &str) -> &Value {
        let mut cells = self.report["cells"].as_array().unwrap().iter();
        let cell = cells.find(|cell| cell["settings"]["label"] == label);
        &cell.unwrap()["outcome"]
    }
}

/// What was found of each system, with its name.
fn systems(outcome: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let systems = outcome["systems"].as_array().unwrap().iter();
    systems.map(|system| (system[0].as_str().unwrap(), &system[1]))
}

fn quantity(outcome: &Value, name: &str) -> f64 {
    let value = &outcome["quantities"][name]["value"];
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{name} in {outcome}"))
}

#[test]
fn a_cell_says_of_each_system_what_estimate_says() {
    let run = Run::of(SMALL, "2");
    let scores = run.path("chrf.csv");
    score_with_chrf(&scores);
    let estimate = ["estimate", "data/tiny", "--criterion", "adequacy", "--json"];
    let more = [
        "--estimator control-variates --scores",
        text(&scores),
        "--metric chrf",
    ];
    let estimates = tiebreak(&[&estimate[..], &more].concat()).json();
    let row = |system: &str| {
        let mut rows = estimates["estimates"].as_array().unwrap().iter();
        rows.find(|row| row["system"] == system).unwrap()
    };
    let close = |ours: f64, theirs: &Value, what: &str| {
        let theirs = theirs.as_f64().unwrap();
        assert!((ours - theirs).abs() < 1e-9, "{what}: {ours} {theirs}");
    };
    assert_eq!(systems(run.outcome("variance")).count(), 7);
    for (system, outcome) in systems(run.outcome("variance")) {
        close(quantity(outcome, "gamma"), &row(system)["gamma"], system);
        close(quantity(outcome, "judgments"), &row(system)["n"], system);
    }
    for (system, outcome) in systems(run.outcome("correlation")) {
        close(quantity(outcome, "rho"), &row(system)["rho"], system);
        let bounds = &outcome["quantities"]["correlation"];
        let r = quantity(outcome, "correlation");
        let efficiency = quantity(outcome, "data-efficiency");
        assert!((efficiency - 1.0 / (1.0 - r * r)).abs() < 1e-9);
        assert!(bounds["lower"].as_f64().unwrap() < r && r < bounds["upper"].as_f64().unwrap());
    }
}

#[test]
fn campaigns_and_changes_go_the_way_they_must() {
    let run = Run::of(SMALL, "2");
    let efficiency = run.outcome("efficiency");
    for (system, outcome) in systems(efficiency) {
        let perfect = quantity(outcome, "measured-perfect");
        let others = quantity(outcome, "measured-leave-one-out");
        assert!(perfect > others, "{system}: {perfect} {others}");
        let widths = outcome["widths"].as_array().unwrap();
        let names: Vec<&str> = widths
            .iter()
            .map(|line| line[0].as_str().unwrap())
            .collect();
        assert_eq!(names[..2], ["humans", "humans + metric"]);
        for line in widths {
            let ends = [&line[1][0][1], &line[1][19][1]].map(|width| width.as_f64().unwrap());
            assert!(ends[1] < ends[0], "{system}: {line}");
        }
    }
    for cell in run.report["cells"].as_array().unwrap() {
        if cell["settings"]["label"] != "improvements" {
            continue;
        }
        let outcome = &cell["outcome"];
        assert!(quantity(outcome, "unseen-human-gain") > 0.0);
        assert!(quantity(outcome, "hollow-metric-gain") > 0.0);
        let seen = quantity(outcome, "unseen-metric-gain") / quantity(outcome, "unseen-changed");
        let hollow = quantity(outcome, "hollow-metric-gain") / quantity(outcome, "hollow-changed");
        assert!(seen < hollow, "{outcome}");
    }
}

#[test]
fn tables_and_plots_tell_systems_apart() {
    let run = Run::of(SMALL, "1");
    let table = fs::read_to_string(run.path("variance.txt")).unwrap();
    assert_contains(&table, &["adequacy, atlas "]);
    let matrix = fs::read_to_string(run.path("matrix-tiny--adequacy.csv")).unwrap();
    assert_eq!(
        matrix.lines().count(),
        15,
        "seven systems, two metrics: {matrix}"
    );
    for plot in [
        "widths-chrf--atlas",
        "contour",
        "systems",
        "outputs-ter--atlas",
    ] {
        let svg = fs::read_to_string(run.path(&format!("{plot}.svg"))).unwrap();
        assert!(
            svg.contains("<circle") || svg.contains("<polyline"),
            "{plot}"
        );
    }
    let matrix = fs::read_to_string(run.path("matrix-tiny--adequacy.svg")).unwrap();
    assert!(
        matrix.matches("<rect").count() >= 14 && matrix.contains("atlas"),
        "{matrix}"
    );
    let contour = fs::read_to_string(run.path("contour.svg")).unwrap();
    assert_contains(&contour, &["inverse efficiency 0.9"]);
    let dots = fs::read_to_string(run.path("outputs-ter--atlas.svg")).unwrap();
    assert!(dots.matches("<circle").count() > 10);
    let again = Run::of(SMALL, "3");
    let whole = |run: &Run| tree(&run.folder.path().join("out"));
    assert!(whole(&run) == whole(&again), "threads change nothing");
}

/// What stands in the small file, what is written in its place, and what is said.
const MISTAKES: &str = r#"
criterion = "adequacy"\n |                                       | needs the `criterion`
budget = 100             | budget = 3                            | at least 10 judgments
runs = 60\n              |                                       | runs: this measure needs at least 2
measure = "variance"     | measure = "variance"\nmetric = "chrf" | metric: it belongs to annotation-complexity
measure = "variance"     | measure = "variance"\nbandit = "rmed" | annotation-complexity only
runs = 60                | runs = 60\nestimator = "men"          | did you mean `mean`?
criterion = "adequacy"\n | criterion = "adequcy"\n               | did you mean `adequacy`?
name = "contour"         | name = "matrix"                       | a table that is drawn and a plot
shows = "contour"        | shows = "contours"                    | unknown variant `contours`
"#;

#[test]
fn mistakes_are_told_before_anything_runs() {
    let refused = |from: &str, to: &str| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rated.toml");
        assert!(SMALL.contains(from), "{from}");
        fs::write(&file, here(&SMALL.replacen(from, to, 1))).unwrap();
        let out = folder.path().join("out");
        let finished = tiebreak(&["run", text(&file), "--out", text(&out)]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        finished.stderr
    };
    for [from, to, says] in table_rows(MISTAKES) {
        let [from, to] = [from, to].map(|text| text.replace("\\n", "\n"));
        let told = refused(&from, &to);
        assert_contains(&told, &[says]);
    }
}
