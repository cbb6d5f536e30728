//! Sums over bootstrap resamples of rows of numbers, for statistics that are functions of sums.
//!
//! A resample of n rows draws n of them with replacement. A sum depends only on how often each row is drawn.
//! These counts are multinomial, so many equal rows (ratings on a scale, say) cost one binomial number
//! together. The others are cut into blocks small enough for a processor's cache; a block gets its share of
//! the draws ([`MultinomialDraws`]), which are uniform within it. The law of the sums is exactly that of
//! drawing rows one at a time, but for the order in which they are added.
//!
//! Resample i has a random stream of its own, so its sums depend on nothing but the seed, i and the
//! rows: not on threads, or on how many resamples there are.

use super::bootstrap::MultinomialDraws;
use crate::rng::{Rng, Seed};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The fewest equal rows that are drawn together: a binomial number costs about as much as a thousand rows.
const ALIKE: usize = 1024;

/// The number of rows sampled to decide whether to look for equal ones among all.
const LOOK: usize = 4096;

/// The rows in a block; with two columns they take 128 KiB.
const BLOCK: usize = 8192;

/// The draws made at a time within a block.
const DRAWS: usize = 512;

/// The resamples that one thread takes through all blocks together, so that a block is still in cache.
const RESAMPLES: usize = 64;

/// The sums of `rows` over each of `resamples` bootstrap samples.
pub fn resampled_sums<const W: usize>(
    mut rows: Vec<[f64; W]>,
    resamples: u64,
    seed: Seed,
) -> Vec<[f64; W]> {
    let deal = MultinomialDraws::all_of(rows.len() as u64);
    let (mut alike, mut others) = (Vec::new(), Vec::new());
    if repeat(&rows) {
        rows.sort_unstable_by(order);
        for run in rows.chunk_by(|a, b| a == b) {
            match run.len() {
                ALIKE.. => alike.push((run[0], run.len() as u64)),
                _ => others.extend_from_slice(run),
            }
        }
    } else {
        others = rows;
    }
    let begin = |i| PartialResample {
        rng: seed.stream("bootstrap", i),
        deal,
        sums: [0.0; W],
    };
    let mut all: Vec<PartialResample<W>> = (0..resamples).map(begin).collect();
    all.par_chunks_mut(RESAMPLES).for_each(|some| {
        for (row, count) in &alike {
            for one in &mut *some {
                one.add_alike(row, *count);
            }
        }
        for block in others.chunks(BLOCK) {
            for one in &mut *some {
                one.add(block);
            }
        }
    });
    all.into_iter().map(|one| one.sums).collect()
}

/// Whether some row seems to occur often enough.
fn repeat<const W: usize>(rows: &[[f64; W]]) -> bool {
    let step = rows.len().div_ceil(LOOK).max(1);
    let mut some: Vec<[f64; W]> = rows.iter().step_by(step).copied().collect();
    some.sort_unstable_by(order);
    rows.len() >= ALIKE && some.windows(2).any(|pair| pair[0] == pair[1])
}

/// Compares by the first column, then the next.
fn order<const W: usize>(a: &[f64; W], b: &[f64; W]) -> Ordering {
    let columns = a.iter().zip(b);
    let mut differing = columns
        .map(|(a, b)| a.total_cmp(b))
        .filter(|one| one.is_ne());
    differing.next().unwrap_or(Ordering::Equal)
}

/// A resample under construction.
struct PartialResample<const W: usize> {
    rng: Rng,
    deal: MultinomialDraws,
    sums: [f64; W],
}

impl<const W: usize> PartialResample<W> {
    fn add_alike(&mut self, row: &[f64; W], count: u64) {
        let drawn = self.deal.next(count, &mut self.rng) as f64;
        let sums = self.sums.iter_mut().zip(row);
        sums.for_each(|(sum, value)| *sum += drawn * value);
    }

    fn add(&mut self, block: &[[f64; W]]) {
        let mut left = self.deal.next(block.len() as u64, &mut self.rng) as usize;
        let mut numbers = [0; DRAWS];
        // Four sums in turn, so that an addition need not wait for the one before.
        let mut lanes = [[0.0; W]; 4];
        while left > 0 {
            let numbers = &mut numbers[..left.min(DRAWS)];
            self.rng.fill_below(block.len(), numbers);
            let (fours, rest) = numbers.as_chunks::<4>();
            for four in fours {
                for (lane, &number) in lanes.iter_mut().zip(four) {
                    add(lane, &block[usize::from(number)]);
                }
            }
            for &number in rest {
                add(&mut lanes[0], &block[usize::from(number)]);
            }
            left -= numbers.len();
        }
        for lane in &lanes {
            add(&mut self.sums, lane);
        }
    }
}

fn add<const W: usize>(sums: &mut [f64; W], row: &[f64; W]) {
    sums.iter_mut()
        .zip(row)
        .for_each(|(sum, value)| *sum += value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::bootstrap::replicates;
    use crate::stats::moments::{JointMoments, Moments};

    /// One row at a time, as the definition has it.
    fn slowly(rows: &[[f64; 2]], resamples: u64, seed: Seed) -> Vec<[f64; 2]> {
        replicates(rows.len(), resamples, seed, |drawn| {
            let mut sums = [0.0; 2];
            for &i in drawn {
                add(&mut sums, &rows[i]);
            }
            Some(sums)
        })
    }

    /// Rows that are partly alike, in `n` places, with a second column that goes with the first.
    fn rows(n: usize, alike: usize) -> Vec<[f64; 2]> {
        let mut rng = Seed(7).stream("test", 0);
        let row = |i: usize| match i < alike {
            true => [(i % 3) as f64, 1.0],
            false => {
                let x = rng.normal();
                [x, x * x]
            }
        };
        (0..n).map(row).collect()
    }

    /// The share of values below each of some quantiles of other values.
    fn shares(values: &[f64], others: &[f64]) -> Vec<f64> {
        let mut sorted = others.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let cuts = [1, 5, 10, 15, 19].map(|part| sorted[sorted.len() * part / 20]);
        let below = |cut: f64| values.iter().filter(|&&value| value < cut).count();
        cuts.map(|cut| below(cut) as f64 / values.len() as f64)
            .to_vec()
    }

    #[test]
    fn sums_have_the_law_of_rows_drawn_one_at_a_time() {
        // All of one block, several blocks of which the last is short, and runs of equal rows.
        for (n, alike) in [
            (1, 0),
            (37, 0),
            (3000, 0),
            (20_000, 0),
            (20_000, 9000),
            (6000, 6000),
        ] {
            let rows = rows(n, alike);
            let resamples = if n > 5000 { 400 } else { 2000 };
            let fast = resampled_sums(rows.clone(), resamples, Seed(1));
            let slow = slowly(&rows, resamples, Seed(2));
            let column = |sums: &[[f64; 2]], at: usize| -> Vec<f64> {
                sums.iter().map(|sums| sums[at]).collect()
            };
            let error = (2.0 / resamples as f64).sqrt();
            for at in 0..2 {
                let [fast, slow] = [&fast, &slow].map(|sums| column(sums, at));
                for (share, expected) in shares(&fast, &slow).iter().zip(shares(&slow, &slow)) {
                    // The standard error of a difference of shares is at most 0.5 · error.
                    assert!(
                        (share - expected).abs() <= 2.0 * error,
                        "{n} {alike}: {share}"
                    );
                }
            }
            let both = |sums: &[[f64; 2]]| -> JointMoments {
                sums.iter().map(|sums| (sums[0], sums[1])).collect()
            };
            let [fast, slow] = [both(&fast), both(&slow)].map(|joint| joint.correlation());
            assert_eq!(fast.is_some(), slow.is_some(), "{n} {alike}");
            let apart = fast.unwrap_or_default() - slow.unwrap_or_default();
            assert!(apart.abs() < 4.0 * error, "{n} {alike}: {apart}");
        }
    }

    #[test]
    fn every_resample_is_as_large_as_the_data_and_varies_as_theory_says() {
        let rows: Vec<[f64; 2]> = rows(12_000, 5000).iter().map(|row| [1.0, row[0]]).collect();
        let sums = resampled_sums(rows.clone(), 3000, Seed(3));
        assert!(sums.iter().all(|sums| sums[0] == 12_000.0));
        let data: Moments = rows.iter().map(|row| row[1]).collect();
        let found: Moments = sums.iter().map(|sums| sums[1] / 12_000.0).collect();
        let expected = data.population_variance().unwrap() / 12_000.0;
        let off = (found.mean().unwrap() - data.mean().unwrap()) / expected.sqrt();
        assert!(off.abs() < 4.0 / 3000_f64.sqrt(), "{off}");
        // The relative error of a variance of 3000 values is √(2/3000) = 0.026.
        let ratio = found.sample_variance().unwrap() / expected;
        assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn neither_number_nor_threads_matter() {
        let rows = rows(9000, 4000);
        let all = resampled_sums(rows.clone(), 200, Seed(4));
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one_thread = one_thread.unwrap();
        let again = one_thread.install(|| resampled_sums(rows, 70, Seed(4)));
        assert_eq!(again, all[..70]);
        assert_ne!(all[0], all[1]);
        assert!(
            resampled_sums::<2>(Vec::new(), 3, Seed(1))
                .iter()
                .all(|sums| *sums == [0.0; 2])
        );
    }
}
