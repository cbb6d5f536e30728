//! Cells as series of points.

use super::outcome::{Cell, Value};
use super::plan::name;
use super::settings::CONFIDENCE;
use super::spec::{Direction, Grid, Plot as Asked, Quantity, shows};
use super::tables::spoken;
use crate::pipeline::file::PipelineFile;
use crate::pipeline::run::file_name;
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use crate::stats::wilson;

/// All plots of a grid, each with the name of its file. Plots without a point are left out.
pub(super) fn build(file: &PipelineFile<Grid>, cells: &[Cell]) -> Vec<(String, Plot)> {
    let asked = file.pipeline.plot.iter().map(toml::Spanned::get_ref);
    asked.flat_map(|asked| panels(asked, cells)).collect()
}

fn panels(asked: &Asked, cells: &[Cell]) -> Vec<(String, Plot)> {
    let shown = |cell: &&Cell| shows(asked.only.as_ref(), &cell.settings.label);
    let shown: Vec<&Cell> = cells.iter().filter(shown).collect();
    let Some(key) = asked.panels else {
        let plot = drawn(asked, asked.title.clone(), &shown);
        return plot
            .map(|plot| (asked.name.clone(), plot))
            .into_iter()
            .collect();
    };
    let panel = |name: String| {
        let of = |cell: &&&Cell| cell.settings.text(key).as_ref() == Some(&name);
        let cells: Vec<&Cell> = shown.iter().filter(of).copied().collect();
        let plot = drawn(asked, format!("{}: {name}", asked.title), &cells)?;
        Some((format!("{}-{}", asked.name, file_name(&name)), plot))
    };
    distinct(shown.iter().filter_map(|cell| cell.settings.text(key)))
        .into_iter()
        .filter_map(panel)
        .collect()
}

fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

/// The names along the x axis, where it is not of numbers.
fn names_along(asked: &Asked, cells: &[&Cell]) -> Option<Vec<String>> {
    let key = asked.x?;
    let of_numbers = cells.iter().any(|cell| cell.settings.number(key).is_some());
    let names = || distinct(cells.iter().filter_map(|cell| cell.settings.text(key)));
    (!of_numbers).then(names)
}

fn drawn(asked: &Asked, title: String, cells: &[&Cell]) -> Option<Plot> {
    let names = names_along(asked, cells);
    let series = series(asked, cells, names.as_deref());
    let points = || series.iter().flat_map(|one| &one.points);
    points().next()?;
    let ends = points().flat_map(|point| {
        let (lower, upper) = point.interval.unwrap_or((point.y, point.y));
        [lower, point.y, upper]
    });
    let along = || points().map(|point| point.x);
    let x = match names {
        Some(names) => Scale::Names(names),
        None if asked.log.contains(&Direction::X) => Scale::log(along()),
        None => Scale::linear(along()),
    };
    let (across, up, y) = match asked.x {
        None => (
            "human annotations".to_string(),
            "share of runs that are right".to_string(),
            Scale::Linear(0.0, 1.0),
        ),
        Some(key) if asked.log.contains(&Direction::Y) => {
            (spoken(key), spoken(asked.y), Scale::log(ends))
        }
        Some(key) => (spoken(key), spoken(asked.y), Scale::linear(ends)),
    };
    Some(Plot {
        title,
        x: Axis {
            label: across,
            scale: x,
        },
        y: Axis {
            label: up,
            scale: y,
        },
        series,
    })
}

fn series(asked: &Asked, cells: &[&Cell], names: Option<&[String]>) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for cell in cells {
        let (mark, points) = match (asked.x, names) {
            (None, _) => (Mark::Steps, curve(cell)),
            (Some(key), Some(names)) => {
                let text = cell.settings.text(key);
                let place = names.iter().position(|name| Some(name) == text.as_ref());
                let x = place.map(|place| place as f64);
                (Mark::Intervals, point(cell, asked.y, x))
            }
            (Some(key), None) => (Mark::Lines, point(cell, asked.y, cell.settings.number(key))),
        };
        let name = name(&cell.settings, &asked.series.0);
        match series
            .iter_mut()
            .find(|one| one.name == name && mark != Mark::Steps)
        {
            Some(one) => one.points.extend(points),
            None => series.push(Series { name, mark, points }),
        }
    }
    series.retain(|one| !one.points.is_empty());
    for one in &mut series {
        one.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    series
}

fn point(cell: &Cell, quantity: Quantity, x: Option<f64>) -> Vec<Point> {
    let found = || {
        let Value {
            value,
            lower,
            upper,
        } = *cell.outcome.quantities.get(&quantity)?;
        let (x, y) = (x?, value?);
        // An upper end that was never reached cannot be drawn.
        let interval = lower.map(|lower| (lower, upper.unwrap_or(y)));
        Some(Point { x, y, interval })
    };
    found().into_iter().collect()
}

/// Accuracy by annotations, with Wilson's interval at each of them.
fn curve(cell: &Cell) -> Vec<Point> {
    let runs = cell.settings.runs;
    let point = |&(annotations, share): &(u64, f64)| Point {
        x: annotations as f64,
        y: share,
        interval: Some(wilson::interval(share, runs, CONFIDENCE)),
    };
    cell.outcome.accuracy.iter().map(point).collect()
}
