//! Whether a study of some size shows a difference of means: one rule for the numbers of items that `plan`, gates, tests of
//! differences and reports name.
//!
//! By Student's t the chance is exact (see `stats::power`). The other ends of an interval on a known scale, what outputs that
//! nobody judged could do and the range alone (see `paired`), must leave out the value where the mean is z_P standard errors
//! nearer to it, which happens with probability 1 − P.

use super::finite;
use super::fixed_bets::BoundedSample;
use super::paired::LEAST_LARGE_SAMPLE_LEVEL;
use super::rule::ENOUGH_ITEMS;
use tiebreak_base::stats::{power, quantiles};

/// The number of items up to which McNemar's power is summed exactly.
const MOST_SUMMED: u64 = 20_000;

/// The numbers that stand for a sample where only its mean and variance are expected.
const STAND_INS: u32 = 1000;

/// What an interval of a difference rests on in a study of some size.
pub(super) struct PlannedComparison<'a> {
    /// The number of items of which one goes unseen as easily.
    pub items: f64,
    /// The degrees of freedom of the error.
    pub degrees: u64,
    /// The standard error of the difference.
    pub error: f64,
    /// The largest possible difference; `None` where the scale is not known.
    pub most: Option<f64>,
    /// The share of the outputs for which no judged item stands.
    pub missing: f64,
    /// The share of the outputs that is not judged; 1 where they are not all that matter.
    pub left: f64,
    /// The sample whose bounds the interval reaches, where it does, and how many times as many such numbers there are.
    pub sample: Option<(&'a BoundedSample, f64)>,
}

/// The end of an interval that is to leave out a value.
#[derive(Clone, Copy)]
pub(super) struct SoughtEnd {
    /// The value.
    pub boundary: f64,
    /// The level of the end.
    pub level: f64,
    /// The level of a bound from the range alone.
    pub bounded: f64,
    /// The probability with which the end is to leave it out.
    pub power: f64,
}

impl SoughtEnd {
    /// An end that has one level, whatever it rests on.
    pub(super) fn new(boundary: f64, level: f64, power: f64) -> Self {
        Self {
            boundary,
            level,
            bounded: level,
            power,
        }
    }

    /// Whether the interval is that of the range alone, where the sample is one of plain numbers.
    pub(super) fn is_of_range(&self) -> bool {
        self.level < LEAST_LARGE_SAMPLE_LEVEL
    }
}

impl PlannedComparison<'_> {
    /// Whether the interval leaves out the value if that is the true difference; `alone`: by the range alone.
    pub(super) fn shows(&self, difference: f64, end: &SoughtEnd, alone: bool) -> bool {
        let side = (difference - end.boundary).signum();
        let beyond = quantiles::normal(end.power).unwrap_or_default() * self.error;
        let unlucky = difference - side * beyond;
        let gap = side * (unlucky - end.boundary);
        // The other ends stay where they are at the least level that they are trusted at.
        let own = SoughtEnd {
            level: if alone {
                end.level.max(LEAST_LARGE_SAMPLE_LEVEL)
            } else {
                end.level
            },
            ..*end
        };
        let of_range = |&(sample, times): &(&BoundedSample, f64)| {
            // The value moves in the mean's stead.
            let moved = end.boundary + side * beyond;
            let p = match side > 0.0 {
                true => sample.p_above_of(moved, times),
                false => sample.p_below_of(moved, times),
            };
            p <= end.bounded
        };
        let of_unseen = |most: f64| {
            let share = unseen_share(self.items, own.level) + self.missing;
            finite::hidden(share.min(1.0), self.left) * (most + side * unlucky) <= gap
        };
        let distance = (difference - end.boundary).abs();
        gap > 0.0
            && self.sample.as_ref().is_none_or(of_range)
            && self.most.is_none_or(of_unseen)
            && shows_by_t(distance, self.error, self.degrees, &own)
    }

    /// Whether a study shows a difference from 0 of which only the variance of an item is expected.
    pub(super) fn expected_shows(&self, difference: f64, end: &SoughtEnd) -> bool {
        let is_few = self.items < ENOUGH_ITEMS as f64;
        let most = self.most.filter(|_| end.is_of_range() || is_few);
        let sample = most.map(|most| {
            let variance = self.error * self.error * self.items;
            stand_ins(difference, variance, most)
        });
        let times = self.items / f64::from(STAND_INS);
        let sample = sample.as_ref().map(|sample| (sample, times));
        let alone = sample.is_some() && end.is_of_range();
        self.most.is_none_or(|most| difference <= most)
            && PlannedComparison { sample, ..*self }.shows(difference, end, alone)
    }
}

/// Numbers with a mean and, as far as a scale of differences up to `most` allows, a variance.
fn stand_ins(mean: f64, variance: f64, most: f64) -> BoundedSample {
    let all = f64::from(STAND_INS);
    let high = (mean + variance.sqrt()).min(most);
    let low = (mean - variance / (high - mean)).max(-most);
    let highs = match variance > 0.0 {
        true => ((mean - low) / (high - low) * all).round().min(all - 1.0),
        false => 0.0,
    };
    // What rounding their number adds to the mean is taken from the lower ones.
    let low = ((mean * all - high * highs) / (all - highs)).max(-most);
    let number = |at: u32| if f64::from(at) < highs { high } else { low };
    BoundedSample::between((0..STAND_INS).map(|at| (number(at), [-most, most])))
}

/// The share of mass that can go unseen among so many items at a level.
pub(super) fn unseen_share(items: f64, level: f64) -> f64 {
    (-level.ln() / items).min(1.0)
}

/// Whether Student's t leaves out a value at a distance.
pub(super) fn shows_by_t(distance: f64, error: f64, degrees: u64, end: &SoughtEnd) -> bool {
    let found = power::power_of_t(distance / error, degrees, 1.0 - 2.0 * end.level);
    distance > 0.0 && found.is_some_and(|found| found >= end.power)
}

/// Whether the exact test of n yes-or-no items shows a difference, of which these shares are successes of one system alone.
pub(super) fn mcnemar_shows([first, second]: [f64; 2], n: u64, end: &SoughtEnd) -> bool {
    if n <= MOST_SUMMED {
        let (more, fewer) = (first.max(second), first.min(second));
        return power::power_of_mcnemar(more, fewer, n, 2.0 * end.level) >= end.power;
    }
    // The exact test is about one item wider.
    let (items, difference) = (n as f64, (first - second).abs());
    let error = ((first + second - difference * difference) / items).sqrt();
    shows_by_t(difference - 1.0 / items, error, n - 1, end)
}
