//! Which systems differ, which cannot be told apart, and when one could have stopped judging.

use super::rows::{SystemComparisons, SystemDifference, SystemStoppingPoint};
use super::text::{
    DifferencesTable, MEANING, STOPPED, STOPPED_MEANING, lines, not_told_apart, stopped, untested,
};
use crate::report::distinct;
use crate::report::html::figure::{Dots, cut, dots_in_order, figure, figures, short, with_zero};
use crate::report::html::markup::{Html, HtmlTable, element, folded, with};
use crate::report::html::versus::{self, VersusCell};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use tiebreak_base::error::Result;
use tiebreak_base::layout::{number, percent};

/// The most pairs that are drawn with a line each.
const PAIRS: usize = 28;

/// The most characters of each of two names beside an axis.
const NAME: usize = 10;

pub(in crate::stages::estimate) fn differences(
    found: &[(String, SystemComparisons)],
) -> Result<Html> {
    let kinds = found.iter().flat_map(|(_, found)| found.kinds());
    kinds.map(|kind| of_kind(&kind)).collect()
}

fn of_kind(kind: &DifferencesTable<'_>) -> Result<Html> {
    let (header, lines) = lines(&kind.pairs);
    let table = HtmlTable::plain(&kind.title, &header, 1, lines).html();
    let pairs = match kind.pairs.len() <= PAIRS {
        true => figure(&plot(kind), WHISKERS)?,
        false => matrix(kind),
    };
    Ok(Html::from([
        element("h3", kind.title.as_str()),
        with("p", &[("class", "note")], MEANING),
        untested(&kind.pairs)
            .into_iter()
            .chain(not_told_apart(&kind.groups))
            .map(|line| with("p", &[("class", "note")], line))
            .collect(),
        pairs,
        folded("In numbers", table),
    ]))
}

const WHISKERS: &str = "the better system less the other; whiskers are intervals at the level of Holm's correction \
                        among all pairs, which leave out 0 exactly where the systems differ";

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

fn plot(kind: &DifferencesTable<'_>) -> Plot {
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
fn matrix(kind: &DifferencesTable<'_>) -> Html {
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

pub(in crate::stages::estimate) fn stopping(found: &[(String, SystemComparisons)]) -> Result<Html> {
    let mut parts = Vec::new();
    for (_, found) in found {
        let key = |stop: &SystemStoppingPoint| (stop.criterion.clone(), stop.estimator.clone());
        for kind in distinct(found.stops.iter().map(key)) {
            let stops: Vec<&SystemStoppingPoint> = found
                .stops
                .iter()
                .filter(|stop| key(stop) == kind)
                .collect();
            let title = format!("{}: {}, until {}", kind.0, kind.1, stops[0].goal);
            let table = HtmlTable::plain(&title, &STOPPED, 1, stopped(&stops));
            parts.push(element("h3", title.as_str()));
            parts.push(with("p", &[("class", "note")], STOPPED_MEANING));
            parts.push(figures([
                figure(&widths(&kind.0, &stops), NARROWING)?,
                table.html(),
            ]));
        }
    }
    Ok(parts.into_iter().collect())
}

const NARROWING: &str = "how wide the interval that holds at any time was after so many judgments; dots are where \
                         one could have stopped";

/// Interval width by number of judgments, the goal where it is a width, and where it was reached.
fn widths(criterion: &str, stops: &[&SystemStoppingPoint]) -> Plot {
    let point = |(x, y): (f64, f64)| Point {
        x,
        y,
        interval: None,
    };
    let series = |name: &str, mark, points: Vec<(f64, f64)>| Series {
        name: name.to_string(),
        mark,
        points: points.into_iter().map(point).collect(),
    };
    let curve = |stop: &&SystemStoppingPoint| {
        let points = stop.widths.iter().map(|&(n, width)| (n as f64, width));
        series(&stop.system, Mark::Curve, points.collect())
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
        all.push(series(
            "goal",
            Mark::Guide,
            vec![(*low, goal), (*high, goal)],
        ));
    }
    let reached = stops.iter().filter_map(|stop| {
        let spot = (stop.n? as f64, stop.upper? - stop.lower?);
        Some(series(&short(&stop.system), Mark::Spots, vec![spot]))
    });
    all.extend(reached.collect::<Vec<_>>());
    Plot {
        title: format!("Interval width by judgments, {criterion}"),
        x: Axis {
            label: "judgments".to_string(),
            scale: x,
        },
        y: Axis {
            label: "width of the interval".to_string(),
            scale: y,
        },
        series: all,
    }
}
