//! Estimates on real judgments.

use super::build;
use crate::support;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;
use tiebreak::estimators::{Analysis, Judgments, Population, ScoredJudgment, analyse};
use tiebreak::evaluation::data_efficiency::{Campaigns, ComparedEstimator};
use tiebreak::rng::Seed;
use tiebreak::stats::moments::Moments;

fn rows(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    let file = std::fs::File::open(file).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn words(text: &Value) -> BTreeSet<String> {
    text.as_str()
        .unwrap_or_default()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_string)
        .collect()
}

/// A simple metric: the share of the references' words that the output has, best reference.
fn recall(row: &Value) -> f64 {
    let output = words(&row["output"]);
    let share = |reference: &Value| {
        let reference = words(reference);
        reference.intersection(&output).count() as f64 / reference.len() as f64
    };
    let references = row["references"].as_array().unwrap();
    references.iter().map(share).fold(0.0, f64::max)
}

/// The judgments of each system on a criterion, with the metric over all its outputs.
fn systems(data: &Path, criterion: &str) -> BTreeMap<String, (Judgments, Population)> {
    let mut scores: BTreeMap<(String, String), f64> = BTreeMap::new();
    let key = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap().to_string();
        (text("system"), text("item"))
    };
    for row in rows(&data.join("outputs.jsonl.gz")) {
        scores.insert(key(&row), recall(&row));
    }
    let items: BTreeSet<String> = scores.keys().map(|key| key.1.clone()).collect();
    let number: BTreeMap<String, u32> = items.into_iter().zip(0..).collect();
    let mut judged: BTreeMap<String, Judgments> = BTreeMap::new();
    for row in rows(&data.join("judgments.jsonl.gz")) {
        if row["criterion"] == criterion {
            let key = key(&row);
            let (item, y, g) = (number[&key.1], row["score"].as_f64().unwrap(), scores[&key]);
            let judged = judged.entry(key.0).or_insert_with(|| Judgments::new(1));
            judged.push(ScoredJudgment::new(item, y, &[g]));
        }
    }
    let population = |system: &str| {
        let outputs = scores.iter().filter(|(key, _)| key.0 == system);
        Population::from_scores(outputs.map(|(_, score)| *score))
    };
    judged
        .into_iter()
        .map(|(system, judged)| {
            let population = population(&system);
            (system, (judged, population))
        })
        .collect()
}

fn estimate(estimator: &str, judged: &Judgments, population: &Population) -> Analysis {
    let mut estimator = build(estimator, population).unwrap();
    analyse(&mut *estimator, judged, 0.95, None).unwrap()
}

#[test]
fn realsumm_recall_goes_with_judged_recall() {
    let data = support::data_dir().join("realsumm");
    if !data.exists() {
        return support::say("SKIPPED", "realsumm");
    }
    let systems = systems(&data, "scu_recall");
    assert_eq!(systems.len(), 25);
    let mut gained = 0;
    for (system, (judged, population)) in systems {
        let plain = estimate("mean", &judged, &population);
        let row = estimate("control-variates", &judged, &population);
        assert!(row.items == 100 && row.n >= 300, "{system}: {row:?}");
        let (rho, gamma) = (row.rho.unwrap(), row.gamma.unwrap());
        assert!(
            rho.abs() > row.correlation.unwrap().abs() && gamma > 0.0,
            "{system}: {row:?}"
        );
        if rho > 0.3 {
            assert!(row.standard_error < plain.standard_error, "{system}");
            gained += 1;
        }
        // Every output is judged, by 3 or 4 people: little is left to correct.
        let shift = (row.estimate.unwrap() - plain.estimate.unwrap()).abs();
        assert!(
            shift < plain.standard_error.unwrap() / 2.0,
            "{system}: {shift}"
        );
    }
    assert!(gained >= 20, "the metric helps {gained} of 25 systems");
}

#[test]
fn realsumm_campaigns_save_the_judgments_that_the_row_says() {
    let data = support::data_dir().join("realsumm");
    if !data.exists() {
        return support::say("SKIPPED", "realsumm");
    }
    let (mut promised, mut saved) = (Moments::default(), Moments::default());
    for (judged, population) in systems(&data, "scu_recall").values() {
        let row = estimate("control-variates", judged, population);
        promised.push(row.data_efficiency.unwrap());
        let methods = [
            ComparedEstimator {
                judged,
                make: &|| build("mean", population),
            },
            ComparedEstimator {
                judged,
                make: &|| build("control-variates", population),
            },
        ];
        let campaigns = Campaigns {
            methods: &methods,
            checkpoints: &[100],
            runs: 400,
            confidence: 0.8,
            seed: Seed(1),
        };
        let found = campaigns.run().unwrap();
        let variance = |method| found.spreads(method)[0].1.variance;
        saved.push(variance(0) / variance(1));
    }
    // 25 ratios with a relative error of about 6 % each; fitting α costs some 3 % at n = 100.
    let (promised, saved) = (promised.mean().unwrap(), saved.mean().unwrap());
    assert!(promised > 1.3, "{promised}");
    assert!(
        (saved / promised - 1.0).abs() < 0.08,
        "{saved}, promised {promised}"
    );
}

#[test]
fn rankme_has_noise_and_little_to_gain() {
    let data = support::data_dir().join("rankme-e2e");
    if !data.exists() {
        return support::say("SKIPPED", "rankme-e2e");
    }
    let systems = systems(&data, "setup1/likert/informativeness");
    assert_eq!(systems.len(), 3);
    for (system, (judged, population)) in systems {
        let row = estimate("control-variates", &judged, &population);
        assert!(row.gamma.unwrap() > 0.3, "{system}: {row:?}");
        assert!(
            (1.0..=6.0).contains(&row.estimate.unwrap()),
            "{system}: {row:?}"
        );
        assert!(row.lower < row.estimate && row.estimate < row.upper);
        assert!(
            (1.0..1.5).contains(&row.data_efficiency.unwrap()),
            "{system}: {row:?}"
        );
    }
}
