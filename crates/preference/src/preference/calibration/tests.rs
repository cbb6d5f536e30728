//! Calibrations: files that are read to the last bit, folds, and metrics they do not fit.

use super::applied::{FOLDS, fold_of};
use super::*;
use std::path::Path;
use tiebreak_base::duel::Outcome;

/// A calibration of so many items, alike but for their names.
fn calibration(items: usize) -> Calibration {
    let pair = |first, second, outcome| LabelledScorePair {
        first,
        second,
        outcome,
    };
    let of_item = |item: usize| ItemScorePairs {
        item: format!("item {item}"),
        pairs: vec![
            pair(0.3, 0.1 + 0.01 * item as f64, Outcome::Win),
            pair(0.1, 0.7, Outcome::Loss),
            pair(0.4, 0.35, Outcome::Tie),
        ],
    };
    let items: Vec<ItemScorePairs> = (0..items).map(of_item).collect();
    let provenance = Provenance {
        metric: "chrf".into(),
        signature: "chrf|nrefs:1".into(),
        data: "sha256:00".into(),
    };
    Calibration::fit("btl-logistic", provenance, &items).unwrap()
}

#[test]
fn what_is_written_is_read_to_the_last_bit() {
    for items in [1, 12] {
        let written = calibration(items);
        let text = written.to_toml().unwrap();
        let read = Calibration::parse(&text, Path::new("x.toml")).unwrap();
        assert_eq!(read, written);
        for data in ["sha256:00", "sha256:01"] {
            let (one, other) = (read.on(data).unwrap(), written.on(data).unwrap());
            let [one, other] = [&one, &other].map(|on| on.link("x").preference(0.2, 0.5));
            assert_eq!(one, other);
        }
    }
}

#[test]
fn an_item_is_predicted_by_what_was_fitted_without_it() {
    let written = calibration(12);
    assert_eq!(written.folds.len(), FOLDS);
    let (own, other) = (
        written.on("sha256:00").unwrap(),
        written.on("sha256:01").unwrap(),
    );
    let p = |applied: &AppliedCalibration, item: &str| applied.link(item).preference(0.5, 0.1);
    let items: Vec<String> = (0..12).map(|item| format!("item {item}")).collect();
    for item in &items {
        let same = |one: &&String| fold_of(one) == fold_of(item);
        let mate = items.iter().rev().find(same).unwrap();
        assert_eq!(p(&own, item), p(&own, mate));
        assert_ne!(p(&own, item), p(&other, item));
        assert_eq!(p(&other, item), p(&other, "item 0"));
        let folds = own.folds();
        assert_eq!(of_fold(&folds, item), Some(own.thresholds(item)));
    }
    assert!(other.folds().is_empty() && of_fold(&[], "item 0").is_none());
    // Nothing is left to fit to without the only item.
    let lone = calibration(1);
    assert!(lone.folds.is_empty() && lone.held_out.is_none());
    let on = |data: &str| lone.on(data).unwrap();
    assert!(matches!(
        on("sha256:00"),
        AppliedCalibration::Whole {
            in_sample: true,
            ..
        }
    ));
    assert!(matches!(
        on("sha256:01"),
        AppliedCalibration::Whole {
            in_sample: false,
            ..
        }
    ));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let text = calibration(1).to_toml().unwrap();
    for (from, to, line, says) in [
        ("btl-logistic", "btl-logistics", 1, "unknown link"),
        ("n = 3", "n = \"three\"", 5, "expected u64"),
        ("n = 3", "m = 3", 5, "unknown field `m`"),
        ("tau2 = 0.5", "tau2 = -0.5", 7, "thresholds are"),
        ("scale = ", "scale = -", 10, "expected a positive number"),
        ("scale", "range", 10, "unknown parameter `range`"),
        ("[parameters]", "[parameters", 10, "unclosed table"),
    ] {
        let broken = text.replacen(from, to, 1);
        let error = Calibration::parse(&broken, Path::new("x.toml")).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(says), "{message} in\n{broken}");
        assert!(
            message.starts_with(&format!("x.toml:{line}: ")),
            "{message} in\n{broken}"
        );
    }
    let folded = calibration(12).to_toml().unwrap();
    let at = folded.rfind("[[folds]]").unwrap();
    let error = Calibration::parse(&folded[..at], Path::new("x.toml")).unwrap_err();
    assert!(error.to_string().contains("4 folds, expected 5"), "{error}");
    let negative = folded
        .replace("scale = ", "scale = -")
        .replacen("scale = -", "scale = ", 1);
    let error = Calibration::parse(&negative, Path::new("x.toml")).unwrap_err();
    assert!(error.to_string().contains("a positive number"), "{error}");
}

#[test]
fn another_metrics_scores_are_refused() {
    let fitted = calibration(1);
    assert!(fitted.check_metric("chrf", "chrf|nrefs:1").is_ok());
    assert!(fitted.check_metric("bleu", "chrf|nrefs:1").is_err());
    let error = fitted.check_metric("chrf", "chrf|nrefs:2").unwrap_err();
    assert!(error.to_string().contains("nrefs:2"), "{error}");
}
