//! Estimates of one kind: by one estimator, under one criterion, with the same metrics; best first.

use super::rows::Estimated;
use crate::layout::number;
use crate::report::words::interval;
use std::fmt::Write;

/// Estimates by criterion, estimator and metric, in the order of their first rows, each best first.
pub(super) fn kinds(rows: &[Estimated]) -> Vec<Vec<&Estimated>> {
    let mut kinds: Vec<Vec<&Estimated>> = Vec::new();
    for row in rows {
        match kinds.iter_mut().find(|kind| about(kind[0]) == about(row)) {
            Some(kind) => kind.push(row),
            None => kinds.push(vec![row]),
        }
    }
    for kind in &mut kinds {
        kind.sort_by(|a, b| {
            b.estimate
                .total_cmp(&a.estimate)
                .then_with(|| a.system.cmp(&b.system))
        });
    }
    kinds
}

/// What is estimated and whose estimate is highest, for each criterion by the first estimator that a
/// run names.
pub(super) fn answers(rows: &[Estimated]) -> Vec<(String, String)> {
    let mut criteria: Vec<&str> = Vec::new();
    let mut answers = Vec::new();
    for kind in kinds(rows) {
        if !criteria.contains(&kind[0].criterion.as_str()) {
            criteria.push(&kind[0].criterion);
            answers.push((about(kind[0]), best_estimated(&kind)));
        }
    }
    answers
}

/// What rows of one kind estimate.
pub(super) fn about(row: &Estimated) -> String {
    format!("Mean human judgment of {}: {}", row.criterion, how(row))
}

/// The estimator, and the metric it uses.
pub(super) fn how(row: &Estimated) -> String {
    match &row.metric {
        Some(metric) => format!("{} with {metric}", row.estimator),
        None => row.estimator.clone(),
    }
}

/// Whose estimate is highest, and whose intervals overlap with its, in a sentence; of estimates of one
/// kind, best first.
fn best_estimated(rows: &[&Estimated]) -> String {
    let best = rows[0];
    let mut text = format!(
        "{} has the highest estimate, {} {}",
        best.system,
        number(best.estimate),
        interval(best.lower, best.upper)
    );
    let near: Vec<&str> = near(rows).iter().map(|row| row.system.as_str()).collect();
    match (near.is_empty(), rows.len()) {
        (_, 1) => {}
        (true, _) => text += "; no other interval overlaps with it",
        (false, _) => {
            let _ = write!(
                text,
                "; the intervals of {} overlap with it",
                near.join(", ")
            );
        }
    }
    text + "."
}

/// Of estimates of one kind, best first, those that nothing tells apart from the best.
pub(super) fn near<'a>(rows: &[&'a Estimated]) -> Vec<&'a Estimated> {
    let overlaps = |row: &&&Estimated| match (rows[0].lower, row.upper) {
        (Some(lower), Some(upper)) => upper >= lower,
        _ => true,
    };
    rows[1..].iter().filter(overlaps).copied().collect()
}
