//! Estimates of one kind: by one estimator, under one criterion, with the same metrics; best first.

use super::rows::ReportedEstimate;
use crate::inputs::judging::is_less_better;
use crate::report::distinct;

/// Estimates by criterion, estimator and metric, in the order of their first rows, each best first.
pub fn kinds(rows: &[ReportedEstimate]) -> Vec<Vec<&ReportedEstimate>> {
    let mut kinds: Vec<Vec<&ReportedEstimate>> = Vec::new();
    for row in rows {
        match kinds.iter_mut().find(|kind| about(kind[0]) == about(row)) {
            Some(kind) => kind.push(row),
            None => kinds.push(vec![row]),
        }
    }
    for kind in &mut kinds {
        let good = |row: &ReportedEstimate| sign(&row.criterion) * row.first_estimate();
        kind.sort_by(|a, b| {
            good(b)
                .total_cmp(&good(a))
                .then_with(|| a.system.cmp(&b.system))
        });
    }
    kinds
}

/// The sign of a criterion: 1 where more of it is better, −1 where less is, as of what people had to change.
pub(super) fn sign(criterion: &str) -> f64 {
    match is_less_better(criterion) {
        true => -1.0,
        false => 1.0,
    }
}

/// The leading estimates of each criterion: the first that use no metric, or the first.
pub(super) fn leading(rows: &[ReportedEstimate]) -> Vec<Vec<&ReportedEstimate>> {
    let kinds = kinds(rows);
    let criteria = distinct(rows.iter().map(|row| row.criterion.as_str()));
    let of = |criterion: &str| {
        let of: Vec<_> = kinds
            .iter()
            .filter(|kind| kind[0].criterion == criterion)
            .collect();
        let bare = of.iter().find(|kind| kind[0].metric.is_none());
        bare.or(of.first()).map(|kind| (*kind).clone())
    };
    criteria.into_iter().filter_map(of).collect()
}

/// The title of what rows of one kind estimate.
pub(super) fn about(row: &ReportedEstimate) -> String {
    titled(&format!("Mean score of {}", row.criterion), &how(row))
}

/// A title with the estimator; plain means need none.
pub(super) fn titled(what: &str, how: &str) -> String {
    match how {
        "mean" => what.to_string(),
        how => format!("{what}: {how}"),
    }
}

/// The estimator, and the metric it uses.
pub(super) fn how(row: &ReportedEstimate) -> String {
    with_metric(&row.estimator, row.metric.as_deref())
}

pub(super) fn with_metric(estimator: &str, metric: Option<&str>) -> String {
    match metric {
        Some(metric) => format!("{estimator} with {metric}"),
        None => estimator.to_string(),
    }
}
