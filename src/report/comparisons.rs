//! Which systems differ, and when one could have stopped judging, as text.

use super::distinct;
use super::summary::read_if_there;
use super::text::section;
use super::words::interval;
use crate::error::Result;
use crate::layout::{number, optional, percent, table};
use crate::records::reader::{Columns, Row, Rows};
use crate::tables::destination::beside;
use serde::{Deserialize, Serialize};
use std::path::Path;

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
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub standard_error: f64,
    pub significant: bool,
    pub items: u64,
    pub win_rate: Option<f64>,
    pub win_lower: Option<f64>,
    pub win_upper: Option<f64>,
    pub corrected_lower: Option<f64>,
    pub corrected_upper: Option<f64>,
}

/// Systems that cannot be told apart, the groups best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // what a group is of
pub struct Group {
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub systems: Vec<String>,
}

/// When one could have stopped judging a system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// How wide the interval was after so many judgments.
    #[serde(default)]
    pub widths: Vec<(u64, f64)>,
}

/// Differences and stopping of one table of estimates.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Comparisons {
    /// Every pair of systems.
    pub differences: Vec<Compared>,
    /// Systems that cannot be told apart.
    pub groups: Vec<Group>,
    /// When one could have stopped.
    pub stops: Vec<Stopped>,
}

/// Everything about one criterion, estimator and metric.
pub(super) struct Kind<'a> {
    /// Its name.
    pub title: String,
    pub pairs: Vec<&'a Compared>,
    /// Best first.
    pub groups: Vec<&'a Group>,
}

impl Comparisons {
    /// What lies beside a table of estimates; nothing where nothing does.
    ///
    /// # Errors
    /// If what is there is broken.
    pub(super) fn beside(estimates: &Path) -> Result<Self> {
        let list = |what: &str| estimates.with_extension(what);
        let path = beside(estimates, "differences");
        let differences = match path.exists() {
            true => differences(&path)?,
            false => Vec::new(),
        };
        Ok(Self {
            differences,
            groups: read_if_there(&list("groups.json"))?.unwrap_or_default(),
            stops: read_if_there(&list("stops.json"))?.unwrap_or_default(),
        })
    }

    /// Whether there is anything to say.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.stops.is_empty()
    }

    /// Differences and groups by criterion, estimator and metric.
    pub(super) fn kinds(&self) -> Vec<Kind<'_>> {
        let of = |group: &Group| {
            let Group {
                criterion,
                estimator,
                metric,
                ..
            } = group;
            (criterion.clone(), estimator.clone(), metric.clone())
        };
        let kinds = distinct(self.groups.iter().map(of)).into_iter();
        let kind = |kind: (String, String, Option<String>)| {
            let same = |pair: &&Compared| {
                (&pair.criterion, &pair.estimator, &pair.metric) == (&kind.0, &kind.1, &kind.2)
            };
            let with = kind
                .2
                .as_ref()
                .map_or_else(String::new, |metric| format!(" with {metric}"));
            Kind {
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

fn differences(path: &Path) -> Result<Vec<Compared>> {
    let compared = |row: &Row| -> Result<Compared> {
        let number = |name: &str| row.number(name);
        Ok(Compared {
            system_a: row.text("system_a")?,
            system_b: row.text("system_b")?,
            criterion: row.text("criterion")?,
            metric: row
                .optional_text("metric")?
                .filter(|metric| !metric.is_empty()),
            estimator: row.text("estimator")?,
            difference: number("difference")?,
            lower: row.optional_number("lower")?,
            upper: row.optional_number("upper")?,
            standard_error: number("standard_error")?,
            significant: row.text("significant")? == "true",
            items: number("items")? as u64,
            win_rate: row.optional_number("win_rate")?,
            win_lower: row.optional_number("win_lower")?,
            win_upper: row.optional_number("win_upper")?,
            corrected_lower: row.optional_number("corrected_lower")?,
            corrected_upper: row.optional_number("corrected_upper")?,
        })
    };
    Rows::open(path, &Columns::default())?
        .map(|row| compared(&row?))
        .collect()
}

/// Everything about differences and stopping, as `estimate` prints it; empty where nothing is known.
pub fn render_comparisons(found: &Comparisons) -> String {
    let mut text = String::new();
    for kind in found.kinds() {
        text += &section(&kind.title, &told(&kind.pairs, &kind.groups));
    }
    if !found.stops.is_empty() {
        let lines = stopped(&found.stops.iter().collect::<Vec<_>>());
        let told = format!("{STOPPED_MEANING}\n{}", table(&STOPPED, &lines));
        text += &section("Could have stopped", &told);
    }
    text
}

fn told(pairs: &[&Compared], groups: &[&Group]) -> String {
    let (header, lines) = lines(pairs);
    let mut text = format!("{MEANING}\n{}", table(&header, &lines));
    for (place, group) in groups.iter().enumerate() {
        let tied = if group.systems.len() > 1 {
            " (not all of them can be told apart)"
        } else {
            ""
        };
        text += &format!("group {}: {}{tied}\n", place + 1, group.systems.join(", "));
    }
    text
}

/// What the intervals of differences mean.
pub(super) const MEANING: &str = "\
Differences are over the same items and, where they are crossed, annotators. An interval is for its own \
pair; corrected ones and verdicts hold for all pairs together (Holm).";

/// What the intervals mean at which one could have stopped.
pub(super) const STOPPED_MEANING: &str = "\
Each interval is for its own system, over items, and holds however often one has looked.";

/// A row for each pair.
pub(super) fn lines(pairs: &[&Compared]) -> ([&'static str; 7], Vec<Vec<String>>) {
    let line = |pair: &&Compared| {
        let wins = pair.win_rate.map_or_else(|| "–".to_string(), percent);
        vec![
            format!("{} – {}", pair.system_a, pair.system_b),
            number(pair.difference),
            interval(pair.lower, pair.upper),
            interval(pair.corrected_lower, pair.corrected_upper),
            wins,
            pair.items.to_string(),
            if pair.significant { "differ" } else { "tied" }.to_string(),
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
pub(super) fn stopped(stops: &[&Stopped]) -> Vec<Vec<String>> {
    let line = |stop: &&Stopped| {
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
