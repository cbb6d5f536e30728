//! The tables of an assessment: its quantities, reliability, accuracy by rejected share, BALD.

use super::spoken;
use crate::report::document::{DocumentTable, ResultDocument};
use crate::stages::assess::rows::{Assessment, AssessmentMeasure, BaldBin, RejectionCurve};
use tiebreak_base::layout::{decimals, number, or_dash, percent};
use tiebreak_base::words::interval_in;

/// The tables behind the quantities, those that have something to show.
pub(super) fn quantity_details(assessment: &Assessment) -> ResultDocument {
    let uncertainty = (!assessment.uncertainty.is_empty()).then(|| rejection(assessment));
    let bald = (!assessment.bald.is_empty()).then(|| bald(assessment));
    let tables = [Some(reliability(assessment)), uncertainty, bald].into_iter();
    let titled = tables.flatten().map(|table| DocumentTable {
        is_titled: true,
        ..table
    });
    titled.map(ResultDocument::from).collect()
}

/// The format of a measured number.
type Write = fn(f64) -> String;

/// A quantity: its name, what was measured, its format, and what a coin has.
type QuantityRow<'a> = (&'static str, &'a AssessmentMeasure, Write, String);

/// The table of the quantities.
pub(super) fn quantities(assessment: &Assessment) -> DocumentTable {
    let rows = measured_rows(assessment);
    let line = |(name, measured, write, coin): &QuantityRow<'_>| {
        vec![
            (*name).to_string(),
            or_dash(measured.value, *write),
            interval_in(measured.lower, measured.upper, *write),
            coin.clone(),
            measured.comparisons.to_string(),
            measured.items.to_string(),
        ]
    };
    let header = [
        "",
        "value",
        "95 % interval",
        "by chance",
        "comparisons",
        "items",
    ];
    let rows = rows.iter().map(line).collect();
    DocumentTable::new("Quality of the predictions", &header, rows)
}

fn measured_rows(assessment: &Assessment) -> Vec<QuantityRow<'_>> {
    let chance = assessment.calibration_error_by_chance;
    let mut rows: Vec<QuantityRow<'_>> = vec![
        (
            "accuracy, decided",
            &assessment.accuracy,
            percent,
            percent(0.5),
        ),
        (
            "three-way accuracy, all",
            &assessment.three_way,
            percent,
            String::new(),
        ),
        ("Brier score", &assessment.brier, number, number(0.25)),
        (
            "log loss, nats",
            &assessment.log_loss,
            number,
            number(std::f64::consts::LN_2),
        ),
        (
            "calibration error",
            &assessment.calibration_error,
            percent,
            or_dash(chance, percent),
        ),
    ];
    if let Some(position) = &assessment.position {
        rows.push((
            "position bias, towards the first",
            position,
            number,
            number(0.0),
        ));
    }
    rows
}

fn reliability(assessment: &Assessment) -> DocumentTable {
    let full = assessment
        .reliability
        .iter()
        .filter(|bin| bin.comparisons > 0);
    let lines: Vec<Vec<String>> = full
        .map(|bin| {
            vec![
                format!("{} to {}", percent(bin.lower), percent(bin.upper)),
                or_dash(bin.preference, percent),
                or_dash(bin.won, percent),
                interval_in(bin.won_lower, bin.won_upper, percent),
                bin.comparisons.to_string(),
            ]
        })
        .collect();
    let header = ["preference", "mean", "won", "95 % interval", "comparisons"];
    let title =
        "Predicted preference for the likelier output, and the share it won (a tie counts half)";
    DocumentTable::new(title, &header, lines)
}

fn rejection(assessment: &Assessment) -> DocumentTable {
    // Every fourth point: 0, 20, 40, 60, 80 %.
    let shares = |one: &RejectionCurve| one.curve.iter().step_by(4).copied().collect::<Vec<_>>();
    let mut header = vec!["rejected".to_string()];
    let first = shares(&assessment.uncertainty[0]);
    header.extend(
        first
            .iter()
            .map(|(share, _)| decimals(100.0 * share, 0) + " %"),
    );
    header.extend(["area", "worth", "95 % interval"].map(String::from));
    let line = |one: &RejectionCurve| {
        let mut line = vec![spoken(one.by).to_string()];
        line.extend(
            shares(one)
                .into_iter()
                .map(|(_, accuracy)| percent(accuracy)),
        );
        line.push(or_dash(one.area.value, percent));
        line.push(or_dash(one.gain.value, percent));
        line.push(interval_in(one.gain.lower, one.gain.upper, percent));
        line
    };
    let mut lines: Vec<Vec<String>> = assessment.uncertainty.iter().map(line).collect();
    let plain = |name: &str, area: Option<f64>, worth: &str| {
        let mut line = vec![name.to_string()];
        line.extend(first.iter().map(|_| String::new()));
        line.extend([or_dash(area, percent), worth.to_string(), String::new()]);
        line
    };
    lines.push(plain("random order", assessment.accuracy.value, "0.0 %"));
    lines.push(plain("oracle", assessment.oracle_area, "100.0 %"));
    let title = "Accuracy on comparisons without ties when the most uncertain are rejected";
    DocumentTable::new(title, &header, lines)
}

fn bald(assessment: &Assessment) -> DocumentTable {
    let line = |bin: &BaldBin| {
        let accuracy = (bin.decided > 0).then(|| bin.right / bin.decided as f64);
        vec![
            format!("{} to {}", number(bin.lower), number(bin.upper)),
            bin.comparisons.to_string(),
            bin.decided.to_string(),
            or_dash(accuracy, percent),
        ]
    };
    let lines: Vec<Vec<String>> = assessment.bald.iter().map(line).collect();
    let header = ["BALD", "comparisons", "decided", "accuracy"];
    DocumentTable::new("BALD of these predictions, in nats", &header, lines)
}
