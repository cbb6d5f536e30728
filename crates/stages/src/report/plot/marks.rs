//! Draws the points of a series, as its mark says.

use super::draw::{Chart, DrawResult};
use super::style::{INK, LARGE, hue};
use super::{Mark, Plot, Point, Series};
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Draws all series, a later one above an earlier one.
pub(super) fn draw(plot: &Plot, chart: &mut Chart<'_, '_>) -> DrawResult {
    // Guides need neither a colour nor a place of their own.
    let shown = |series: &&Series| series.mark != Mark::Guide;
    let of = plot.series.iter().filter(shown).count();
    let rooms = if share_no_line(plot) { 1 } else { of };
    for (place, series) in plot.series.iter().enumerate() {
        match series.mark {
            Mark::Steps => steps(chart, series, place, plot.x.scale.range().end)?,
            Mark::Lines => lines(chart, series, place)?,
            Mark::Intervals => intervals(chart, series, place, of)?,
            Mark::Curve => curve(chart, series, place)?,
            Mark::Dots => dots(chart, series, place)?,
            Mark::Across => across(chart, series, place, rooms)?,
            Mark::Guide => guide(chart, series)?,
            Mark::Spots => whiskers(chart, &series.points, hue(0).0)?,
        }
    }
    names(plot, chart)
}

/// The width of a line: series that share a colour differ in width.
pub(super) fn stroke(round: usize) -> u32 {
    [2, 4, 1][round % 3]
}

fn steps(chart: &mut Chart<'_, '_>, series: &Series, place: usize, end: f64) -> DrawResult {
    let (colour, round) = hue(place);
    let band = |side: fn((f64, f64)) -> f64| {
        let points = series.points.iter();
        stairs(
            points.filter_map(move |point| Some((point.x, side(point.interval?)))),
            end,
        )
    };
    let (lower, mut outline) = (band(|(lower, _)| lower), band(|(_, upper)| upper));
    outline.extend(lower.into_iter().rev());
    if !outline.is_empty() {
        chart.draw_series([Polygon::new(outline, colour.mix(0.13))])?;
    }
    let line = stairs(series.points.iter().map(|point| (point.x, point.y)), end);
    chart.draw_series(LineSeries::new(line, colour.stroke_width(stroke(round))))?;
    Ok(())
}

/// The corners of a line that keeps its height from each point to the next, and to the end.
fn stairs(points: impl Iterator<Item = (f64, f64)>, end: f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (x, y) in points {
        if let Some(&(_, before)) = corners.last() {
            corners.push((x, before));
        }
        corners.push((x, y));
    }
    if let Some(&(_, last)) = corners.last() {
        corners.push((end, last));
    }
    corners
}

fn lines(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> DrawResult {
    curve(chart, series, place)?;
    whiskers(chart, &series.points, hue(place).0)
}

fn curve(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> DrawResult {
    let (colour, round) = hue(place);
    let line = series.points.iter().map(|point| (point.x, point.y));
    chart.draw_series(LineSeries::new(line, colour.stroke_width(stroke(round))))?;
    Ok(())
}

/// Draws dots that are translucent, so that those below them can be seen.
fn dots(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> DrawResult {
    let colour = hue(place)
        .0
        .mix(if series.points.len() > 50 { 0.4 } else { 0.9 });
    let dot = |point: &Point| Circle::new((point.x, point.y), 4, colour.filled());
    chart.draw_series(series.points.iter().map(dot))?;
    Ok(())
}

/// The distance of the marks of one of several series from the middle of a name's room, of which they
/// take two thirds.
fn shift(place: usize, of: usize) -> f64 {
    ((place as f64 + 0.5) / of as f64 - 0.5) * 2.0 / 3.0
}

fn intervals(chart: &mut Chart<'_, '_>, series: &Series, place: usize, of: usize) -> DrawResult {
    let moved = |point: &Point| Point {
        x: point.x + shift(place, of),
        ..*point
    };
    let points: Vec<Point> = series.points.iter().map(moved).collect();
    whiskers(chart, &points, hue(place).0)
}

/// Whether no name has points of two series, so that each may stand in the middle of its room.
fn share_no_line(plot: &Plot) -> bool {
    let across = plot.series.iter().filter(|one| one.mark == Mark::Across);
    let mut lines: Vec<f64> = across.flat_map(|one| &one.points).map(|at| at.y).collect();
    lines.sort_unstable_by(f64::total_cmp);
    lines.windows(2).all(|two| two[0] != two[1])
}

fn across(chart: &mut Chart<'_, '_>, series: &Series, place: usize, of: usize) -> DrawResult {
    let colour = hue(place).0;
    let y = |point: &Point| point.y - if of > 1 { shift(place, of) } else { 0.0 };
    let bar = |point: &Point| {
        let (lower, upper) = point.interval?;
        let style = colour.stroke_width(2);
        Some(ErrorBar::new_horizontal(
            y(point),
            lower,
            point.x,
            upper,
            style,
            6,
        ))
    };
    chart.draw_series(series.points.iter().filter_map(bar))?;
    let dot = |point: &Point| Circle::new((point.x, y(point)), 4, colour.filled());
    chart.draw_series(series.points.iter().map(dot))?;
    Ok(())
}

fn guide(chart: &mut Chart<'_, '_>, series: &Series) -> DrawResult {
    let line = series.points.iter().map(|point| (point.x, point.y));
    chart.draw_series(DashedLineSeries::new(line, 4, 4, INK.stroke_width(1)))?;
    Ok(())
}

fn whiskers(chart: &mut Chart<'_, '_>, points: &[Point], colour: RGBColor) -> DrawResult {
    let bar = |point: &Point| {
        let (lower, upper) = point.interval?;
        let style = colour.stroke_width(1);
        Some(ErrorBar::new_vertical(
            point.x, lower, point.y, upper, style, 6,
        ))
    };
    chart.draw_series(points.iter().filter_map(bar))?;
    let dot = |point: &Point| Circle::new((point.x, point.y), 4, colour.filled());
    chart.draw_series(points.iter().map(dot))?;
    Ok(())
}

#[derive(Clone, Copy)]
struct PixelBox {
    x: (i32, i32),
    y: (i32, i32),
}

impl PixelBox {
    fn meets(&self, other: &Self) -> bool {
        let along = |a: (i32, i32), b: (i32, i32)| a.0 < b.1 && b.0 < a.1;
        along(self.x, other.x) && along(self.y, other.y)
    }
}

/// Writes the names of spots beside them: to the right or left, then further down and up, to
/// where no spot or other name stands.
fn names(plot: &Plot, chart: &mut Chart<'_, '_>) -> DrawResult {
    const LINE: i32 = 14;
    const STEPS: [i32; 9] = [0, 1, -1, 2, -2, 3, -3, 4, 5];
    let along = chart.plotting_area().get_x_axis_pixel_range();
    let down = chart.plotting_area().get_y_axis_pixel_range();
    let (top, bottom) = (down.start.min(down.end), down.start.max(down.end));
    let area = chart.plotting_area().strip_coord_spec();
    let origin = area.get_base_pixel();
    let spots = plot.series.iter().filter(|one| one.mark == Mark::Spots);
    let spots: Vec<(&str, i32, i32)> = spots
        .flat_map(|one| one.points.iter().map(|point| (one.name.as_str(), point)))
        .map(|(name, point)| {
            let (x, y) = chart.backend_coord(&(point.x, point.y));
            (name, x, y)
        })
        .collect();
    let spot = |&(_, x, y): &(&str, i32, i32)| PixelBox {
        x: (x - 5, x + 5),
        y: (y - 5, y + 5),
    };
    let mut taken: Vec<PixelBox> = spots.iter().map(spot).collect();
    for &(name, x, y) in &spots {
        let length = (LARGE * name.chars().count()) as i32;
        let place = |&(side, step): &(HPos, i32)| {
            let middle = y + LINE * step;
            let x = match side {
                HPos::Right => (x - 8 - length, x - 8),
                _ => (x + 8, x + 8 + length),
            };
            let y = (middle - LINE / 2, middle + LINE / 2);
            (side, middle, PixelBox { x, y })
        };
        let sides = STEPS
            .iter()
            .flat_map(|&step| [(HPos::Left, step), (HPos::Right, step)]);
        let places: Vec<_> = sides.map(|at| place(&at)).collect();
        // A text that is partly outside would be moved onto another one.
        let inside = |at: &PixelBox| {
            let within = along.start <= at.x.0 && at.x.1 <= along.end;
            within && top <= at.y.0 + LINE / 2 && at.y.1 - LINE / 2 <= bottom
        };
        let free = |at: &PixelBox| inside(at) && !taken.iter().any(|other| other.meets(at));
        let fits = places.iter().find(|(.., at)| free(at));
        let fits = fits.or_else(|| places.iter().find(|(.., at)| inside(at)));
        let (side, middle, at) = fits.unwrap_or(&places[0]);
        let (side, middle, at) = (*side, *middle, *at);
        taken.push(at);
        let beside = match side {
            HPos::Right => at.x.1,
            _ => at.x.0,
        };
        let text = ("sans-serif", 12).into_font().color(&INK);
        let text = text.pos(Pos::new(side, VPos::Center));
        let place = (beside - origin.0, middle - origin.1);
        area.draw(&Text::new(name.to_string(), place, text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stairs_keep_their_height_until_the_next_point() {
        let corners = stairs([(1.0, 5.0), (3.0, 7.0)].into_iter(), 9.0);
        assert_eq!(corners, [(1.0, 5.0), (3.0, 5.0), (3.0, 7.0), (9.0, 7.0)]);
    }
}
