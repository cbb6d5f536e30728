//! Sums of per-item statistics in many random versions of one data set, from a single pass over it.
//!
//! A replicate gives every item a weight: how often a bootstrap resample drew it, or whether a
//! trial chose it. Only the weighted sums are kept, so memory is replicates × statistics whatever
//! the number of items. A resample's draws are distributed over blocks of items as they come ([`MultinomialDraws`]).

use rayon::prelude::*;
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::bootstrap::MultinomialDraws;

/// Weighted sums of statistics, replicate by replicate.
#[derive(Debug)]
pub struct ReplicateSums {
    width: usize,
    rows: Vec<Replicate>,
}

#[derive(Debug)]
struct Replicate {
    weights: ReplicateWeighting,
    rng: Rng,
    sums: Vec<f64>,
}

/// The weighting of items.
#[derive(Debug)]
enum ReplicateWeighting {
    /// The number of times each is drawn.
    Drawn(MultinomialDraws),
    /// 0 or 1, equally often.
    Chosen,
}

impl ReplicateSums {
    /// Bootstrap resamples of `items` items with `width` statistics each.
    pub fn bootstrap(resamples: u64, items: u64, width: usize, seed: Seed) -> Self {
        let weights = || ReplicateWeighting::Drawn(MultinomialDraws::all_of(items));
        Self::new(resamples, width, weights, |i| {
            seed.stream("paired bootstrap", i)
        })
    }

    /// Trials that choose each item with probability one half.
    pub fn randomisation(trials: u64, width: usize, seed: Seed) -> Self {
        Self::new(
            trials,
            width,
            || ReplicateWeighting::Chosen,
            |i| seed.stream("randomisation", i),
        )
    }

    fn new(
        replicates: u64,
        width: usize,
        weights: impl Fn() -> ReplicateWeighting,
        rng: impl Fn(u64) -> Rng,
    ) -> Self {
        let row = |i| Replicate {
            weights: weights(),
            rng: rng(i),
            sums: vec![0.0; width],
        };
        Self {
            width,
            rows: (0..replicates).map(row).collect(),
        }
    }

    /// Adds the next items, one row of statistics each. The sums depend on how items are cut into
    /// blocks, though their law does not; they do not depend on threads.
    ///
    /// # Panics
    /// If the statistics are not whole rows, or a bootstrap gets more items than it was made for.
    pub fn add(&mut self, statistics: &[f64]) {
        let width = self.width;
        assert!(statistics.len().is_multiple_of(width), "whole rows");
        let items = statistics.len() / width;
        self.rows
            .par_iter_mut()
            .for_each_init(Vec::new, |weights, row| {
                weights.clear();
                weights.resize(items, 0);
                row.weigh(weights);
                let rows = weights.iter().zip(statistics.chunks_exact(width));
                for (&weight, statistics) in rows.filter(|(weight, _)| **weight > 0) {
                    let sums = row.sums.iter_mut().zip(statistics);
                    sums.for_each(|(sum, value)| *sum += f64::from(weight) * value);
                }
            });
    }

    /// The sums, replicate by replicate.
    pub fn sums(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows.iter().map(|row| &row.sums[..])
    }
}

impl Replicate {
    /// Sets the weights, so far 0, of the next items.
    fn weigh(&mut self, weights: &mut [u32]) {
        let block = weights.len() as u64;
        match &mut self.weights {
            ReplicateWeighting::Drawn(deal) => {
                let here = deal.next(block, &mut self.rng);
                (0..here).for_each(|_| weights[self.rng.below(block as usize)] += 1);
            }
            ReplicateWeighting::Chosen => {
                for weights in weights.chunks_mut(64) {
                    let bits = self.rng.next_u64();
                    let bits = (0..).map(|bit| (bits >> bit & 1) as u32);
                    weights
                        .iter_mut()
                        .zip(bits)
                        .for_each(|(weight, bit)| *weight = bit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::stats::moments::Moments;

    /// The weights of some items in each replicate: the sums of their unit vectors.
    fn weights(mut replicates: ReplicateSums, blocks: &[usize]) -> Vec<Vec<f64>> {
        let items: usize = blocks.iter().sum();
        let mut done = 0;
        for &block in blocks {
            let mut rows = vec![0.0; block * items];
            (0..block).for_each(|i| rows[i * items + done + i] = 1.0);
            replicates.add(&rows);
            done += block;
        }
        replicates.sums().map(<[f64]>::to_vec).collect()
    }

    fn moments(values: impl Iterator<Item = f64>) -> (f64, f64) {
        let moments: Moments = values.collect();
        (moments.mean().unwrap(), moments.sample_variance().unwrap())
    }

    #[test]
    fn a_resample_has_as_many_draws_as_items_spread_as_by_chance() {
        let (resamples, blocks) = (20_000, [3, 1, 0, 40, 16]);
        let drawn = weights(
            ReplicateSums::bootstrap(resamples, 60, 60, Seed(5)),
            &blocks,
        );
        assert!(drawn.iter().all(|row| row.iter().sum::<f64>() == 60.0));
        // Counts are multinomial: variance 59/60, covariance -1/60, within and across blocks.
        for item in [0, 3, 4, 43, 44, 59] {
            let (mean, variance) = moments(drawn.iter().map(|row| row[item]));
            assert!((mean - 1.0).abs() < 0.03, "{item}: {mean}");
            assert!((variance - 59.0 / 60.0).abs() < 0.06, "{item}: {variance}");
        }
        for (one, other) in [(0, 1), (2, 3), (10, 11), (0, 59)] {
            let product = drawn
                .iter()
                .map(|row| (row[one] - 1.0) * (row[other] - 1.0));
            let (covariance, _) = moments(product);
            assert!(
                (covariance + 1.0 / 60.0).abs() < 0.03,
                "{one}, {other}: {covariance}"
            );
        }
        let (_, spread) = moments(drawn.iter().map(|row| row[4..44].iter().sum()));
        assert!((spread / (60.0 * 2.0 / 9.0) - 1.0).abs() < 0.05, "{spread}");
    }

    #[test]
    fn a_trial_chooses_every_second_item_independently() {
        let chosen = weights(
            ReplicateSums::randomisation(20_000, 100, Seed(6)),
            &[70, 30],
        );
        assert!(
            chosen
                .iter()
                .flatten()
                .all(|&weight| weight == 0.0 || weight == 1.0)
        );
        for (one, other) in [(0, 1), (63, 64), (69, 70), (5, 75)] {
            let both = chosen.iter().map(|row| row[one] * row[other]);
            let (share, _) = moments(both);
            assert!((share - 0.25).abs() < 0.014, "{one}, {other}: {share}");
        }
    }

    #[test]
    fn more_replicates_extend_fewer() {
        let few = weights(ReplicateSums::bootstrap(3, 9, 9, Seed(1)), &[9]);
        let many = weights(ReplicateSums::bootstrap(7, 9, 9, Seed(1)), &[9]);
        assert_eq!(few, many[..3]);
        assert_ne!(many[0], many[1]);
    }
}
