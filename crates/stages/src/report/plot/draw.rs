//! Draws a plot: its frame, its axes, its legend.

use super::marks;
use super::style::{Frame, GRID, INK, hue, styled, unstyled};
use super::{Plot, Scale};
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tiebreak_base::error::{Error, Result};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// The plot as an SVG document, with its title and legend; `None` in a build without the feature `report`.
pub(crate) fn svg(plot: &Plot) -> Result<Option<String>> {
    let drawing = drawing(plot, &Frame::document(plot))?;
    Ok(Some(styled(&drawing, &plot.title)))
}

/// The plot as an SVG element of a page that shows title and legend itself, and gives text (`#242424`)
/// and grid (`#E2E2E2`) its own colours; `None` in a build without the feature `report`.
pub(crate) fn figure(plot: &Plot) -> Result<Option<String>> {
    let drawing = drawing(plot, &Frame::figure(plot))?;
    Ok(Some(unstyled(&drawing, &plot.title)))
}

fn drawing(plot: &Plot, frame: &Frame) -> Result<String> {
    let mut drawing = String::new();
    {
        let size = (frame.width, frame.height);
        let area = SVGBackend::with_string(&mut drawing, size).into_drawing_area();
        draw(plot, &area, frame).map_err(|fault| Error::failed(format!("plot: {fault}")))?;
        area.present().map_err(Error::failed)?;
    }
    Ok(drawing)
}

pub(super) type DrawResult<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn draw(plot: &Plot, area: &Area<'_>, frame: &Frame) -> DrawResult {
    let below = match frame.title {
        0 => area.clone(),
        height => {
            let title = ("sans-serif", 17).into_font().color(&INK);
            area.draw(&Text::new(plot.title.clone(), (14, 12), title))?;
            area.split_vertically(height).1
        }
    };
    let (left, right) = below.split_horizontally(frame.width - frame.legend);
    let mut chart = ChartBuilder::on(&left)
        .margin_left(if plot.y.label.is_empty() { 0 } else { 10 })
        .margin_right(22)
        .margin_top(12)
        .x_label_area_size(52)
        .y_label_area_size(frame.left)
        .build_cartesian_2d(plot.x.scale.clone(), plot.y.scale.clone())?;
    axes(plot, &mut chart, frame.ticks)?;
    marks::draw(plot, &mut chart)?;
    if frame.legend > 0 {
        legend(plot, &right)?;
    }
    Ok(())
}

fn axes(plot: &Plot, chart: &mut Chart<'_, '_>, ticks: usize) -> DrawResult {
    let mut mesh = chart.configure_mesh();
    if matches!(plot.x.scale, Scale::Names(_)) {
        mesh.disable_x_mesh();
    }
    if matches!(plot.y.scale, Scale::Names(_)) {
        mesh.disable_y_mesh();
    }
    mesh.axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 14).into_font().color(&INK))
        .x_desc(plot.x.label.as_str())
        .y_desc(plot.y.label.as_str())
        .x_labels(ticks)
        .y_labels(ticks)
        .draw()?;
    Ok(())
}

fn legend(plot: &Plot, area: &Area<'_>) -> DrawResult {
    let text = ("sans-serif", 13).into_font().color(&INK);
    for (place, series) in plot.series.iter().enumerate() {
        let y = 18 + 20 * place as i32;
        let (colour, round) = hue(place);
        let sample = vec![(8, y), (30, y)];
        area.draw(&PathElement::new(
            sample,
            colour.stroke_width(marks::stroke(round)),
        ))?;
        let left_of = Pos::new(HPos::Left, VPos::Center);
        area.draw(&Text::new(series.name.clone(), (36, y), text.pos(left_of)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Mark, Point, Series};
    use super::*;

    fn plot(mark: Mark) -> Plot {
        let point = |x, y| Point {
            x,
            y,
            interval: Some((y - 0.1, y + 0.1)),
        };
        Plot {
            title: "Accuracy < 1 & more".into(),
            x: Axis::new("human annotations", Scale::Log(1.0, 1000.0)),
            y: Axis::new("accuracy", Scale::Linear(0.0, 1.0)),
            series: vec![Series::new(
                "rmed",
                mark,
                vec![point(1.0, 0.25), point(10.0, 0.5), point(100.0, 0.75)],
            )],
        }
    }

    #[test]
    fn text_stays_text_and_is_escaped() {
        let drawing = svg(&plot(Mark::Steps)).unwrap().unwrap();
        for part in [
            "rmed",
            "human annotations",
            "Accuracy &lt; 1 &amp; more",
            "prefers-color-scheme",
        ] {
            assert!(drawing.contains(part), "{part}");
        }
        assert!(drawing.contains("<polygon") && drawing.trim_end().ends_with("</svg>"));
        assert_eq!(Some(drawing), svg(&plot(Mark::Steps)).unwrap());
    }

    #[test]
    fn every_point_has_its_mark() {
        for (mark, connected) in [(Mark::Lines, 1), (Mark::Intervals, 0)] {
            let drawing = svg(&plot(mark)).unwrap().unwrap();
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
}
