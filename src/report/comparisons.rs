//! Which systems differ, and when one could have stopped judging, as text.

use super::text::section;
use crate::layout::{number, optional, percent, table};
use serde::Serialize;

/// One pair of systems.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // the columns of the table
pub struct Compared {
    pub system_a: String,
    pub system_b: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub difference: f64,
    pub lower: f64,
    pub upper: f64,
    pub standard_error: f64,
    pub significant: bool,
    pub items: u64,
    pub win_rate: Option<f64>,
    pub win_lower: Option<f64>,
    pub win_upper: Option<f64>,
}

/// Systems that cannot be told apart, the groups best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // what a group is of
pub struct Group {
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub systems: Vec<String>,
}

/// When one could have stopped judging a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stopped {
    /// The system.
    pub system: String,
    /// The criterion.
    pub criterion: String,
    /// The estimator.
    pub estimator: String,
    /// `width=W` or `relative=E`.
    pub goal: String,
    /// After how many judgments; `None` where all of them were not enough.
    pub n: Option<u64>,
    /// The estimate then.
    pub estimate: Option<f64>,
    /// Lower end of the interval then.
    pub lower: Option<f64>,
    /// Upper end.
    pub upper: Option<f64>,
}

/// Everything about differences and stopping, as `estimate` prints it; empty where nothing is known.
pub fn render_comparisons(pairs: &[Compared], groups: &[Group], stops: &[Stopped]) -> String {
    let mut text = String::new();
    let of = |group: &Group| {
        let (criterion, estimator) = (group.criterion.clone(), group.estimator.clone());
        (criterion, estimator, group.metric.clone())
    };
    let mut kinds: Vec<_> = groups.iter().map(of).collect();
    kinds.dedup();
    for kind in kinds {
        let same = |pair: &&Compared| {
            (&pair.criterion, &pair.estimator, &pair.metric) == (&kind.0, &kind.1, &kind.2)
        };
        let with = kind
            .2
            .as_ref()
            .map_or_else(String::new, |metric| format!(" with {metric}"));
        let title = format!("Differences of {}: {}{with}", kind.0, kind.1);
        let pairs: Vec<&Compared> = pairs.iter().filter(same).collect();
        let groups: Vec<&Group> = groups.iter().filter(|group| of(group) == kind).collect();
        text += &section(&title, &differences(&pairs, &groups));
    }
    if !stops.is_empty() {
        text += &section("Could have stopped", &stopped(stops));
    }
    text
}

fn differences(pairs: &[&Compared], groups: &[&Group]) -> String {
    let line = |pair: &&Compared| {
        let wins = pair.win_rate.map_or_else(|| "–".to_string(), percent);
        vec![
            format!("{} – {}", pair.system_a, pair.system_b),
            number(pair.difference),
            format!("[{}, {}]", number(pair.lower), number(pair.upper)),
            wins,
            pair.items.to_string(),
            if pair.significant { "differ" } else { "tied" }.to_string(),
        ]
    };
    let lines: Vec<Vec<String>> = pairs.iter().map(line).collect();
    let header = [
        "systems",
        "difference",
        "interval",
        "wins",
        "items",
        "verdict",
    ];
    let mut text = table(&header, &lines);
    for (place, group) in groups.iter().enumerate() {
        let tied = if group.systems.len() > 1 {
            " (cannot be told apart)"
        } else {
            ""
        };
        text += &format!("group {}: {}{tied}\n", place + 1, group.systems.join(", "));
    }
    text
}

fn stopped(stops: &[Stopped]) -> String {
    let line = |stop: &Stopped| {
        vec![
            stop.system.clone(),
            stop.criterion.clone(),
            stop.goal.clone(),
            stop.n
                .map_or_else(|| "not yet".to_string(), |n| n.to_string()),
            optional(stop.estimate),
            format!("[{}, {}]", optional(stop.lower), optional(stop.upper)),
        ]
    };
    let lines: Vec<Vec<String>> = stops.iter().map(line).collect();
    let header = [
        "system",
        "criterion",
        "goal",
        "judgments",
        "estimate",
        "interval",
    ];
    table(&header, &lines)
}
