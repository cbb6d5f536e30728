//! PERM-BOTH: whether one metric agrees with people significantly better than another.
//!
//! Source: Deutsch, Dror and Roth, TACL 2021, and their nlpstats 0.0.1. Were the two metrics equally
//! good, they could change places on any set of systems and of items: a trial chooses every system
//! and every item with probability one half and swaps the two scores (standardised over all outputs) of
//! outputs for which exactly one of system and item is chosen. Two-sided.
//!
//! Deviation: the observed data count as one trial more, so that p is never 0 and the test holds its
//! level for any number of trials; a trial without a value counts as one that exceeds.

use super::{Human, Pairing, Statistic};
use rayon::prelude::*;
use std::ops::Range;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::moments::Moments;

/// The largest difference that counts as none: sums of swapped scores round.
const ROUNDING: f64 = 1e-12;

/// A test of two metrics under several statistics, run trial range by trial range so that the caller can stop.
pub struct PermutationTest<'a, H> {
    human: &'a H,
    metrics: [Vec<f64>; 2],
    wanted: &'a [Statistic],
    seed: Seed,
    observed: Vec<Option<f64>>,
    exceeding: Vec<u64>,
    trials: u64,
}

impl<'a, H: Human> PermutationTest<'a, H> {
    /// A test without trials yet. Scores are one per output.
    pub fn new(human: &'a H, metrics: [&[f64]; 2], wanted: &'a [Statistic], seed: Seed) -> Self {
        Self {
            // Raw scores, not standardised ones: rounding would separate means that are equal.
            observed: differences(
                human,
                metrics,
                wanted,
                &Pairing::all(human.layout().systems()),
            ),
            exceeding: vec![0; wanted.len()],
            human,
            metrics: metrics.map(standardised),
            wanted,
            seed,
            trials: 0,
        }
    }

    /// Runs these trials, in parallel. Trial i does not depend on the other trials.
    pub fn run(&mut self, trials: Range<u64>) {
        let run: Vec<Vec<bool>> = trials.into_par_iter().map(|i| self.trial(i)).collect();
        self.trials += run.len() as u64;
        for exceeding in run {
            let counts = self.exceeding.iter_mut().zip(exceeding);
            counts.for_each(|(count, exceeds)| *count += u64::from(exceeds));
        }
    }

    /// Whether the swapped metrics differ at least as much as the observed ones.
    fn trial(&self, i: u64) -> Vec<bool> {
        let layout = self.human.layout();
        let mut rng = self.seed.stream("perm-both", i);
        let systems: Vec<bool> = (0..layout.systems()).map(|_| rng.bernoulli(0.5)).collect();
        let mut swapped = self.metrics.clone();
        for item in 0..layout.items() {
            let chosen = rng.bernoulli(0.5);
            for output in layout.of_item(item) {
                if chosen != systems[layout.system(output)] {
                    swapped[0][output] = self.metrics[1][output];
                    swapped[1][output] = self.metrics[0][output];
                }
            }
        }
        let pairing = Pairing::drawn(layout.systems(), &mut rng);
        let swapped = [swapped[0].as_slice(), &swapped[1]];
        let found = differences(self.human, swapped, self.wanted, &pairing);
        let exceeds = |(found, observed): (Option<f64>, &Option<f64>)| match (found, observed) {
            (Some(found), Some(observed)) => found.abs() >= observed.abs() - ROUNDING,
            _ => true,
        };
        found.into_iter().zip(&self.observed).map(exceeds).collect()
    }

    /// The excess of the first metric's statistic over the second's, with its two-sided p-value; `None` where one of
    /// them does not exist.
    pub fn outcome(&self, statistic: usize) -> Option<(f64, f64)> {
        let p = (self.exceeding[statistic] + 1) as f64 / (self.trials + 1) as f64;
        self.observed[statistic].map(|difference| (difference, p))
    }
}

fn differences<H: Human>(
    human: &H,
    metrics: [&[f64]; 2],
    wanted: &[Statistic],
    pairing: &Pairing,
) -> Vec<Option<f64>> {
    let [one, other] = metrics.map(|scores| human.values_of(scores, wanted, pairing));
    let pairs = one.into_iter().zip(other);
    pairs
        .map(|(one, other)| Some(one.value? - other.value?))
        .collect()
}

/// Scores with mean 0 and variance 1; a metric that never varies keeps its scores.
fn standardised(scores: &[f64]) -> Vec<f64> {
    let moments: Moments = scores.iter().copied().collect();
    match (moments.mean(), moments.population_variance()) {
        (Some(mean), Some(variance)) if variance > 0.0 => {
            let deviation = variance.sqrt();
            scores.iter().map(|x| (x - mean) / deviation).collect()
        }
        _ => scores.to_vec(),
    }
}
