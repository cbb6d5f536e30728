//! The ends of an interval of a difference by the shape of the sample, at any level of an end.
//!
//! With a known scale, S is the farther reach of Student's t and Hall's transformation (see `skewness`). V is what outputs
//! that went unseen could do: of n items a share ln(1/α)/n goes unseen with probability α.
//!
//! * From a level of .01 on an end reaches max(S, V).
//! * Below, two misses join too often: outputs go unseen while the others are off. An unseen share of x V costs a chance
//!   of α^x, and being off by v S costs about α^(v²). With x = 1 − v² both move the mean by (1 − v²) V + v S, which is
//!   V + S²/4V at most. An end reaches that, with K V for V, as long as S < 2 K V, and else S. K = 1 + ln(.01/α)/8 is
//!   for gains and losses that offset each other.
//!
//! How many times its level one end misses, and in brackets by max(S, V). The largest found by importance sampling over
//! some 120 distributions, for n items; the standard error is .01 to .05 (in brackets up to .5):
//!
//! | level | 30 | 100 | 300 | 1000 | 3000 | 10,000 |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | .025 | 1.3 | 1.4 | 1.4 | 1.4 | 1.4 | 1.4 |
//! | .01 | 1.2 | 1.7 | 1.7 | 1.9 | 1.9 | 1.9 |
//! | .0099 | 0.8 (1.3) | 1.1 (1.7) | 1.3 (1.7) | 1.3 (1.8) | 1.3 (2.0) | 1.3 (1.9) |
//! | .005 | 0.5 (1.3) | 1.1 (1.7) | 1.3 (1.8) | 1.3 (1.8) | 1.4 (1.9) | 1.4 (1.9) |
//! | .001 | 0.1 (1.1) | 0.9 (2.0) | 1.3 (2.7) | 1.4 (2.5) | 1.4 (2.8) | 1.4 (2.5) |
//! | .0001 | 0.0 (0.7) | 0.6 (3.3) | 1.2 (4.9) | 1.4 (4.1) | 1.5 (4.2) | 1.5 (4.3) |
//! | .00001 | 0.0 (0.3) | 0.1 (4.3) | 0.9 (6.2) | 1.2 (6.4) | 1.3 (6.5) | 1.5 (6.7) |
//! | .000001 | 0.0 (0.1) | 0.0 (4.2) | 0.7 (11.5) | 1.1 (12.2) | 1.3 (12.2) | 1.4 (11.5) |
//!
//! The distributions: ties of 70 to 99 % with wins and losses in any proportion, five stars, clipped normal, log-normal
//! and exponential ones, 1 to 10 % of catastrophes. Also those that n makes hardest: 8 to 200 items that differ by all of
//! the scale or a part, and 3 to 20 catastrophes beside a deviation of 2 R/√n to 5 R/√n. The worst are of 8 to 30 such
//! items, about 7 in 10 of them wins. So no number of items is enough for max(S, V) below .01. Of those that do not
//! change with n, 10,000 items are enough: 1.05 times at most.

use super::rule::ENOUGH_ITEMS;
use super::tails::TailShape;
use super::{Contributions, finite, skewness};
use tiebreak_base::stats::bisection::bisected;
use tiebreak_base::stats::quantiles;

/// The level of an end from which on the farther of its two reaches is enough.
pub(super) const LEAST_SEPARATE_LEVEL: f64 = 0.01;

/// The level of an end down to which the shape of a sample has been shown to hold.
const LEAST_SHAPE_LEVEL: f64 = 1e-6;

/// The level of an end up to which p-values are told apart; larger ones are 1. At 1/2 there is no interval.
const LARGEST_LEVEL: f64 = 0.499;

/// A mean difference and the shape of its error.
#[derive(Debug, Clone)]
pub(super) struct LargeSample {
    pub mean: f64,
    /// The standard error and its degrees of freedom.
    pub standard: f64,
    pub df: u64,
    /// `None` where nothing varies.
    shape: Option<TailShape>,
    pub scale: Option<DifferenceScale>,
}

/// What a known scale says of the outputs that went unseen.
#[derive(Debug, Clone, Copy)]
pub(super) struct DifferenceScale {
    /// The largest possible difference.
    pub most: f64,
    /// The number of items of which one goes unseen as easily.
    pub items: f64,
    /// The share of the outputs for which no judged item stands.
    pub missing: f64,
    /// The share of the outputs that is not judged; 1 where they are not all that matter.
    pub left: f64,
}

impl DifferenceScale {
    /// The scale of so many items that stand for countless ones.
    pub(super) fn of_sample(most: f64, items: f64) -> Self {
        Self {
            most,
            items,
            missing: 0.0,
            left: 1.0,
        }
    }

    /// How far outputs that went unseen could move an end, where so large a difference is possible.
    pub(super) fn unseen(&self, room: f64, level: f64) -> f64 {
        let share = unseen_share(self.items, level) + self.missing;
        finite::hidden(share.min(1.0), self.left) * room
    }

    /// Whether the shape of so many items is trusted at a level.
    pub(super) fn trusts_shape(&self, level: f64) -> bool {
        level >= LEAST_SHAPE_LEVEL && self.items >= ENOUGH_ITEMS as f64
    }
}

impl LargeSample {
    pub(super) fn new(mean: f64, error: &Contributions, scale: Option<DifferenceScale>) -> Self {
        Self {
            mean,
            standard: error.standard_error(),
            df: error.df,
            shape: TailShape::from_contributions(error),
            scale,
        }
    }

    /// The shape of the error of so many times as many items, where an end takes it into account.
    pub(super) fn shape_of(&self, times: f64) -> Option<TailShape> {
        let shape = self.shape.filter(|_| self.scale.is_some())?;
        Some(shape.of_items((times * shape.n).round() as u64))
    }

    /// The farther reach by the shape of the error with another skewness, in standard errors; 0 without a shape.
    pub(super) fn skewed_reach(&self, level: f64, skewness: impl Fn(f64) -> f64) -> f64 {
        let reaches = self.shape_of(1.0).and_then(|shape| {
            let shape = shape.with_skewness(skewness(shape.skewness));
            skewness::reaches_of(&shape, self.df, 1.0 - 2.0 * level)
        });
        reaches.map_or(0.0, |(below, above)| below.max(above))
    }

    /// The ends, each missed with probability `level`; without a scale by Student's t. `None` without degrees of freedom.
    pub(super) fn ends(&self, level: f64) -> Option<(f64, f64)> {
        let [below, above] = self
            .reaches(level)?
            .map(|(own, unseen)| joint_reach(own, unseen, level));
        Some((self.mean - below, self.mean + above))
    }

    /// The reaches below and above the mean by the shape, and those by outputs that went unseen.
    fn reaches(&self, level: f64) -> Option<[(f64, f64); 2]> {
        let confidence = 1.0 - 2.0 * level;
        let plain = quantiles::two_sided_t(confidence, self.df)?;
        let shape = self.shape.as_ref().filter(|_| self.scale.is_some());
        let skewed = shape.and_then(|shape| skewness::reaches_of(shape, self.df, confidence));
        let (left, right) = skewed.unwrap_or_default();
        let unseen = |side: f64| {
            let of_scale =
                |scale| DifferenceScale::unseen(scale, scale.most + side * self.mean, level);
            self.scale.as_ref().map_or(0.0, of_scale)
        };
        // An infinite reach means no error at all.
        let own = |skewed: f64| match self.standard > 0.0 {
            true => self.standard * plain.max(skewed),
            false => 0.0,
        };
        Some([(own(left), unseen(1.0)), (own(right), unseen(-1.0))])
    }

    /// The ends at a level below [`LEAST_SEPARATE_LEVEL`], from those of the range alone: the nearer of the two, as far as the
    /// shape is trusted. They leave at least as much open as those at that level: of few items the range alone says more.
    pub(super) fn ends_within(&self, of_range: (f64, f64), level: f64) -> Option<(f64, f64)> {
        let (mut lower, mut upper) = of_range;
        if self.scale.is_some_and(|scale| scale.trusts_shape(level)) {
            let own = self.ends(level)?;
            (lower, upper) = (lower.max(own.0), upper.min(own.1));
        }
        let least = self.ends(LEAST_SEPARATE_LEVEL)?;
        Some((lower.min(least.0), upper.max(least.1)))
    }

    /// The p-value by the same ends: the least level at which they exclude a value, as `excludes` tells of the shape's and
    /// `of_range` is the range's own.
    pub(super) fn least_level_within(
        &self,
        excludes: impl Fn(f64) -> bool,
        of_range: impl FnOnce() -> f64,
    ) -> f64 {
        if !excludes(LEAST_SEPARATE_LEVEL) {
            return least_level(LEAST_SEPARATE_LEVEL, excludes);
        }
        let is_trusted = |scale: DifferenceScale| scale.trusts_shape(LEAST_SHAPE_LEVEL);
        let least = match self.scale.is_some_and(is_trusted) {
            true => LEAST_SHAPE_LEVEL,
            false => LEAST_SEPARATE_LEVEL,
        };
        // The end moves at that level: a value between is excluded at it, and at none below.
        let own = least_level(least, excludes).min(LEAST_SEPARATE_LEVEL);
        own.min(of_range())
    }
}

/// The share of mass that can go unseen among so many items at a level.
pub(super) fn unseen_share(items: f64, level: f64) -> f64 {
    (-level.ln() / items).min(1.0)
}

/// The reach of an end, from that by the sample's own shape and that by outputs which went unseen.
pub(super) fn joint_reach(own: f64, unseen: f64, level: f64) -> f64 {
    let wide = unseen * (1.0 + 0.125 * (LEAST_SEPARATE_LEVEL / level).ln());
    match level < LEAST_SEPARATE_LEVEL && own < 2.0 * wide {
        true => wide + own * own / (4.0 * wide),
        false => own.max(unseen),
    }
}

/// The smallest level from `least` on at which an end excludes a value; 1 where none up to 1/2 does.
pub(super) fn least_level(least: f64, excludes: impl Fn(f64) -> bool) -> f64 {
    let found = bisected(least.ln(), LARGEST_LEVEL.ln(), |ln| excludes(ln.exp()));
    found.map_or(1.0, f64::exp)
}

#[cfg(test)]
mod tests;
