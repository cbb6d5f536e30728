//! The tables of correlations, one for every kind of answer and grouping.

use crate::report::distinct;
use crate::report::document::DocumentTable;
use crate::stages::correlate::rows::{Correlation, CorrelationTarget, Correlations};
use tiebreak_base::layout;
use tiebreak_base::words::interval_in;
use tiebreak_decide::evaluation::correlation::Grouping;

/// The title of the coefficients for new annotators.
pub(super) const NEW_ANNOTATORS: &str = "With new annotators like these";

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
        distinct(
            self.rows
                .iter()
                .map(|one| one.found.held.coefficient.as_str()),
        )
    }

    /// The metrics, in the order of the rows.
    pub(super) fn metrics(&self) -> Vec<&'a str> {
        distinct(self.rows.iter().map(|one| one.found.metric.as_str()))
    }

    /// Whether the coefficients are between systems.
    pub(super) fn of_systems(&self) -> bool {
        self.rows[0].found.held.grouping == Grouping::System.name()
    }

    /// The table for these annotators: a row per metric, a column per coefficient; ε in a column of its own.
    pub(super) fn of_these(&self) -> DocumentTable {
        let mut header: Vec<&str> = ["metric", "n"]
            .into_iter()
            .chain(self.coefficients())
            .collect();
        let has_epsilon = self.rows.iter().any(|one| one.found.epsilon.is_some());
        if has_epsilon {
            header.push("tie within");
        }
        let by_metric = self.rows.chunk_by(|a, b| a.found.metric == b.found.metric);
        let line = |rows: &[&Correlation]| {
            let numbers = rows.iter().map(|one| one.found.n);
            let least = numbers.clone().min().unwrap_or(0);
            let most = numbers.max().unwrap_or(0);
            // Items on which answers do not vary have no coefficient, and may still have an accuracy.
            let n = match least == most {
                true => most.to_string(),
                false => format!("{least}–{most}"),
            };
            let mut line = vec![rows[0].found.metric.clone(), n];
            line.extend(
                rows.iter()
                    .map(|one| cell(one.found.value, one.found.lower.zip(one.found.upper))),
            );
            if has_epsilon {
                line.push(layout::optional(
                    rows.iter().find_map(|one| one.found.epsilon),
                ));
            }
            line
        };
        DocumentTable::new(self.title.as_str(), &header, by_metric.map(line).collect())
    }

    /// The table for new annotators; `None` where it would be empty.
    pub(super) fn of_new_annotators(&self) -> Option<DocumentTable> {
        let known = self.rows.iter().filter(|one| one.new_annotators.is_some());
        let known = distinct(known.map(|one| one.found.held.coefficient.as_str()));
        if known.is_empty() {
            return None;
        }
        let header = [&["metric", "annotators"][..], &known].concat();
        let line = |rows: &[&Correlation]| {
            let people = rows.iter().filter_map(|one| one.new_annotators);
            let people = people.map(|one| one.annotators).max().unwrap_or(0);
            let has_column =
                |one: &&&Correlation| known.contains(&one.found.held.coefficient.as_str());
            let cells = rows.iter().filter(has_column).map(|one| {
                let own = one.new_annotators;
                cell(
                    own.map(|own| own.value),
                    own.map(|own| (own.lower, own.upper)),
                )
            });
            [rows[0].found.metric.clone(), people.to_string()]
                .into_iter()
                .chain(cells)
                .collect()
        };
        let by_metric = self.rows.chunk_by(|a, b| a.found.metric == b.found.metric);
        let title = format!("{}. {NEW_ANNOTATORS}", self.title);
        Some(DocumentTable::new(
            title,
            &header,
            by_metric.map(line).collect(),
        ))
    }
}

/// The tables of all kinds, in the order of their first rows.
pub(super) fn correlation_tables(found: &Correlations) -> Vec<CorrelationTable<'_>> {
    let key = |one: &Correlation| {
        let held = &one.found.held;
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
            title: title(&rows[0].found.held),
            rows,
        }
    };
    keys.map(kind).collect()
}

pub(super) fn title(held: &CorrelationTarget) -> String {
    let what = match &held.criterion {
        Some(criterion) => format!("judgments of {criterion}"),
        None => held.human.clone(),
    };
    match (held.grouping.as_str(), &held.criterion) {
        ("item", _) => format!("With {what}: per item, then averaged"),
        ("global", Some(_)) => format!("With {what}: all outputs pooled"),
        ("global", None) => format!("With {what}: all pooled"),
        _ => format!("With {what}: system means"),
    }
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
pub(super) fn cell(value: Option<f64>, ends: Option<(f64, f64)>) -> String {
    let write = |x: f64| layout::decimals(x, 3);
    layout::or_dash(value, |value| match ends {
        Some((lower, upper)) => {
            format!(
                "{} {}",
                write(value),
                interval_in(Some(lower), Some(upper), write)
            )
        }
        None => write(value),
    })
}
