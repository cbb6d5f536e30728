//! The difference of two systems on the same items: its interval and tests at any level, and what n items can show.
//!
//! One number an item, the difference of its judgments, on a known scale: R is the largest possible difference.
//!
//! * Yes or no on every item: the exact interval for paired proportions (see `stats::paired_proportions`).
//! * Scores: the lower end is the least of three. Student's t; Hall's transformation (see `skewness`), for items that
//!   differ unevenly; and d̄ − c (d̄ + R) with c = ln(1/α)/n: a share c of items that fell by R could have stayed unseen with
//!   probability α. The upper end likewise. Where regressions are rare, plain t finds a false gain in 10 to 36 % of samples.
//! * Scores at a level below .01, where these three miss together too often: an end reaches farther (see `large_sample`),
//!   or as far as the range alone says (see `fixed_bets`) if that is nearer.
//!
//! A level is that of one end. The p-value is the level from which on the end excludes a value.

use super::Contributions;
use super::fixed_bets::BoundedSample;
use super::large_sample::{DifferenceScale, LEAST_SEPARATE_LEVEL, LargeSample, unseen_share};
use super::planned::{PlannedComparison, SoughtEnd, mcnemar_shows, shows_by_t};
use super::prospect::fewest;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::bisection::bisected;
use tiebreak_base::stats::paired_proportions::PairedCounts;
use tiebreak_base::stats::{power, quantiles};

/// The part of the largest difference below which differences are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// The samples that are drawn to tell how often a system without a difference passes, and the fewest that tell it.
const DRAWS: u64 = 1000;
const FEWEST_DRAWS: u64 = 200;

/// The most items of all of these samples together.
const WORK: u64 = 5_000_000;

/// The most items that differ by yes or no for which samples are drawn: of more the normal approximation tells as much.
const MOST_DIFFERING: u64 = 30;

/// The part by which a named margin is larger than needed, so that it may be rounded.
const SPARE: f64 = 0.001;

/// The differences of two systems on the same items.
#[derive(Debug, Clone)]
pub struct PairedDifferences {
    n: u64,
    /// The largest possible difference.
    most: f64,
    sample: LargeSample,
    /// How much a drop adds to the variance of the differences, by its size.
    rise: f64,
    /// Where each item is a success or a failure of either system.
    counts: Option<PairedCounts>,
    bounded: BoundedSample,
}

impl PairedDifferences {
    /// The differences of items, first system less second, none of which can exceed `most`; `yes_no`: either system
    /// succeeds or fails. `None` without items.
    pub fn new(values: &[f64], most: f64, yes_no: bool) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let spread = (n * (n - 1.0)).sqrt().max(1.0);
        let items = (0..).zip(values);
        let by_item = items.map(|(item, d)| (item, (d - mean) / spread)).collect();
        let of = |sign: f64| values.iter().filter(|&&d| d == sign * most).count() as u64;
        let (first, second, same) = (of(1.0), of(-1.0), of(0.0));
        let counts = PairedCounts {
            only_first: first,
            only_second: second,
            n: values.len() as u64,
        };
        let numbers = values.iter().map(|&d| (d, [-most, most]));
        let scale = DifferenceScale::of_sample(most, n);
        (!values.is_empty()).then(|| Self {
            n: counts.n,
            most,
            sample: LargeSample::new(
                mean,
                &Contributions::of_items(by_item, counts.n - 1),
                Some(scale),
            ),
            rise: rise(values, mean, most),
            counts: (yes_no && first + second + same == counts.n).then_some(counts),
            bounded: BoundedSample::between(numbers),
        })
    }

    /// The number of items.
    pub(super) fn items(&self) -> u64 {
        self.n
    }

    /// The mean of the differences.
    pub fn mean(&self) -> f64 {
        self.sample.mean
    }

    /// The standard error of the mean; 0 for one item.
    pub fn standard_error(&self) -> f64 {
        self.sample.standard
    }

    /// The standard deviation of the differences.
    fn deviation(&self) -> f64 {
        self.standard_error() * (self.n as f64).sqrt()
    }

    /// The ends of the interval, each missed with probability `level` at most; 0 < level < 1/2.
    pub fn ends(&self, level: f64) -> (f64, f64) {
        let (lower, upper) = match &self.counts {
            Some(counts) => {
                let (lower, upper) = counts.ends(level);
                (lower * self.most, upper * self.most)
            }
            None => self.score_ends(level).unwrap_or((-self.most, self.most)),
        };
        (lower.max(-self.most), upper.min(self.most))
    }

    fn score_ends(&self, level: f64) -> Option<(f64, f64)> {
        if level >= LEAST_SEPARATE_LEVEL {
            return self.sample.ends(level);
        }
        let of_range = self.bounded.interval(1.0 - 2.0 * level)?;
        self.sample.ends_within(of_range, level)
    }

    /// The one-sided p-value of the hypothesis that the mean is `x` or less; above 1/2 it is 1.
    pub fn p_above(&self, x: f64) -> f64 {
        let bets = || self.bounded.p_above(x);
        self.p_value(
            |counts| counts.p_above(x / self.most),
            bets,
            |(lower, _)| lower > x,
        )
    }

    /// The one-sided p-value of the hypothesis that the mean is `x` or more; above 1/2 it is 1.
    pub fn p_below(&self, x: f64) -> f64 {
        let bets = || self.bounded.p_below(x);
        self.p_value(
            |counts| counts.p_below(x / self.most),
            bets,
            |(_, upper)| upper < x,
        )
    }

    fn p_value(
        &self,
        exact: impl Fn(&PairedCounts) -> f64,
        bets: impl Fn() -> f64,
        beyond: impl Fn((f64, f64)) -> bool,
    ) -> f64 {
        match &self.counts {
            Some(counts) => exact(counts),
            None => {
                let excludes = |level| self.sample.ends(level).is_some_and(&beyond);
                self.sample.least_level_within(excludes, bets)
            }
        }
    }

    /// The smallest true difference that these items show at a level of either end with probability `power`; `None` where
    /// not even the largest possible one. Where nearly all items agree, more of them differ once a system is worse. By yes
    /// or no, a share 2p(1 − p) differs where either succeeds with probability p by itself, and a small drop D adds
    /// (2p − 1) D to it. Scores are taken to be alike, in steps as large as their differences.
    pub fn detectable(&self, level: f64, power: f64) -> Option<f64> {
        let found = match &self.counts {
            Some(counts) => {
                let n = counts.n;
                let differing = (counts.only_first + counts.only_second) as f64 / n as f64;
                let rise = agreement(differing);
                let finds = |difference: f64| {
                    let differing = (differing + rise * difference).clamp(difference, 1.0);
                    let shares = [differing + difference, differing - difference];
                    power::power_of_mcnemar(0.5 * shares[0], 0.5 * shares[1], n, 2.0 * level)
                };
                let found = bisected(0.0, 1.0, |difference| finds(difference) >= power);
                found.map(|share| share * self.most)
            }
            None => self.detectable_score(level, power),
        };
        found.filter(|&difference| difference <= self.most)
    }

    fn detectable_score(&self, level: f64, power: f64) -> Option<f64> {
        let (error, z) = (self.standard_error(), quantiles::normal(power)?);
        let moved = |difference: f64| self.rise * (self.mean().abs() + difference);
        let error_at = |difference: f64| error.hypot((moved(difference) / self.n as f64).sqrt());
        let t = power::noncentrality(1.0 - 2.0 * level, power, self.sample.df)?;
        // Infinite where all can go unseen.
        let unseen = unseen_share(self.n as f64, level);
        let unseen = unseen / (1.0 - unseen) * self.most;
        let skewed = |difference: f64| {
            let variance = self.deviation().powi(2);
            let reach = self.sample.skewed_reach(level, |skewness| {
                // More drops vary more, and are less skewed.
                let cubes = skewness.abs() * variance.powf(1.5) + self.rise * moved(difference);
                cubes / (variance + moved(difference)).powf(1.5)
            });
            reach * error_at(difference)
        };
        let reach = (level < LEAST_SEPARATE_LEVEL).then(|| {
            let (lower, upper) = self.ends(level);
            (self.mean() - lower).max(upper - self.mean())
        });
        let finds = |difference: f64| {
            let beyond = z * error_at(difference);
            difference
                >= match reach {
                    Some(reach) => reach + beyond,
                    None => {
                        let of_shape = skewed(difference) + beyond;
                        (t * error_at(difference))
                            .max(unseen + beyond)
                            .max(of_shape)
                    }
                }
        };
        bisected(0.0, self.most, finds)
    }

    /// The number of items at which an end at a level excludes `boundary` with probability `power`, were the true
    /// difference the observed one and did items differ as these do; `None` where no number does.
    pub fn needed(&self, boundary: f64, level: f64, power: f64) -> Option<u64> {
        let is_level = (self.mean() - boundary).abs() <= 1e-9 * self.most;
        let end = SoughtEnd::new(boundary, level, power);
        (!is_level).then(|| fewest(2, |n| self.is_found(n, &end)))?
    }

    /// Whether so many items are enough for that.
    pub(super) fn is_found(&self, n: u64, end: &SoughtEnd) -> bool {
        let distance = (self.mean() - end.boundary).abs();
        let items = n as f64;
        let error = self.deviation() / items.sqrt();
        let degrees = n.saturating_sub(1);
        match &self.counts {
            Some(counts) if end.boundary == 0.0 => {
                let differing = [counts.only_first, counts.only_second];
                mcnemar_shows(
                    differing.map(|count| count as f64 / counts.n as f64),
                    n,
                    end,
                )
            }
            // An exact interval is about one item wider; without any item that differs it is (1 − distance)ⁿ = level.
            Some(_) => {
                items >= end.level.ln() / (-distance.min(1.0)).ln_1p()
                    && shows_by_t(distance - self.most / items, error, degrees, end)
            }
            None => {
                let is_bounded = end.level < LEAST_SEPARATE_LEVEL;
                let study = PlannedComparison {
                    degrees,
                    error,
                    scale: Some(DifferenceScale::of_sample(self.most, items)),
                    shape: self.sample.shape_of(items / self.n as f64),
                    sample: is_bounded.then_some((&self.bounded, items / self.n as f64)),
                };
                study.shows(self.mean(), end, is_bounded)
            }
        }
    }

    /// The smallest margin within which these items show a difference of 0 to stay, at a level with probability `power`; with
    /// `both` on both sides.
    pub fn least_margin(&self, level: f64, power: f64, both: bool) -> Option<f64> {
        if let Some(margins) = self.margins(level, both) {
            let place = (power * margins.len() as f64).ceil() as usize;
            let least = margins[place.clamp(1, margins.len()) - 1];
            return Some(least * (1.0 + SPARE));
        }
        let (lower, upper) = self.ends(level);
        let reach = (self.mean() - lower).max(upper - self.mean());
        let each = if both { 0.5 + 0.5 * power } else { power };
        Some(reach + quantiles::normal(each)? * self.standard_error())
    }

    /// About how often a system without any difference is shown not to be worse by `margin`, at a level, where items
    /// differ as these do; with `both` nor better.
    pub fn chance_within(&self, margin: f64, level: f64, both: bool) -> f64 {
        match self.margins(level, both) {
            Some(margins) => {
                margins.partition_point(|&least| least < margin) as f64 / margins.len() as f64
            }
            None => self.chance_of_many(margin, level, both),
        }
    }

    /// The margins, ascending, within which samples without a difference are shown to stay. They are drawn from the items'
    /// differences, each turned round in half of them: where few items differ, an unlucky sample also varies more, which
    /// the normal approximation misses. `None` where that is for many items, or for a level of which ends take long.
    fn margins(&self, level: f64, both: bool) -> Option<Vec<f64>> {
        let stream = |at: u64| Seed(0).stream("within", at);
        let least = |(lower, upper): (f64, f64)| if both { upper.max(-lower) } else { -lower };
        let draws = self.draws(level).filter(|&draws| draws >= FEWEST_DRAWS)?;
        let mut margins: Vec<f64> = match &self.counts {
            Some(counts) => {
                let mut drawn: BTreeMap<PairedCounts, usize> = BTreeMap::new();
                for at in 0..draws {
                    *drawn.entry(evenly(counts, &mut stream(at))).or_default() += 1;
                }
                let of_one = |(counts, &times): (&PairedCounts, &usize)| {
                    vec![self.most * least(counts.ends(level)); times]
                };
                drawn.par_iter().flat_map_iter(of_one).collect()
            }
            None => {
                let draw = |at: u64| least(self.evenly(&mut stream(at)).ends(level));
                (0..draws).into_par_iter().map(draw).collect()
            }
        };
        margins.sort_unstable_by(f64::total_cmp);
        Some(margins)
    }

    /// The number of samples that are drawn; fewer of many items.
    fn draws(&self, level: f64) -> Option<u64> {
        match &self.counts {
            Some(counts) => {
                (counts.only_first + counts.only_second <= MOST_DIFFERING).then_some(DRAWS)
            }
            None => (level >= LEAST_SEPARATE_LEVEL).then_some((WORK / self.n).min(DRAWS)),
        }
    }

    /// A sample of scores like these without a difference.
    fn evenly(&self, rng: &mut Rng) -> Self {
        let all: Vec<f64> = self.bounded.numbers().collect();
        let turned = |x: f64, rng: &mut Rng| if rng.bernoulli(0.5) { x } else { -x };
        let values = (0..all.len()).map(|_| {
            let x = *rng.choose(&all);
            turned(x, rng)
        });
        let values: Vec<f64> = values.collect();
        Self::new(&values, self.most, false).expect("as many items as here")
    }

    /// The same chance by the normal distribution.
    fn chance_of_many(&self, margin: f64, level: f64, both: bool) -> f64 {
        let (lower, upper) = self.ends(level);
        let error = self.standard_error();
        let side = |reach: f64| match error > 0.0 {
            true => tiebreak_base::stats::normal::cdf((margin - reach) / error),
            false => f64::from(u8::from(reach < margin)),
        };
        let below = side(self.mean() - lower);
        match both {
            true => (below + side(upper - self.mean()) - 1.0).max(0.0),
            false => below,
        }
    }
}

/// A draw of as many items, of which as large a share differs, either way alike.
fn evenly(counts: &PairedCounts, rng: &mut Rng) -> PairedCounts {
    let differing = (counts.only_first + counts.only_second) as f64 / counts.n as f64;
    let drawn = rng.binomial(counts.n, differing);
    let only_first = rng.binomial(drawn, 0.5);
    PairedCounts {
        only_first,
        only_second: drawn - only_first,
        n: counts.n,
    }
}

/// 2p − 1 of two systems that succeed with probability p of 1/2 or more and differ in a share 2p(1 − p) of items.
fn agreement(differing: f64) -> f64 {
    (1.0 - 2.0 * differing).max(0.0).sqrt()
}

/// How much a drop adds to the variance of differences with a mean, by its size: items that differ as most do change by a
/// typical step, or by the largest where none differs.
fn rise(values: &[f64], mean: f64, most: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let same = sorted.chunk_by(|one, other| other - one <= ROUNDING * most);
    let commonest = same.map(<[f64]>::len).max().unwrap_or_default();
    let differing = 1.0 - commonest as f64 / values.len() as f64;
    let away = |power: i32| {
        let each = values.iter().map(|d| (d - mean).abs().powi(power));
        each.sum::<f64>()
    };
    let step = if differing > 0.0 {
        away(2) / away(1)
    } else {
        most
    };
    agreement(differing) * step
}

#[cfg(test)]
mod tests;
