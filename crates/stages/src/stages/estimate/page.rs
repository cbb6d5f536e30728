//! Estimates on a page: intervals of each system, and how many judgments narrower ones take.

use super::kinds::{about, how, kinds};
use super::meaning;
use super::rows::{Estimates, IntervalWidthPlan, ReportedEstimate};
use super::text::{COLUMNS, PLANNED, plan, remedies, row};
use crate::report::distinct;
use crate::report::html::figure::{Dots, dots, figure, figures};
use crate::report::html::markup::{Html, HtmlTable, element, row_cells, with};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use tiebreak_base::error::Result;

/// Numbers of judgments that interval widths are projected to, relative to those at hand.
const FACTORS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// Estimates as a piece of HTML: plots and a table.
///
/// # Errors
/// If a plot cannot be drawn.
pub fn html(estimates: &Estimates) -> Result<String> {
    let rows = estimates.reported_estimates();
    Ok(section(&rows, &estimates.hints, &estimates.plans)?.into_string())
}

pub(super) fn section(
    rows: &[ReportedEstimate],
    hints: &[String],
    plans: &[IntervalWidthPlan],
) -> Result<Html> {
    let kinds = kinds(rows);
    let mut parts = Vec::new();
    for criterion in distinct(rows.iter().map(|row| row.criterion.as_str())) {
        let of: Vec<&Vec<&ReportedEstimate>> = kinds
            .iter()
            .filter(|kind| kind[0].criterion == criterion)
            .collect();
        parts.push(element("h3", criterion));
        let values = figure(
            &values(criterion, &of),
            "dots are estimates, whiskers their intervals",
        )?;
        let note = "mean over the systems, from the widths at hand, which shrink as 1/√n";
        parts.push(figures([values, figure(&widths(criterion, &of), note)?]));
        parts.push(figures(of.iter().map(|kind| table(kind))));
    }
    parts.extend(hints.iter().map(|hint| note(hint.clone())));
    if !plans.is_empty() {
        parts.push(element("h3", "Judgments needed"));
        parts.push(planned(plans));
        parts.extend(remedies(plans).into_iter().map(note));
    }
    Ok(parts.into_iter().collect())
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

/// Interval width by number of judgments: with so many times the judgments at hand, √ as wide.
fn widths(criterion: &str, kinds: &[&Vec<&ReportedEstimate>]) -> Plot {
    let line = |kind: &&Vec<&ReportedEstimate>| {
        let known: Vec<(f64, f64)> = kind
            .iter()
            .filter_map(|row| Some((row.n as f64, row.upper? - row.lower?)))
            .collect();
        let mean =
            |of: fn(&(f64, f64)) -> f64| known.iter().map(of).sum::<f64>() / known.len() as f64;
        let (n, width) = (mean(|one| one.0), mean(|one| one.1));
        let point = |factor: f64| Point {
            x: n * factor,
            y: width / factor.sqrt(),
            interval: None,
        };
        let points = FACTORS
            .into_iter()
            .map(point)
            .filter(|point| point.x >= 1.0);
        Series {
            name: how(kind[0]),
            mark: Mark::Lines,
            points: if known.is_empty() {
                Vec::new()
            } else {
                points.collect()
            },
        }
    };
    let series: Vec<Series> = kinds.iter().map(line).collect();
    let points = || series.iter().flat_map(|one| &one.points);
    Plot {
        title: format!("Interval width by judgments ({criterion})"),
        x: Axis {
            label: "judgments per system".to_string(),
            scale: Scale::log(points().map(|point| point.x)),
        },
        y: Axis {
            label: "width of the interval".to_string(),
            scale: Scale::linear(points().map(|point| point.y).chain([0.0])),
        },
        series,
    }
}

fn table(kind: &Vec<&ReportedEstimate>) -> Html {
    let heading = with("h4", &[], how(kind[0]));
    let table = HtmlTable {
        caption: about(kind[0]),
        header: COLUMNS.map(str::to_string).to_vec(),
        texts: 1,
        rows: kind.iter().map(|one| row_cells(&row(one))).collect(),
    };
    let meaning = meaning::of_estimates(kind).map(note);
    let missing = meaning::without_interval(kind).into_iter();
    let missing = missing.chain(meaning::of_new_annotators(kind));
    let missing = missing.map(note);
    let parts = [Some(heading), meaning, Some(table.html())];
    let parts = parts.into_iter().flatten().chain(missing);
    element("article", parts.collect::<Html>())
}

fn note(sentence: String) -> Html {
    with("p", &[("class", "note")], sentence)
}

fn planned(plans: &[IntervalWidthPlan]) -> Html {
    let table = HtmlTable {
        caption: "Judgments needed for an interval of a given width".to_string(),
        header: PLANNED.map(str::to_string).to_vec(),
        texts: 3,
        rows: plans.iter().map(|one| row_cells(&plan(one))).collect(),
    };
    table.html()
}
