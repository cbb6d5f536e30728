//! Values of ppi-python and confseq on inputs of our own: `tests/golden/make_estimators.py` made
//! them.

use super::make;
use serde_json::Value;
use tiebreak::estimators::{
    Estimator, Interval, Judgments, Population, Range, ScoredJudgment, Survey,
};

fn cases(name: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/estimators");
    let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let cases: Vec<Value> = lines.collect();
    assert!(cases[0]["tool"].is_string() && cases[0]["version"].is_string());
    cases[1..].to_vec()
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

fn interval(
    mut estimator: Box<dyn Estimator>,
    judged: &Judgments,
    case: &Value,
) -> (f64, Interval) {
    for one in judged.rows() {
        estimator.push(&one);
    }
    estimator.check().unwrap();
    let estimate = estimator
        .estimate(case["confidence"].as_f64().unwrap())
        .unwrap();
    (estimate.value, estimate.interval.unwrap())
}

fn close(found: f64, expected: &Value, tolerance: f64, case: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!(
        (found - expected).abs() < tolerance,
        "{found}, expected {expected}: {case}"
    );
}

#[test]
fn ppi_agrees_with_ppi_python() {
    let cases = cases("ppi");
    assert!(cases.len() >= 24);
    for case in cases {
        let (g, y) = (numbers(&case["g"]), numbers(&case["y"]));
        let survey = Survey::new(Population::from_scores(g.iter().copied()));
        let places = case["judged"].as_array().unwrap().iter();
        let places = places.map(|place| place.as_u64().unwrap() as u32);
        let judged: Judgments = places
            .zip(&y)
            .map(|(item, y)| ScoredJudgment::new(item, *y, std::slice::from_ref(&g[item as usize])))
            .collect();
        let text = match case["lambda"].as_f64() {
            None => "ppi++:interval=reference".to_string(),
            Some(lambda) => format!("ppi++:interval=reference,lambda={lambda}"),
        };
        let (value, found) = interval(make(&text, &survey).unwrap(), &judged, &case);
        close(value, &case["estimate"], 1e-9, &case);
        close(found.lower, &case["lower"], 1e-9, &case);
        close(found.upper, &case["upper"], 1e-9, &case);
    }
}

/// Compares intervals on a scale from 1 to 5 with those for the same values from 0 to 1.
fn bounded(name: &str, estimator: &str, tolerance: f64) {
    let cases = cases(name);
    assert!(cases.len() >= 40);
    for case in cases {
        let (x, outputs) = (numbers(&case["x"]), case["outputs"].as_u64());
        let mut parameters = match case["kind"].as_str().unwrap() {
            "anytime" => "anytime=true".to_string(),
            _ => "order=recorded".to_string(),
        };
        if outputs.is_some() {
            parameters += ",population=finite";
        }
        let survey = Survey {
            range: Some(Range::new(1.0, 5.0).unwrap()),
            ..Survey::new(Population::unscored(outputs.unwrap_or(1000)))
        };
        let numbered = x.iter().zip(0..);
        let judged = numbered
            .map(|(x, item)| ScoredJudgment::new(item, 1.0 + 4.0 * x, &[]))
            .collect();
        let made = make(&format!("{estimator}:{parameters}"), &survey).unwrap();
        let (value, found) = interval(made, &judged, &case);
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        assert!((value - 1.0 - 4.0 * mean).abs() < 1e-9);
        close((found.lower - 1.0) / 4.0, &case["lower"], tolerance, &case);
        close((found.upper - 1.0) / 4.0, &case["upper"], tolerance, &case);
    }
}

#[test]
fn betting_agrees_with_confseq() {
    // Its grid has 4000 steps and its ends are one step outside what the grid says.
    bounded("betting", "betting", 2.01 / 4000.0);
}

#[test]
fn empirical_bernstein_agrees_with_confseq() {
    bounded("empirical_bernstein", "empirical-bernstein", 1e-9);
}
