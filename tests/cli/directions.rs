//! Metrics whose lower scores are better.

use super::{text, tiebreak};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let row = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(row).collect()
}

/// Preferences from the scores of a metric with a fitted link, in the order of the pairs.
fn preferences(folder: &Path, metric: &str, link: &str) -> Vec<f64> {
    let at = |name: &str| folder.join(format!("{metric}-{name}"));
    let (scores, calibration, out) = (at("s.jsonl"), at("c.toml"), at("p.jsonl"));
    let of = ["data/tiny", "--metric", metric];
    tiebreak(&[&["score"], &of[..], &["--out", text(&scores)]].concat()).ok();
    let of = [&of[..], &["--scores", text(&scores), "--link", link]].concat();
    tiebreak(&[&["fit", "link"], &of[..], &["--out", text(&calibration)]].concat()).ok();
    let out_of = ["--calibration", text(&calibration), "--out", text(&out)];
    tiebreak(&[&["predict"], &of[..], &out_of[..]].concat()).ok();
    rows(&out)
        .iter()
        .map(|row| row["p"].as_f64().unwrap())
        .collect()
}

#[test]
fn error_rates_prefer_what_scores_prefer() {
    for link in ["linear", "btl", "btl-logistic"] {
        let folder = tempfile::tempdir().unwrap();
        let chrf = preferences(folder.path(), "chrf", link);
        for metric in ["ter", "wer"] {
            let other = preferences(folder.path(), metric, link);
            let signs = chrf.iter().zip(&other).map(|(p, q)| (p - 0.5) * (q - 0.5));
            let (mut alike, mut unlike) = (0, 0);
            for sign in signs {
                alike += usize::from(sign > 0.0);
                unlike += usize::from(sign < 0.0);
            }
            assert!(
                alike > 2 * unlike,
                "{metric} {link}: {alike} alike, {unlike} not"
            );
        }
    }
}

/// A metric that says what people say agrees with them, and better than a coarser one, whichever way either runs.
#[test]
fn criteria_of_errors_agree_with_metrics_as_others_do() {
    let folder = tempfile::tempdir().unwrap();
    let (data, scored) = (folder.path().join("data"), folder.path().join("s.jsonl"));
    fs::create_dir(&data).unwrap();
    let write = |path: &Path, rows: &[Value]| {
        let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
        fs::write(path, lines.join("\n")).unwrap();
    };
    let found = |criterion: &str| {
        let (mut judgments, mut scores) = (Vec::new(), Vec::new());
        for (item, place) in (0..40).flat_map(|item| (0..4).map(move |place| (item, place))) {
            let (item, system) = (format!("i{item}"), format!("s{place}"));
            let edits = (7 * judgments.len() + place) % 11;
            judgments.push(serde_json::json!({
                "item": item, "system": system, "criterion": criterion, "score": edits,
            }));
            for (metric, score) in [("ter", edits), ("chrf", 10 - edits / 4)] {
                scores.push(serde_json::json!({
                    "item": item, "system": system, "metric": metric, "score": score,
                }));
            }
        }
        write(&data.join("judgments.jsonl"), &judgments);
        write(&scored, &scores);
        let line = ["correlate", text(&data), "--scores", text(&scored)];
        let more = [
            "--metric",
            "ter",
            "chrf",
            "--level",
            "segment",
            "--resamples",
            "100",
        ];
        let line = [&line[..], &more[..]].concat();
        let told = tiebreak(&line).ok();
        (told, tiebreak(&[&line[..], &["--json"]].concat()).json())
    };
    let (told, json) = found("hter");
    assert!(
        told.contains("Lower scores of `hter` are better. They count with the opposite sign"),
        "{told}"
    );
    for row in json["correlations"].as_array().unwrap() {
        let value = row["value"].as_f64().unwrap();
        assert!(
            value > if row["metric"] == "ter" { 0.99 } else { 0.5 },
            "{row}"
        );
    }
    for row in json["differences"].as_array().unwrap() {
        assert!(row["difference"].as_f64().unwrap() >= 0.0, "{row}");
    }
    let (told, _) = found("cer");
    assert!(
        told.contains("Higher scores of `cer` count as better here."),
        "{told}"
    );
}

#[test]
fn the_list_says_which_scores_are_better() {
    let list = tiebreak(&["list", "metrics", "--json"]).json();
    for metric in list.as_array().unwrap() {
        let name = metric["name"].as_str().unwrap();
        let lower = metric["summary"]
            .as_str()
            .unwrap()
            .contains("lower is better");
        let expected = if lower { "lower" } else { "higher" };
        assert_eq!(metric["better"], expected, "{name}");
        assert_eq!(lower, ["ter", "wer"].contains(&name), "{name}");
    }
}
