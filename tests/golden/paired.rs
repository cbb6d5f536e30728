//! Paired tests, their power and margins, against statsmodels, scipy and enumerations.

use crate::estimators::tango;
use crate::support::{next_dir, say};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use tiebreak::estimators::PairedDifferences;
use tiebreak::stats::paired_proportions::PairedCounts;
use tiebreak::stats::power::{noncentrality, power_of_mcnemar, power_of_t};
use tiebreak::stats::{normal, quantiles};

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn count(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no count"))
}

fn close(found: f64, expected: &Value, tolerance: f64, what: &str) {
    let expected = number(expected);
    let off = (found - expected).abs();
    assert!(
        off <= tolerance * expected.abs().max(1e-9),
        "{what}: {found}, expected {expected}"
    );
}

#[test]
fn paired_tests_intervals_and_power_are_the_references() {
    let path = next_dir().join("paired_tests.jsonl.gz");
    let Ok(file) = File::open(&path) else {
        return say("SKIPPED", "paired_tests");
    };
    let mut kinds = 0;
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let case: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (input, expected) = (&case["input"], &case["expected"]);
        let id = case["id"].as_str().unwrap();
        kinds += 1;
        match case["kind"].as_str().unwrap() {
            "mcnemar" => mcnemar(input, expected, id),
            "tango" => by_tango(input, expected, id),
            "paired-mean" => paired_mean(input, expected, id),
            "power-mean" => power_of_mean(input, expected, id),
            "power-paired-proportions" => {
                let [first, second] = ["only_a", "only_b"].map(|key| number(&input[key]));
                let n = count(&input["n"]);
                // The reference counts proofs in either direction.
                let proves = |one, other| power_of_mcnemar(one, other, n, number(&input["alpha"]));
                let found = proves(first, second) + proves(second, first);
                close(found, &expected["power_exact"], 1e-9, id);
            }
            // The test of a margin is that of the interval's ends, by Student's t alone.
            "tost-mean" => {}
            other => panic!("{id}: {other} is not known"),
        }
    }
    assert!(kinds > 0, "{} has no cases", path.display());
}

fn mcnemar(input: &Value, expected: &Value, id: &str) {
    let [only_first, only_second] = ["only_a", "only_b"].map(|key| count(&input[key]));
    let counts = PairedCounts {
        only_first,
        only_second,
        n: only_first + only_second + 7,
    };
    // Beyond one half a p-value is 1; above .1 it may be that of the interval, which is larger.
    let above = counts.p_above(0.0);
    match number(&expected["p_greater_exact"]) {
        exact if exact > 0.1 => assert!(above >= exact * (1.0 - 1e-9), "{id}: {above}"),
        _ => close(above, &expected["p_greater_exact"], 1e-9, id),
    }
    let two_sided = (2.0 * above.min(counts.p_below(0.0))).min(1.0);
    match number(&expected["p_exact"]) {
        exact if exact > 0.2 => assert!(two_sided >= exact * (1.0 - 1e-9), "{id}: {two_sided}"),
        _ => close(two_sided, &expected["p_exact"], 1e-9, id),
    }
}

fn by_tango(input: &Value, expected: &Value, id: &str) {
    let of = |key: &str| count(&input[key]);
    let counts = PairedCounts {
        only_first: of("only_a"),
        only_second: of("only_b"),
        n: of("both") + of("only_a") + of("only_b") + of("neither"),
    };
    let level = number(&input["level"]);
    let z = quantiles::normal(0.5 + 0.5 * level).unwrap();
    let (lower, upper) = tango::limits(&counts, z);
    for (found, key) in [(lower, "lower"), (upper, "upper")] {
        let off = (found - number(&expected[key])).abs();
        assert!(off < 1e-6, "{id}: {key} {found}");
    }
    let margin = number(&input["margin"]);
    if !expected["z_at_minus_margin"].is_null() {
        let z = tango::statistic(&counts, -margin);
        close(z, &expected["z_at_minus_margin"], 1e-9, id);
        close(normal::cdf(-z), &expected["p_not_worse"], 1e-6, id);
    }
    // The exact interval is on the same side of the margin wherever Tango's is clearly.
    let exact = counts.p_above(-margin);
    let score = number(&expected["p_not_worse"]);
    assert!(
        exact > 0.5 * score - 1e-3 && exact < 4.0 * score + 0.15,
        "{id}: {exact} {score}"
    );
}

fn paired_mean(input: &Value, expected: &Value, id: &str) {
    let values =
        |key: &str| -> Vec<f64> { input[key].as_array().unwrap().iter().map(number).collect() };
    let differences: Vec<f64> = values("a")
        .iter()
        .zip(values("b"))
        .map(|(a, b)| a - b)
        .collect();
    let n = differences.len();
    let found = PairedDifferences::new(&differences, 3.0, false).unwrap();
    let mean = number(&expected["mean"]);
    assert!((found.mean() - mean).abs() < 1e-9, "{id}");
    let error = number(&expected["sd"]) / (n as f64).sqrt();
    assert!((found.standard_error() - error).abs() < 1e-9, "{id}");
    // The interval holds that of Student's t, which is one of its parts.
    let (lower, upper) = found.ends(0.025);
    assert!(
        lower <= number(&expected["lower95"]) + 1e-9,
        "{id}: {lower}"
    );
    assert!(
        upper >= number(&expected["upper95"]) - 1e-9,
        "{id}: {upper}"
    );
}

fn power_of_mean(input: &Value, expected: &Value, id: &str) {
    let (n, effect) = (count(&input["n"]), number(&input["effect_size"]));
    let confidence = 1.0 - number(&input["alpha"]);
    let power = |n: u64| power_of_t(effect * (n as f64).sqrt(), n - 1, confidence).unwrap();
    close(power(n), &expected["power"], 1e-9, id);
    let needed = count(&expected["n_for_80_percent_ceiling"]);
    assert!(
        power(needed) >= 0.8 && power(needed - 1) < 0.8,
        "{id}: {needed}"
    );
    let smallest = noncentrality(confidence, 0.8, n - 1).unwrap() / (n as f64).sqrt();
    // The reference's search ends early: its effects have powers from .799995 to .800008.
    close(
        smallest,
        &expected["smallest_effect_at_80_percent"],
        2e-5,
        id,
    );
}
