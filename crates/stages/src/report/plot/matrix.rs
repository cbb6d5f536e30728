//! A table as coloured cells: the larger a number, the stronger its colour; below zero it has another colour.

use super::Matrix;
use super::style::{INK, hue, styled};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tiebreak_base::error::{Error, Result};

/// The height of a row, in pixels.
const ROW: i32 = 24;

/// The room above the first row, for title and names of columns.
const TOP: i32 = 70;

/// The approximate width of a character, in pixels.
const CHARACTER: i32 = 7;

/// The strongest colour, as a share of a full one: numbers must be readable on it.
const STRONGEST: f64 = 0.75;

/// The matrix as an SVG document; `None` in a build without the feature `report`.
pub(crate) fn matrix_svg(matrix: &Matrix) -> Result<Option<String>> {
    let left = room(&matrix.rows) + 14;
    let across = room(&matrix.columns).max(64);
    let columns = left + across * matrix.columns.len() as i32;
    let width = (columns + 14).max(CHARACTER * matrix.title.chars().count() as i32 + 60);
    let height = TOP + ROW * matrix.rows.len() as i32 + 14;
    let mut drawing = String::new();
    {
        let size = (width as u32, height as u32);
        let area = SVGBackend::with_string(&mut drawing, size).into_drawing_area();
        draw(matrix, &area, left, across)
            .map_err(|fault| Error::failed(format!("plot: {fault}")))?;
        area.present().map_err(Error::failed)?;
    }
    Ok(Some(styled(&drawing, &matrix.title)))
}

/// The room for the longest name, in pixels.
fn room(names: &[String]) -> i32 {
    let longest = names.iter().map(|name| name.chars().count()).max();
    CHARACTER * longest.unwrap_or(0) as i32 + 14
}

type MatrixDrawResult = std::result::Result<(), Box<dyn std::error::Error>>;

fn draw(
    matrix: &Matrix,
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    left: i32,
    across: i32,
) -> MatrixDrawResult {
    let title = ("sans-serif", 17).into_font().color(&INK);
    area.draw(&Text::new(matrix.title.clone(), (14, 12), title))?;
    let text = ("sans-serif", 13).into_font().color(&INK);
    let centred = text.pos(Pos::new(HPos::Center, VPos::Center));
    let middle = |column: usize| left + across * column as i32 + across / 2;
    for (column, name) in matrix.columns.iter().enumerate() {
        let at = (middle(column), TOP - 14);
        area.draw(&Text::new(name.clone(), at, centred.clone()))?;
    }
    let at_left = text.pos(Pos::new(HPos::Left, VPos::Center));
    let numbers = matrix.cells.iter().flatten().flatten();
    let largest = numbers.map(|cell| cell.0.abs()).fold(0.0, f64::max);
    for (row, (name, cells)) in matrix.rows.iter().zip(&matrix.cells).enumerate() {
        let top = TOP + ROW * row as i32;
        area.draw(&Text::new(
            name.clone(),
            (14, top + ROW / 2),
            at_left.clone(),
        ))?;
        for (column, cell) in cells.iter().enumerate() {
            let Some((value, written)) = cell else {
                continue;
            };
            let share = if largest > 0.0 {
                value.abs() / largest
            } else {
                0.0
            };
            let (colour, _) = hue(usize::from(*value < 0.0));
            let start = left + across * column as i32;
            let corners = [(start + 1, top + 1), (start + across - 1, top + ROW - 1)];
            let fill = colour.mix(STRONGEST * share).filled();
            area.draw(&Rectangle::new(corners, fill))?;
            let at = (middle(column), top + ROW / 2);
            area.draw(&Text::new(written.clone(), at, centred.clone()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_written_on_a_colour_of_its_strength() {
        let cell = |value: f64| Some((value, format!("{value:.2}")));
        let matrix = Matrix {
            title: "r".into(),
            rows: vec!["a".into(), "b".into()],
            columns: vec!["x".into(), "y".into()],
            cells: vec![vec![cell(0.5), cell(-0.25)], vec![None, cell(0.0)]],
        };
        let drawing = matrix_svg(&matrix).unwrap().unwrap();
        for text in ["0.50", "-0.25", "0.00", "class=\"tiebreak-plot\""] {
            assert!(drawing.contains(text), "{text} in {drawing}");
        }
        let coloured = drawing.matches("<rect").count();
        assert_eq!(coloured, 2, "0 has no colour: {drawing}");
        assert!(drawing.contains("opacity=\"0.75\"") && drawing.contains("opacity=\"0.375\""));
        assert_eq!(Some(drawing), matrix_svg(&matrix).unwrap());
    }
}
