//! Which systems differ, and when one could have stopped judging, as text.

use super::rows::{SystemComparisons, SystemDifference, SystemStoppingPoint, TiedSystems};
use crate::report::distinct;
use tiebreak_base::layout::{number, optional, percent, table};
use tiebreak_base::words::{interval, section};

/// The differences and groups of one criterion, estimator and metric.
pub(super) struct DifferencesTable<'a> {
    /// The title.
    pub title: String,
    pub pairs: Vec<&'a SystemDifference>,
    /// The runs of systems that are not told apart, best first.
    pub groups: Vec<&'a TiedSystems>,
}

impl SystemComparisons {
    /// Differences and groups by criterion, estimator and metric.
    pub(super) fn kinds(&self) -> Vec<DifferencesTable<'_>> {
        let of = |group: &TiedSystems| {
            let TiedSystems {
                criterion,
                estimator,
                metric,
                ..
            } = group;
            (criterion.clone(), estimator.clone(), metric.clone())
        };
        // Systems of which too little is known have pairs but no groups.
        let of_pair = |pair: &SystemDifference| {
            (
                pair.criterion.clone(),
                pair.estimator.clone(),
                pair.metric.clone(),
            )
        };
        let groups = self.groups.iter().map(of);
        let kinds = distinct(groups.chain(self.differences.iter().map(of_pair))).into_iter();
        let kind = |kind: (String, String, Option<String>)| {
            let same = |pair: &&SystemDifference| {
                (&pair.criterion, &pair.estimator, &pair.metric) == (&kind.0, &kind.1, &kind.2)
            };
            let with = kind
                .2
                .as_ref()
                .map_or_else(String::new, |metric| format!(" with {metric}"));
            DifferencesTable {
                title: format!("Differences of {}: {}{with}", kind.0, kind.1),
                pairs: self.differences.iter().filter(same).collect(),
                groups: self
                    .groups
                    .iter()
                    .filter(|group| of(group) == kind)
                    .collect(),
            }
        };
        kinds.map(kind).collect()
    }
}

/// Renders differences and stopping points, as `estimate` prints them; empty where nothing is known.
pub(crate) fn render(found: &SystemComparisons) -> String {
    let mut text = String::new();
    for kind in found.kinds() {
        text += &section(&kind.title, &differences_text(&kind.pairs, &kind.groups));
    }
    if !found.stops.is_empty() {
        let lines = stopped(&found.stops.iter().collect::<Vec<_>>());
        let told = format!("{STOPPED_MEANING}\n{}", table(&STOPPED, &lines));
        text += &section("Could have stopped", &told);
    }
    text
}

fn differences_text(pairs: &[&SystemDifference], groups: &[&TiedSystems]) -> String {
    let (header, lines) = lines(pairs);
    let mut text = format!("{MEANING}\n{}", table(&header, &lines));
    for line in untested(pairs).into_iter().chain(new_annotators(pairs)) {
        text += &format!("{line}\n");
    }
    if let Some(line) = not_told_apart(groups) {
        text += &format!("{line}\n");
    }
    text
}

/// The runs of systems that are not told apart; nothing where all are.
pub(super) fn not_told_apart(groups: &[&TiedSystems]) -> Option<String> {
    let runs = groups.iter().filter(|run| run.systems.len() > 1);
    let runs: Vec<String> = runs.map(|run| run.systems.join(", ")).collect();
    (!runs.is_empty()).then(|| format!("Not told apart: {}.", runs.join("; ")))
}

/// The meaning of the intervals of differences.
pub(super) const MEANING: &str = "\
Differences are over the same items, for these annotators; with a metric they are of the outputs at hand. An interval is for its own \
pair; corrected ones and verdicts hold for all pairs together (Holm).";

/// The meaning of the intervals at which judging could have stopped.
pub(super) const STOPPED_MEANING: &str = "\
Each interval is for its own system, over items (with a metric over the outputs at hand), and holds however often one has looked.";

/// A row for each pair.
pub(super) fn lines(pairs: &[&SystemDifference]) -> ([&'static str; 7], Vec<Vec<String>>) {
    let line = |pair: &&SystemDifference| {
        let wins = pair.win_rate.map_or_else(|| "–".to_string(), percent);
        vec![
            format!("{} – {}", pair.system_a, pair.system_b),
            number(pair.difference),
            interval(pair.lower, pair.upper),
            interval(pair.corrected_lower, pair.corrected_upper),
            wins,
            pair.items.to_string(),
            verdict(pair).to_string(),
        ]
    };
    let header = [
        "systems",
        "difference",
        "interval",
        "corrected",
        "wins",
        "items",
        "verdict",
    ];
    (header, pairs.iter().map(line).collect())
}

/// The verdict on a pair, or that nothing was tested.
fn verdict(pair: &SystemDifference) -> &'static str {
    match (pair.significant, pair.corrected_lower) {
        (true, _) => "differ",
        (false, Some(_)) => "tied",
        (false, None) => "not tested",
    }
}

/// The reasons why pairs have no interval, a line each.
pub(super) fn untested(pairs: &[&SystemDifference]) -> Vec<String> {
    let reasons = pairs.iter().filter_map(|pair| pair.why.as_deref());
    let reasons = distinct(reasons).into_iter();
    reasons.map(|why| format!("Not tested: {why}.")).collect()
}

/// The differences for new annotators, where there are any.
fn new_annotators(pairs: &[&SystemDifference]) -> Option<String> {
    let told = pairs.iter().filter_map(|pair| {
        let new = pair.new_annotators?;
        let ends = interval(Some(new.lower), Some(new.upper));
        let (a, b) = (&pair.system_a, &pair.system_b);
        Some(format!("{a} – {b} {} {ends}", number(new.estimate)))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("New annotators like these: {}.", told.join("; ")))
}

/// The columns of [`stopped`].
pub(super) const STOPPED: [&str; 6] = [
    "system",
    "criterion",
    "goal",
    "judgments",
    "estimate",
    "interval",
];

/// A row for each system.
pub(super) fn stopped(stops: &[&SystemStoppingPoint]) -> Vec<Vec<String>> {
    let line = |stop: &&SystemStoppingPoint| {
        vec![
            stop.system.clone(),
            stop.criterion.clone(),
            stop.goal.clone(),
            stop.n
                .map_or_else(|| "not yet".to_string(), |n| n.to_string()),
            optional(stop.estimate),
            interval(stop.lower, stop.upper),
        ]
    };
    stops.iter().map(line).collect()
}
