//! Which systems differ: differences of means and win rates for every pair, and groups of systems
//! that cannot be told apart.
//!
//! Sources: the error of a difference counts that both systems were judged on the same items, by what
//! each item contributes to each estimate (Liang and Zeger, Biometrika 1986). Which differences are
//! real is decided by Holm's procedure over all pairs (see `stats::holm`), so that any mistake among
//! them is as rare as the confidence says. Groups are those of the WMT shared tasks: in order of the
//! estimates a new group begins where every system above differs from every system below.
//!
//! Items that are few, or hardly ever tell the systems apart, are treated as `rule` treats them: with a
//! known range the interval is the hull of the usual one with what the range alone says of the items'
//! differences, and a difference is real only where both say so, the latter at an even share of the
//! error of all pairs (Bonferroni's; Holm's order would be by errors that such items do not tell). Without
//! a range there is no interval where nothing varies, and no difference is real.
//!
//! Intervals of differences and win rates are each for themselves; beside the former stands one at
//! the level at which Holm's procedure tested the pair, which leaves out 0 exactly where the difference
//! is real. A win is an item on which the mean
//! judgment of one system is higher; a tie is half a win; the interval of the rate is Wilson's.

use super::fixed_bets::FixedBets;
use super::rule;
use super::{Contributions, Range};
use crate::stats::{holm, quantiles, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of one system.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its estimated mean judgment.
    pub estimate: f64,
    /// The estimate's error, by item.
    pub error: Contributions,
    /// The mean judgment of each item.
    pub means: BTreeMap<u32, f64>,
    /// The range of the judgments, where it is known and judged items stand for all outputs alike.
    pub range: Option<Range>,
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
    /// Its interval; `None` where nothing varies and no range is known.
    pub interval: Option<(f64, f64)>,
    /// Its standard error.
    pub standard_error: f64,
    /// The interval at the level of this pair's step in Holm's procedure.
    pub corrected: Option<(f64, f64)>,
    /// Whether it is not 0, among all pairs.
    pub significant: bool,
    /// Items judged for both.
    pub items: u64,
    /// How often the first wins, ties half; `None` without shared items. Its interval is over items, so there is none where
    /// annotators add to the error.
    pub wins: Option<(f64, Option<(f64, f64)>)>,
}

/// Every pair of systems, by place; none unless 0 < confidence < 1.
pub fn differences(systems: &[Contender], confidence: f64) -> Vec<Difference> {
    let pairs = (0..systems.len()).flat_map(|a| (a + 1..systems.len()).map(move |b| (a, b)));
    let pairs: Vec<Pair> = pairs.map(|(a, b)| Pair::compare(systems, a, b)).collect();
    let fewest = systems.iter().map(|system| system.error.degrees()).min();
    let statistics: Vec<f64> = pairs.iter().map(Pair::statistic).collect();
    let critical = holm::critical_values(&statistics, confidence, fewest.unwrap_or(0));
    let even = 1.0 - (1.0 - confidence) / pairs.len() as f64;
    let told = |(pair, critical): (Pair, f64)| {
        let reach = quantiles::two_sided_t(confidence, pair.degrees)?;
        let corrected = pair.ends(critical, even);
        Some(Difference {
            a: pair.a,
            b: pair.b,
            difference: pair.difference,
            interval: pair.ends(reach, confidence),
            standard_error: pair.standard_error,
            significant: corrected.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0),
            corrected,
            items: pair.shared(systems).count() as u64,
            wins: pair.wins(systems, confidence),
        })
    };
    pairs.into_iter().zip(critical).filter_map(told).collect()
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

/// Two systems, and what is known of their difference.
struct Pair {
    a: usize,
    b: usize,
    difference: f64,
    standard_error: f64,
    degrees: u64,
    /// What the range alone says, where items are few or too much alike and a range is known.
    bounded: Option<FixedBets>,
    /// Whether nothing at all is known of the error.
    unknown: bool,
}

impl Pair {
    fn compare(systems: &[Contender], a: usize, b: usize) -> Self {
        let (one, other) = (&systems[a], &systems[b]);
        let standard_error = one.error.standard_error_of_difference(&other.error);
        let numbers = numbers(one, other);
        let values: Vec<f64> = numbers.iter().map(|number| number.0).collect();
        let ranges = one.range.is_some() && other.range.is_some();
        // Nothing but a finite population that is judged in full has no error where items vary.
        let certain = standard_error == 0.0 && rule::differing(&values) > 0;
        let few = rule::few(&values) || rule::is_rounding(standard_error, &values);
        let bounded = few && !certain;
        Self {
            a,
            b,
            difference: one.estimate - other.estimate,
            standard_error,
            degrees: one.error.degrees().min(other.error.degrees()),
            unknown: !certain && !ranges && rule::is_rounding(standard_error, &values),
            bounded: (bounded && ranges).then(|| FixedBets::between(numbers.into_iter())),
        }
    }

    /// The difference in standard errors. One without any error is infinitely many, unless there is
    /// none or nothing is known of it.
    fn statistic(&self) -> f64 {
        match (self.difference, self.standard_error) {
            (0.0, _) => 0.0,
            _ if self.unknown => 0.0,
            (difference, 0.0) => f64::INFINITY.copysign(difference),
            (difference, error) => difference / error,
        }
    }

    /// The interval that reaches so many standard errors, and holds what the range alone says at that
    /// confidence.
    fn ends(&self, reach: f64, confidence: f64) -> Option<(f64, f64)> {
        // An infinite reach is that of no error at all.
        let reach = if self.standard_error > 0.0 {
            reach * self.standard_error
        } else {
            0.0
        };
        let usual = (self.difference - reach, self.difference + reach);
        let bounded = match &self.bounded {
            Some(bounded) => bounded.interval(confidence)?,
            None => usual,
        };
        let hull = (usual.0.min(bounded.0), usual.1.max(bounded.1));
        (!self.unknown).then_some(hull)
    }

    /// The mean judgments of the items that both have.
    fn shared<'a>(&self, systems: &'a [Contender]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let (one, other) = (&systems[self.a].means, &systems[self.b].means);
        one.iter()
            .filter_map(|(item, y)| Some((*y, *other.get(item)?)))
    }

    /// How often the first is higher, ties half, with an interval over items; `None` without shared items.
    fn wins(&self, systems: &[Contender], confidence: f64) -> Option<(f64, Option<(f64, f64)>)> {
        let (wins, items) = self
            .shared(systems)
            .fold((0.0, 0), |(wins, items), (y, other)| {
                let win = if y > other {
                    1.0
                } else {
                    f64::from(u8::from(y == other)) / 2.0
                };
                (wins + win, items + 1)
            });
        (items > 0).then(|| {
            let share = wins / items as f64;
            let both = [self.a, self.b].map(|at| &systems[at].error);
            let by_items = both.iter().all(|error| error.crossed.is_none());
            let interval = || wilson::interval(share, items, confidence);
            (share, by_items.then(interval))
        })
    }
}

/// For each item that either has a number, whose mean is the difference of the systems' mean judgments,
/// and the bounds it has by their ranges; without ranges its own value.
fn numbers(one: &Contender, other: &Contender) -> Vec<(f64, [f64; 2])> {
    let items: BTreeSet<u32> = one
        .means
        .keys()
        .chain(other.means.keys())
        .copied()
        .collect();
    let parts = |system: &Contender, item: u32| {
        let weight = items.len() as f64 / system.means.len() as f64;
        system.means.get(&item).map_or([0.0; 3], |&y| {
            let ends = system.range.map_or([y, y], |of| [of.lower(), of.upper()]);
            [weight * y, weight * ends[0], weight * ends[1]]
        })
    };
    let number = |&item: &u32| {
        let ([x, low, high], [y, bottom, top]) = (parts(one, item), parts(other, item));
        (x - y, [low - top, high - bottom])
    };
    items.iter().map(number).collect()
}
