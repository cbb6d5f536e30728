//! Tests whether one system's corpus score differs significantly from another's.
//!
//! Source: sacrebleu 2.6.0, `significance.py`, whose definitions these are; the paired bootstrap of
//! Koehn, "Statistical significance tests for machine translation evaluation", EMNLP 2004, centred
//! on its mean, and the approximate randomisation of Riezler and Maxwell, "On some pitfalls in
//! automatic evaluation and significance testing for MT", 2005. Both count the observed data as one
//! replicate more.
//!
//! sacrebleu's p of the bootstrap centres *absolute* differences, which cuts off one tail only: of two equal
//! systems it is below 0.05 in a tenth of the cases. So a claim rests on [`SignificanceResult::chance`], which centres
//! the differences themselves, and counts both tails and values that are as large; of the randomisation only
//! the latter differs. Resamples of few items vary too little: the difference is first made that of a normal distribution
//! which has as much beyond it as Student's t. Where items are few enough for all exchanges of their outputs, these give
//! the exact chance (Fisher, "The design of experiments", 1935). A system that scores like the baseline in every replicate gets the smallest p, not 1:
//! nothing exceeds a difference of 0. That is sacrebleu's rule too; its chance is 1.
//!
//! Deviation: a difference exceeds another only by more than rounding, so that scores that are
//! means of fractions behave as those that are functions of counts.

mod replicates;

pub use replicates::ReplicateSums;

use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::special::student_t_above;
use tiebreak_base::stats::{normal, quantiles};

/// The relative size below which differences count as none.
const ROUNDING: f64 = 1e-10;

/// A system compared with the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SignificanceResult {
    /// The absolute difference of the two corpus scores.
    pub difference: f64,
    /// sacrebleu's p-value; above 0, at most 1.
    pub p: f64,
    /// The probability of at least so large a difference, either way, where there is none; above 0, and 1 where there
    /// is no difference.
    pub chance: f64,
}

impl SignificanceResult {
    /// The result of the paired bootstrap of so many items, from replicates' scores of both systems, resample by resample.
    ///
    /// # Panics
    /// If the two have different numbers of replicates.
    pub fn bootstrap(scores: [f64; 2], baseline: &[f64], system: &[f64], items: u64) -> Self {
        assert_eq!(baseline.len(), system.len(), "the same resamples");
        let pairs = baseline.iter().zip(system);
        let differences: Vec<f64> = pairs.map(|(one, other)| other - one).collect();
        let sum: f64 = differences.iter().map(|value| value.abs()).sum();
        let absolute = sum / differences.len() as f64;
        let spread = ResampledSpread::new(&differences, items);
        Self::from_values(
            scores,
            differences.iter().map(|value| value.abs() - absolute),
            spread.distances.iter().copied(),
            |difference| spread.of_many(difference),
        )
    }

    /// The result of approximate randomisation, from the scores of two systems in each trial, between which
    /// outputs of items were exchanged at random.
    pub fn randomisation(scores: [f64; 2], shuffled: &[[f64; 2]]) -> Self {
        let values = || shuffled.iter().map(|[a, b]| (a - b).abs());
        Self::from_values(scores, values(), values(), |difference| difference)
    }

    /// The same with the exact chance: the share of all exchanges that differ as much. sacrebleu's p stays.
    #[must_use]
    pub fn exactly(self, scores: [f64; 2], exchanged: impl Iterator<Item = [f64; 2]>) -> Self {
        let rounding = ROUNDING * (scores[0].abs() + scores[1].abs());
        let (mut as_large, mut all) = (0_u64, 0_u64);
        for [one, other] in exchanged {
            all += 1;
            as_large += u64::from((one - other).abs() >= self.difference - rounding);
        }
        Self {
            chance: as_large as f64 / all as f64,
            ..self
        }
    }

    /// Counts as sacrebleu does, and on both sides what reaches as far as `least` makes of the difference.
    fn from_values(
        scores: [f64; 2],
        values: impl ExactSizeIterator<Item = f64>,
        both: impl ExactSizeIterator<Item = f64>,
        least: impl Fn(f64) -> f64,
    ) -> Self {
        let difference = (scores[1] - scores[0]).abs();
        let rounding = ROUNDING * (scores[0].abs() + scores[1].abs());
        let n = values.len();
        let share = |exceeding: usize| (exceeding + 1) as f64 / (n + 1) as f64;
        let p = share(
            values
                .filter(|&value| value > difference + rounding)
                .count(),
        );
        let least = least(difference) - rounding;
        let chance = share(both.filter(|&value| value >= least).count());
        Self {
            difference,
            p,
            chance: if difference > 0.0 { chance } else { 1.0 },
        }
    }
}

/// The sums of two systems' statistics in all exchanges of their outputs that keep the last item: exchanging the others
/// instead only names the two the other way round. An item has a row, both systems' `width` statistics. Of n items there
/// are 2^(n − 1).
pub fn exchanges(statistics: &[f64], width: usize) -> impl Iterator<Item = [Vec<f64>; 2]> + '_ {
    let items = statistics.len() / (2 * width);
    (0..1_u32 << items.saturating_sub(1)).map(move |chosen| {
        let mut sums = [vec![0.0; width], vec![0.0; width]];
        for (item, row) in statistics.chunks_exact(2 * width).enumerate() {
            let is_exchanged = (chosen >> item & 1) as usize;
            for (system, own) in row.chunks_exact(width).enumerate() {
                let sums = sums[system ^ is_exchanged].iter_mut().zip(own);
                sums.for_each(|(sum, value)| *sum += value);
            }
        }
        sums
    })
}

/// How far resampled differences of two systems' scores are from their mean.
#[derive(Debug, Clone)]
pub struct ResampledSpread {
    /// The distances from the mean, ascending.
    distances: Vec<f64>,
    deviation: f64,
    items: u64,
}

impl ResampledSpread {
    /// Creates the spread of the differences in resamples of so many items.
    pub fn new(differences: &[f64], items: u64) -> Self {
        let moments: Moments = differences.iter().copied().collect();
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        let distances = differences.iter().map(|value| (value - mean).abs());
        let mut distances: Vec<f64> = distances.collect();
        distances.sort_unstable_by(f64::total_cmp);
        Self {
            distances,
            deviation: moments.sample_variance().map_or(0.0, f64::sqrt),
            items,
        }
    }

    /// The standard deviation of the resampled differences; 0 without any.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The probability of at least so large a difference, either way, where there is none.
    pub fn chance(&self, difference: f64) -> f64 {
        let least = self.of_many(difference);
        let below = self.distances.partition_point(|&one| one < least);
        (self.distances.len() - below + 1) as f64 / (self.distances.len() + 1) as f64
    }

    /// The difference above which the chance is at most a level; `None` without resamples.
    pub fn reach(&self, level: f64) -> Option<f64> {
        let last = self.distances.len().checked_sub(1)?;
        let beyond = (level * (last + 2) as f64 - 1.0).max(0.0) as usize;
        let distance = self.distances[last.saturating_sub(beyond)];
        let tail = normal::cdf(-distance / self.deviation);
        let t = quantiles::two_sided_t(1.0 - 2.0 * tail, self.items.saturating_sub(1));
        let of_few = t.map(|t| t * self.deviation / self.spread_of_few());
        Some(of_few.filter(|of| of.is_finite()).unwrap_or(distance))
    }

    /// The difference with as much beyond it in a normal distribution of this deviation as Student's t has beyond it, with
    /// the variance of few items estimated without bias.
    fn of_many(&self, difference: f64) -> f64 {
        let degrees = self.items as f64 - 1.0;
        let t = difference / self.deviation * self.spread_of_few();
        match t.is_finite() && degrees > 0.0 {
            true => quantiles::normal(1.0 - student_t_above(t, degrees))
                .map_or(difference, |z| z * self.deviation),
            false => difference,
        }
    }

    /// The deviation in resamples of few items, as a share of that without bias.
    fn spread_of_few(&self) -> f64 {
        ((self.items as f64 - 1.0) / self.items as f64).sqrt()
    }
}

/// The mean of replicated scores and half the width of their central 95 %; `None` without any.
///
/// As in sacrebleu one value in forty is cut off on each side, without interpolation.
pub fn mean_and_margin(scores: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = sorted.len() / 40;
    let (lower, upper) = (sorted.get(cut)?, sorted[sorted.len() - 1 - cut]);
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    Some((mean, 0.5 * (upper - lower)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn p_values_by_hand() {
        // Differences 1, 2, 3, 6 about their mean of 3: -2, -1, 0, 3, of which one exceeds 2.
        let resampled = [1.0, -2.0, 3.0, -6.0];
        let verdict = SignificanceResult::bootstrap([5.0, 7.0], &[0.0; 4], &resampled, 1_000_000);
        assert_eq!((verdict.difference, verdict.p), (2.0, 2.0 / 5.0));
        // Themselves about their mean of -1: 2, -1, 4, -5, of which three are as far from 0 as 2.
        assert_eq!(verdict.chance, 4.0 / 5.0);
        let shuffled = [[5.0, 7.0], [7.0, 5.0], [4.0, 8.0], [6.0, 6.0]];
        let verdict = SignificanceResult::randomisation([5.0, 7.0], &shuffled);
        assert_eq!((verdict.difference, verdict.p), (2.0, 2.0 / 5.0));
        assert_eq!(verdict.chance, 4.0 / 5.0, "2, 2 and 4 are as large as 2");
    }

    #[test]
    fn a_copy_of_the_baseline_is_no_finding() {
        let verdict = SignificanceResult::randomisation([5.0, 5.0], &[[5.0, 5.0]; 99]);
        assert_eq!((verdict.p, verdict.chance), (0.01, 1.0));
    }

    #[test]
    fn few_items_have_an_exact_chance() {
        // Differences 3, 0 and 8, whose signs change: sums of 11, 5, 11 and 5 beside the last one.
        let rows = [1.0, 4.0, 2.0, 2.0, 0.0, 8.0];
        let found = || exchanges(&rows, 1).map(|[one, other]| [one[0], other[0]]);
        let expected = [[3.0, 14.0], [6.0, 11.0], [3.0, 14.0], [6.0, 11.0]];
        assert_eq!(found().collect::<Vec<_>>(), expected);
        let drawn = SignificanceResult::randomisation([3.0, 14.0], &[[6.0, 11.0]; 9]);
        let exact = drawn.exactly([3.0, 14.0], found());
        assert_eq!((exact.p, exact.chance), (0.1, 0.5));
    }

    /// Two equal systems beside each other.
    fn equals(items: usize, run: u64) -> SignificanceResult {
        let mut rng = Seed(3).stream("test", run);
        let differences: Vec<f64> = (0..items).map(|_| rng.normal()).collect();
        let mean = differences.iter().sum::<f64>() / items as f64;
        let mut resample = || {
            let drawn = (0..items).map(|_| differences[rng.below(items)]);
            5.0 + drawn.sum::<f64>() / items as f64
        };
        let resampled: Vec<f64> = (0..400).map(|_| resample()).collect();
        SignificanceResult::bootstrap([5.0, 5.0 + mean], &[5.0; 400], &resampled, items as u64)
    }

    #[test]
    fn only_both_tails_keep_the_level() {
        const RUNS: u64 = 1000;
        for items in [20, 100] {
            let verdicts: Vec<SignificanceResult> =
                (0..RUNS).map(|run| equals(items, run)).collect();
            let below = |of: fn(&SignificanceResult) -> f64| {
                verdicts.iter().filter(|one| of(one) < 0.05).count()
            };
            // Some 11 % or more, and 5 % of 1000 with a standard deviation of 6.9.
            let (p, chance) = (below(|one| one.p), below(|one| one.chance));
            assert!((80..=165).contains(&p), "{items}: {p}");
            assert!((30..=70).contains(&chance), "{items}: {chance}");
        }
    }

    #[test]
    fn the_reach_is_where_the_chance_becomes_the_level() {
        let mut rng = Seed(5).stream("reach", 0);
        let differences: Vec<f64> = (0..2000).map(|_| 3.0 + rng.normal().powi(3)).collect();
        for items in [6, 20, 2000] {
            let spread = ResampledSpread::new(&differences, items);
            for level in [0.3, 0.05, 0.01] {
                let reach = spread.reach(level).unwrap();
                assert!(
                    spread.chance(reach * (1.0 + 1e-9)) <= level,
                    "{items} {level}"
                );
                assert!(
                    spread.chance(reach * (1.0 - 1e-9)) > level,
                    "{items} {level}"
                );
            }
        }
        // Where nothing varies there is no room.
        assert_eq!(ResampledSpread::new(&[0.0; 9], 20).reach(0.05), Some(0.0));
        assert_eq!(ResampledSpread::new(&[], 20).reach(0.05), None);
    }

    #[test]
    fn the_margin_cuts_one_in_forty() {
        let scores: Vec<f64> = (0..80).rev().map(f64::from).collect();
        assert_eq!(mean_and_margin(&scores), Some((39.5, 0.5 * (77.0 - 2.0))));
        assert_eq!(mean_and_margin(&[4.0]), Some((4.0, 0.0)));
        assert_eq!(mean_and_margin(&[]), None);
    }
}
