//! Paired tests against sacrebleu's, within what chance leaves between two simulations.

use super::cases::own_lines;
use crate::cli::tiebreak;
use serde_json::Value;

const REPLICATES: f64 = 10_000.0;

/// A simulation's standard errors that its values may differ by; 168 values are compared.
const ERRORS: f64 = 4.5;

#[test]
fn paired_tests_on_the_small_data_set() {
    for line in own_lines("significance") {
        let test = match line["test"].as_str().unwrap() {
            "bs" => ["--paired-bs", "--resamples"],
            _ => ["--paired-ar", "--trials"],
        };
        let rows = tiebreak(&[
            "score data/tiny --metric",
            line["metric"].as_str().unwrap(),
            "--baseline",
            line["baseline"].as_str().unwrap(),
            test[0],
            test[1],
            &REPLICATES.to_string(),
            "--json",
        ])
        .json();
        let (rows, expected) = (
            rows.as_array().unwrap(),
            line["systems"].as_array().unwrap(),
        );
        assert_eq!(rows.len(), expected.len());
        let variance = 1.0 / REPLICATES + 1.0 / line["replicates"].as_f64().unwrap();
        for (row, expected) in rows.iter().zip(expected) {
            check(row, expected, variance.sqrt());
        }
    }
}

/// `error` is the standard error of the mean of values whose standard deviation is 1.
fn check(row: &Value, expected: &Value, error: f64) {
    assert_eq!(row["system"], expected["system"]);
    let close = |key: &str, tolerance: &dyn Fn(f64) -> f64| match expected[key].as_f64() {
        None => assert!(row[key].is_null(), "{key}: {row}"),
        Some(expected) => {
            let found = row[key].as_f64().unwrap();
            let tolerance = tolerance(expected);
            assert!(
                (found - expected).abs() <= tolerance,
                "{key} is {found}, sacrebleu's {expected} ± {tolerance}: {row}"
            );
        }
    };
    close("score", &|score| 1e-9 * score);
    close("p_value", &|p| {
        ERRORS * error * (p * (1.0 - p)).sqrt() + 2.0 / REPLICATES
    });
    let deviation = expected["ci"].as_f64().unwrap_or(0.0) / 1.96;
    close("mean", &|_| ERRORS * error * deviation);
    // A quantile q has the error √(q(1 - q)) / density: 0.156 / 0.058 at the ends of the 95 %.
    close("ci", &|_| ERRORS * error * deviation * 2.7 * 0.5_f64.sqrt());
}
