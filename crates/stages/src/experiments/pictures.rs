//! Plots without a setting along the x axis: curves over judgments, dots for systems and
//! outputs, and the lines of equal data efficiency.

use super::outcome::{CellOutcome, CellRecord};
use super::plots::scale;
use super::quantity::Quantity;
use super::shown::{Picture, PlotAxis, PlotSettings};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use tiebreak_base::stats::wilson;

/// The picture of some cells; `None` without a point.
pub(super) fn drawn(asked: &PlotSettings, title: String, cells: &[CellRecord]) -> Option<Plot> {
    let of = |cell: &CellRecord| cell.keys.name(&asked.series.0);
    let (x, y, series): (&str, &str, Vec<Series>) = match asked.shows {
        Picture::Accuracy => (
            "human judgments",
            "share of replays that are right",
            cells.iter().map(|cell| accuracy(of(cell), cell)).collect(),
        ),
        Picture::Widths => (
            "human judgments",
            "width of 80 % interval",
            cells
                .iter()
                .flat_map(|cell| widths(&of(cell), cell))
                .collect(),
        ),
        Picture::Systems => (
            "mean human judgment",
            "mean metric score",
            cells.iter().map(|cell| systems(of(cell), cell)).collect(),
        ),
        Picture::Outputs => (
            "human judgment",
            "metric score",
            cells.iter().map(|cell| outputs(of(cell), cell)).collect(),
        ),
        Picture::Contour => (
            "ρ, correlation of metric and outputs' true means",
            "γ, annotators' variance over outputs'",
            cells
                .iter()
                .map(|cell| noise_and_fit(of(cell), cell))
                .collect(),
        ),
    };
    let mut series = joined(series);
    let points = || series.iter().flat_map(|one| &one.points);
    points().next()?;
    let mut across = scale(asked, PlotAxis::X, points().map(|point| point.x));
    let mut up = scale(asked, PlotAxis::Y, points().map(|point| point.y));
    match asked.shows {
        Picture::Accuracy => up = Scale::Linear(0.0, 1.0),
        Picture::Contour => {
            across = Scale::Linear(0.0, 1.0);
            let highest = 1.05 * points().map(|point| point.y).fold(2.0, f64::max);
            let lowest = points().map(|point| point.y).fold(0.2, f64::min) / 1.05;
            up = match up {
                Scale::Log(..) => Scale::Log(lowest, highest),
                _ => Scale::Linear(0.0, highest),
            };
            series.splice(0..0, contours(highest));
        }
        Picture::Widths | Picture::Systems | Picture::Outputs => {}
    }
    Some(Plot {
        title,
        x: Axis::new(x, across),
        y: Axis::new(y, up),
        series,
    })
}

/// Joins dots under one name into one series; drops series without a point.
fn joined(all: Vec<Series>) -> Vec<Series> {
    let mut joined: Vec<Series> = Vec::new();
    for one in all.into_iter().filter(|one| !one.points.is_empty()) {
        let same = |other: &&mut Series| other.name == one.name && one.mark == Mark::Dots;
        match joined.iter_mut().find(same) {
            Some(series) => series.points.extend(one.points),
            None => joined.push(one),
        }
    }
    joined
}

/// Accuracy by annotations, with Wilson's interval at each of them.
fn accuracy(name: String, cell: &CellRecord) -> Series {
    let runs = cell.keys.simulate.runs.value();
    let point = |&(annotations, share): &(u64, f64)| Point {
        x: annotations as f64,
        y: share,
        interval: Some(wilson::interval(share, runs, cell.keys.confidence())),
    };
    Series::new(name, Mark::Steps, cell.outcome.accuracy.iter().map(point))
}

/// The lines of a cell, one for every method; `name` goes before that of the method where it adds information.
fn widths(name: &str, cell: &CellRecord) -> Vec<Series> {
    let line = |(method, widths): &(String, Vec<(u64, f64)>)| {
        let name = match name == cell.keys.label() {
            true => method.clone(),
            false => format!("{name}: {method}"),
        };
        let points = widths.iter().map(|&(n, width)| (n as f64, width));
        Series::new(name, Mark::Curve, points)
    };
    cell.outcome.widths.iter().map(line).collect()
}

fn number(outcome: &CellOutcome, quantity: Quantity) -> Option<f64> {
    outcome.quantities.get(&quantity)?.value
}

fn systems(name: String, cell: &CellRecord) -> Series {
    let dot = |(_, outcome): &(String, CellOutcome)| {
        let of = |quantity| number(outcome, quantity);
        Some((of(Quantity::HumanMean)?, of(Quantity::MetricMean)?))
    };
    Series::new(
        name,
        Mark::Dots,
        cell.outcome.systems.iter().filter_map(dot),
    )
}

fn outputs(name: String, cell: &CellRecord) -> Series {
    let own = cell.outcome.outputs.iter();
    let theirs = cell.outcome.systems.iter().flat_map(|(_, of)| &of.outputs);
    Series::new(name, Mark::Dots, own.chain(theirs).copied())
}

fn noise_and_fit(name: String, cell: &CellRecord) -> Series {
    let of = |quantity| number(&cell.outcome, quantity);
    let rho = of(Quantity::Rho).map(f64::abs);
    let dot = rho.zip(of(Quantity::Gamma));
    Series::new(name, Mark::Dots, dot)
}

/// Lines where `(1 − ρ² + γ)/(1 + γ)`, the inverse data efficiency, has round values: on
/// `γ = ρ²/(1 − value) − 1`.
fn contours(highest: f64) -> Vec<Series> {
    let contour = |percent: u32| {
        let value = f64::from(percent) / 100.0;
        let first = (1.0 - value).sqrt();
        let last = ((1.0 - value) * (1.0 + highest)).sqrt().min(1.0);
        let point = |step: u32| {
            let rho = first + (last - first) * f64::from(step) / 50.0;
            (rho, (rho * rho / (1.0 - value) - 1.0).max(0.0))
        };
        Series::new(
            format!("inverse efficiency {value}"),
            Mark::Curve,
            (0..=50).map(point),
        )
    };
    [95, 90, 80, 60, 40].map(contour).into()
}
