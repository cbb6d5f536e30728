//! Correlations against scipy's and nlpstats', tests within what chance leaves between two simulations.

use super::cases::own_lines;
use serde_json::Value;
use tiebreak::evaluation::correlation::{Human, JudgedOutputs, Layout, PermutationTest, Statistic};
use tiebreak::rng::Seed;

/// A simulation's standard errors that its values may differ by; 45 values are compared.
const ERRORS: f64 = 4.5;

/// Trials of the test.
const TRIALS: u64 = 2000;

/// Trials of the reference's.
const REFERENCE: u64 = 400;

#[test]
fn coefficients_and_tests_on_matrices_with_holes() {
    for line in own_lines("correlation") {
        let (judged, metrics) = read(&line);
        let wanted = JudgedOutputs::STATISTICS;
        for (scores, expected) in metrics.iter().zip(line["values"].as_array().unwrap()) {
            for (statistic, found) in wanted.iter().zip(judged.values(scores, wanted)) {
                let expected = of(expected, *statistic).as_f64().unwrap();
                // The reference draws 50 000 permutations of a dozen items where there is a series here.
                let tolerance = match statistic.coefficient.name() {
                    "soft-pairwise-accuracy" => 0.01,
                    _ => 1e-9,
                };
                let found = found.value.unwrap();
                assert!(
                    (found - expected).abs() < tolerance,
                    "{statistic:?}: {found}, expected {expected}"
                );
            }
        }
        let [a, b] = [&metrics[0][..], &metrics[1][..]];
        let mut test = PermutationTest::of_outputs(&judged, [a, b], wanted, Seed(1));
        test.run(0..TRIALS);
        let p_values = test.p_values();
        for (at, statistic) in wanted.iter().enumerate() {
            let Some(expected) = of(&line["p_values"], *statistic).as_f64() else {
                continue;
            };
            let p = p_values[at].unwrap();
            let variance =
                (1.0 / TRIALS as f64 + 1.0 / REFERENCE as f64) * expected * (1.0 - expected);
            let error = variance.sqrt();
            assert!(
                (p - expected).abs() < ERRORS * error + 2.0 / REFERENCE as f64,
                "{statistic:?}: {p}, expected {expected}"
            );
        }
    }
}

fn of(values: &Value, statistic: Statistic) -> &Value {
    &values[statistic.grouping.name()][statistic.coefficient.name()]
}

/// The judged outputs of a matrix by system and item, and the metrics' scores of them.
fn read(line: &Value) -> (JudgedOutputs, Vec<Vec<f64>>) {
    let human = matrix(&line["human"]);
    let metrics: Vec<_> = line["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .map(matrix)
        .collect();
    let mut layout = Layout::new(human.len());
    let mut columns = vec![Vec::new(); 1 + metrics.len()];
    for item in 0..human[0].len() {
        let judged = (0..human.len()).filter(|&system| human[system][item].is_some());
        for matrix in std::iter::once(&human).chain(&metrics).zip(&mut columns) {
            let (matrix, column) = matrix;
            column.extend(judged.clone().map(|system| matrix[system][item].unwrap()));
        }
        layout.push(judged);
    }
    let metrics = columns.split_off(1);
    (JudgedOutputs::new(layout, columns.remove(0)), metrics)
}

fn matrix(rows: &Value) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(Value::as_f64).collect();
    rows.as_array().unwrap().iter().map(row).collect()
}
