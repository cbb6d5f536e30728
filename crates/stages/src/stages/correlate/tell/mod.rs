//! Correlations of metrics with people as they are read: a table for every kind of answer and grouping, every coefficient
//! with its interval, and which metric does better.

mod pairs;
mod slices;
mod tables;

use super::rows::{self, Correlation, Correlations};
use crate::inputs::judging::{direction_doubt, is_less_better};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentedResult, ResultDocument};
use crate::report::html::figure::{Dots, dots, with_zero};
use crate::report::plot::Plot;
use pairs::{better_metrics, metric_pairs, verdicts};
use slices::sliced_correlations;
use std::path::Path;
use tables::{CorrelationTable, NEW_ANNOTATORS, correlation_tables, spoken};
use tiebreak_base::error::{Flag, Result};
use tiebreak_base::layout;
use tiebreak_base::scope::{ItemScope, PeopleScope};
use tiebreak_data::tables::Manifest;

/// Reads the correlations of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(TablesChapter {
        topic: Topic::Trust,
        key: "correlations",
        section: ("correlations", "Agreement of metrics with people"),
        found: run.read_each(dir, &[super::NAME], rows::read)?,
        document: |_, found| document(found),
        agreement: |_| Vec::new(),
    }))
}

impl DocumentedResult for Correlations {
    fn document(&self) -> ResultDocument {
        document(self)
    }
}

const INTRO: &str = "1 is perfect agreement. No agreement is 0 for correlations and the accuracy of guessing for accuracies. \
                     Metrics and criteria where lower is better count with the opposite sign.";

const WHISKERS: &str = "dots are values, whiskers are their intervals";

fn document(found: &Correlations) -> ResultDocument {
    let mut document = ResultDocument::default()
        .gap()
        .on_page(ResultDocument::default().note(INTRO))
        .note(meaning(found))
        .on_terminal(ResultDocument::default().notes(without_interval(found)))
        .notes(too_few_annotators(found))
        .notes(items_not_corrected(found))
        .notes(directions(found));
    for table in correlation_tables(found) {
        let plot = DocumentFigure::new(plot(&table), WHISKERS);
        let pairs = metric_pairs(&table, &found.differences);
        let told = ResultDocument::default()
            .heading(3, &table.title)
            .side_by_side([ResultDocument::from(plot), pairs.into()])
            .append(numbers(&table, found.intervals.scope.people));
        document = document.append(told.under(&table.title));
    }
    let sliced: Option<ResultDocument> = found.slices.as_ref().map(sliced_correlations);
    let document = document.append(sliced.unwrap_or_default());
    if found.differences.is_empty() {
        return document;
    }
    let better = better_metrics(&found.differences);
    let better = better.map(|table| ResultDocument::from(table).gap());
    let better = ResultDocument::default()
        .on_terminal(better.unwrap_or_default())
        .notes(verdicts(&found.differences));
    document.append(better.under("Metrics that agree with people better than others"))
}

/// The coefficients with these annotators and with new ones; a terminal begins with those that were asked for.
fn numbers(table: &CorrelationTable<'_>, people: PeopleScope) -> ResultDocument {
    let these = ResultDocument::from(table.of_these());
    let Some(others) = table.of_new_annotators() else {
        return ResultDocument::default().fold("In numbers", these);
    };
    let others = ResultDocument::from(others);
    let titled = |title: &str, table: &ResultDocument| {
        ResultDocument::default()
            .paragraph(format!("{title}:"))
            .append(table.clone())
    };
    let new = titled(NEW_ANNOTATORS, &others);
    let on_terminal = match people {
        PeopleScope::NewAnnotators => new.gap().append(titled("These annotators", &these)),
        _ => these.clone().gap().append(new),
    };
    let on_page = ResultDocument::default()
        .fold("In numbers", these)
        .fold(NEW_ANNOTATORS, others);
    ResultDocument::default()
        .on_terminal(on_terminal)
        .on_page(on_page)
}

fn plot(table: &CorrelationTable<'_>) -> Plot {
    let of = |coefficient: &&str| Dots {
        name: spoken(coefficient).to_string(),
        values: table
            .rows
            .iter()
            .filter(|one| one.found.held.coefficient == **coefficient)
            .filter_map(|one| {
                let one = &one.found;
                Some((one.metric.clone(), one.value?, one.lower.zip(one.upper)))
            })
            .collect(),
    };
    let lists: Vec<Dots> = table.coefficients().iter().map(of).collect();
    let plot = dots("Every coefficient", "agreement with people", &lists);
    with_zero(plot, table.metrics().len())
}

/// The reasons why values have no interval, and what would give them one.
fn without_interval(found: &Correlations) -> Vec<String> {
    let why = |one: &Correlation| one.found.why.clone().filter(|_| one.found.value.is_some());
    let reasons = distinct(found.correlations.iter().filter_map(why));
    let hint = (found.intervals.of == "both" && !reasons.is_empty()).then(|| {
        let flag = Flag("resample");
        format!("`{flag} items` gives intervals for these systems only.")
    });
    let reasons = reasons.into_iter();
    reasons
        .map(|why| format!("No interval (–): {why}."))
        .chain(hint)
        .collect()
}

/// A note that annotators are too few to estimate others, where they are.
fn too_few_annotators(found: &Correlations) -> Option<String> {
    let said = found
        .correlations
        .iter()
        .any(|one| one.new_annotators.is_some());
    let named = found.correlations.iter().map(|one| one.annotators as usize);
    PeopleScope::too_few(named.max().filter(|_| !said)?)
}

/// A note that knowing all items gains nothing, where it was asked for.
fn items_not_corrected(found: &Correlations) -> Option<String> {
    let asked = found.intervals.scope.items == ItemScope::These;
    asked.then(|| {
        let flag = Flag("items");
        format!("`{flag} these` has no effect here: intervals are for items like these.")
    })
}

/// The notes on criteria of which lower scores are better, or may be.
fn directions(found: &Correlations) -> Vec<String> {
    let criteria = found.correlations.iter();
    let criteria = criteria.filter_map(|one| one.found.held.criterion.as_deref());
    let note = |criterion: &str| match is_less_better(criterion) {
        true => Some(format!(
            "Lower scores of `{criterion}` are better. They count with the opposite sign, so that 1 is perfect agreement."
        )),
        false => direction_doubt(criterion),
    };
    distinct(criteria).into_iter().filter_map(note).collect()
}

/// A sentence on the meaning of the intervals.
fn meaning(found: &Correlations) -> String {
    let of = match found.intervals.of.as_str() {
        "items" => "items like these and these systems",
        _ => "items and systems like these",
    };
    let confidence = layout::share(found.intervals.confidence);
    let partners = found.intervals.partners.map(|partners| {
        format!(
            ". With so many systems each resample pairs a system with {partners} others, which makes intervals slightly \
             wider"
        )
    });
    let clusters = found.intervals.clusters.as_ref();
    let clusters = clusters
        .map(|shared| format!(". Items with the same {shared} count as one in them and in tests"));
    format!(
        "{confidence} intervals, each for one coefficient by itself, for {of} and these annotators{}{}.",
        partners.unwrap_or_default(),
        clusters.unwrap_or_default()
    )
}
