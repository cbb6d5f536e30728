//! Plots as SVG: lines with bands, or points with intervals side by side.
//!
//! The text stays text. Colours are chosen to be read on light and on dark paper, and a style sheet
//! within the file follows the reader's preference. The same numbers give the same bytes.
//!
//! Plots are data in every build; they are drawn with the feature `report`.

mod colours;
#[cfg(feature = "report")]
mod draw;
#[cfg(feature = "report")]
mod marks;
#[cfg(feature = "report")]
mod matrix;
#[cfg(feature = "report")]
mod ranged;
mod scale;
#[cfg(feature = "report")]
mod style;
#[cfg(not(feature = "report"))]
mod undrawn;

pub(crate) use colours::colour;
#[cfg(feature = "report")]
pub(crate) use draw::{figure, svg};
#[cfg(feature = "report")]
pub(crate) use matrix::matrix_svg;
pub(crate) use scale::Scale;
#[cfg(not(feature = "report"))]
pub(crate) use undrawn::{figure, matrix_svg, svg};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plot {
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, at least one.
    pub series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub label: String,
    /// The scale of numbers on it.
    pub scale: Scale,
}

impl Axis {
    /// Creates an axis.
    pub(crate) fn new(label: impl Into<String>, scale: Scale) -> Self {
        let label = label.into();
        Self { label, scale }
    }
}

/// The mark with which the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A value that holds until the next point, with a band.
    Steps,
    /// Straight lines between points, with intervals.
    Lines,
    /// Points with intervals; series stand side by side.
    Intervals,
    /// A line alone.
    Curve,
    /// Points that may be many.
    Dots,
    /// Dots with intervals along x, for names down the y axis: 0 is the lowest.
    Across,
    /// A dashed line to compare with, not in the legend.
    Guide,
    /// Points with intervals and the name of the series written beside them, in place of a legend.
    Spots,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub name: String,
    pub mark: Mark,
    /// Its points, by x.
    pub points: Vec<Point>,
}

impl Series {
    /// Creates a series.
    pub(crate) fn new(
        name: impl Into<String>,
        mark: Mark,
        points: impl IntoIterator<Item: Into<Point>>,
    ) -> Self {
        Self {
            name: name.into(),
            mark,
            points: points.into_iter().map(Into::into).collect(),
        }
    }
}

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// The position along x.
    pub x: f64,
    /// The number.
    pub y: f64,
    /// Lower and upper end of its interval: of y, or as the mark says.
    pub interval: Option<(f64, f64)>,
}

/// A point without an interval.
impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        let interval = None;
        Self { x, y, interval }
    }
}

/// A table as coloured cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    pub title: String,
    /// The names of its rows.
    pub rows: Vec<String>,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The numbers by row and column, each with its text.
    pub cells: Vec<Vec<Option<(f64, String)>>>,
}
