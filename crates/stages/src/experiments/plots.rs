//! Cells as series of points.

use super::file::Grid;
use super::outcome::{CellRecord, QuantityEstimate};
use super::pictures;
use super::quantity::Quantity;
use super::shown::{CellKey, PlotAxis, PlotSettings, shows, spoken};
use crate::engine::names::file_name;
use crate::report::distinct;
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};

/// All plots of a grid, each with the name of its file. Plots without a point are left out.
pub(super) fn build(grid: &Grid, cells: &[CellRecord]) -> Vec<(String, Plot)> {
    let asked = grid.plots.iter();
    asked.flat_map(|(_, asked)| panels(asked, cells)).collect()
}

fn panels(asked: &PlotSettings, cells: &[CellRecord]) -> Vec<(String, Plot)> {
    let mut keys: Vec<CellKey> = asked.series.0.clone();
    keys.extend(asked.x.clone());
    keys.extend(asked.panels.iter().cloned());
    let shown = |cell: &&CellRecord| shows(&asked.only, &cell.keys.label());
    let shown = cells.iter().filter(shown).flat_map(|cell| cell.seen(&keys));
    let shown: Vec<CellRecord> = shown.collect();
    let keys = &asked.panels;
    if keys.is_empty() {
        let plot = drawn(asked, asked.title.clone(), &shown);
        return plot
            .map(|plot| (asked.name.clone(), plot))
            .into_iter()
            .collect();
    }
    let panel = |panel: String| {
        let of = |cell: &&CellRecord| cell.keys.name(keys) == panel;
        let cells: Vec<CellRecord> = shown.iter().filter(of).cloned().collect();
        let plot = drawn(asked, format!("{}: {panel}", asked.title), &cells)?;
        Some((format!("{}-{}", asked.name, file_name(&panel)), plot))
    };
    distinct(shown.iter().map(|cell| cell.keys.name(keys)))
        .into_iter()
        .filter_map(panel)
        .collect()
}

fn drawn(asked: &PlotSettings, title: String, cells: &[CellRecord]) -> Option<Plot> {
    let Some(key) = &asked.x else {
        return pictures::drawn(asked, title, cells);
    };
    let of_numbers = cells.iter().any(|cell| cell.keys.number(key).is_some());
    let names = || distinct(cells.iter().filter_map(|cell| cell.keys.text(key)));
    let names = (!of_numbers).then(names);
    let mut series = series(asked, key, cells, names.as_deref());
    let mut spoken_y = asked.y.spoken();
    if let Some(baseline) = &asked.baseline {
        series = divided(series, baseline, asked.y);
        spoken_y = format!("{spoken_y}, times {baseline}");
    }
    let points = || series.iter().flat_map(|one| &one.points);
    points().next()?;
    let ends = points().flat_map(|point| {
        let (lower, upper) = point.interval.unwrap_or((point.y, point.y));
        [lower, point.y, upper]
    });
    let x = match names {
        Some(names) => Scale::Names(names),
        None => scale(asked, PlotAxis::X, points().map(|point| point.x)),
    };
    Some(Plot {
        title,
        x: Axis::new(spoken(key.name()), x),
        y: Axis::new(spoken_y, scale(asked, PlotAxis::Y, ends)),
        series,
    })
}

/// A scale of the kind asked for, around all values.
pub(super) fn scale(
    asked: &PlotSettings,
    along: PlotAxis,
    values: impl Iterator<Item = f64>,
) -> Scale {
    if asked.log.contains(&along) {
        Scale::log(values)
    } else {
        Scale::linear(values)
    }
}

fn series(
    asked: &PlotSettings,
    key: &CellKey,
    cells: &[CellRecord],
    names: Option<&[String]>,
) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for cell in cells {
        let (mark, x) = match names {
            Some(names) => {
                let text = cell.keys.text(key);
                let place = names.iter().position(|name| Some(name) == text.as_ref());
                (Mark::Intervals, place.map(|place| place as f64))
            }
            None => (Mark::Lines, cell.keys.number(key)),
        };
        let points = point(cell, asked.y, x);
        let name = cell.keys.name(&asked.series.0);
        match series.iter_mut().find(|one| one.name == name) {
            Some(one) => one.points.extend(points),
            None => series.push(Series::new(name, mark, points)),
        }
    }
    series.retain(|one| !one.points.is_empty());
    for one in &mut series {
        one.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    series
}

/// Series divided by the baseline, where it has a value, too; the baseline becomes a line at 1.
fn divided(mut series: Vec<Series>, baseline: &str, quantity: Quantity) -> Vec<Series> {
    let found = series.iter().position(|one| one.name == baseline);
    let Some(baseline) = found.map(|place| series.remove(place)) else {
        return Vec::new();
    };
    for one in &mut series {
        one.points.retain_mut(|point| {
            let by = baseline.points.iter().find(|other| other.x == point.x);
            let ratio = by.map(|by| quantity.unit().ratio(point.y, by.y));
            (point.y, point.interval) = (ratio.unwrap_or(point.y), None);
            ratio.is_some()
        });
    }
    series.retain(|one| !one.points.is_empty());
    let at_one = baseline.points.iter().map(|point| (point.x, 1.0));
    series.push(Series::new(baseline.name, Mark::Guide, at_one));
    series
}

fn point(cell: &CellRecord, quantity: Quantity, x: Option<f64>) -> Option<Point> {
    let QuantityEstimate {
        value,
        lower,
        upper,
    } = *cell.outcome.quantities.get(&quantity)?;
    let (x, y) = (x?, value?);
    // An upper end that was never reached cannot be drawn.
    let interval = lower.map(|lower| (lower, upper.unwrap_or(y)));
    Some(Point { x, y, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_divided_where_the_baseline_has_a_value() {
        let series =
            |name, points: &[(f64, f64)]| Series::new(name, Mark::Intervals, points.to_vec());
        let alone = series("alone", &[(0.0, 200.0), (2.0, 50.0)]);
        let hint = series("hint", &[(0.0, 100.0), (1.0, 30.0), (2.0, 0.0)]);
        let elsewhere = series("elsewhere", &[(1.0, 30.0)]);
        let found = divided(
            vec![alone, hint, elsewhere],
            "alone",
            Quantity::AnnotationComplexity,
        );
        let hint = series("hint", &[(0.0, 0.5), (2.0, 0.02)]);
        let guide = Series::new("alone", Mark::Guide, [(0.0, 1.0), (2.0, 1.0)]);
        assert_eq!(found, [hint, guide]);
    }
}
