//! The differences between metrics: each against each other, and those that are significant.

use super::tables::{CorrelationTable, spoken};
use crate::report::document::DocumentTable;
use crate::report::html::markup::{Html, element, folded, with};
use crate::report::html::versus::{self, VersusCell};
use crate::stages::correlate::rows::{CorrelationDifference, CorrelationTarget};
use tiebreak_base::layout::{decimals, number, signed};

/// The leading coefficients: the first that is there compares the metrics at first sight.
const LEADING: [&str; 3] = ["soft-pairwise-accuracy", "calibrated-accuracy", "kendall"];

const PERMUTED: &str = "row minus column, with the p-value of PERM-BOTH; coloured where significant (Holm's \
                        correction)";

/// Compares the metrics: by a leading coefficient at first sight, by the others on demand.
pub(super) fn metric_pairs(kind: &CorrelationTable<'_>, all: &[CorrelationDifference]) -> Html {
    let mut coefficients = kind.coefficients();
    let rank = |one: &&str| LEADING.iter().position(|name| name == one);
    coefficients.sort_by_key(|one| rank(one).unwrap_or(LEADING.len()));
    let mut matrices = coefficients.iter().filter_map(|coefficient| {
        let held = CorrelationTarget {
            coefficient: (*coefficient).to_string(),
            ..kind.rows[0].held.clone()
        };
        matrix(kind, &held, all)
    });
    let Some(first) = matrices.next() else {
        return Html::default();
    };
    let note = with("p", &[("class", "note")], PERMUTED);
    let rest: Html = matrices.collect();
    let rest = match rest.is_empty() {
        true => rest,
        false => folded("Other coefficients", rest),
    };
    element("div", [first, note, rest])
}

/// The metrics against each other, the best first.
fn matrix(
    kind: &CorrelationTable<'_>,
    held: &CorrelationTarget,
    all: &[CorrelationDifference],
) -> Option<Html> {
    let family: Vec<&CorrelationDifference> = all.iter().filter(|one| one.held == *held).collect();
    if family.is_empty() {
        return None;
    }
    let value = |metric: &str| {
        let mut rows = kind.rows.iter();
        let row = rows.find(|one| one.held == *held && one.metric == metric);
        row.and_then(|one| one.value).unwrap_or(f64::NEG_INFINITY)
    };
    let mut metrics: Vec<String> = kind.metrics().iter().map(ToString::to_string).collect();
    metrics.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let pairs = family
        .iter()
        .map(|&found| ([found.metric.as_str(), found.other.as_str()], found));
    let cell = |found: &CorrelationDifference, sign: f64| {
        let difference = sign * found.difference;
        VersusCell {
            difference,
            written: signed(difference, 3),
            significant: found.significant,
            note: format!("p {}", number(found.p_value)),
        }
    };
    let title = format!(
        "Differences between metrics by {}",
        spoken(&held.coefficient)
    );
    let table = versus::table(&title, "metric", &metrics, pairs, cell);
    Some(Html::from([element("h4", title.as_str()), table]))
}

/// The significant differences, the better metric in front; `None` where there are none.
pub(super) fn better_metrics(all: &[CorrelationDifference]) -> Option<DocumentTable> {
    let line = |one: &CorrelationDifference| {
        let (better, worse) = match one.difference > 0.0 {
            true => (&one.metric, &one.other),
            false => (&one.other, &one.metric),
        };
        let held = &one.held;
        vec![
            better.clone(),
            worse.clone(),
            held.criterion.clone().unwrap_or_else(|| held.human.clone()),
            held.grouping.clone(),
            held.coefficient.clone(),
            decimals(one.difference.abs(), 3),
            number(one.p_value),
        ]
    };
    let significant = all.iter().filter(|one| one.significant);
    let lines: Vec<Vec<String>> = significant.map(line).collect();
    let header = [
        "metric",
        "better than",
        "with",
        "grouping",
        "coefficient",
        "by",
        "p",
    ];
    let caption = "Metrics that agree with people better than others";
    (!lines.is_empty()).then(|| DocumentTable::new(caption, &header, lines))
}
