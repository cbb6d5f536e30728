//! COMET against unbabel-comet, on tiny checkpoints.

use crate::support::{assert_contains, golden_file, skip_golden};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tiebreak::encoders::Checkpoint;
use tiebreak::env::Env;
use tiebreak::metrics::comet::{Comet, CometParams};
use tiebreak::metrics::{Metric, Segment};

const KINDS: [&str; 4] = [
    "softmax-avg",
    "sparsemax-avg",
    "softmax-cls",
    "referenceless",
];

fn load(folder: &Path) -> Comet {
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    Comet::load(&CometParams::default(), &checkpoint, &Env::default()).unwrap()
}

/// A text with its source and its reference, and what is expected of it.
struct Case {
    source: String,
    output: String,
    references: Vec<String>,
    score: f64,
}

impl Case {
    fn segment(&self) -> Segment<'_> {
        Segment {
            hypothesis: &self.output,
            references: &self.references,
            context: Some(&self.source),
        }
    }
}

fn cases(rows: &[Value]) -> Vec<Case> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_string();
    let segments = rows.iter().filter(|row| row["type"] == "segment");
    segments
        .map(|row| Case {
            source: text(row, "src"),
            output: text(row, "mt"),
            references: row["ref"]
                .as_str()
                .map(str::to_string)
                .into_iter()
                .collect(),
            score: row["score"].as_f64().unwrap(),
        })
        .collect()
}

fn rows(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every segment and the system of a golden file, by the checkpoint in a folder.
fn compare(folder: &Path, rows: &[Value]) {
    let (model, cases) = (load(folder), cases(rows));
    let segments: Vec<Segment<'_>> = cases.iter().map(Case::segment).collect();
    let scores = model.score(&segments).unwrap();
    for (case, score) in cases.iter().zip(&scores) {
        let (output, expected) = (&case.output, case.score);
        assert!(
            (score - expected).abs() < 1e-5,
            "{}: {score} for {expected} of {output:?}",
            folder.display()
        );
    }
    let system = rows.iter().find(|row| row["type"] == "system").unwrap();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let expected = system["score"].as_f64().unwrap();
    assert!((mean - expected).abs() < 1e-5, "{mean} for {expected}");
}

#[test]
fn scores_are_unbabel_comets() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    compare(&own.join("comet"), &rows(&own.join("metrics/comet.jsonl")));
    for kind in KINDS {
        let Some(folder) = golden_file(&format!("judges/comet/{kind}")) else {
            return skip_golden("judges/comet");
        };
        compare(&folder, &rows(&folder.with_extension("jsonl")));
    }
}

/// The spread of draws is of the size that unbabel-comet's has, and a draw is the same by itself.
#[test]
fn draws_are_spread_as_unbabel_comets_are() {
    for kind in KINDS {
        let Some(folder) = golden_file(&format!("judges/comet/{kind}")) else {
            return skip_golden("comet");
        };
        let rows = rows(&folder.with_extension("jsonl"));
        let expected = &rows[0]["mc_dropout"];
        let (model, cases) = (load(&folder), cases(&rows));
        let segments: Vec<Segment<'_>> = cases.iter().take(3).map(Case::segment).collect();
        let draws = model.draws(&segments, 200).unwrap().unwrap();
        let few = model.draws(&segments[1..2], 3).unwrap().unwrap();
        assert_eq!(draws.row(1)[..3], few.row(0)[..]);
        for (at, row) in draws.rows().enumerate() {
            let n = row.len() as f64;
            let mean = row.iter().sum::<f64>() / n;
            let std = (row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            let theirs = |key: &str| expected[key][at].as_f64().unwrap();
            // Of 200 draws each: five standard errors of the difference of means, a third for the spread.
            let error = (2.0 / n).sqrt() * theirs("mcd_std");
            assert!(
                (mean - theirs("mcd_scores")).abs() < 5.0 * error,
                "{kind} {at}: {mean}"
            );
            let ratio = std / theirs("mcd_std");
            assert!((0.7..1.4).contains(&ratio), "{kind} {at}: {ratio}");
        }
    }
}

#[test]
fn what_is_not_computed_is_refused_by_name() {
    let Some(folder) = golden_file("judges/comet/softmax-avg") else {
        return skip_golden("comet");
    };
    let copy = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors"] {
        fs::copy(folder.join(file), copy.path().join(file)).unwrap();
    }
    fs::copy(
        folder.join("../tokenizer.json"),
        copy.path().join("tokenizer.json"),
    )
    .unwrap();
    let refused = |change: &str| {
        fs::write(copy.path().join("comet.json"), change).unwrap();
        let checkpoint = Checkpoint::in_folder(copy.path()).unwrap();
        let error = Comet::load(&CometParams::default(), &checkpoint, &Env::default()).err();
        error.expect(change).to_string()
    };
    assert!(refused("{\"class_identifier\": \"unified_metric\"}").contains("unified_metric"));
    assert!(refused("{\"pool\": \"default\"}").contains("`default`"));
    assert!(refused("{\"activations\": \"Swish\"}").contains("Swish"));
    assert!(
        refused("{\"hidden_sizes\": [7], \"layer_norm\": false}").contains("estimator.ff.0.weight")
    );
    let whole = refused("{\"layer\": 9}");
    assert_contains(&whole, &["layer 9"]);
}
