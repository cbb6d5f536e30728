//! BLEU-1 to BLEU-4 and CIDEr against nlg-eval, pycocoevalcap and the original CIDEr.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{RELATIVE, metric, segments, totals};
use crate::support;
use serde_json::{Value, json};
use tiebreak::metrics::Metric;

/// nlg-eval's ROUGE-L.
fn check_rouge(differences: &mut Differences, record: &Record, settings: &Value, expected: &Value) {
    let mut params = json!({ "implementation": "nlg-eval" });
    if !settings["rouge_beta"].is_null() {
        params["beta"] = settings["rouge_beta"].clone();
    }
    let scores = metric("rouge-l", &params).score(&segments(record)).unwrap();
    let place = format!("{} ROUGE_L", record.id);
    let whole = number(&expected["ROUGE_L"]);
    differences.close(RELATIVE, whole, mean(&scores), || place.clone());
    let each = &expected["ROUGE_L_per_segment"];
    if each.is_array() {
        same(differences, &place, each, &scores);
    }
}

/// A metric that has seen the references of the record, and its score of each segment.
fn prepared(name: &str, record: &Record) -> (Box<dyn Metric>, Vec<f64>) {
    let mut metric = metric(name, &Value::Null);
    let segments = segments(record);
    if metric.needs_corpus() {
        metric.observe(&segments).unwrap();
    }
    let scores = metric.score(&segments).unwrap();
    (metric, scores)
}

/// Compares scores with the expected ones; there are as many.
fn same(differences: &mut Differences, place: &str, expected: &Value, got: &[f64]) {
    let expected = expected.as_array().unwrap();
    assert_eq!(expected.len(), got.len(), "{place}");
    for (at, (expected, &got)) in expected.iter().zip(got).enumerate() {
        differences.close(RELATIVE, number(expected), got, || format!("{place} {at}"));
    }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

fn check_bleu(differences: &mut Differences, record: &Record, expected: &Value) {
    for (n, name) in ["bleu-1", "bleu-2", "bleu-3", "bleu-4"].iter().enumerate() {
        let (metric, scores) = prepared(name, record);
        let place = format!("{} {name}", record.id);
        let corpus = metric.corpus().unwrap();
        let got = corpus.aggregate(&totals(corpus, &segments(record)));
        let whole = number(&expected["Bleu_1..4"][n]);
        differences.close(RELATIVE, whole, got, || place.clone());
        if expected["Bleu_1..4_per_segment"].is_array() {
            let each = &expected["Bleu_1..4_per_segment"];
            // One list per order, or one per segment.
            let by_order = each.as_array().unwrap().len() == 4
                && each[0].as_array().unwrap().len() == scores.len();
            let values = match by_order {
                true => each[n].clone(),
                false => each
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| row[n].clone())
                    .collect(),
            };
            same(differences, &place, &values, &scores);
        }
    }
}

fn check_cider(
    differences: &mut Differences,
    record: &Record,
    key: &str,
    name: &str,
    expected: &Value,
) {
    if expected[key]["error"].is_string() {
        let what = format!("{} {key}: the reference raised an error", record.id);
        support::say("UNANCHORED", &what);
        return;
    }
    let (_, scores) = prepared(name, record);
    let place = format!("{} {key}", record.id);
    let whole = number(&expected[key]);
    differences.close(RELATIVE, whole, mean(&scores), || place.clone());
    let each = &expected[format!("{key}_per_segment")];
    if each.is_array() {
        same(differences, &place, each, &scores);
    }
}

#[test]
fn bleu_1_to_4_and_cider_d_are_nlg_evals() {
    let mut differences = Differences::default();
    for record in own("metrics/cider") {
        for (_, expected) in &record.cases {
            check_bleu(&mut differences, &record, expected);
            check_cider(&mut differences, &record, "CIDEr-D", "cider-d", expected);
            check_cider(&mut differences, &record, "CIDEr", "cider", expected);
        }
    }
    differences.finish("own cider");
    let Some(records) = golden("nlgeval") else {
        return;
    };
    let mut differences = Differences::default();
    for record in &records {
        for (settings, expected) in &record.cases {
            check_bleu(&mut differences, record, expected);
            check_cider(&mut differences, record, "CIDEr", "cider-d", expected);
            check_rouge(&mut differences, record, settings, expected);
        }
    }
    differences.finish("nlgeval");
}

#[test]
fn cider_is_its_authors() {
    let Some(records) = golden("cider") else {
        return;
    };
    let mut differences = Differences::default();
    for record in &records {
        for (settings, expected) in &record.cases {
            let name = match settings["variant"].as_str() {
                Some("CIDEr") => "cider",
                Some("CIDEr-D") => "cider-d",
                other => panic!("{}: variant {other:?}", record.id),
            };
            let (_, scores) = prepared(name, record);
            let place = format!("{} {name}", record.id);
            differences.close(RELATIVE, number(&expected["mean"]), mean(&scores), || {
                place.clone()
            });
            same(&mut differences, &place, &expected["per_segment"], &scores);
        }
    }
    differences.finish("cider");
}
