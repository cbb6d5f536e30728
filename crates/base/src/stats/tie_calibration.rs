//! Pairwise accuracy with calibrated ties, for two sides of which one hardly ever calls a tie.
//!
//! Source: Deutsch, Foster and Freitag, "Ties matter: meta-evaluating modern metrics with pairwise
//! accuracy and tie calibration", EMNLP 2023. A pair is agreed on when both sides order it alike or
//! both call it a tie; the second side calls a tie what differs by at most ε. The calibrated accuracy
//! is that of the best ε among 0 and all differences that occur (acc*_eq); of several the smallest.

use super::correlation::ascending;
use std::cmp::Ordering;

/// The difference below which values are the same: sums of weights round.
const ROUNDING: f64 = 1e-12;

/// Weighted pairs, to be ordered by two sides.
#[derive(Debug, Clone, Default)]
pub struct TieCalibration {
    /// Absolute differences at which calling the pair a tie changes the agreement, with the change.
    changes: Vec<(f64, f64)>,
    agreed: f64,
    weight: f64,
}

/// Accuracies in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TieCalibratedAccuracy {
    /// The weighted share of pairs agreed on with ε = 0.
    pub accuracy: f64,
    /// That share with the best ε.
    pub calibrated: f64,
    /// The best ε.
    pub epsilon: f64,
}

impl TieCalibration {
    /// Adds a pair: how the first side orders it, the second side's difference (finite), and a weight
    /// above 0.
    pub fn push(&mut self, first: Ordering, difference: f64, weight: f64) {
        let mut weights = [0.0; 3];
        weights[order_index(first)] = weight;
        self.push_all(weights, difference);
    }

    /// Adds pairs of one difference, by weight: those that the first side calls less, equal and
    /// greater.
    pub fn push_all(&mut self, first: [f64; 3], difference: f64) {
        let second = ascending(difference, 0.0);
        let agreed = first[order_index(second)];
        self.weight += first.iter().sum::<f64>();
        self.agreed += agreed;
        let gain = first[order_index(Ordering::Equal)] - agreed;
        if gain != 0.0 {
            self.changes.push((difference.abs(), gain));
        }
    }

    /// The accuracy with ε = 0; `None` without pairs.
    pub fn accuracy(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.agreed / self.weight)
    }

    /// The accuracies with the best ε; `None` without pairs. O(n log n) for n pairs.
    pub fn calibrate(mut self) -> Option<TieCalibratedAccuracy> {
        self.changes
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut search = TieSearch::new(self.agreed, self.weight);
        for equal in self.changes.chunk_by(|a, b| a.0 == b.0) {
            search.push(equal[0].0, equal.iter().map(|(_, gain)| gain).sum());
        }
        search.found()
    }
}

/// A search for the best ε, by ever larger differences.
#[derive(Debug, Clone, Copy)]
pub struct TieSearch {
    weight: f64,
    /// The weights agreed on with ε = 0, with the last difference as ε, and with the best.
    agreed: [f64; 3],
    epsilon: f64,
}

impl TieSearch {
    /// The search where so much is agreed on with ε = 0, of all the weight.
    pub fn new(agreed: f64, weight: f64) -> Self {
        Self {
            weight,
            agreed: [agreed; 3],
            epsilon: 0.0,
        }
    }

    /// Tries the next difference as ε, which changes the agreement by `gain`.
    pub fn push(&mut self, difference: f64, gain: f64) {
        let [_, last, best] = &mut self.agreed;
        *last += gain;
        if *last > *best + ROUNDING * self.weight {
            (*best, self.epsilon) = (*last, difference);
        }
    }

    /// The accuracies; `None` without weight.
    pub fn found(&self) -> Option<TieCalibratedAccuracy> {
        let [agreed, _, best] = self.agreed;
        (self.weight > 0.0).then(|| TieCalibratedAccuracy {
            accuracy: agreed / self.weight,
            calibrated: (best / self.weight).min(1.0),
            epsilon: self.epsilon,
        })
    }
}

/// The index of the weight of an order.
fn order_index(order: Ordering) -> usize {
    match order {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// acc*_eq by its definition: every ε is tried on every pair.
    fn by_definition(pairs: &[(Ordering, f64, f64)]) -> (f64, f64) {
        let accuracy = |epsilon: f64| {
            let agreed = pairs.iter().filter(|(first, difference, _)| {
                let second = match difference.abs() <= epsilon {
                    true => Ordering::Equal,
                    false => ascending(*difference, 0.0),
                };
                second == *first
            });
            let all: f64 = pairs.iter().map(|pair| pair.2).sum();
            agreed.map(|pair| pair.2).sum::<f64>() / all
        };
        let mut candidates: Vec<f64> = pairs.iter().map(|pair| pair.1.abs()).collect();
        candidates.push(0.0);
        candidates.sort_by(f64::total_cmp);
        let mut best = (f64::NEG_INFINITY, 0.0);
        for epsilon in candidates {
            if accuracy(epsilon) > best.0 + 1e-12 {
                best = (accuracy(epsilon), epsilon);
            }
        }
        best
    }

    #[test]
    fn the_sorted_pass_finds_what_trying_every_epsilon_finds() {
        let mut raised = 0;
        for run in 0..200 {
            let mut rng = Seed(9).stream("test", run);
            let few = 2 + rng.below(9);
            let pairs: Vec<(Ordering, f64, f64)> = (0..=rng.below(30))
                .map(|_| {
                    let first = [Ordering::Less, Ordering::Equal, Ordering::Greater][rng.below(3)];
                    let difference = (rng.below(few) as f64 - 2.0) / 4.0;
                    (first, difference, 1.0 / (1 + rng.below(3)) as f64)
                })
                .collect();
            let mut calibration = TieCalibration::default();
            for &(first, difference, weight) in &pairs {
                calibration.push(first, difference, weight);
            }
            let found = calibration.calibrate().unwrap();
            let (accuracy, epsilon) = by_definition(&pairs);
            assert!((found.calibrated - accuracy).abs() < 1e-12, "{run}");
            assert_eq!(found.epsilon, epsilon, "{run}");
            raised += u32::from(found.epsilon > 0.0);
        }
        assert!(raised > 50, "{raised}");
    }

    #[test]
    fn pairs_of_one_difference_may_come_together() {
        let (mut together, mut apart) = (TieCalibration::default(), TieCalibration::default());
        for (weights, difference) in [
            ([2.0, 1.0, 0.0], 0.5),
            ([1.0, 3.0, 4.0], -0.25),
            ([0.0, 2.0, 1.0], 0.0),
        ] {
            together.push_all(weights, difference);
            let orders = [Ordering::Less, Ordering::Equal, Ordering::Greater];
            for (order, weight) in orders.into_iter().zip(weights) {
                apart.push(order, difference, weight);
            }
        }
        assert_eq!(together.calibrate(), apart.calibrate());
    }

    #[test]
    fn without_pairs_there_is_no_accuracy() {
        assert_eq!(TieCalibration::default().calibrate(), None);
    }
}
