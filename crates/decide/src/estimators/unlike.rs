//! Tests whether the items that one of two systems has alone are judged as those that both have.
//!
//! A difference of two means is about the systems only where chance decided which items a system has. Where one was judged
//! on harder items too, two systems that are equal on every item seem to differ, however many judgments there are.
//!
//! Welch's t test of the items' means, for each of the two systems, with Bonferroni's correction over both and all pairs.
//! Outputs that were chosen with known probabilities or in strata are not tested: there the design says what chance did.

use std::collections::BTreeMap;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::special::student_t_above;

/// The probability that items of any pair stand out where chance chose them.
const LEVEL: f64 = 0.01;

/// The fewest items of either kind that are tested.
const LEAST: u64 = 10;

/// Items of one system alone are few where this many times as many are fewer than those of both.
const FEW: usize = 4;

/// Items that one of two systems has alone and that are judged unlike those of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnlikeItems {
    /// The system's place among those that are compared.
    pub system: usize,
    /// The number of items that it has alone.
    pub alone: u64,
    /// Its mean on these.
    pub mean_alone: f64,
    /// Its mean on those of both.
    pub mean_shared: f64,
}

impl UnlikeItems {
    /// Returns the items of one of two systems that stand out, by the mean judgment of each item. `pairs` is the number of
    /// pairs.
    pub fn between([one, other]: [&BTreeMap<u32, f64>; 2], pairs: usize) -> Option<Self> {
        stands_out([(0, one), (1, other)], |mean| *mean, pairs)
    }

    /// The same where a difference is that on the items of both; `None` also where so few items are of one alone that
    /// these could hardly change it.
    pub fn beside_shared(means: [&BTreeMap<u32, f64>; 2], pairs: usize) -> Option<Self> {
        let [shared, alone] = Self::shared_and_alone(means);
        (FEW * alone >= shared).then(|| Self::between(means, pairs))?
    }

    /// The numbers of items that both of two systems have, and that only one of them has.
    pub fn shared_and_alone([one, other]: [&BTreeMap<u32, f64>; 2]) -> [usize; 2] {
        let shared = one.keys().filter(|item| other.contains_key(item)).count();
        [shared, one.len() + other.len() - 2 * shared]
    }
}

/// Whether most of the items that either of two systems has are those of both.
pub(super) fn are_mostly_shared(shared: usize, alone: usize) -> bool {
    alone < shared
}

/// Returns the items of a system that stand out, of one of `pairs` pairs: two systems with their places and items, of which
/// a function tells the mean.
pub(super) fn stands_out<T>(
    [one, other]: [(usize, &BTreeMap<u32, T>); 2],
    mean: impl Fn(&T) -> f64,
    pairs: usize,
) -> Option<UnlikeItems> {
    let level = LEVEL / (2 * pairs) as f64;
    let tested = |(system, items): (usize, &BTreeMap<u32, T>), beside: &BTreeMap<u32, T>| {
        let (mut shared, mut alone) = (Moments::default(), Moments::default());
        for (item, one) in items {
            match beside.contains_key(item) {
                true => shared.push(mean(one)),
                false => alone.push(mean(one)),
            }
        }
        let is_enough = shared.count().min(alone.count()) >= LEAST;
        (is_enough && p_value(&shared, &alone)? < level).then_some(UnlikeItems {
            system,
            alone: alone.count(),
            mean_alone: alone.mean()?,
            mean_shared: shared.mean()?,
        })
    };
    tested(one, other.1).or_else(|| tested(other, one.1))
}

/// The two-sided p-value of equal means; `None` where nothing varies.
fn p_value(one: &Moments, other: &Moments) -> Option<f64> {
    let part = |of: &Moments| Some(of.sample_variance()? / of.count() as f64);
    let (a, b) = (part(one)?, part(other)?);
    let apart = (one.mean()? - other.mean()?).abs();
    if a + b == 0.0 {
        return (apart > 0.0).then_some(0.0);
    }
    let degrees = |part: f64, of: &Moments| part * part / (of.count() - 1) as f64;
    let df = (a + b).powi(2) / (degrees(a, one) + degrees(b, other));
    Some(2.0 * student_t_above(apart / (a + b).sqrt(), df))
}
