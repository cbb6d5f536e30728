//! `fit calibration` and `predict --calibration`, as a person uses them.

use super::{score_with_chrf, text, tiebreak};
use crate::support::assert_contains;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with predictions of the tiny model on the tiny data set.
struct Model {
    folder: tempfile::TempDir,
}

impl Model {
    fn new() -> Self {
        let model = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        model.predict("raw.csv", "tiny-electra", &[]).ok();
        model
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn predict(&self, out: &str, model: &str, more: &[&str]) -> super::Finished {
        let out = self.path(out);
        let predict = ["predict", "data/tiny", "--model", model, "--draws", "3"];
        tiebreak(&[&predict, more, &["--keep-draws", "--out", text(&out)]].concat())
    }

    fn fit(&self, predictions: &str, method: &str, out: &str) -> super::Finished {
        let (predictions, out) = (self.path(predictions), self.path(out));
        tiebreak(&[
            "fit calibration data/tiny --predictions",
            text(&predictions),
            "--method",
            method,
            "--out",
            text(&out),
        ])
    }

    fn assess(&self, predictions: &str, more: &[&str]) -> serde_json::Value {
        let predictions = self.path(predictions);
        let assess = ["assess", "data/tiny", "--predictions", text(&predictions)];
        tiebreak(&[&assess, more, &["--json"]].concat()).json()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A copy of the tiny model that carries a calibration.
    fn carrying(&self, calibration: &str) -> PathBuf {
        let (tiny, folder) = (Path::new("models/tiny-electra"), self.path("carrying"));
        fs::create_dir_all(&folder).unwrap();
        for file in ["config.json", "tokenizer.json", "model.safetensors"] {
            fs::copy(tiny.join(file), folder.join(file)).unwrap();
        }
        let descriptor = fs::read_to_string(tiny.join("tiebreak.toml")).unwrap();
        let named = format!("{descriptor}\ncalibration = \"calibration.toml\"\n");
        fs::write(folder.join("tiebreak.toml"), named).unwrap();
        fs::copy(self.path(calibration), folder.join("calibration.toml")).unwrap();
        folder
    }
}

/// The numbers of one column.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = header.iter().position(|one| one == name).unwrap();
    let rows = reader.records().map(|row| row.unwrap());
    rows.map(|row| row[place].parse().unwrap()).collect()
}

#[test]
fn a_calibrated_model_says_less_than_a_bold_one_and_everything_is_calibrated() {
    let model = Model::new();
    for method in ["temperature", "isotonic"] {
        let file = format!("{method}.toml");
        let told = model.fit("raw.csv", method, &file).ok();
        assert_contains(&told, &["log loss", " -> "]);
        let path = model.path(&file);
        let out = format!("{method}.csv");
        let flags = ["--calibration", text(&path)];
        model.predict(&out, "tiny-electra", &flags).ok();
        let (raw, calibrated) = (model.read("raw.csv"), model.read(&out));
        let (before, after) = (column(&raw, "p"), column(&calibrated, "p"));
        let mut both: Vec<(f64, f64)> = before.iter().copied().zip(after).collect();
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(both.windows(2).all(|two| two[0].1 <= two[1].1), "{method}");
        assert_ne!(column(&raw, "bald"), column(&calibrated, "bald"));
        // The same p whether calibrated by `predict` or by `assess`, with the same thresholds.
        let (by_predict, by_assess) = (model.assess(&out, &[]), model.assess("raw.csv", &flags));
        assert_eq!(by_predict["brier"], by_assess["brier"]);
        assert_eq!(by_predict["three_way"], by_assess["three_way"]);
        assert_eq!(
            by_predict["thresholds"]["origin"],
            by_assess["thresholds"]["origin"]
        );
        let raw = model.assess("raw.csv", &[]);
        assert!(by_predict["log_loss"]["value"].as_f64() <= raw["log_loss"]["value"].as_f64());
        let signature = by_predict["signature"].as_str().unwrap();
        assert_contains(signature, &[&format!("|calibration:{method}=")]);
        // What is calibrated is not calibrated again.
        let again = model.fit(&out, method, "again.toml");
        again.refused(&["--calibration none"]);
    }
}

#[test]
fn a_model_carries_its_calibration() {
    let model = Model::new();
    model.fit("raw.csv", "temperature", "c.toml").ok();
    let path = model.path("c.toml");
    let flags = ["--calibration", text(&path)];
    model.predict("given.csv", "tiny-electra", &flags).ok();
    let carrying = model.carrying("c.toml");
    model.predict("own.csv", text(&carrying), &[]).ok();
    assert_eq!(model.read("own.csv"), model.read("given.csv"));
    let without = ["--calibration", "none"];
    model.predict("without.csv", text(&carrying), &without).ok();
    assert_eq!(model.read("without.csv"), model.read("raw.csv"));
    // A file that was fitted to other weights, or is gone, is told before anything runs.
    let refused = |phrase: &str| {
        model
            .predict("x.csv", text(&carrying), &[])
            .refused(&[phrase]);
    };
    let file = carrying.join("calibration.toml");
    let other = model.read("c.toml").replace("weights:", "weights:0");
    fs::write(&file, &other).unwrap();
    refused("calibration.toml: changed since it was written");
    // Without the digest it is a file made by hand.
    fs::write(&file, other.rsplit_once("# digest").unwrap().0).unwrap();
    refused("the calibration is of a model with weights:0");
    fs::remove_file(&file).unwrap();
    refused("calibration.toml");
}

#[test]
fn mistakes_are_told() {
    let model = Model::new();
    let refused = |finished: super::Finished, phrase: &str| {
        finished.refused(&[phrase]);
        assert_eq!(finished.stdout, "");
    };
    refused(
        model.fit("raw.csv", "platt", "c.toml"),
        "expected temperature or isotonic",
    );
    refused(model.fit("none.csv", "isotonic", "c.toml"), "no such file");
    // A link is no calibration of a model.
    let (scores, link) = (model.path("scores.csv"), model.path("link.toml"));
    score_with_chrf(&scores);
    let fit = ["fit link data/tiny --metric chrf --link btl"];
    tiebreak(&[&fit, &["--scores", text(&scores), "--out", text(&link)][..]].concat()).ok();
    let flags = ["--calibration", text(&link)];
    refused(
        model.predict("x.csv", "tiny-electra", &flags),
        "`tiebreak fit calibration` writes such a file",
    );
    let undecided = "item,system_a,system_b,p\n1,atlas,birch,0.5\n";
    fs::write(model.path("half.csv"), undecided).unwrap();
    let finished = model.fit("half.csv", "temperature", "c.toml");
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
}
