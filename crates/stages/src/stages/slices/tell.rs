//! Differences in slices as people read them: what is proved where, whether slices differ, a table and a plot.

use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::html::figure::{Dots, dots, with_zero};
use crate::report::plot::Plot;
use tiebreak_base::layout::{p_value, share, signed};
use tiebreak_base::words::{counted, interval_in};
use tiebreak_decide::evaluation::slices::{SliceDifference, SlicedDifferences};

const WHISKERS: &str = "the first system less the second; whiskers are intervals that hold together, and those without 0 \
                        are proved differences";

/// The differences in slices, with a title of their own.
pub(in crate::stages) fn sliced_differences(found: &SlicedDifferences) -> ResultDocument {
    let title = format!("Slices by {}", found.by);
    let plot = DocumentFigure::new(plot(found), WHISKERS);
    let on_page = ResultDocument::from(plot);
    ResultDocument::default()
        .heading(3, &title)
        .paragraph(verdict(found))
        .list(tests(found))
        .note(meaning(found))
        .on_page(on_page)
        .append(ResultDocument::from(table(found)))
        .notes(without_interval(found))
        .under(&title)
}

/// What is proved, in a sentence.
fn verdict(found: &SlicedDifferences) -> String {
    let proved = found.rows.iter().filter(|row| row.significant).count();
    let all = counted(found.rows.len() as u64, "comparison");
    match proved {
        0 => format!("No difference is proved in a slice, of {all}."),
        1 => format!("A difference is proved in 1 slice, of {all}."),
        _ => format!("Differences are proved in {proved} of {all} in slices."),
    }
}

/// Whether slices differ, a line for each pair and criterion; all tests share the level.
fn tests(found: &SlicedDifferences) -> Vec<String> {
    let level = (1.0 - found.confidence) / found.tests.len().max(1) as f64;
    let line = |test: &tiebreak_decide::evaluation::slices::SliceHeterogeneity| {
        let words = match test.p {
            Some(p) if p <= level => format!("the difference varies by slice ({})", p_value(p)),
            Some(p) => format!("no variation by slice is proved ({})", p_value(p)),
            None => "too few slices to compare".to_string(),
        };
        format!(
            "{}, {} – {}: {words}.",
            test.criterion, test.system_a, test.system_b
        )
    };
    found.tests.iter().map(line).collect()
}

fn meaning(found: &SlicedDifferences) -> String {
    format!(
        "{} intervals that hold together over all slices and pairs, over the items that both systems have. They allow for \
         differences that are rare. Where slices went to different annotators, each annotator weighs the same in all.",
        share(found.confidence)
    )
}

/// A row for each slice of each pair.
fn table(found: &SlicedDifferences) -> DocumentTable {
    let write = |x: f64| signed(x, 4);
    let line = |row: &SliceDifference| {
        vec![
            row.criterion.clone(),
            format!("{} – {}", row.system_a, row.system_b),
            row.slice.clone(),
            row.n.to_string(),
            write(row.difference),
            interval_in(row.lower, row.upper, write),
            match (row.significant, row.lower) {
                (true, _) => "differ",
                (false, Some(_)) => "undecided",
                (false, None) => "no claim",
            }
            .to_string(),
        ]
    };
    let header = [
        "criterion",
        "systems",
        "slice",
        "items",
        "difference",
        "interval",
        "verdict",
    ];
    DocumentTable {
        texts: 3,
        ..DocumentTable::new(
            format!("Differences by {}", found.by),
            &header,
            found.rows.iter().map(line).collect(),
        )
    }
}

/// The reasons why slices have no interval, a line each.
fn without_interval(found: &SlicedDifferences) -> Vec<String> {
    let reasons = found.rows.iter().filter_map(|row| row.why.as_deref());
    let reasons = distinct(reasons).into_iter();
    reasons
        .map(|why| format!("No interval (–): {why}."))
        .collect()
}

/// The forest plot: a line for each slice, a list of dots for each pair and criterion.
fn plot(found: &SlicedDifferences) -> Plot {
    let list = |row: &SliceDifference| {
        let pair = format!("{} – {}", row.system_a, row.system_b);
        (row.criterion.clone(), pair)
    };
    let lists = distinct(found.rows.iter().map(list)).into_iter();
    let of = |(criterion, pair): (String, String)| Dots {
        name: format!("{pair}, {criterion}"),
        values: found
            .rows
            .iter()
            .filter(|row| list(row) == (criterion.clone(), pair.clone()))
            .map(|row| (row.slice.clone(), row.difference, row.lower.zip(row.upper)))
            .collect(),
    };
    let lists: Vec<Dots> = lists.map(of).collect();
    let slices = distinct(found.rows.iter().map(|row| row.slice.as_str())).len();
    with_zero(dots("Every slice", "difference", &lists), slices)
}
