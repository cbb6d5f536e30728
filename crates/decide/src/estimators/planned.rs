//! Whether a study of some size shows a difference of means: one rule for the numbers of items that `plan`, gates, tests of
//! differences and reports name.
//!
//! By Student's t the chance is exact (see `stats::power`). The other ends of an interval on a known scale, what outputs that
//! nobody judged could do, the shape of the error (see `skewness`) and the range alone (see `large_sample`), must leave out
//! the value where the mean is z_P standard errors nearer to it, which happens with probability 1 − P.

use super::fixed_bets::BoundedSample;
use super::large_sample::{DifferenceScale, LEAST_SEPARATE_LEVEL, joint_reach};
use super::rule::ENOUGH_ITEMS;
use super::skewness;
use super::tails::TailShape;
use tiebreak_base::stats::{power, quantiles};

/// The number of items up to which McNemar's power is summed exactly.
const MOST_SUMMED: u64 = 20_000;

/// The numbers that stand for a sample where only its mean and variance are expected.
const STAND_INS: u32 = 1000;

/// What an interval of a difference rests on in a study of some size.
pub(super) struct PlannedComparison<'a> {
    /// The degrees of freedom of the error.
    pub degrees: u64,
    /// The standard error of the difference.
    pub error: f64,
    /// What the scale says; `None` where it is not known.
    pub scale: Option<DifferenceScale>,
    /// The shape of the error, where an end takes it into account: rare drops make one end reach farther.
    pub shape: Option<TailShape>,
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
}

impl PlannedComparison<'_> {
    /// Whether the interval leaves out the value if that is the true difference; `alone`: also where the range alone does,
    /// at a level so small that this may be nearer.
    pub(super) fn shows(&self, difference: f64, end: &SoughtEnd, alone: bool) -> bool {
        let side = (difference - end.boundary).signum();
        let beyond = quantiles::normal(end.power).unwrap_or_default() * self.error;
        let unlucky = difference - side * beyond;
        let gap = side * (unlucky - end.boundary);
        let of_range = |&(sample, times): &(&BoundedSample, f64)| {
            // The value moves in the mean's stead.
            let moved = end.boundary + side * beyond;
            let p = match side > 0.0 {
                true => sample.p_above_of(moved, times),
                false => sample.p_below_of(moved, times),
            };
            p <= end.bounded
        };
        let by_shape = |level: f64| {
            let of_unseen = |scale: DifferenceScale| {
                let unseen = scale.unseen(scale.most + side * unlucky, level);
                let own = quantiles::two_sided_t(1.0 - 2.0 * level, self.degrees);
                // Above that level it is the farther of the two that counts.
                match own.filter(|_| level < LEAST_SEPARATE_LEVEL) {
                    Some(own) => joint_reach(own * self.error, unseen, level) <= gap,
                    None => unseen <= gap,
                }
            };
            let distance = (difference - end.boundary).abs();
            let of_shape = |shape: &TailShape| {
                let reaches = skewness::reaches_of(shape, self.degrees, 1.0 - 2.0 * level);
                let (below, above) = reaches.unwrap_or_default();
                let reach = if side > 0.0 { below } else { above };
                reach * self.error <= gap
            };
            self.scale.is_none_or(of_unseen)
                && self.shape.as_ref().is_none_or(of_shape)
                && shows_by_t(
                    distance,
                    self.error,
                    self.degrees,
                    &SoughtEnd { level, ..*end },
                )
        };
        let is_trusted = |scale: DifferenceScale| scale.trusts_shape(end.level);
        gap > 0.0
            && match &self.sample {
                Some(sample) if alone => {
                    by_shape(end.level.max(LEAST_SEPARATE_LEVEL))
                        && (self.scale.is_some_and(is_trusted) && by_shape(end.level)
                            || of_range(sample))
                }
                sample => by_shape(end.level) && sample.as_ref().is_none_or(of_range),
            }
    }

    /// Whether a study shows a difference from 0 of which only the variance of an item is expected.
    pub(super) fn expected_shows(&self, difference: f64, end: &SoughtEnd) -> bool {
        let is_bounded = end.level < LEAST_SEPARATE_LEVEL;
        let is_sampled = |scale: &DifferenceScale| is_bounded || scale.items < ENOUGH_ITEMS as f64;
        let sample = self.scale.filter(is_sampled).map(|scale| {
            let variance = self.error * self.error * scale.items;
            let times = scale.items / f64::from(STAND_INS);
            (stand_ins(difference, variance, scale.most), times)
        });
        let sample = sample.as_ref().map(|(sample, times)| (sample, *times));
        self.scale.is_none_or(|scale| difference <= scale.most)
            && PlannedComparison { sample, ..*self }.shows(difference, end, is_bounded)
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
