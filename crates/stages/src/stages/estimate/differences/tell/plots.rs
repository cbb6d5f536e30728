//! The plots of differences and stopping points, the square table of too many pairs.

use super::DifferencesTable;
use crate::report::distinct;
use crate::report::html::figure::{Dots, cut, dots_in_order, short, with_zero};
use crate::report::html::markup::{Html, element, with};
use crate::report::html::versus::{self, VersusCell};
use crate::report::plot::{Axis, Mark, Plot, Scale, Series};
use crate::stages::estimate::differences::rows::{SystemDifference, SystemStoppingPoint};
use crate::stages::estimate::kinds::sign;
use tiebreak_base::layout::number;

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
    let is_turned = sign(&pair.criterion) * pair.difference < 0.0;
    let (name, difference, ends) = match is_turned {
        true => (
            format!("{b} – {a}"),
            -pair.difference,
            ends.map(|(lower, upper)| (-upper, -lower)),
        ),
        false => (format!("{a} – {b}"), pair.difference, ends),
    };
    OrientedDifference {
        name,
        pair,
        difference,
        ends,
    }
}

pub(super) fn pairs_plot(kind: &DifferencesTable<'_>) -> Plot {
    let mut pairs: Vec<OrientedDifference<'_>> =
        kind.pairs.iter().map(|pair| turned(pair)).collect();
    pairs.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
    let order: Vec<&str> = pairs.iter().map(|one| one.name.as_str()).collect();
    let list = |name: &str, significant: bool| Dots {
        name: name.to_string(),
        values: pairs
            .iter()
            .filter(|one| one.pair.significant == significant)
            .map(|one| (one.name.clone(), one.difference, one.ends))
            .collect(),
    };
    let lists = [
        list("differ", true),
        list("no significant difference", false),
    ];
    let written = |pair: &str| match pair.split_once(" – ") {
        Some((a, b)) => format!("{} – {}", cut(a, NAME), cut(b, NAME)),
        None => pair.to_string(),
    };
    let plot = dots_in_order("Every pair", "difference", &lists, &order, written);
    with_zero(plot, order.len())
}

/// The systems, the highest first; those whose error is unknown, which are in no group, come last.
fn systems(kind: &DifferencesTable<'_>) -> Vec<String> {
    let lead = |system: &str| {
        let each = kind.pairs.iter().map(|pair| match system {
            _ if pair.system_a == system => pair.difference,
            _ if pair.system_b == system => -pair.difference,
            _ => 0.0,
        });
        each.sum::<f64>()
    };
    // Groups overlap.
    let ranked = kind.groups.iter().flat_map(|group| group.systems.iter());
    let mut ranked: Vec<&String> = distinct(ranked);
    ranked.sort_by(|a, b| lead(b).total_cmp(&lead(a)));
    let paired = kind.pairs.iter();
    let paired = paired.flat_map(|pair| [&pair.system_a, &pair.system_b]);
    distinct(ranked.into_iter().chain(paired).cloned())
}

/// Draws a matrix, where pairs are too many to be drawn one by one.
pub(super) fn matrix(kind: &DifferencesTable<'_>) -> Html {
    let systems = systems(kind);
    let pairs = kind
        .pairs
        .iter()
        .map(|&pair| ([pair.system_a.as_str(), pair.system_b.as_str()], pair));
    let cell = |pair: &SystemDifference, sign: f64| {
        let difference = sign * pair.difference;
        let plus = if difference > 0.0 { "+" } else { "" };
        let wins = pair.win_rate;
        let wins = wins.map(|rate| if sign < 0.0 { 1.0 - rate } else { rate });
        VersusCell {
            difference,
            written: format!("{plus}{}", number(difference)),
            significant: pair.significant,
            note: wins.map_or_else(String::new, |wins| format!("wins {}", pair.wins(wins))),
        }
    };
    let note = "row minus column; coloured where significant (corrected for all pairs, Holm)";
    element(
        "div",
        [
            with("p", &[("class", "note")], note),
            versus::table(&kind.title, "system", &systems, pairs, cell),
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
    all.extend(reached);
    Plot {
        title: format!("Interval width by judgments, {criterion}"),
        x: Axis::new("judgments", x),
        y: Axis::new("width of the interval", y),
        series: all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::estimate::differences::rows::TiedSystems;

    fn pair(a: &str, b: &str) -> SystemDifference {
        SystemDifference {
            system_a: a.to_string(),
            system_b: b.to_string(),
            criterion: "quality".to_string(),
            estimator: "mean".to_string(),
            difference: 1.0,
            items: 1,
            ..SystemDifference::default()
        }
    }

    #[test]
    fn the_better_system_is_in_front() {
        let drawn = |criterion: &str, difference: f64| {
            let pair = SystemDifference {
                criterion: criterion.to_string(),
                difference,
                corrected_lower: Some(difference - 0.5),
                corrected_upper: Some(difference + 1.0),
                ..pair("a", "b")
            };
            let found = turned(&pair);
            (found.name, found.difference, found.ends)
        };
        let of = |name: &str, difference, ends| (name.to_string(), difference, Some(ends));
        assert_eq!(drawn("quality", -2.0), of("b – a", 2.0, (1.0, 2.5)));
        assert_eq!(drawn("wer", -2.0), of("a – b", -2.0, (-2.5, -1.0)));
        assert_eq!(drawn("wer", 2.0), of("b – a", -2.0, (-3.0, -1.5)));
    }

    #[test]
    fn systems_without_an_error_are_in_the_square() {
        let run = TiedSystems {
            criterion: "quality".to_string(),
            estimator: "mean".to_string(),
            metric: None,
            systems: ["b", "c"].map(str::to_string).to_vec(),
        };
        let pairs = [pair("a", "b"), pair("c", "b"), pair("a", "c")];
        let kind = DifferencesTable {
            title: String::new(),
            pairs: pairs.iter().collect(),
            groups: vec![&run],
        };
        assert_eq!(systems(&kind), ["c", "b", "a"]);
        let alone = DifferencesTable {
            groups: Vec::new(),
            ..kind
        };
        assert_eq!(systems(&alone), ["a", "b", "c"]);
    }
}
