//! Estimates with their intervals, and how many judgments narrower ones take.

use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::headline::HalfWidth;
use crate::report::html::figure::{Dots, dots};
use crate::report::plot::{Axis, Mark, Plot, Scale, Series};
use crate::stages::estimate::kinds::{about, how, kinds};
use crate::stages::estimate::meaning;
use crate::stages::estimate::repeats::RepeatedJudgments;
use crate::stages::estimate::rows::{IntervalWidthPlan, ReportedEstimate};
use tiebreak_base::layout::{decimals, number, optional, or_dash, same_decimals};
use tiebreak_base::words::interval_in;

/// Numbers of judgments that interval widths are projected to, relative to those at hand.
const FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// Width of the intervals that a terminal draws, in characters.
const WIDTH: usize = 31;

const WHISKERS: &str = "dots are estimates, whiskers are their intervals";

const NARROWING: &str = "mean over the systems, projected from today's widths";

/// The estimates: a terminal has them by criterion and estimator, a page by criterion, with plots.
pub(super) fn estimates(rows: &[ReportedEstimate]) -> ResultDocument {
    let kinds = kinds(rows);
    let documents: Vec<_> = kinds.iter().map(|kind| estimates_of_kind(kind)).collect();
    let mut on_page = ResultDocument::default();
    for criterion in distinct(rows.iter().map(|row| row.criterion.as_str())) {
        let own = kinds.iter().zip(&documents);
        let own = own.filter(|(kind, _)| kind[0].criterion == criterion);
        let (kinds, tables): (Vec<_>, Vec<_>) = own.unzip();
        let plots = [
            DocumentFigure::new(values(criterion, &kinds), WHISKERS),
            DocumentFigure::new(widths(criterion, &kinds), NARROWING),
        ];
        on_page = on_page
            .heading(3, criterion)
            .side_by_side(plots)
            .side_by_side(tables.into_iter().cloned());
    }
    ResultDocument::default()
        .on_terminal(documents.into_iter().collect::<ResultDocument>())
        .on_page(on_page)
}

/// Estimates of one kind, best first. A terminal begins with new annotators where estimates are for these.
fn estimates_of_kind(rows: &[&ReportedEstimate]) -> ResultDocument {
    let new = ResultDocument::default().notes(meaning::of_new_annotators(rows));
    let (first, last) = match rows[0].is_of_new() {
        true => (new.clone(), ResultDocument::default()),
        false => (ResultDocument::default(), new.clone()),
    };
    ResultDocument::default()
        .heading(4, how(rows[0]))
        .on_terminal(first)
        .notes(meaning::of_estimates(rows))
        .append(table(rows))
        .notes(meaning::without_interval(rows))
        .on_terminal(last)
        .on_page(new)
        .under(about(rows[0]))
}

/// A row for each estimate, with its interval drawn on the scale of all.
fn table(rows: &[&ReportedEstimate]) -> DocumentTable {
    let header = [
        "system",
        "judgments",
        "estimate",
        "interval",
        "data efficiency",
    ];
    let write = same_decimals(rows.iter().map(|row| row.estimate));
    let cells = |row: &&ReportedEstimate| {
        vec![
            row.system.clone(),
            row.n.to_string(),
            write(row.estimate),
            interval_in(row.lower, row.upper, write),
            or_dash(row.data_efficiency, |gain| decimals(gain, 2)),
        ]
    };
    let ends = rows
        .iter()
        .flat_map(|row| [row.lower, row.upper, Some(row.estimate)])
        .flatten();
    let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    DocumentTable {
        drawings: rows.iter().map(|row| drawing(row, low, high)).collect(),
        ..DocumentTable::new(about(rows[0]), &header, rows.iter().map(cells).collect())
    }
}

/// An interval as a line of text: `├───●──┤`.
fn drawing(row: &ReportedEstimate, low: f64, high: f64) -> String {
    let place = |x: f64| {
        let share = if high > low {
            (x - low) / (high - low)
        } else {
            0.5
        };
        (share * (WIDTH - 1) as f64).round() as usize
    };
    let mut line = vec![' '; WIDTH];
    if let (Some(lower), Some(upper)) = (row.lower, row.upper) {
        let (from, to) = (place(lower), place(upper));
        line[from..=to].fill('─');
        line[from] = '├';
        line[to] = '┤';
    }
    line[place(row.estimate)] = '●';
    line.into_iter().collect::<String>().trim_end().to_string()
}

/// How judgments of repeats vary; nothing where there are none.
pub(super) fn repeated(repeats: &[RepeatedJudgments]) -> ResultDocument {
    if repeats.is_empty() {
        return ResultDocument::default();
    }
    let header = [
        "system",
        "criterion",
        "repeats",
        "within items",
        "between items",
        "k",
        "pass@k",
        "pass^k",
    ];
    let cells = |one: &RepeatedJudgments| {
        let counts = match one.fewest == one.most {
            true => one.most.to_string(),
            false => format!("{} to {}", one.fewest, one.most),
        };
        let pass = one.pass.last();
        vec![
            one.system.clone(),
            one.criterion.clone(),
            counts,
            optional(one.within_variance),
            optional(one.between_variance),
            optional(pass.map(|pass| pass.k as f64)),
            optional(pass.map(|pass| pass.pass_at)),
            optional(pass.map(|pass| pass.pass_hat)),
        ]
    };
    let title = "Repeats";
    let caption = "Variance of judgments within and between items";
    let table = DocumentTable {
        texts: 2,
        ..DocumentTable::new(caption, &header, repeats.iter().map(cells).collect())
    };
    let note = "Each item counts once, by the mean of its repeats. pass@k: one of k repeats is right; pass^k: all are.";
    ResultDocument::default()
        .heading(3, title)
        .append(table)
        .note(note)
        .under(title)
}

/// The judgments that narrower intervals take, and what would help; nothing where nothing is planned.
pub(super) fn planned(plans: &[IntervalWidthPlan]) -> ResultDocument {
    if plans.is_empty() {
        return ResultDocument::default();
    }
    let header = ["system", "criterion", "estimator", "width", "judgments"];
    let cells = |plan: &IntervalWidthPlan| {
        vec![
            plan.system.clone(),
            plan.criterion.clone(),
            plan.estimator.clone(),
            number(plan.width),
            optional(plan.judgments.map(|n| n as f64)),
        ]
    };
    let caption = "Judgments needed for an interval of a given width";
    let table = DocumentTable {
        texts: 3,
        ..DocumentTable::new(caption, &header, plans.iter().map(cells).collect())
    };
    let next = plans.iter().filter_map(|plan| plan.next.as_deref());
    let next = next.map(|next| format!("What would help: {next}."));
    let title = "Judgments needed";
    ResultDocument::default()
        .heading(3, title)
        .append(table)
        .notes(next)
        .under(title)
}

fn values(criterion: &str, kinds: &[&Vec<&ReportedEstimate>]) -> Plot {
    let list = |kind: &&Vec<&ReportedEstimate>| Dots {
        name: how(kind[0]),
        values: kind
            .iter()
            .map(|row| (row.system.clone(), row.estimate, row.lower.zip(row.upper)))
            .collect(),
    };
    let lists: Vec<Dots> = kinds.iter().map(list).collect();
    dots(
        &format!("Estimates of {criterion}"),
        &format!("mean {criterion}"),
        &lists,
    )
}

/// Interval width by number of judgments.
fn widths(criterion: &str, kinds: &[&Vec<&ReportedEstimate>]) -> Plot {
    let line = |kind: &&Vec<&ReportedEstimate>| {
        let known: Vec<(f64, HalfWidth)> = kind
            .iter()
            .filter_map(|row| Some((row.n as f64, row.half_width()?)))
            .collect();
        let mean = |of: &dyn Fn(&(f64, HalfWidth)) -> f64| {
            known.iter().map(of).sum::<f64>() / known.len() as f64
        };
        let n = mean(&|one| one.0);
        let point = |factor: f64| (n * factor, mean(&|one| 2.0 * one.1.with(factor)));
        let points = FACTORS
            .into_iter()
            .map(point)
            .filter(|point| point.0 >= 1.0);
        Series::new(
            how(kind[0]),
            Mark::Lines,
            if known.is_empty() {
                Vec::new()
            } else {
                points.collect()
            },
        )
    };
    let series: Vec<Series> = kinds.iter().map(line).collect();
    let points = || series.iter().flat_map(|one| &one.points);
    Plot {
        title: format!("Interval width by judgments ({criterion})"),
        x: Axis::new(
            "judgments per system",
            Scale::log(points().map(|point| point.x)),
        ),
        y: Axis::new(
            "width of the interval",
            Scale::linear(points().map(|point| point.y).chain([0.0])),
        ),
        series,
    }
}
