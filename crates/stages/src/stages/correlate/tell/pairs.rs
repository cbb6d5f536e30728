//! The differences between metrics: each against each other, and those that are significant.

use super::tables::{CorrelationTable, spoken};
use crate::report::distinct;
use crate::report::document::DocumentTable;
use crate::report::html::markup::{Html, element, folded, with};
use crate::report::html::versus::{self, VersusCell};
use crate::stages::correlate::rows::{CorrelationDifference, CorrelationTarget};
use tiebreak_base::layout::{decimals, optional, or_dash, signed};
use tiebreak_decide::evaluation::correlation::{FEW_TESTED_ITEMS, FEWEST_SWAPPED};

/// The leading coefficients: the first that is there compares the metrics at first sight.
pub(super) const LEADING: [&str; 3] = ["soft-pairwise-accuracy", "calibrated-accuracy", "kendall"];

const OUTPUTS: &str =
    "row minus column, with p for these systems; coloured where significant (Holm's correction)";

const SYSTEMS: &str = "row minus column, with p for systems like these, and for just these; coloured where significant for \
                       systems like these (Holm's correction)";

/// Compares the metrics: by a leading coefficient at first sight, by the others on demand.
pub(super) fn metric_pairs(kind: &CorrelationTable<'_>, all: &[CorrelationDifference]) -> Html {
    let mut coefficients = kind.coefficients();
    let rank = |one: &&str| LEADING.iter().position(|name| name == one);
    coefficients.sort_by_key(|one| rank(one).unwrap_or(LEADING.len()));
    let mut matrices = coefficients.iter().filter_map(|coefficient| {
        let held = CorrelationTarget {
            coefficient: (*coefficient).to_string(),
            ..kind.rows[0].found.held.clone()
        };
        matrix(kind, &held, all)
    });
    let Some(first) = matrices.next() else {
        return Html::default();
    };
    let meaning = match kind.of_systems() {
        true => SYSTEMS,
        false => OUTPUTS,
    };
    let note = with("p", &[("class", "note")], meaning);
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
        let row = rows.find(|one| one.found.held == *held && one.found.metric == metric);
        row.and_then(|one| one.found.value)
            .unwrap_or(f64::NEG_INFINITY)
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
            note: match &found.these_systems {
                Some(these) => {
                    format!("p {}; {}", optional(found.p_value), optional(these.p_value))
                }
                None => format!("p {}", optional(found.p_value)),
            },
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
        let tested = |(value, significant): (Option<f64>, bool)| {
            let star = if significant { " *" } else { "" };
            format!("{}{star}", optional(value))
        };
        let like_these = one.these_systems.as_ref();
        let like_these = like_these.map(|_| (one.p_value, one.significant));
        vec![
            better.clone(),
            worse.clone(),
            held.criterion.clone().unwrap_or_else(|| held.human.clone()),
            held.grouping.clone(),
            held.coefficient.clone(),
            decimals(one.difference.abs(), 3),
            tested(one.for_these_systems()),
            or_dash(like_these, tested),
        ]
    };
    let significant = |one: &&CorrelationDifference| one.significant || one.for_these_systems().1;
    let lines: Vec<Vec<String>> = all.iter().filter(significant).map(line).collect();
    let header = [
        "metric",
        "better than",
        "with",
        "grouping",
        "coefficient",
        "by",
        "p, these systems",
        "p, systems like these",
    ];
    let caption = "Metrics that agree with people better than others";
    (!lines.is_empty()).then(|| DocumentTable::new(caption, &header, lines))
}

/// How many differences are significant: for just these systems, and for systems like these; why some are undecided.
pub(super) fn verdicts(all: &[CorrelationDifference]) -> Vec<String> {
    let said = |found: &[(Option<f64>, bool)], of: &str| {
        let tested = found.iter().filter(|(p, _)| p.is_some()).count();
        let significant = found.iter().filter(|(_, significant)| *significant).count();
        (tested > 0).then(|| {
            format!(
                "{significant} of {tested} differences are significant {of}, each coefficient by itself (*, Holm's correction)."
            )
        })
    };
    let these: Vec<_> = all
        .iter()
        .map(CorrelationDifference::for_these_systems)
        .collect();
    let of_systems = || {
        all.iter()
            .filter_map(|one| Some((one, one.these_systems.as_ref()?)))
    };
    let others: Vec<_> = of_systems()
        .map(|(one, _)| (one.p_value, one.significant))
        .collect();
    let few = others.iter().any(|(p, _)| p.is_none());
    let is_untested =
        |one: &CorrelationDifference| one.these_systems.is_none() && one.p_value.is_none();
    let few_items = all.iter().any(is_untested).then_some(FEW_TESTED_ITEMS);
    let reasons = of_systems().filter_map(|(_, these)| these.why.as_deref());
    let reasons = distinct(few_items.into_iter().chain(reasons)).into_iter();
    said(&these, "for just these systems, and items like these")
        .into_iter()
        .chain((!few).then(|| {
            said(&others, "for systems like these (ranks of whole systems change places)")
        }).flatten())
        .chain(few.then(|| {
            format!("Undecided for systems like these: that takes {FEWEST_SWAPPED} systems, ordered by both metrics.")
        }))
        .chain(reasons.map(|why| format!("Undecided for these systems: {why}.")))
        .collect()
}
