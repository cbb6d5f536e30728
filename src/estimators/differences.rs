//! Which systems differ: differences of means and win rates for every pair, and groups of systems
//! that cannot be told apart.
//!
//! Sources: the error of a difference counts that both systems were judged on the same items, by what
//! each item contributes to each estimate (Liang and Zeger, Biometrika 1986). Which differences are
//! real is decided by Holm's procedure over all pairs (see `stats::holm`), so that any mistake among
//! them is as rare as the confidence says. Groups are those of the WMT shared tasks: in order of the
//! estimates a new group begins where every system above differs from every system below.
//!
//! Intervals of differences and win rates are each for themselves; beside the former stands one at
//! the level at which Holm's procedure tested the pair, which leaves out 0 exactly where the difference
//! is real. A win is an item on which the mean
//! judgment of one system is higher; a tie is half a win; the interval of the rate is Wilson's.

use super::Contributions;
use crate::stats::{holm, quantiles, wilson};
use std::collections::BTreeMap;

/// What is known of one system.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its estimated mean judgment.
    pub estimate: f64,
    /// The estimate's error, by item.
    pub error: Contributions,
    /// The mean judgment of each item.
    pub means: BTreeMap<u32, f64>,
}

/// One pair of systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The place of the first system.
    pub a: usize,
    /// The place of the second, later one.
    pub b: usize,
    /// The first's estimate minus the second's.
    pub difference: f64,
    /// Lower end of its interval.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The interval at the level of this pair's step in Holm's procedure.
    pub corrected: (f64, f64),
    /// Whether it is not 0, among all pairs.
    pub significant: bool,
    /// Items judged for both.
    pub items: u64,
    /// How often the first wins, ties half, and the interval; `None` without shared items.
    pub wins: Option<(f64, f64, f64)>,
}

/// Every pair of systems, by place; none unless 0 < confidence < 1.
pub fn differences(systems: &[Contender], confidence: f64) -> Vec<Difference> {
    let pairs = (0..systems.len()).flat_map(|a| (a + 1..systems.len()).map(move |b| (a, b)));
    let mut all: Vec<Difference> = pairs
        .filter_map(|(a, b)| pair(systems, a, b, confidence))
        .collect();
    let fewest = systems
        .iter()
        .map(|system| system.error.df)
        .min()
        .unwrap_or(0);
    let statistics: Vec<f64> = all.iter().map(statistic).collect();
    let critical = holm::critical_values(&statistics, confidence, fewest);
    for ((one, statistic), critical) in all.iter_mut().zip(statistics).zip(critical) {
        one.significant = statistic.abs() > critical;
        let reach = critical * one.standard_error;
        one.corrected = (one.difference - reach, one.difference + reach);
    }
    all
}

/// The groups of systems that differ, best first; places within a group from the highest estimate on.
pub fn groups(systems: &[Contender], differences: &[Difference]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..systems.len()).collect();
    order.sort_by(|&a, &b| {
        systems[b]
            .estimate
            .total_cmp(&systems[a].estimate)
            .then(a.cmp(&b))
    });
    let differ = |a: usize, b: usize| {
        let pair = (a.min(b), a.max(b));
        let found = differences.iter().find(|one| (one.a, one.b) == pair);
        found.is_some_and(|one| one.significant)
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, &system) in order.iter().enumerate() {
        let (above, below) = order.split_at(place);
        let apart = above.iter().all(|&a| below.iter().all(|&b| differ(a, b)));
        match groups.last_mut().filter(|_| !apart) {
            Some(group) => group.push(system),
            None => groups.push(vec![system]),
        }
    }
    groups
}

fn pair(systems: &[Contender], a: usize, b: usize, confidence: f64) -> Option<Difference> {
    let (one, other) = (&systems[a], &systems[b]);
    let standard_error = one.error.standard_error_of_difference(&other.error);
    let reach = quantiles::two_sided_t(confidence, one.error.df.min(other.error.df))?;
    let difference = one.estimate - other.estimate;
    let (wins, items) = wins(&one.means, &other.means);
    let rate = (items > 0).then(|| {
        let share = wins / items as f64;
        let (lower, upper) = wilson::interval(share, items, confidence);
        (share, lower, upper)
    });
    Some(Difference {
        a,
        b,
        difference,
        lower: difference - reach * standard_error,
        upper: difference + reach * standard_error,
        standard_error,
        corrected: (difference, difference), // once all pairs are there
        significant: false,
        items,
        wins: rate,
    })
}

/// A difference in standard errors. One without any error is infinitely many, unless there is none.
fn statistic(one: &Difference) -> f64 {
    match (one.difference, one.standard_error) {
        (0.0, _) => 0.0,
        (difference, 0.0) => f64::INFINITY.copysign(difference),
        (difference, error) => difference / error,
    }
}

/// How often the first is higher, ties half, and on how many items.
fn wins(one: &BTreeMap<u32, f64>, other: &BTreeMap<u32, f64>) -> (f64, u64) {
    let shared = one
        .iter()
        .filter_map(|(item, y)| Some((y, other.get(item)?)));
    shared.fold((0.0, 0), |(wins, items), (y, other)| {
        let win = if y > other {
            1.0
        } else {
            f64::from(u8::from(y == other)) / 2.0
        };
        (wins + win, items + 1)
    })
}
