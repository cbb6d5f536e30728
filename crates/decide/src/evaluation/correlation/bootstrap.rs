//! BOOT-BOTH: the distribution of the statistics over other items and other systems.
//!
//! Source: Deutsch, Dror and Roth, TACL 2021. A resample draws as many items and as many systems
//! as there are, with repetition; the interval holds the central share of what the statistics then
//! are. Deviation: two copies of one system are no pair for accuracies, which would else count their
//! ties as agreement. Fewer than five systems are not resampled: most resamples of so few
//! hold two at most, and intervals would be both wide and, for a perfect coefficient, empty.

use super::{Human, Pairing, Statistic};
use rayon::prelude::*;
use std::ops::Range;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::bootstrap::percentile_interval;

/// The share of resamples in which a statistic must exist to get an interval.
const DEFINED: f64 = 0.9;

/// The fewest systems that are resampled.
pub(crate) const FEWEST_SYSTEMS: usize = 5;

/// The units that are resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResamplingUnits {
    /// Items; the systems are fixed.
    Items,
    /// Items and systems: both stand for others like them.
    Both,
}

/// Statistics of several metrics in resamples, computed range by range so that the caller can stop.
pub struct Intervals<'a, H> {
    human: &'a H,
    metrics: &'a [Vec<f64>],
    wanted: &'a [Statistic],
    replicates: ResamplingUnits,
    seed: Seed,
    /// The values by resample, then metric and statistic.
    values: Vec<Vec<Option<f64>>>,
}

impl<'a, H: Human> Intervals<'a, H> {
    /// Intervals without resamples yet. `metrics` holds the scores of each metric, one per output.
    pub fn new(
        human: &'a H,
        metrics: &'a [Vec<f64>],
        wanted: &'a [Statistic],
        replicates: ResamplingUnits,
        seed: Seed,
    ) -> Self {
        Self {
            human,
            metrics,
            wanted,
            replicates,
            seed,
            values: Vec::new(),
        }
    }

    /// Draws these resamples, in parallel. Resample i does not depend on the other resamples.
    pub fn draw(&mut self, resamples: Range<u64>) {
        let drawn = resamples.into_par_iter().map(|i| self.resample(i));
        let drawn: Vec<_> = drawn.collect();
        self.values.extend(drawn);
    }

    fn resample(&self, i: u64) -> Vec<Option<f64>> {
        let layout = self.human.layout();
        let mut rng = self.seed.stream("boot-both", i);
        let mut draw = |n: usize| -> Vec<usize> { (0..n).map(|_| rng.below(n)).collect() };
        let items = draw(layout.items());
        let systems = match self.replicates {
            ResamplingUnits::Items => (0..layout.systems()).collect(),
            ResamplingUnits::Both => draw(layout.systems()),
        };
        let pairing = Pairing::drawn(layout.systems(), &mut rng);
        let (human, source) = self.human.resampled(&items, &systems);
        let of_metric = |scores: &Vec<f64>| {
            let scores: Vec<f64> = source.iter().map(|&output| scores[output]).collect();
            human.values_of(&scores, self.wanted, &pairing)
        };
        let values = self.metrics.iter().flat_map(of_metric);
        values.map(|value| value.value).collect()
    }

    /// The central share `confidence` of a statistic of a metric.
    ///
    /// # Errors
    /// The reason why there is none: the statistic exists in fewer than nine resamples out of ten, fewer than
    /// `FEWEST_SYSTEMS` or a single item were drawn again, or all resamples are alike, which gives no spread.
    pub fn interval(
        &self,
        metric: usize,
        statistic: usize,
        confidence: f64,
    ) -> Result<(f64, f64), &'static str> {
        let at = metric * self.wanted.len() + statistic;
        let mut values: Vec<f64> = self.values.iter().filter_map(|row| row[at]).collect();
        let systems = match self.replicates {
            ResamplingUnits::Items => FEWEST_SYSTEMS,
            ResamplingUnits::Both => self.human.layout().systems(),
        };
        if self.human.layout().items() < 2 {
            return Err("a single item");
        }
        if systems < FEWEST_SYSTEMS {
            return Err("fewer than five systems to draw again");
        }
        if (values.len() as f64) < DEFINED * self.values.len() as f64 {
            return Err("too few resamples with a value");
        }
        let interval = percentile_interval(&mut values, confidence);
        let interval = interval.filter(|(lower, upper)| lower < upper);
        interval.ok_or("all resamples are alike")
    }
}
