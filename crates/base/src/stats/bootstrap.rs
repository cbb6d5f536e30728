//! The bootstrap: the distribution of a number, had the sample been drawn again.
//!
//! Source: Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 1979;
//! percentile intervals as in Efron and Tibshirani 1993, chapter 13. Resample i has a random
//! stream of its own, so its value depends on nothing but (seed, i).

use crate::rng::{Rng, Seed};
use crate::stats::quantiles;

/// One value of `statistic` for each of `resamples` samples of `n` indices, drawn with replacement
/// from `0..n`. Values for which the statistic is undefined (`None`) are left out; with `n` = 0
/// there are none.
pub fn replicates<T>(
    n: usize,
    resamples: u64,
    seed: Seed,
    mut statistic: impl FnMut(&[usize]) -> Option<T>,
) -> Vec<T> {
    if n == 0 {
        return Vec::new();
    }
    let mut sample = vec![0; n];
    (0..resamples)
        .filter_map(|i| {
            let mut rng = seed.stream("bootstrap", i);
            sample.fill_with(|| rng.below(n));
            statistic(&sample)
        })
        .collect()
}

/// The draws of one resample, dealt out to consecutive blocks of rows. The count of the next block is
/// binomial given the draws left. So the counts of all blocks are multinomial, as when the whole
/// sample is drawn at once.
#[derive(Debug, Clone, Copy)]
pub struct MultinomialDraws {
    draws: u64,
    rows: u64,
}

impl MultinomialDraws {
    /// A resample with as many draws as rows.
    pub fn all_of(rows: u64) -> Self {
        Self { draws: rows, rows }
    }

    /// Draws how many fall into the next `rows`.
    ///
    /// # Panics
    /// If there are not so many rows left.
    pub fn next(&mut self, rows: u64, rng: &mut Rng) -> u64 {
        let here = match self.rows == rows {
            true => self.draws,
            false => rng.binomial(self.draws, rows as f64 / self.rows as f64),
        };
        self.draws -= here;
        self.rows = self
            .rows
            .checked_sub(rows)
            .expect("no more rows than announced");
        here
    }
}

/// The central share `confidence` of the values, as (lower, upper); `None` without values. The
/// values are sorted in place.
pub fn percentile_interval(values: &mut [f64], confidence: f64) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    let lower = quantiles::of_sorted(values, tail)?;
    let upper = quantiles::of_sorted(values, 1.0 - tail)?;
    Some((lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn means(sample: &[f64], resamples: u64, seed: u64) -> Vec<f64> {
        replicates(sample.len(), resamples, Seed(seed), |drawn| {
            Some(drawn.iter().map(|&i| sample[i]).sum::<f64>() / sample.len() as f64)
        })
    }

    #[test]
    fn the_spread_of_resampled_means_is_the_standard_error() {
        let sample: Vec<f64> = (0..50).map(|i| f64::from(i % 7)).collect();
        let moments: crate::stats::moments::Moments = sample.iter().copied().collect();
        let expected = moments.population_variance().unwrap() / 50.0;
        let replicated: crate::stats::moments::Moments =
            means(&sample, 20_000, 1).into_iter().collect();
        let ratio = replicated.sample_variance().unwrap() / expected;
        // The variance of 20 000 near-normal values has a relative error of √(2/20 000) = 0.01.
        assert!((ratio - 1.0).abs() < 0.04, "{ratio}");
    }

    #[test]
    fn more_resamples_extend_fewer() {
        let sample = [1.0, 5.0, 2.0, 9.0];
        assert_eq!(means(&sample, 10, 3), means(&sample, 25, 3)[..10]);
        assert_ne!(means(&sample, 10, 3), means(&sample, 10, 4));
    }

    #[test]
    fn intervals_cut_equal_tails() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(percentile_interval(&mut values, 0.5), Some((25.0, 75.0)));
        assert_eq!(percentile_interval(&mut [], 0.9), None);
        assert!(replicates(0, 5, Seed(1), |_| Some(1.0)).is_empty());
    }
}
