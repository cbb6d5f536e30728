//! Draws a plot.

use super::style::{self, GRID, HEIGHT, INK, LEGEND, hue, styled};
use super::{Mark, Plot, Point, Scale, Series};
use crate::error::{Error, Result};
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// The plot as an SVG document.
///
/// # Errors
/// If it cannot be drawn.
pub fn svg(plot: &Plot) -> Result<String> {
    let mut drawing = String::new();
    let width = style::width(&plot.x.scale);
    {
        let area = SVGBackend::with_string(&mut drawing, (width, HEIGHT)).into_drawing_area();
        draw(plot, &area, width).map_err(|fault| Error::failed(format!("plot: {fault}")))?;
        area.present().map_err(Error::failed)?;
    }
    Ok(styled(&drawing, &plot.title))
}

type Drawn<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn draw(plot: &Plot, area: &Area<'_>, width: u32) -> Drawn {
    let title = ("sans-serif", 17).into_font().color(&INK);
    area.draw(&Text::new(plot.title.clone(), (14, 12), title))?;
    let (_, below) = area.split_vertically(38);
    let (left, right) = below.split_horizontally(width - LEGEND);
    let mut chart = ChartBuilder::on(&left)
        .margin_left(10)
        .margin_right(12)
        .margin_top(6)
        .x_label_area_size(52)
        .y_label_area_size(70)
        .build_cartesian_2d(plot.x.scale.clone(), plot.y.scale.clone())?;
    let mut mesh = chart.configure_mesh();
    if matches!(plot.x.scale, Scale::Names(_)) {
        mesh.disable_x_mesh();
    }
    let text = ("sans-serif", 13).into_font().color(&INK);
    mesh.axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(text.clone())
        .axis_desc_style(("sans-serif", 14).into_font().color(&INK))
        .x_desc(plot.x.label.as_str())
        .y_desc(plot.y.label.as_str())
        .x_labels(8)
        .y_labels(8)
        .draw()?;
    for (place, series) in plot.series.iter().enumerate() {
        match series.mark {
            Mark::Steps => steps(&mut chart, series, place, plot.x.scale.range().end)?,
            Mark::Lines => lines(&mut chart, series, place)?,
            Mark::Curve => curve(&mut chart, series, place)?,
            Mark::Dots => dots(&mut chart, series, place)?,
            Mark::Intervals => intervals(&mut chart, series, place, plot.series.len())?,
        }
    }
    for (place, series) in plot.series.iter().enumerate() {
        let y = 18 + 20 * place as i32;
        let (colour, round) = hue(place);
        let sample = vec![(8, y), (30, y)];
        right.draw(&PathElement::new(
            sample,
            colour.stroke_width(stroke(round)),
        ))?;
        let left_of = Pos::new(HPos::Left, VPos::Center);
        right.draw(&Text::new(series.name.clone(), (36, y), text.pos(left_of)))?;
    }
    Ok(())
}

/// Series that share a colour differ in width.
fn stroke(round: usize) -> u32 {
    [2, 4, 1][round % 3]
}

fn steps(chart: &mut Chart<'_, '_>, series: &Series, place: usize, end: f64) -> Drawn {
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

fn lines(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> Drawn {
    curve(chart, series, place)?;
    whiskers(chart, &series.points, hue(place).0)
}

fn curve(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> Drawn {
    let (colour, round) = hue(place);
    let line = series.points.iter().map(|point| (point.x, point.y));
    chart.draw_series(LineSeries::new(line, colour.stroke_width(stroke(round))))?;
    Ok(())
}

/// Dots that let those below them shine through.
fn dots(chart: &mut Chart<'_, '_>, series: &Series, place: usize) -> Drawn {
    let colour = hue(place)
        .0
        .mix(if series.points.len() > 50 { 0.4 } else { 0.9 });
    let dot = |point: &Point| Circle::new((point.x, point.y), 4, colour.filled());
    chart.draw_series(series.points.iter().map(dot))?;
    Ok(())
}

fn intervals(chart: &mut Chart<'_, '_>, series: &Series, place: usize, of: usize) -> Drawn {
    // Side by side within the middle two thirds of a name's room.
    let shift = (place as f64 + 0.5) / of as f64 - 0.5;
    let moved = |point: &Point| Point {
        x: point.x + shift * 2.0 / 3.0,
        ..*point
    };
    let points: Vec<Point> = series.points.iter().map(moved).collect();
    whiskers(chart, &points, hue(place).0)
}

fn whiskers(chart: &mut Chart<'_, '_>, points: &[Point], colour: RGBColor) -> Drawn {
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

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    fn plot(mark: Mark) -> Plot {
        let point = |x, y| Point {
            x,
            y,
            interval: Some((y - 0.1, y + 0.1)),
        };
        Plot {
            title: "Accuracy < 1 & more".into(),
            x: Axis {
                label: "human annotations".into(),
                scale: Scale::Log(1.0, 1000.0),
            },
            y: Axis {
                label: "accuracy".into(),
                scale: Scale::Linear(0.0, 1.0),
            },
            series: vec![Series {
                name: "rmed".into(),
                mark,
                points: vec![point(1.0, 0.25), point(10.0, 0.5), point(100.0, 0.75)],
            }],
        }
    }

    #[test]
    fn text_stays_text_and_is_escaped() {
        let drawing = svg(&plot(Mark::Steps)).unwrap();
        for part in [
            "rmed",
            "human annotations",
            "Accuracy &lt; 1 &amp; more",
            "prefers-color-scheme",
        ] {
            assert!(drawing.contains(part), "{part}");
        }
        assert!(drawing.contains("<polygon") && drawing.trim_end().ends_with("</svg>"));
        assert_eq!(drawing, svg(&plot(Mark::Steps)).unwrap());
    }

    #[test]
    fn every_point_has_its_mark() {
        for (mark, connected) in [(Mark::Lines, 1), (Mark::Intervals, 0)] {
            let drawing = svg(&plot(mark)).unwrap();
            let dots = drawing.matches("r=\"4\"").count();
            assert_eq!(dots, 3, "{mark:?}");
            let corners =
                |line: &&str| line.contains("<polyline") && line.matches(',').count() == 3;
            assert_eq!(
                drawing.lines().filter(corners).count(),
                connected,
                "{mark:?}"
            );
        }
    }

    #[test]
    fn stairs_keep_their_height_until_the_next_point() {
        let corners = stairs([(1.0, 5.0), (3.0, 7.0)].into_iter(), 9.0);
        assert_eq!(corners, [(1.0, 5.0), (3.0, 5.0), (3.0, 7.0), (9.0, 7.0)]);
    }
}
