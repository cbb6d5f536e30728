//! `correlate`, as a person uses it.

use super::{Finished, here, text, tiebreak, tree};
use crate::support::assert_contains;
use std::fs;
use std::path::{Path, PathBuf};

/// Scores of `data/tiny` by three metrics, of which one is better when lower.
fn scores(folder: &Path) -> PathBuf {
    let out = folder.join("scores.csv");
    let metrics = ["chrf", "bleu-1", "ter"];
    let score = [
        &["score", "data/tiny", "--out", text(&out), "--metric"],
        &metrics[..],
    ]
    .concat();
    tiebreak(&score).ok();
    out
}

/// `correlate data/tiny` with few resamples.
fn correlate(scores: &Path, flags: &[&str]) -> Finished {
    let run = ["correlate", "data/tiny", "--resamples", "100", "--scores"];
    tiebreak(&[&run[..], &[text(scores)], flags].concat())
}

#[test]
fn metrics_are_held_against_everything_people_said() {
    let folder = tempfile::tempdir().unwrap();
    let scores = scores(folder.path());
    let metrics = ["--metric", "chrf", "bleu-1", "ter"];
    let printed = correlate(&scores, &metrics).ok();
    assert_contains(
        &printed,
        &[
            "With judgments of adequacy: per item, then averaged",
            "With judgments of fluency: system means",
            "With comparisons: all pooled",
            "soft-pairwise-accuracy",
            "for just these systems",
            "for systems like these",
            "|perm:both|swap:ranks|resamples:100|confidence:0.95|version:2",
        ],
    );
    let json = correlate(
        &scores,
        &[&metrics[..], &["--json", "--threads", "1"]].concat(),
    )
    .json();
    let again = correlate(
        &scores,
        &[&metrics[..], &["--json", "--threads", "3"]].concat(),
    )
    .json();
    assert_eq!(json, again);
    let rows = json["correlations"].as_array().unwrap();
    assert_eq!(rows.len(), 3 * (2 * 13 + 7), "{rows:?}");
    for row in rows {
        let value = row["value"].as_f64().unwrap();
        assert!(
            value > 0.0,
            "`ter` is turned round, and all are of use: {row}"
        );
        assert_eq!(
            row["epsilon"].is_null(),
            row["coefficient"] != "calibrated-accuracy"
        );
    }
    let differences = json["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3 * (2 * 13 + 7));
    for row in differences {
        let of_systems = row["grouping"] == "system";
        assert_eq!(row["these_systems"].is_object(), of_systems, "{row}");
        assert!(of_systems || row["p_value"].is_number(), "{row}");
    }
}

#[test]
fn a_level_a_criterion_and_a_seed_move_no_number_that_stays() {
    let folder = tempfile::tempdir().unwrap();
    let scores = scores(folder.path());
    let all = correlate(&scores, &["--metric", "chrf", "--json"]).json();
    let some = [
        "--metric",
        "chrf",
        "--criterion",
        "fluency",
        "--level",
        "system",
        "--json",
    ];
    let some = correlate(&scores, &some).json();
    let rows = some["correlations"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert!(
            all["correlations"].as_array().unwrap().contains(row),
            "{row}"
        );
    }
    let items = correlate(
        &scores,
        &["--metric", "chrf", "--resample", "items", "--json"],
    )
    .json();
    let width = |json: &serde_json::Value| {
        let row = json["correlations"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["criterion"] == "fluency" && row["grouping"] == "system");
        let row = row.unwrap();
        row["upper"].as_f64().unwrap() - row["lower"].as_f64().unwrap()
    };
    assert!(
        width(&items) < width(&all),
        "these systems, or systems like these"
    );
}

#[test]
fn a_table_a_pipeline_and_flags_agree() {
    let folder = tempfile::tempdir().unwrap();
    let scores = scores(folder.path());
    let out = folder.path().join("out.csv");
    correlate(&scores, &["--metric", "chrf", "ter", "--out", text(&out)]).ok();
    let table = fs::read_to_string(&out).unwrap();
    assert!(table.starts_with(
        "metric,human,criterion,grouping,coefficient,n,value,lower,upper,epsilon,why,annotators,\
         new_annotators_value,new_annotators_lower,new_annotators_upper,new_annotators\n"
    ));
    assert!(folder.path().join("out.differences.json").exists());

    let pipeline = folder.path().join("p.toml");
    let stages = "data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n[[score]]\nmetric = \"ter\"\n\
         [[correlate]]\nmetric = [\"chrf\", \"ter\"]\nresamples = 100\n";
    fs::write(&pipeline, here(stages)).unwrap();
    let dir = folder.path().join("run");
    tiebreak(&["run", text(&pipeline), "--out", text(&dir)]).ok();
    let report = fs::read_to_string(dir.join("report.txt")).unwrap();
    assert_contains(&report, &["With judgments of fluency"]);
    assert_eq!(
        fs::read_to_string(dir.join("correlate/correlate.csv")).unwrap(),
        table
    );
    let before = tree(&dir);
    tiebreak(&["report", text(&dir)]).ok();
    assert_eq!(before, tree(&dir));
}

#[test]
fn mistakes_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let scores = scores(folder.path());
    for (flags, expected) in [
        (&["--metric", "chrf", "chrf"][..], "asked for twice"),
        (&["--metric", "chr"], "no scores of metric `chr`"),
        (
            &["--metric", "chrf", "--criterion", "fluensy"],
            "did you mean `fluency`",
        ),
        (
            &["--metric", "chrf", "--confidence", "95"],
            "between 0 and 1",
        ),
        (
            &["--metric", "chrf", "--level", "word"],
            "`segment`, `system`, `both`",
        ),
    ] {
        let run = correlate(&scores, flags);
        assert_eq!(run.code, Some(2), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{flags:?}: {}", run.stderr);
    }
    let pipeline = folder.path().join("p.toml");
    for (stage, expected) in [
        (
            "metric = \"chrf\"\nresamples = 5",
            "expected a whole number from 100 to 1000000",
        ),
        ("metric = \"bleu\"", "no stage scores bleu"),
        ("metric = []", "metric: metric is missing"),
    ] {
        let text_of =
            format!("data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n[[correlate]]\n{stage}\n");
        fs::write(&pipeline, here(&text_of)).unwrap();
        let run = tiebreak(&[
            "run",
            text(&pipeline),
            "--out",
            text(&folder.path().join("o")),
        ]);
        assert_eq!(run.code, Some(2), "{stage}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{stage}: {}", run.stderr);
    }
    let outputs = folder.path().join("outputs.csv");
    fs::write(
        &outputs,
        "item,system,output,references\n1,a,one,one\n1,b,two,one\n",
    )
    .unwrap();
    let scored = folder.path().join("s.csv");
    tiebreak(&[
        "score",
        text(&outputs),
        "--metric",
        "chrf",
        "--out",
        text(&scored),
    ])
    .ok();
    tiebreak(&[
        "correlate",
        text(&outputs),
        "--scores",
        text(&scored),
        "--metric",
        "chrf",
    ])
    .refused(&["judgments or comparisons"]);
}
