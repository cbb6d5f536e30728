//! Estimates as text.

use super::differences;
use super::kinds::{about, kinds};
use super::meaning;
use super::rows::{EstimateRow, Estimates, IntervalWidthPlan, ReportedEstimate};
use tiebreak_base::layout::{number, optional, table};
use tiebreak_base::words::{interval, section};

/// Width of the plots of intervals, in characters.
const PLOT: usize = 31;

/// Renders all that `estimate` prints.
pub fn render(found: &Estimates) -> String {
    let plans = needed(&found.plans);
    let missing = found
        .rows
        .iter()
        .filter(|row| row.analysis.estimate.is_none());
    let missing: String = missing.map(without_estimate).collect();
    estimates(&found.reported_estimates())
        + &missing
        + &hints(&found.hints)
        + &plans
        + &differences::render(&found.comparisons)
}

/// Hints, a line each.
pub(super) fn hints(hints: &[String]) -> String {
    let lines = hints.iter().flat_map(|hint| [hint.as_str(), "\n"]);
    lines.collect()
}

/// A line for a system that has no estimate.
fn without_estimate(row: &EstimateRow) -> String {
    let why = row.why.as_deref().unwrap_or_default();
    format!(
        "No estimate of {} for {}: {why}.\n",
        row.criterion, row.system
    )
}

/// A section for each criterion and estimator.
pub(super) fn estimates(rows: &[ReportedEstimate]) -> String {
    let mut text = String::new();
    for rows in kinds(rows) {
        let meaning = meaning::of_estimates(&rows).map_or_else(String::new, |line| line + "\n");
        let new = meaning::of_new_annotators(&rows).map(|line| line + "\n");
        let (first, last) = match rows[0].is_of_new() {
            true => (new, None),
            false => (None, new),
        };
        let own = meaning + &drawn(&rows);
        text += &section(&about(rows[0]), &(first.unwrap_or_default() + &own));
        for line in meaning::without_interval(&rows) {
            text += &format!("{line}\n");
        }
        text += &last.unwrap_or_default();
    }
    text
}

/// The columns of [`row`].
pub(super) const COLUMNS: [&str; 5] = [
    "system",
    "judgments",
    "estimate",
    "interval",
    "data efficiency",
];

/// The cells of an estimate.
pub(super) fn row(row: &ReportedEstimate) -> Vec<String> {
    vec![
        row.system.clone(),
        row.n.to_string(),
        number(row.estimate),
        interval(row.lower, row.upper),
        optional(row.data_efficiency),
    ]
}

/// Estimates with their intervals, best first, drawn on one scale.
fn drawn(rows: &[&ReportedEstimate]) -> String {
    let ends = rows
        .iter()
        .flat_map(|row| [row.lower, row.upper, Some(row.estimate)])
        .flatten();
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    let line = |one: &&ReportedEstimate| {
        let mut line = row(one);
        line.push(plot(one, low, high));
        line
    };
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    table(&[&COLUMNS[..], &[""]].concat(), &lines)
}

/// An interval as a line of text: `├───●──┤`.
fn plot(row: &ReportedEstimate, low: f64, high: f64) -> String {
    let place = |x: f64| {
        let share = if high > low {
            (x - low) / (high - low)
        } else {
            0.5
        };
        (share * (PLOT - 1) as f64).round() as usize
    };
    let mut line = vec![' '; PLOT];
    if let (Some(lower), Some(upper)) = (row.lower, row.upper) {
        let (from, to) = (place(lower), place(upper));
        line[from..=to].fill('─');
        line[from] = '├';
        line[to] = '┤';
    }
    line[place(row.estimate)] = '●';
    line.into_iter().collect::<String>().trim_end().to_string()
}

/// The columns of [`plan`].
pub(super) const PLANNED: [&str; 5] = ["system", "criterion", "estimator", "width", "judgments"];

/// The cells of a planned number of judgments.
pub(super) fn plan(plan: &IntervalWidthPlan) -> Vec<String> {
    vec![
        plan.system.clone(),
        plan.criterion.clone(),
        plan.estimator.clone(),
        number(plan.width),
        optional(plan.judgments.map(|n| n as f64)),
    ]
}

/// The section of planned judgments, where there are any.
pub(super) fn needed(plans: &[IntervalWidthPlan]) -> String {
    if plans.is_empty() {
        return String::new();
    }
    let lines: Vec<Vec<String>> = plans.iter().map(plan).collect();
    section(
        "Judgments needed",
        &(table(&PLANNED, &lines) + &hints(&remedies(plans))),
    )
}

/// What would help where planned numbers alone do not say it, a sentence each.
pub(super) fn remedies(plans: &[IntervalWidthPlan]) -> Vec<String> {
    let next = plans.iter().filter_map(|plan| plan.next.as_deref());
    next.map(|next| format!("What would help: {next}."))
        .collect()
}
