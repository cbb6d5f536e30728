//! Correlations of metrics with people: every coefficient with its interval, and which metric does better.

use super::rows::{CorrelationDifference, CorrelationTarget, Correlations};
use super::text::{
    CorrelationTable, NEW_ANNOTATORS, kinds, lines, meaning, of_items, of_others, spoken, verdict,
};
use crate::report::html::figure::{Dots, dots, figure, figures, with_zero};
use crate::report::html::markup::{Html, HtmlTable, element, folded, with};
use crate::report::html::versus::{self, VersusCell};
use crate::report::plot::Plot;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{number, signed};
use tiebreak_base::words::capitalised;

/// The leading coefficients: the first that is there compares the metrics at first sight.
const LEADING: [&str; 3] = ["soft-pairwise-accuracy", "calibrated-accuracy", "kendall"];

pub(super) fn result_page(_: &str, found: &Correlations) -> Result<Html> {
    let note = |text: String| with("p", &[("class", "note")], text);
    let mut parts = vec![note(INTRO.to_string()), note(capitalised(&meaning(found)))];
    parts.extend(
        of_others(found)
            .into_iter()
            .chain(of_items(found))
            .map(note),
    );
    for kind in kinds(found) {
        parts.push(element("h3", kind.title.as_str()));
        let differences = against(&kind, &found.differences);
        parts.push(figures([figure(&plot(&kind), WHISKERS)?, differences]));
        parts.push(folded("In numbers", table(&kind)));
        if let Some((header, lines)) = kind.others() {
            let title = format!("{}. {NEW_ANNOTATORS}", kind.title);
            let table = HtmlTable::plain(&title, &header, 1, lines).html();
            parts.push(folded(NEW_ANNOTATORS, table));
        }
    }
    if !found.differences.is_empty() {
        parts.push(note(verdict(&found.differences)));
    }
    Ok(parts.into_iter().collect())
}

const INTRO: &str = "1 is perfect agreement; of correlations 0 is none, of accuracies what guessing has. Metrics that \
                     are better when lower are turned round.";

const PERMUTED: &str = "row less column, with the p-value of PERM-BOTH; coloured where significant (Holm's correction \
                        among the pairs)";

const WHISKERS: &str = "dots are values, whiskers their intervals";

fn plot(kind: &CorrelationTable<'_>) -> Plot {
    let of = |coefficient: &&str| Dots {
        name: spoken(coefficient).to_string(),
        values: kind
            .rows
            .iter()
            .filter(|one| one.held.coefficient == **coefficient)
            .filter_map(|one| Some((one.metric.clone(), one.value?, one.lower.zip(one.upper))))
            .collect(),
    };
    let lists: Vec<Dots> = kind.coefficients().iter().map(of).collect();
    let plot = dots("Every coefficient", "agreement with people", &lists);
    with_zero(plot, kind.metrics().len())
}

fn table(kind: &CorrelationTable<'_>) -> Html {
    let (header, lines) = lines(kind);
    HtmlTable::plain(&kind.title, &header, 1, lines).html()
}

/// Compares the metrics: by a leading coefficient at first sight, by the others on demand.
fn against(kind: &CorrelationTable<'_>, all: &[CorrelationDifference]) -> Html {
    let mut coefficients = kind.coefficients();
    let rank = |one: &&str| LEADING.iter().position(|name| name == one);
    coefficients.sort_by_key(|one| rank(one).unwrap_or(LEADING.len()));
    let matrices = coefficients.iter().filter_map(|coefficient| {
        let held = CorrelationTarget {
            coefficient: (*coefficient).to_string(),
            ..kind.rows[0].held.clone()
        };
        matrix(kind, &held, all)
    });
    let mut matrices = matrices.collect::<Vec<_>>().into_iter();
    let Some(first) = matrices.next() else {
        return Html::default();
    };
    let note = with("p", &[("class", "note")], PERMUTED);
    let rest: Html = matrices.collect();
    let rest = match rest.is_empty() {
        true => rest,
        false => folded("By the other coefficients", rest),
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
    let between = |row: usize, column: usize| {
        let (one, other) = (&metrics[row], &metrics[column]);
        family.iter().find_map(|found| {
            let sign = match (&found.metric, &found.other) {
                (a, b) if a == one && b == other => 1.0,
                (a, b) if a == other && b == one => -1.0,
                _ => return None,
            };
            let difference = sign * found.difference;
            Some(VersusCell {
                difference,
                written: signed(difference, 3),
                significant: found.significant,
                note: format!("p {}", number(found.p_value)),
            })
        })
    };
    let title = format!(
        "By how much a metric does better, by {}",
        spoken(&held.coefficient)
    );
    let table = versus::table(&title, "metric", &metrics, between);
    Some(Html::from([element("h4", title.as_str()), table]))
}
