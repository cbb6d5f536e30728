//! Correlations of metrics with people as text: a table for every kind of answer and grouping, and what
//! the metrics' differences are worth.

use super::rows::{Correlation, CorrelationDifference, CorrelationTarget, Correlations};
use crate::report::distinct;
use tiebreak_base::error::Flag;
use tiebreak_base::layout;
use tiebreak_base::scope::{ItemScope, PeopleScope};
use tiebreak_base::words::section;

/// The title of the coefficients for new annotators.
pub(super) const NEW_ANNOTATORS: &str =
    "With a new annotator like these, each by their own answers";

/// The coefficients of all metrics under one kind of answer and grouping.
pub(super) struct CorrelationTable<'a> {
    /// The title in words.
    pub title: String,
    /// The rows by metric, then coefficient.
    pub rows: Vec<&'a Correlation>,
}

impl<'a> CorrelationTable<'a> {
    /// The coefficients, in the order of the rows.
    pub(super) fn coefficients(&self) -> Vec<&'a str> {
        distinct(self.rows.iter().map(|one| one.held.coefficient.as_str()))
    }

    /// The metrics, in the order of the rows.
    pub(super) fn metrics(&self) -> Vec<&'a str> {
        distinct(self.rows.iter().map(|one| one.metric.as_str()))
    }

    /// The header and lines of the table for new annotators; `None` where it would be empty.
    pub(super) fn others(&self) -> Option<(Vec<&'a str>, Vec<Vec<String>>)> {
        self.rows.iter().find_map(|one| one.new_annotators)?;
        let header = [&["metric", "annotators"][..], &self.coefficients()].concat();
        let line = |rows: &[&Correlation]| {
            let people = rows.iter().filter_map(|one| one.new_annotators);
            let people = people.map(|one| one.annotators).max().unwrap_or(0);
            let cells = rows.iter().map(|one| {
                let own = one.new_annotators;
                cell(
                    own.map(|own| own.value),
                    own.map(|own| [own.lower, own.upper]),
                )
            });
            [rows[0].metric.clone(), people.to_string()]
                .into_iter()
                .chain(cells)
                .collect()
        };
        let by_metric = self.rows.chunk_by(|a, b| a.metric == b.metric);
        Some((header, by_metric.map(line).collect()))
    }
}

/// The tables of all kinds, in the order of their first rows.
pub(crate) fn kinds(found: &Correlations) -> Vec<CorrelationTable<'_>> {
    let key = |one: &Correlation| {
        let held = &one.held;
        (
            held.human.clone(),
            held.criterion.clone(),
            held.grouping.clone(),
        )
    };
    let keys = distinct(found.correlations.iter().map(key)).into_iter();
    let kind = |wanted| {
        let rows = found.correlations.iter();
        let rows: Vec<&Correlation> = rows.filter(|one| key(one) == wanted).collect();
        CorrelationTable {
            title: title(&rows[0].held),
            rows,
        }
    };
    keys.map(kind).collect()
}

/// Renders a section for every kind of answer and grouping, and one for the differences between metrics.
pub fn render(found: &Correlations) -> String {
    let mut text = String::new();
    text += &format!("\n{}\n", meaning(found));
    for why in distinct(found.correlations.iter().filter_map(bare)) {
        text += &format!("No interval (–): {why}.\n");
    }
    if found.intervals.of == "both" && found.correlations.iter().any(|one| bare(one).is_some()) {
        let flag = Flag("resample");
        text += &format!("`{flag} items` gives intervals for just these systems.\n");
    }
    for line in of_others(found).into_iter().chain(of_items(found)) {
        text += &format!("{line}\n");
    }
    for kind in kinds(found) {
        let (header, lines) = lines(&kind);
        let these = layout::table(&header, &lines);
        let others = kind.others().map(|(header, lines)| {
            format!("{NEW_ANNOTATORS}:\n{}", layout::table(&header, &lines))
        });
        let body = match (others, found.intervals.scope.people) {
            (None, _) => these,
            (Some(others), PeopleScope::NewAnnotators) => {
                format!("{others}\nThese annotators:\n{these}")
            }
            (Some(others), _) => format!("{these}\n{others}"),
        };
        text += &section(&kind.title, &body);
    }
    if !found.differences.is_empty() {
        let body = differences(&found.differences);
        text += &section("Metrics that go with people better than others", &body);
    }
    text
}

/// The reason why a value has no interval.
fn bare(one: &Correlation) -> Option<&str> {
    one.why.as_deref().filter(|_| one.value.is_some())
}

/// A note that annotators are too few to estimate others, where they are.
pub(super) fn of_others(found: &Correlations) -> Option<String> {
    let said = found
        .correlations
        .iter()
        .any(|one| one.new_annotators.is_some());
    let named = found.correlations.iter().map(|one| one.annotators as usize);
    PeopleScope::too_few(named.max().filter(|_| !said)?)
}

/// A note that knowing all items gains nothing, where it was asked for.
pub(super) fn of_items(found: &Correlations) -> Option<String> {
    let asked = found.intervals.scope.items == ItemScope::These;
    asked.then(|| {
        let flag = Flag("items");
        format!("No correction for `{flag} these` is known: intervals are for items like these.")
    })
}

/// A sentence on the meaning of the intervals.
pub(super) fn meaning(found: &Correlations) -> String {
    let of = match found.intervals.of.as_str() {
        "items" => "items like these, of just these systems",
        _ => "items and systems like these",
    };
    let confidence = layout::percent(found.intervals.confidence);
    let partners = found.intervals.partners.map(|partners| {
        format!(
            "; with so many systems a resample pairs each with {partners} others, drawn anew, which makes them a \
             little wider"
        )
    });
    format!(
        "intervals: {confidence}, each coefficient by itself (not all at once), for {of}, judged by these \
         annotators{}",
        partners.unwrap_or_default()
    )
}

fn title(held: &CorrelationTarget) -> String {
    let what = match &held.criterion {
        Some(criterion) => format!("judgments of {criterion}"),
        None => held.human.clone(),
    };
    match (held.grouping.as_str(), &held.criterion) {
        ("item", _) => format!("With {what}: outputs of one item, mean over items"),
        ("global", Some(_)) => format!("With {what}: all outputs together"),
        ("global", None) => format!("With {what}: all of them together"),
        _ => format!("With {what}: means of systems"),
    }
}

/// One row per metric, one column per coefficient; ε in a column of its own.
pub(super) fn lines<'a>(kind: &CorrelationTable<'a>) -> (Vec<&'a str>, Vec<Vec<String>>) {
    let mut header: Vec<&str> = ["metric", "n"]
        .into_iter()
        .chain(kind.coefficients())
        .collect();
    let has_epsilon = kind.rows.iter().any(|one| one.epsilon.is_some());
    if has_epsilon {
        header.push("ties up to");
    }
    let by_metric = kind.rows.chunk_by(|a, b| a.metric == b.metric);
    let line = |rows: &[&Correlation]| {
        let n = rows.iter().map(|one| one.n).max().unwrap_or(0);
        let mut line = vec![rows[0].metric.clone(), n.to_string()];
        line.extend(rows.iter().map(|one| {
            let ends = one.lower.zip(one.upper);
            cell(one.value, ends.map(|(lower, upper)| [lower, upper]))
        }));
        if has_epsilon {
            line.push(layout::optional(rows.iter().find_map(|one| one.epsilon)));
        }
        line
    };
    let lines = by_metric.map(line).collect();
    (header, lines)
}

/// The name of a coefficient in text.
pub(super) fn spoken(coefficient: &str) -> &str {
    match coefficient {
        "pearson" => "Pearson's r",
        "spearman" => "Spearman's ρ",
        "kendall" => "Kendall's τ-b",
        "accuracy" => "pairwise accuracy",
        "calibrated-accuracy" => "calibrated accuracy",
        "soft-pairwise-accuracy" => "soft pairwise accuracy",
        other => other,
    }
}

/// A value with its interval: `0.612 [0.551, 0.668]`.
fn cell(value: Option<f64>, ends: Option<[f64; 2]>) -> String {
    match (value, ends) {
        (None, _) => "–".to_string(),
        (Some(value), Some([lower, upper])) => {
            let [value, lower, upper] = [value, lower, upper].map(|x| layout::decimals(x, 3));
            format!("{value} [{lower}, {upper}]")
        }
        (Some(value), None) => layout::decimals(value, 3),
    }
}

/// Renders the significant differences, the better metric in front.
fn differences(all: &[CorrelationDifference]) -> String {
    let found: Vec<&CorrelationDifference> = all.iter().filter(|one| one.significant).collect();
    let line = |one: &&CorrelationDifference| {
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
            layout::decimals(one.difference.abs(), 3),
            layout::number(one.p_value),
        ]
    };
    let lines: Vec<Vec<String>> = found.iter().map(line).collect();
    let header = [
        "metric",
        "better than",
        "with",
        "grouping",
        "coefficient",
        "by",
        "p",
    ];
    let table = match lines.is_empty() {
        true => String::new(),
        false => layout::table(&header, &lines) + "\n",
    };
    format!("{table}{}\n", verdict(all))
}

/// A sentence on how many differences are significant.
pub(super) fn verdict(all: &[CorrelationDifference]) -> String {
    let significant = all.iter().filter(|one| one.significant).count();
    format!(
        "{significant} of {} differences are significant for just these systems, on items like these (PERM-BOTH; Holm's \
         correction among pairs of metrics, each coefficient by itself)",
        all.len()
    )
}
