//! Whether one metric agrees with people significantly better than another, by metrics that change places.
//!
//! Between outputs, for these systems and items like these: whole items change places, with the scores (standardised over
//! all outputs) of all their outputs, because these share a metric's errors about the item. Measured at 10 %
//! (`tests/evaluation/correlation.rs`, 800 data sets): .07 to .13.
//!
//! PERM-BOTH of Deutsch, Dror and Roth, TACL 2021, and their nlpstats 0.0.1, for those who compare with it. A trial
//! chooses every system and every item with probability one half and swaps the scores of outputs for which exactly one
//! of system and item is chosen. It takes a metric's errors about outputs to be independent. Where items have errors of
//! their own, it rejects equally good metrics in .46 to .50 of pooled outputs, and in .01 to .02 within items.
//!
//! Between systems' means: for systems like these whole systems change places, on the ranks that each metric gives them.
//! The ranks take the place of the metric's means in every coefficient; a soft pairwise accuracy then compares people's
//! p-values with an order. Swapped outputs reject equally good metrics in .24 to .73, swapped standardised means in .19.
//! Measured (`tests/evaluation/systems.rs`): .00 to .06; of five systems no swap is rare enough.
//!
//! Two-sided. Deviation: the observed data count as one trial more, so that p is never 0 and the test holds its
//! level for any number of trials; a trial without a value counts as one that exceeds.

use super::bootstrap::FEWEST_TESTED_ITEMS;
use super::{Human, Layout, Pairing, Statistic, system_means};
use rayon::prelude::*;
use std::ops::Range;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::correlation::mean_ranks;
use tiebreak_base::stats::moments::Moments;

/// The largest difference that counts as none: sums of swapped scores round.
pub(super) const ROUNDING: f64 = 1e-12;

/// The fewest systems of which a swap can be significant: the 32 differences of six are as probable as each other.
pub const FEWEST_SWAPPED: usize = 6;

/// What of two metrics changes places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SwappedUnits {
    Items,
    Outputs,
    Systems,
}

/// A test of two metrics under several statistics, run trial range by trial range so that the caller can stop.
pub struct PermutationTest<'a, H> {
    human: &'a H,
    units: SwappedUnits,
    /// What changes places: one number per output.
    metrics: [Vec<f64>; 2],
    wanted: &'a [Statistic],
    seed: Seed,
    observed: Vec<Option<f64>>,
    exceeding: Vec<u64>,
    trials: u64,
}

impl<'a, H: Human> PermutationTest<'a, H> {
    /// A test of statistics between outputs, for these systems and items like these, without trials yet. Scores are one
    /// per output.
    pub fn of_items(
        human: &'a H,
        metrics: [&[f64]; 2],
        wanted: &'a [Statistic],
        seed: Seed,
    ) -> Self {
        Self::between_outputs(human, SwappedUnits::Items, metrics, wanted, seed)
    }

    /// PERM-BOTH of statistics between outputs, for outputs with independent errors, without trials yet. Scores are one per
    /// output.
    pub fn of_outputs(
        human: &'a H,
        metrics: [&[f64]; 2],
        wanted: &'a [Statistic],
        seed: Seed,
    ) -> Self {
        Self::between_outputs(human, SwappedUnits::Outputs, metrics, wanted, seed)
    }

    fn between_outputs(
        human: &'a H,
        units: SwappedUnits,
        observed: [&[f64]; 2],
        wanted: &'a [Statistic],
        seed: Seed,
    ) -> Self {
        // Raw scores, not standardised ones: rounding would separate means that are equal.
        Self::new(
            human,
            units,
            observed,
            observed.map(standardised),
            wanted,
            seed,
        )
    }

    /// A test of statistics between systems, for systems like these, without trials yet. Scores are one per output.
    pub fn of_systems(
        human: &'a H,
        metrics: [&[f64]; 2],
        wanted: &'a [Statistic],
        seed: Seed,
    ) -> Self {
        let ranks = metrics.map(|scores| ranks(human.layout(), scores));
        let observed = [ranks[0].clone(), ranks[1].clone()];
        let observed = [observed[0].as_slice(), &observed[1]];
        Self::new(human, SwappedUnits::Systems, observed, ranks, wanted, seed)
    }

    fn new(
        human: &'a H,
        units: SwappedUnits,
        observed: [&[f64]; 2],
        metrics: [Vec<f64>; 2],
        wanted: &'a [Statistic],
        seed: Seed,
    ) -> Self {
        let all = Pairing::all(human.layout().systems());
        Self {
            observed: differences(human, observed, wanted, &all),
            exceeding: vec![0; wanted.len()],
            human,
            units,
            metrics,
            wanted,
            seed,
            trials: 0,
        }
    }

    /// Runs these trials, in parallel. Trial i does not depend on the other trials.
    pub fn run(&mut self, trials: Range<u64>) {
        if self.wanted.is_empty() {
            return;
        }
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
        let mut choose = |is_swapped: bool| is_swapped && rng.bernoulli(0.5);
        let systems: Vec<bool> = (0..layout.systems())
            .map(|_| choose(self.units != SwappedUnits::Items))
            .collect();
        let mut swapped = self.metrics.clone();
        let units = layout.units();
        for unit in 0..units.count() {
            let chosen = choose(self.units != SwappedUnits::Systems);
            for output in units.members(unit).flat_map(|item| layout.of_item(item)) {
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

    /// The two-sided p-value of each statistic's difference; `None` where one of the metrics has no value, or where fewer
    /// than [`FEWEST_SWAPPED`] systems or ten items change places.
    pub fn p_values(&self) -> Vec<Option<f64>> {
        let layout = self.human.layout();
        let undecided = match self.units {
            SwappedUnits::Items => layout.units().count() < FEWEST_TESTED_ITEMS,
            SwappedUnits::Outputs => false,
            SwappedUnits::Systems => ranked(layout) < FEWEST_SWAPPED,
        };
        let p = |(observed, exceeding): (&Option<f64>, &u64)| {
            observed.filter(|_| !undecided)?;
            Some((exceeding + 1) as f64 / (self.trials + 1) as f64)
        };
        self.observed.iter().zip(&self.exceeding).map(p).collect()
    }
}

/// The number of systems with outputs.
fn ranked(layout: &Layout) -> usize {
    let mut seen = vec![false; layout.systems()];
    (0..layout.outputs()).for_each(|output| seen[layout.system(output)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// For each output the rank of its system's mean.
fn ranks(layout: &Layout, scores: &[f64]) -> Vec<f64> {
    let means = system_means(layout, scores);
    let known: Vec<f64> = means.iter().flatten().copied().collect();
    let mut ranks = mean_ranks(&known).into_iter();
    let by_system: Vec<f64> = means
        .iter()
        .map(|mean| mean.and_then(|_| ranks.next()).unwrap_or_default())
        .collect();
    (0..layout.outputs())
        .map(|output| by_system[layout.system(output)])
        .collect()
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
