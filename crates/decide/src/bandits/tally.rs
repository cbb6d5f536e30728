//! The score sheet of a run: wins, means, Copeland scores and their winners.
//!
//! System i *beats* j when `m_ij` > ½, strictly; the Copeland score of i is the number of systems
//! it beats. The Copeland winners have the highest score; a Condorcet winner has score K − 1.

use tiebreak_base::duel::{Arm, Outcome, Pair};

/// The wins of each arm against each. Counts are sums of halves, hence exact.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    k: usize,
    /// `w_ij` at i·K + j.
    wins: Vec<f64>,
    copeland: Vec<u16>,
}

impl Tally {
    /// An empty sheet for `k` arms.
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            wins: vec![0.0; k * k],
            copeland: vec![0; k],
        }
    }

    /// Counts one duel, in O(1). A duel of an arm with itself says nothing and is not counted.
    pub(super) fn record(&mut self, pair: Pair, outcome: Outcome) {
        if pair.is_self() {
            return;
        }
        let (i, j) = pair.indices();
        self.count_victories(i, j, u16::wrapping_sub);
        self.wins[i * self.k + j] += outcome.value();
        self.wins[j * self.k + i] += outcome.flipped().value();
        self.count_victories(i, j, u16::wrapping_add);
    }

    fn count_victories(&mut self, i: usize, j: usize, change: fn(u16, u16) -> u16) {
        let margin = self.wins(i, j) - self.wins(j, i);
        if margin > 0.0 {
            self.copeland[i] = change(self.copeland[i], 1);
        } else if margin < 0.0 {
            self.copeland[j] = change(self.copeland[j], 1);
        }
    }

    /// K.
    pub(super) fn k(&self) -> usize {
        self.k
    }

    /// `w_ij`.
    pub(super) fn wins(&self, i: usize, j: usize) -> f64 {
        self.wins[i * self.k + j]
    }

    /// `n_ij`.
    pub(super) fn duels(&self, i: usize, j: usize) -> f64 {
        self.wins(i, j) + self.wins(j, i)
    }

    /// `m_ij`, ½ where there was no duel.
    pub(super) fn mean(&self, i: usize, j: usize) -> f64 {
        let n = self.duels(i, j);
        if n == 0.0 { 0.5 } else { self.wins(i, j) / n }
    }

    /// The Copeland score of every arm.
    pub(super) fn copeland(&self) -> &[u16] {
        &self.copeland
    }

    /// The first of the Copeland winners.
    pub(super) fn leader(&self) -> Arm {
        let mut best = 0;
        for (arm, &score) in self.copeland.iter().enumerate() {
            if score > self.copeland[best] {
                best = arm;
            }
        }
        Arm::from(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn pair(i: usize, j: usize) -> Pair {
        Pair::new(Arm::from(i), Arm::from(j))
    }

    #[test]
    fn copeland_scores_agree_with_counting_afresh() {
        let mut tally = Tally::new(5);
        let mut rng = Seed(1).stream("test", 0);
        for _ in 0..500 {
            let outcome = *rng.choose(&[Outcome::Loss, Outcome::Tie, Outcome::Win]);
            tally.record(pair(rng.below(5), rng.below(5)), outcome);
            for i in 0..5 {
                let beaten = (0..5).filter(|&j| tally.mean(i, j) > 0.5).count();
                assert_eq!(usize::from(tally.copeland()[i]), beaten);
                assert_eq!(tally.mean(i, i), 0.5);
            }
        }
    }

    #[test]
    fn in_a_cycle_each_beats_one() {
        let mut tally = Tally::new(3);
        tally.record(pair(0, 1), Outcome::Win);
        tally.record(pair(1, 2), Outcome::Win);
        tally.record(pair(0, 2), Outcome::Loss);
        assert_eq!(tally.copeland(), &[1, 1, 1]);
        tally.record(pair(0, 2), Outcome::Win);
        tally.record(pair(0, 2), Outcome::Win);
        assert_eq!((tally.copeland()[0], tally.leader()), (2, Arm(0)));
    }

    #[test]
    fn a_tie_is_half_a_win_for_both() {
        let mut tally = Tally::new(2);
        tally.record(pair(1, 0), Outcome::Tie);
        assert_eq!((tally.wins(0, 1), tally.wins(1, 0)), (0.5, 0.5));
        assert_eq!(tally.copeland(), &[0, 0]);
    }
}
