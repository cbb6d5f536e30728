//! The schedule of a training: the examples that each step sees, and its learning rate.
//!
//! Every epoch shuffles all examples, sorts windows of 16 batches by length, cuts them into batches
//! of at least so many pairs, and shuffles the batches: inputs of one batch have similar lengths,
//! which on a GPU saves padding, and batches come in any order. The rate rises linearly to its peak
//! over the warm-up and then falls linearly to 0 after the last step.

use super::examples::TrainingExample;
use super::settings::Settings;
use tiebreak_base::rng::Seed;

/// The number of batches that are sorted by length together.
const WINDOW: usize = 16;

/// The examples of every step of a training.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BatchSchedule {
    batches: Vec<Vec<usize>>,
    /// The number of steps after each epoch.
    ends: Vec<usize>,
}

impl BatchSchedule {
    /// Makes the schedule, a function of its arguments.
    pub(super) fn new(examples: &[TrainingExample], settings: &Settings, seed: Seed) -> Self {
        let mut plan = Self {
            batches: Vec::new(),
            ends: Vec::new(),
        };
        for epoch in 0..settings.epochs {
            let mut order: Vec<usize> = (0..examples.len()).collect();
            let mut rng = seed.stream("epoch", u64::from(epoch));
            rng.shuffle(&mut order);
            let pairs = |&example: &usize| examples[example].pairs.len();
            let mut batches = Vec::new();
            for mut window in cut(&order, WINDOW * settings.batch_size, pairs) {
                window.sort_by_key(|&example| examples[example].length());
                batches.extend(cut(&window, settings.batch_size, pairs));
            }
            rng.shuffle(&mut batches);
            plan.batches.extend(batches);
            plan.ends.push(plan.batches.len());
        }
        plan
    }

    /// The number of steps.
    pub(super) fn steps(&self) -> usize {
        self.batches.len()
    }

    /// The examples of a step, counted from 0.
    pub(super) fn batch(&self, step: usize) -> &[usize] {
        &self.batches[step]
    }

    /// The epoch of a step, both counted from 0.
    pub(super) fn epoch(&self, step: usize) -> usize {
        self.ends.partition_point(|&end| end <= step)
    }

    /// The number of epochs that so many steps are.
    pub(super) fn epochs(&self, steps: usize) -> f64 {
        let epoch = self.epoch(steps);
        let start = epoch.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = self.ends.get(epoch).copied().unwrap_or(start + 1);
        epoch as f64 + (steps - start) as f64 / (end - start) as f64
    }

    /// Whether the held-out pairs are evaluated after so many steps: `per_epoch` times an epoch,
    /// evenly, the last time at its end, and before the first step.
    pub(super) fn is_evaluated(&self, steps: usize, per_epoch: u32) -> bool {
        let Some(last) = steps.checked_sub(1) else {
            return true;
        };
        let epoch = self.epoch(last);
        let start = epoch.checked_sub(1).map_or(0, |before| self.ends[before]);
        let length = self.ends[epoch] - start;
        let looks = |steps: usize| steps * per_epoch as usize / length;
        looks(steps - start) > looks(last - start)
    }

    /// The rate of a step, counted from 0, as a share of the peak, in (0, 1].
    pub(super) fn rate(&self, step: usize, warmup: f64) -> f64 {
        let steps = self.steps() as f64;
        let rising = (warmup * steps).round();
        let done = step as f64;
        if done < rising {
            (done + 1.0) / rising
        } else {
            (steps - done) / (steps - rising)
        }
    }
}

/// Cuts examples into runs with at least so many pairs; the last may have fewer.
fn cut(examples: &[usize], at_least: usize, pairs: impl Fn(&usize) -> usize) -> Vec<Vec<usize>> {
    let mut runs = Vec::new();
    let (mut run, mut count) = (Vec::new(), 0);
    for example in examples {
        run.push(*example);
        count += pairs(example);
        if count >= at_least {
            runs.push(std::mem::take(&mut run));
            count = 0;
        }
    }
    if !run.is_empty() {
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preference::training::examples::JudgedPair;
    use crate::preference::training::loss::JudgmentCounts;
    use tiebreak_encoders::Tokens;

    fn examples() -> Vec<TrainingExample> {
        let mut rng = Seed(1).stream("test", 0);
        let mut one = |_| {
            let length = 1 + rng.below(90);
            let pair = JudgedPair {
                first: 0,
                second: 1,
                said: JudgmentCounts::default(),
            };
            TrainingExample {
                inputs: vec![Tokens {
                    ids: vec![0; length],
                    types: vec![0; length],
                }],
                pairs: vec![pair; 1 + rng.below(9)],
                cut: 0,
            }
        };
        (0..2000).map(&mut one).collect()
    }

    fn settings() -> Settings {
        Settings {
            epochs: 3,
            batch_size: 32,
            ..Settings::default()
        }
    }

    #[test]
    fn every_epoch_sees_everything_once_in_batches_of_similar_length() {
        let (examples, settings) = (examples(), settings());
        let plan = BatchSchedule::new(&examples, &settings, Seed(5));
        let epochs: Vec<Vec<usize>> = (0..3)
            .map(|epoch| {
                let steps = (0..plan.steps()).filter(|&step| plan.epoch(step) == epoch);
                steps.flat_map(|step| plan.batch(step).to_vec()).collect()
            })
            .collect();
        assert!(epochs[0] != epochs[1] && epochs[1] != epochs[2]);
        for mut seen in epochs {
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..examples.len()));
        }
        let spread = |step: usize| {
            let lengths = plan.batch(step).iter().map(|&i| examples[i].length());
            lengths.clone().max().unwrap() - lengths.min().unwrap()
        };
        let mean = (0..plan.steps()).map(spread).sum::<usize>() / plan.steps();
        assert!(mean < 15, "{mean}: lengths are up to 90");
        let pairs = |step: &usize| -> usize {
            let batch = plan.batch(*step).iter();
            batch.map(|&i| examples[i].pairs.len()).sum()
        };
        let small = (0..plan.steps()).filter(|step| pairs(step) < 32).count();
        let windows = 2000 * 9 / (WINDOW * 32) * 3;
        assert!(small <= windows, "only a window's last batch may be small");
        assert_ne!(plan, BatchSchedule::new(&examples, &settings, Seed(6)));
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let plan = BatchSchedule::new(&examples(), &settings(), Seed(5));
        let rates: Vec<f64> = (0..plan.steps()).map(|step| plan.rate(step, 0.1)).collect();
        let peak = rates.iter().position(|&rate| rate == 1.0).unwrap();
        assert!((peak as f64 / plan.steps() as f64 - 0.1).abs() < 0.01);
        assert!(rates[..=peak].is_sorted() && rates[peak..].iter().rev().is_sorted());
        assert!(rates.iter().all(|&rate| rate > 0.0 && rate <= 1.0));
        assert_eq!(plan.rate(0, 0.0), 1.0);
    }

    #[test]
    fn looks_are_spread_over_every_epoch() {
        let plan = BatchSchedule::new(&examples(), &settings(), Seed(5));
        let looks: Vec<usize> = (0..=plan.steps())
            .filter(|&steps| plan.is_evaluated(steps, 4))
            .collect();
        assert_eq!(looks.len(), 1 + 4 * 3);
        assert_eq!((looks[0], looks[12]), (0, plan.steps()));
        assert_eq!(plan.epochs(looks[8]), 2.0);
        assert!((plan.epochs(looks[6]) - 1.5).abs() < 0.02);
        // With more evaluations than steps there is one after every step.
        assert!((0..=plan.steps()).all(|steps| plan.is_evaluated(steps, 10_000)));
    }
}
