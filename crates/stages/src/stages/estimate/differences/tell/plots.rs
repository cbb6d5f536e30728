//! The plots of differences and stopping points, the square table of too many pairs.

use super::DifferencesTable;
use crate::report::distinct;
use crate::report::html::figure::{Dots, cut, dots_in_order, short, with_zero};
use crate::report::html::markup::{Html, element, with};
use crate::report::html::versus::{self, VersusCell};
use crate::report::plot::{Axis, Mark, Plot, Scale, Series};
use crate::stages::estimate::differences::rows::{SystemDifference, SystemStoppingPoint};
use tiebreak_base::layout::{number, percent};

/// The most characters of each of two names beside an axis.
const NAME: usize = 10;

/// A pair with the system that is better in front.
struct OrientedDifference<'a> {
    name: String,
    pair: &'a SystemDifference,
    difference: f64,
    ends: Option<(f64, f64)>,
}

fn turned(pair: &SystemDifference) -> OrientedDifference<'_> {
    let (a, b) = (&pair.system_a, &pair.system_b);
    let ends = pair.corrected_lower.zip(pair.corrected_upper);
    let (name, ends) = match pair.difference < 0.0 {
        true => (
            format!("{b} – {a}"),
            ends.map(|(lower, upper)| (-upper, -lower)),
        ),
        false => (format!("{a} – {b}"), ends),
    };
    OrientedDifference {
        name,
        pair,
        difference: pair.difference.abs(),
        ends,
    }
}

pub(super) fn pairs_plot(kind: &DifferencesTable<'_>) -> Plot {
    let mut pairs: Vec<OrientedDifference<'_>> =
        kind.pairs.iter().map(|pair| turned(pair)).collect();
    pairs.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    let order: Vec<&str> = pairs.iter().map(|one| one.name.as_str()).collect();
    let list = |name: &str, significant: bool| Dots {
        name: name.to_string(),
        values: pairs
            .iter()
            .filter(|one| one.pair.significant == significant)
            .map(|one| (one.name.clone(), one.difference, one.ends))
            .collect(),
    };
    let lists = [list("differ", true), list("cannot be told apart", false)];
    let written = |pair: &str| match pair.split_once(" – ") {
        Some((a, b)) => format!("{} – {}", cut(a, NAME), cut(b, NAME)),
        None => pair.to_string(),
    };
    let plot = dots_in_order("Every pair", "difference", &lists, &order, written);
    with_zero(plot, order.len())
}

/// Draws a matrix, where pairs are too many to be drawn one by one.
pub(super) fn matrix(kind: &DifferencesTable<'_>) -> Html {
    // Runs overlap.
    let systems = distinct(kind.groups.iter().flat_map(|run| run.systems.clone()));
    let cell = |row: usize, column: usize| {
        let (one, other) = (&systems[row], &systems[column]);
        kind.pairs.iter().find_map(|pair| {
            let (sign, wins) = match (&pair.system_a, &pair.system_b) {
                (a, b) if a == one && b == other => (1.0, pair.win_rate),
                (a, b) if a == other && b == one => (-1.0, pair.win_rate.map(|rate| 1.0 - rate)),
                _ => return None,
            };
            let difference = sign * pair.difference;
            let plus = if difference > 0.0 { "+" } else { "" };
            Some(VersusCell {
                difference,
                written: format!("{plus}{}", number(difference)),
                significant: pair.significant,
                note: wins.map_or_else(String::new, |wins| format!("wins {}", percent(wins))),
            })
        })
    };
    let note = "row less column; coloured where the two differ (Holm's correction among all pairs)";
    element(
        "div",
        [
            with("p", &[("class", "note")], note),
            versus::table(&kind.title, "system", &systems, cell),
        ],
    )
}

/// Interval width by number of judgments, the goal where it is a width, and where it was reached.
pub(super) fn widths(criterion: &str, stops: &[&SystemStoppingPoint]) -> Plot {
    let curve = |stop: &&SystemStoppingPoint| {
        let points = stop.widths.iter().map(|&(n, width)| (n as f64, width));
        Series::new(&stop.system, Mark::Curve, points)
    };
    let mut all: Vec<Series> = stops.iter().map(curve).collect();
    let along = || all.iter().flat_map(|one| &one.points);
    let x = Scale::log(along().map(|point| point.x));
    let y = Scale::log(along().map(|point| point.y));
    let goal = stops[0]
        .goal
        .strip_prefix("width=")
        .and_then(|width| width.parse::<f64>().ok());
    if let (Some(goal), Scale::Log(low, high)) = (goal, &x) {
        all.push(Series::new(
            "goal",
            Mark::Guide,
            vec![(*low, goal), (*high, goal)],
        ));
    }
    let reached = stops.iter().filter_map(|stop| {
        let spot = (stop.n? as f64, stop.upper? - stop.lower?);
        Some(Series::new(short(&stop.system), Mark::Spots, vec![spot]))
    });
    all.extend(reached.collect::<Vec<_>>());
    Plot {
        title: format!("Interval width by judgments, {criterion}"),
        x: Axis::new("judgments", x),
        y: Axis::new("width of the interval", y),
        series: all,
    }
}
