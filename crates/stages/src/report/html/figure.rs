//! Figures: a plot with its title above and its legend below.

use super::markup::{Html, element, with};
use crate::report::chapter::NamedEstimate;
use crate::report::plot::{self, Axis, Mark, Plot, Point, Scale, Series};
use tiebreak_base::error::Result;

/// Most characters of a name beside an axis.
const NAME: usize = 18;

/// The figure of a plot; empty where it has no points or this build draws none.
pub(crate) fn figure(plot: &Plot, note: &str) -> Result<Html> {
    if plot.series.iter().all(|series| series.points.is_empty()) {
        return Ok(Html::default());
    }
    let Some(drawing) = plot::figure(plot)? else {
        return Ok(Html::default());
    };
    let mut caption = vec![element("strong", plot.title.as_str())];
    if !note.is_empty() {
        caption.push(with("span", &[("class", "note")], note));
    }
    let caption = element("figcaption", caption.into_iter().collect::<Html>());
    let parts = [caption, Html::ready(drawing), legend(&plot.series)];
    Ok(element("figure", parts))
}

/// Several figures side by side, as many as there is room for.
pub(crate) fn figures(figures: impl IntoIterator<Item = Html>) -> Html {
    let figures: Html = figures.into_iter().collect();
    match figures.is_empty() {
        true => figures,
        false => with("div", &[("class", "figures")], figures),
    }
}

/// The names of the series beside their colours, where there are several to tell apart.
fn legend(series: &[Series]) -> Html {
    let named = |series: &&Series| !matches!(series.mark, Mark::Guide | Mark::Spots);
    // Series keep their colours whether or not others have points.
    let shown = series.iter().filter(named).enumerate();
    let shown: Vec<_> = shown.filter(|(_, one)| !one.points.is_empty()).collect();
    if shown.len() < 2 {
        return Html::default();
    }
    let entry = |(place, series): (usize, &Series)| {
        let colour = format!("background:{}", plot::colour(place));
        let swatch = with("span", &[("class", "swatch"), ("style", &colour)], "");
        element("li", [swatch, Html::from(&series.name)])
    };
    with(
        "ul",
        &[("class", "legend")],
        shown.into_iter().map(entry).collect::<Html>(),
    )
}

/// One of several lists of numbers for the same names.
pub(crate) struct Dots {
    /// Their name.
    pub name: String,
    /// The numbers, by name.
    pub values: Vec<NamedEstimate>,
}

/// Dots with whiskers, a line for each name in the order of the first list and then the others.
pub(crate) fn dots(title: &str, label: &str, lists: &[Dots]) -> Plot {
    dots_in_order(title, label, lists, &[], short)
}

/// The plot with lines in the given order, and names beside the axis written by `write`.
pub(crate) fn dots_in_order(
    title: &str,
    label: &str,
    lists: &[Dots],
    order: &[&str],
    write: impl Fn(&str) -> String,
) -> Plot {
    let names = lists.iter().flat_map(|list| &list.values);
    let names = names.map(|(name, ..)| name.as_str());
    let names = crate::report::distinct(order.iter().copied().chain(names));
    let series = |list: &Dots| {
        let point = |(name, value, interval): &NamedEstimate| {
            let place = names.iter().position(|other| other == name)?;
            Some(Point {
                x: *value,
                y: (names.len() - 1 - place) as f64,
                interval: *interval,
            })
        };
        Series::new(
            &list.name,
            Mark::Across,
            list.values.iter().filter_map(point),
        )
    };
    let ends = lists
        .iter()
        .flat_map(|list| &list.values)
        .flat_map(|&(_, value, interval)| {
            let (lower, upper) = interval.unwrap_or((value, value));
            [lower, value, upper]
        });
    Plot {
        title: title.to_string(),
        x: Axis::new(label, around(ends)),
        y: Axis::new(
            "",
            Scale::Names(names.iter().rev().map(|name| write(name)).collect()),
        ),
        series: lists.iter().map(series).collect(),
    }
}

/// The plot of `names` names with a dashed line at 0, where 0 is within it.
pub(crate) fn with_zero(mut plot: Plot, names: usize) -> Plot {
    if matches!(plot.x.scale, Scale::Linear(low, high) if low < 0.0 && high > 0.0) {
        plot.series.push(Series::new(
            "",
            Mark::Guide,
            [(0.0, -0.5), (0.0, names as f64 - 0.5)],
        ));
    }
    plot
}

/// A scale that need not begin at 0, since dots show a position, not a length.
pub(crate) fn around(values: impl Iterator<Item = f64>) -> Scale {
    let finite = values.filter(|value| value.is_finite());
    let ends = finite.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| {
            (low.min(value), high.max(value))
        }))
    });
    let (low, high) = ends.unwrap_or((0.0, 1.0));
    let margin = if high > low { 0.05 * (high - low) } else { 0.5 };
    Scale::Linear(low - margin, high + margin)
}

/// A name that fits beside an axis; the tables have it in full.
pub(crate) fn short(name: &str) -> String {
    cut(name, NAME)
}

/// A name of at most `most` characters.
pub(crate) fn cut(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}
