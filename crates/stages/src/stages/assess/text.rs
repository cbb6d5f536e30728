//! An assessment as text.

use super::rows::{Assessment, AssessmentMeasure, BaldBin, RejectionCurve, ThresholdOrigin};
use tiebreak_base::layout::{decimals, number, percent, table};
use tiebreak_decide::model_based::UncertaintyMeasure;

/// The whole assessment as text.
pub fn render(assessment: &Assessment) -> String {
    let mut text = format!("{} on {}\n\n", assessment.signature, assessment.data);
    let mut told = tables(assessment).into_iter();
    text.extend(told.next().map(|first| first.text()));
    for note in notes(assessment) {
        text += &format!("{note}\n");
    }
    for table in told {
        text += &format!("\n{}\n{}", table.title, table.text());
    }
    text
}

/// A table of an assessment, for text and page alike.
pub(super) struct AssessmentTable {
    /// The title.
    pub title: &'static str,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl AssessmentTable {
    fn new(title: &'static str, header: &[&str], rows: Vec<Vec<String>>) -> Self {
        let header = header.iter().map(ToString::to_string).collect();
        Self {
            title,
            header,
            rows,
        }
    }

    fn text(&self) -> String {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        table(&header, &self.rows)
    }
}

/// The tables that have something to show, that of the quantities first.
pub(super) fn tables(assessment: &Assessment) -> Vec<AssessmentTable> {
    let mut tables = vec![quantities(assessment), reliability(assessment)];
    if !assessment.uncertainty.is_empty() {
        tables.push(rejection(assessment));
    }
    if !assessment.bald.is_empty() {
        tables.push(bald(assessment));
    }
    tables
}

/// The format of a measured number.
type Write = fn(f64) -> String;

fn dash(value: Option<f64>, write: Write) -> String {
    value.map_or_else(|| "–".to_string(), write)
}

fn interval(measured: &AssessmentMeasure, write: Write) -> String {
    let ends = measured.lower.zip(measured.upper);
    ends.map_or_else(
        || "–".to_string(),
        |(lower, upper)| format!("[{}, {}]", write(lower), write(upper)),
    )
}

fn quantities(assessment: &Assessment) -> AssessmentTable {
    let chance = assessment.calibration_error_by_chance;
    let mut rows: Vec<(&str, &AssessmentMeasure, Write, String)> = vec![
        (
            "sentence accuracy, decided",
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
            dash(chance, |chance| format!("(chance {})", percent(chance))),
        ),
    ];
    if let Some(position) = &assessment.position {
        rows.push(("position bias, to the first", position, number, number(0.0)));
    }
    let line = |(name, measured, write, coin): &(&str, &AssessmentMeasure, Write, String)| {
        vec![
            (*name).to_string(),
            dash(measured.value, *write),
            interval(measured, *write),
            coin.clone(),
            measured.comparisons.to_string(),
            measured.items.to_string(),
        ]
    };
    let header = [
        "",
        "value",
        "95 % interval",
        "a coin",
        "comparisons",
        "items",
    ];
    let rows = rows.iter().map(line).collect();
    AssessmentTable::new("How good the predictions are", &header, rows)
}

/// Notes on intervals, thresholds, identical outputs and what is left out: a sentence each.
pub(super) fn notes(assessment: &Assessment) -> Vec<String> {
    let counts = &assessment.counts;
    let pairs = assessment.thresholds.pairs.iter();
    let pairs: Vec<String> = pairs
        .map(|(tau1, tau2)| format!("τ1 = {tau1}, τ2 = {tau2}"))
        .collect();
    let origin = match assessment.thresholds.origin {
        ThresholdOrigin::Given => "given",
        ThresholdOrigin::Halves => "each fitted on half of the items and tested on the other half",
    };
    let mut notes = vec![
        "intervals: each number by itself (not all at once), for items like these, compared by the same people"
            .to_string(),
        format!(
            "thresholds of the three-way accuracy: {} ({origin})",
            pairs.join("; ")
        ),
        format!(
            "{} of {} comparisons of different outputs are ties; they count as half a win and half a loss",
            counts.ties, counts.comparisons
        ),
    ];
    if counts.identical > 0 {
        notes.push(format!(
            "{} comparisons of identical outputs ({} judged ties) count in the three-way accuracy only",
            counts.identical, counts.identical_ties
        ));
    }
    if counts.unpredicted > 0 {
        notes.push(format!(
            "left out: {} comparisons without a prediction",
            counts.unpredicted
        ));
    }
    notes
}

fn reliability(assessment: &Assessment) -> AssessmentTable {
    let full = assessment
        .reliability
        .iter()
        .filter(|bin| bin.comparisons > 0);
    let lines: Vec<Vec<String>> = full
        .map(|bin| {
            let interval = bin.won_lower.zip(bin.won_upper).map_or_else(
                || "–".to_string(),
                |(lower, upper)| format!("[{}, {}]", percent(lower), percent(upper)),
            );
            vec![
                format!("{} to {}", percent(bin.lower), percent(bin.upper)),
                dash(bin.preference, percent),
                dash(bin.won, percent),
                interval,
                bin.comparisons.to_string(),
            ]
        })
        .collect();
    let header = ["preference", "mean", "won", "95 % interval", "comparisons"];
    let title = "Preference for the likelier output, and the share it won (ties count half)";
    AssessmentTable::new(title, &header, lines)
}

/// The name of a measure of uncertainty in text.
pub(super) fn spoken(by: UncertaintyMeasure) -> &'static str {
    match by {
        UncertaintyMeasure::Bald => "BALD",
        UncertaintyMeasure::Std => "STD",
        UncertaintyMeasure::Margin => "1 − |2p − 1|",
    }
}

fn rejection(assessment: &Assessment) -> AssessmentTable {
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
        line.push(dash(one.area.value, percent));
        line.push(dash(one.gain.value, percent));
        line.push(interval(&one.gain, percent));
        line
    };
    let mut lines: Vec<Vec<String>> = assessment.uncertainty.iter().map(line).collect();
    let plain = |name: &str, area: Option<f64>, worth: &str| {
        let mut line = vec![name.to_string()];
        line.extend(first.iter().map(|_| String::new()));
        line.extend([dash(area, percent), worth.to_string(), String::new()]);
        line
    };
    lines.push(plain("random order", assessment.accuracy.value, "0.0 %"));
    lines.push(plain("oracle", assessment.oracle_area, "100.0 %"));
    AssessmentTable {
        title: "Accuracy on decided comparisons when the most uncertain are rejected",
        header,
        rows: lines,
    }
}

fn bald(assessment: &Assessment) -> AssessmentTable {
    let line = |bin: &BaldBin| {
        let accuracy = (bin.decided > 0).then(|| bin.right / bin.decided as f64);
        vec![
            format!("{} to {}", number(bin.lower), number(bin.upper)),
            bin.comparisons.to_string(),
            bin.decided.to_string(),
            dash(accuracy, percent),
        ]
    };
    let lines: Vec<Vec<String>> = assessment.bald.iter().map(line).collect();
    let header = ["BALD", "comparisons", "decided", "accuracy"];
    AssessmentTable::new("BALD of these predictions, in nats", &header, lines)
}
