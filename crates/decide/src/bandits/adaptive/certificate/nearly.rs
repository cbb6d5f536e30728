//! Proves that no system is better than i by more than ε, where the best are practically tied.
//!
//! ```text
//! E'_ij = Π (1 + l (w − ½ + ε))      l = (μ + ε)/(r/4 + (μ + ε)²), between 0 and 0.9/(½ − ε)
//! ```
//!
//! over the answers w of people about i against j: 1, ½ or 0. Where scores S reach to ±R rather than ±1, w is
//! (1 + S)/2 and l at most 0.9/(R/2 − ε): the least factor, that of S = −R or, where predictions are subtracted, of S
//! beyond it by the excess, remains 0.1. Ties count, and every answer moves both directions of its pair. Where `p_ij` ≤
//! ½ − ε it is a supermartingale; i is *ε-best* once `E'_ij` has reached K/δ for every j: for each i that is not ε-best
//! one j may be fixed beforehand. Here p is over the items on which outputs differ; over all items the margin is f ε.

use super::process::{EvidenceFactor, Processes};
use super::stake::Expectation;
use tiebreak_base::duel::{DuelId, Pair};

/// The evidence that i is at least nearly as good as j, for each ordered pair.
#[derive(Debug, Clone)]
pub(in super::super) struct NearlyBestProof {
    k: usize,
    epsilon: f64,
    /// ln(K/δ).
    threshold: f64,
    /// `E'_ij` at i·K + j.
    pub(super) processes: Processes,
}

impl NearlyBestProof {
    pub(super) fn new(epsilon: f64, k: usize, delta: f64) -> Self {
        Self {
            k,
            epsilon,
            threshold: (k as f64 / delta).ln(),
            processes: Processes::new(),
        }
    }

    /// Bets on both of a pair; `expected` is of the first.
    pub(super) fn bet(
        &mut self,
        id: DuelId,
        block: u64,
        pair: Pair,
        expected: Expectation,
        excess: f64,
    ) {
        let (i, j) = pair.indices();
        let up = self.bet_on_first(i * self.k + j, expected, excess);
        let down = EvidenceFactor {
            on_first: false,
            ..self.bet_on_first(j * self.k + i, expected.flipped(), excess)
        };
        self.processes.bet(id, block, up);
        self.processes.bet(id, block, down);
    }

    /// The factor in terms of scores, with w − ½ + ε = (S + 2ε)/2.
    fn bet_on_first(&self, process: usize, expected: Expectation, excess: f64) -> EvidenceFactor {
        let b = -2.0 * self.epsilon;
        let most = expected.largest(excess, b);
        let ahead = expected.gain(b);
        let square = expected.square + ahead * ahead;
        EvidenceFactor {
            process,
            on_first: true,
            size: (ahead / square).clamp(0.0, most),
            most,
            slack: expected.rest.slack(b),
            square,
        }
    }

    /// The systems to which i is not yet shown to be nearly equal.
    pub(in super::super) fn lacking(&self, i: usize) -> Vec<usize> {
        let lacks = |&j: &usize| j != i && self.missing(i, j) > 0.0;
        (0..self.k).filter(lacks).collect()
    }

    /// The part of ln E' that is missing before i can be announced.
    pub(in super::super) fn distance(&self, i: usize) -> f64 {
        let others = (0..self.k).filter(|&j| j != i);
        others.map(|j| self.missing(i, j)).sum()
    }

    /// A system with all the evidence it needs.
    pub(super) fn found(&self) -> Option<usize> {
        let shown = |i: usize| (0..self.k).all(|j| j == i || self.missing(i, j) == 0.0);
        (0..self.k).find(|&i| shown(i))
    }

    /// Notes that the mean score of i against j is certain to be `least` or more.
    pub(super) fn certain(&mut self, i: usize, j: usize, least: f64) {
        if least > -2.0 * self.epsilon {
            self.processes.prove(i * self.k + j);
        }
    }

    fn missing(&self, i: usize, j: usize) -> f64 {
        (self.threshold - self.processes.highest(i * self.k + j)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandits::adaptive::certificate::blocks::EvidenceBlocks;
    use crate::bandits::adaptive::certificate::process::QuestionResolution;
    use crate::bandits::adaptive::stock::RemainingJudgments;
    use tiebreak_base::duel::Arm;

    #[test]
    fn a_pair_that_ties_for_ever_proves_both_of_it() {
        let mut nearly = NearlyBestProof::new(0.1, 3, 0.05);
        let mut blocks = EvidenceBlocks::default();
        let pair = Pair::new(Arm(2), Arm(0));
        let tied = Expectation {
            margin: 0.0,
            square: 0.4,
            reach: 1.0,
            rest: RemainingJudgments::ALL,
        };
        for id in 0..200 {
            let id = DuelId(id);
            nearly.bet(id, blocks.block(id).unwrap(), pair, tied, 0.0);
            let answer = QuestionResolution::Answered(0.0);
            nearly.processes.settle(id, answer, &blocks);
        }
        // l = 0.1/(0.1 + 0.01) = 0.909, so each tie adds ln(1.0909) = 0.087; ln 60 = 4.09.
        assert_eq!((nearly.lacking(0), nearly.lacking(2)), (vec![1], vec![1]));
        assert_eq!((nearly.lacking(1).len(), nearly.found()), (2, None));
        assert!(nearly.distance(1) > nearly.distance(0));
    }

    #[test]
    fn bets_are_worth_nothing_on_average_where_the_claim_just_fails() {
        let nearly = NearlyBestProof::new(0.02, 2, 0.05);
        for (margin, reach) in [-0.4, -0.01, 0.0, 0.1, 0.5]
            .into_iter()
            .flat_map(|margin| [(margin, 1.0), (margin, 9.0)])
        {
            let expected = Expectation {
                margin,
                square: 0.7,
                reach,
                rest: RemainingJudgments::ALL,
            };
            let EvidenceFactor { size, slack, .. } = nearly.bet_on_first(0, expected, 0.0);
            let gain = |score: f64| size * (score + slack);
            // p = ½ − ε with three ties in ten.
            let [loss, tie, win] = [0.5 + 0.02 - 0.15, 0.3, 0.5 - 0.02 - 0.15];
            let mean: f64 = loss * gain(-1.0) + tie * gain(0.0) + win * gain(1.0);
            assert!(mean.abs() < 1e-15, "{margin}: {mean}");
            assert!(gain(-reach) > -0.91 && size.is_finite());
            assert_eq!(size > 0.0, margin > -0.02, "{margin}: {size}");
        }
    }
}
