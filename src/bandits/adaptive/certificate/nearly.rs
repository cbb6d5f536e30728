//! Proves that no system is better than i by more than ε, where the best are practically tied.
//!
//! ```text
//! E'_ij = Π (1 + l (w − ½ + ε))      l = (μ + ε)/(r/4 + (μ + ε)²), between 0 and 0.9/(½ − ε)
//! ```
//!
//! over the answers w of people about i against j: 1, ½ or 0. Ties count, and every answer moves
//! both directions of its pair. Where `p_ij` ≤ ½ − ε it is a supermartingale; i is *ε-best* once
//! `E'_ij` has reached K/δ for every j: for each i that is not ε-best one j may be fixed beforehand.
//! Here p is over the items on which outputs differ; over all items the margin is f ε.

use super::process::{Gains, Processes};
use super::{Expectation, LARGEST_BET};
use crate::duel::{DuelId, Outcome, Pair};

/// The evidence that i is at least nearly as good as j, for each ordered pair.
#[derive(Debug, Clone)]
pub(in super::super) struct NearlyBest {
    k: usize,
    epsilon: f64,
    /// ln(K/δ).
    threshold: f64,
    /// `E'_ij` at i·K + j.
    processes: Processes,
}

impl NearlyBest {
    pub(super) fn new(epsilon: f64, k: usize, delta: f64) -> Self {
        Self {
            k,
            epsilon,
            threshold: (k as f64 / delta).ln(),
            processes: Processes::new(k * k),
        }
    }

    /// Bets on both of a pair; `expected` is of the first.
    pub(super) fn bet(&mut self, id: DuelId, pair: Pair, expected: Expectation) {
        let (i, j) = (pair.first.index(), pair.second.index());
        let up = self.gains(expected);
        let [loss, tie, win] = self.gains(expected.flipped());
        self.processes.bet(id, i * self.k + j, up);
        self.processes.bet(id, j * self.k + i, [win, tie, loss]);
    }

    /// What a loss, a tie and a win of the system in favour of which the bet is bring.
    fn gains(&self, Expectation { margin, decided }: Expectation) -> Gains {
        let ahead = margin + self.epsilon;
        let most = LARGEST_BET / (0.5 - self.epsilon);
        let bet = (ahead / (decided / 4.0 + ahead * ahead)).clamp(0.0, most);
        [0.0, 0.5, 1.0].map(|w| bet * (w - 0.5 + self.epsilon))
    }

    pub(super) fn settle(&mut self, id: DuelId, human: Option<Outcome>) -> bool {
        self.processes.settle(id, human)
    }

    /// The systems to which i is not yet shown to be nearly equal.
    pub(in super::super) fn lacking(&self, i: usize) -> Vec<usize> {
        let lacks = |&j: &usize| j != i && self.missing(i, j) > 0.0;
        (0..self.k).filter(lacks).collect()
    }

    /// How much of ln E' is missing before i can be announced.
    pub(in super::super) fn distance(&self, i: usize) -> f64 {
        let others = (0..self.k).filter(|&j| j != i);
        others.map(|j| self.missing(i, j)).sum()
    }

    /// A system with all the evidence it needs.
    pub(super) fn found(&self) -> Option<usize> {
        let shown = |i: usize| (0..self.k).all(|j| j == i || self.missing(i, j) == 0.0);
        (0..self.k).find(|&i| shown(i))
    }

    fn missing(&self, i: usize, j: usize) -> f64 {
        (self.threshold - self.processes.highest(i * self.k + j)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;

    #[test]
    fn a_pair_that_ties_for_ever_proves_both_of_it() {
        let mut nearly = NearlyBest::new(0.1, 3, 0.05);
        let pair = Pair::new(Arm(2), Arm(0));
        let tied = Expectation {
            margin: 0.0,
            decided: 0.4,
        };
        for id in 0..200 {
            nearly.bet(DuelId(id), pair, tied);
            nearly.settle(DuelId(id), Some(Outcome::Tie));
        }
        // l = 0.1/(0.1 + 0.01) = 0.909, so each tie adds ln(1.0909) = 0.087; ln 60 = 4.09.
        assert_eq!((nearly.lacking(0), nearly.lacking(2)), (vec![1], vec![1]));
        assert_eq!((nearly.lacking(1).len(), nearly.found()), (2, None));
        assert!(nearly.distance(1) > nearly.distance(0));
    }

    #[test]
    fn bets_are_worth_nothing_on_average_where_the_claim_just_fails() {
        let nearly = NearlyBest::new(0.02, 2, 0.05);
        for margin in [-0.4, -0.01, 0.0, 0.1, 0.5] {
            let decided = 0.7;
            let gains = nearly.gains(Expectation { margin, decided });
            // p = ½ − ε with three ties in ten.
            let [loss, tie, win] = [0.5 + 0.02 - 0.15, 0.3, 0.5 - 0.02 - 0.15];
            let mean: f64 = loss * gains[0] + tie * gains[1] + win * gains[2];
            assert!(mean.abs() < 1e-15, "{margin}: {mean}");
            assert!(gains[0] > -0.91 && gains.iter().all(|gain| gain.is_finite()));
            assert_eq!(gains[2] > 0.0, margin > -0.02, "{margin}: {gains:?}");
        }
    }
}
