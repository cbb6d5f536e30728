//! Coefficients in slices as people read them: whether slices differ, a table and a plot for every kind of answer.

use super::pairs::LEADING;
use super::tables::{cell, spoken, title};
use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::html::figure::{Dots, dots, with_zero};
use crate::report::plot::Plot;
use crate::stages::correlate::rows::{
    CorrelationHeterogeneity, CorrelationSlices, CorrelationTarget, SlicedCorrelation,
};
use tiebreak_base::layout::{p_value, share};

/// The coefficients in slices, with a title of their own.
pub(super) fn sliced_correlations(found: &CorrelationSlices) -> ResultDocument {
    let name = format!("Slices by {}", found.by);
    let kind = |held: &CorrelationTarget| (title(held), held.grouping.clone());
    let mut document = ResultDocument::default()
        .heading(3, &name)
        .list(tests(found))
        .note(meaning(found));
    for wanted in distinct(found.rows.iter().map(|row| kind(&row.found.held))) {
        let rows = found
            .rows
            .iter()
            .filter(|row| kind(&row.found.held) == wanted);
        let rows: Vec<&SlicedCorrelation> = rows.collect();
        let plot = DocumentFigure::new(plot(&rows), WHISKERS);
        document = document
            .paragraph(format!("{}:", wanted.0))
            .on_page(ResultDocument::from(plot))
            .append(ResultDocument::from(table(&wanted.0, &rows)));
    }
    let reasons = found.rows.iter().filter(|row| row.found.value.is_some());
    let reasons = distinct(reasons.filter_map(|row| row.found.why.as_deref())).into_iter();
    document
        .notes(reasons.map(|why| format!("No interval (–): {why}.")))
        .under(&name)
}

const WHISKERS: &str = "dots are values in slices, whiskers are intervals that hold together";

/// The coefficients that vary by slice, a line each; all tests of one coefficient share the level.
fn tests(found: &CorrelationSlices) -> Vec<String> {
    let tested: Vec<(&CorrelationHeterogeneity, f64)> = found
        .tests
        .iter()
        .filter_map(|test| Some((test, test.p?)))
        .collect();
    if tested.is_empty() {
        return vec!["Too few slices to compare.".to_string()];
    }
    let line = |(test, p): &(&CorrelationHeterogeneity, f64)| {
        let held = &test.held;
        let alike = tested.iter().filter(|(other, _)| other.held == *held);
        let level = (1.0 - found.confidence) / alike.count() as f64;
        let coefficient = spoken(&held.coefficient);
        (*p <= level).then(|| {
            format!(
                "{}: {coefficient} of {} varies by slice ({}).",
                title(held),
                test.metric,
                p_value(*p)
            )
        })
    };
    let lines: Vec<String> = tested.iter().filter_map(line).collect();
    match lines.is_empty() {
        true => vec!["No variation by slice is proved.".to_string()],
        false => lines,
    }
}

fn meaning(found: &CorrelationSlices) -> String {
    format!(
        "{} intervals of one coefficient that hold together over all slices and metrics.",
        share(found.confidence)
    )
}

/// A row for each metric in each slice, a column for each coefficient.
fn table(title: &str, rows: &[&SlicedCorrelation]) -> DocumentTable {
    let coefficients = distinct(rows.iter().map(|row| row.found.held.coefficient.as_str()));
    let header = [&["slice", "metric", "items"][..], &coefficients].concat();
    let alike = |a: &&SlicedCorrelation, b: &&SlicedCorrelation| {
        (&a.slice, &a.found.metric) == (&b.slice, &b.found.metric)
    };
    let line = |rows: &[&SlicedCorrelation]| {
        let cells = rows
            .iter()
            .map(|row| cell(row.found.value, row.found.lower.zip(row.found.upper)));
        let first = [
            rows[0].slice.clone(),
            rows[0].found.metric.clone(),
            rows[0].items.to_string(),
        ];
        first.into_iter().chain(cells).collect()
    };
    DocumentTable {
        texts: 2,
        ..DocumentTable::new(title, &header, rows.chunk_by(alike).map(line).collect())
    }
}

/// The forest plot of a leading coefficient: a line for each slice, a list of dots for each metric.
fn plot(rows: &[&SlicedCorrelation]) -> Plot {
    let coefficients = distinct(rows.iter().map(|row| row.found.held.coefficient.as_str()));
    let leading = LEADING.iter().find(|name| coefficients.contains(*name));
    let shown = leading.copied().unwrap_or(coefficients[0]);
    let rows: Vec<&&SlicedCorrelation> = rows
        .iter()
        .filter(|row| row.found.held.coefficient == shown)
        .collect();
    let list = |metric: &str| Dots {
        name: metric.to_string(),
        values: rows
            .iter()
            .filter(|row| row.found.metric == metric)
            .filter_map(|row| {
                Some((
                    row.slice.clone(),
                    row.found.value?,
                    row.found.lower.zip(row.found.upper),
                ))
            })
            .collect(),
    };
    let metrics = distinct(rows.iter().map(|row| row.found.metric.as_str())).into_iter();
    let lists: Vec<Dots> = metrics.map(list).collect();
    let slices = distinct(rows.iter().map(|row| row.slice.as_str())).len();
    with_zero(dots("Every slice", spoken(shown), &lists), slices)
}
