//! Optimistic estimates of who beats whom, shared by the algorithms of the UCB family.
//!
//! `u_ij` = min(1, `m_ij` + r) with r = √(α ln t / `n_ij`), and 1 where the pair never met; `u_ii`
//! = ½. t counts steps from 1. Asking whether *every* `u_cj` reaches ½ would take K square roots
//! per arm and step. But m + r < ½ holds exactly when n (½ − m)² > α ln t with m < ½, so each arm
//! keeps the largest left-hand side, updated when one of its pairs changes: O(K) per answer, O(1)
//! per arm and step.

use super::tally::Tally;
use crate::duel::{Outcome, Pair};

/// A [`Tally`] with upper confidence bounds.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    tally: Tally,
    alpha: f64,
    /// max over j of `n_ij` (½ − `m_ij`)² where `m_ij` < ½, else 0.
    deficits: Vec<f64>,
}

impl Bounds {
    /// No duels yet among `k` arms; `alpha` scales the exploration.
    pub(super) fn new(k: usize, alpha: f64) -> Self {
        Self {
            tally: Tally::new(k),
            alpha,
            deficits: vec![0.0; k],
        }
    }

    /// Counts one duel, in O(K).
    pub(super) fn record(&mut self, pair: Pair, outcome: Outcome) {
        if pair.is_self() {
            return;
        }
        self.tally.record(pair, outcome);
        for arm in [pair.first.index(), pair.second.index()] {
            self.deficits[arm] = (0..self.tally.k())
                .map(|j| self.deficit(arm, j))
                .fold(0.0, f64::max);
        }
    }

    fn deficit(&self, i: usize, j: usize) -> f64 {
        let (won, lost) = (self.tally.wins(i, j), self.tally.wins(j, i));
        if won < lost {
            (lost - won).powi(2) / (4.0 * (won + lost)) // n (½ − m)²
        } else {
            0.0
        }
    }

    /// The counts behind the bounds.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// α ln t, the squared radius of a pair that met once.
    pub(super) fn width(&self, t: u64) -> f64 {
        self.alpha * (t as f64).ln()
    }

    /// Whether `u_ij` ≥ ½ for all j.
    pub(super) fn may_be_unbeaten(&self, arm: usize, width: f64) -> bool {
        self.deficits[arm] <= width
    }

    /// `u_ij`.
    pub(super) fn upper(&self, i: usize, j: usize, width: f64) -> f64 {
        if i == j {
            return 0.5;
        }
        let n = self.tally.duels(i, j);
        if n == 0.0 {
            return 1.0;
        }
        (self.tally.wins(i, j) / n + (width / n).sqrt()).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;
    use crate::rng::Seed;

    #[test]
    fn the_short_cut_agrees_with_the_definition() {
        let k = 6;
        let mut bounds = Bounds::new(k, 0.51);
        let mut rng = Seed(5).stream("test", 0);
        let mut excluded = 0;
        for t in 1..3000 {
            let pair = Pair::new(Arm::from(rng.below(k)), Arm::from(rng.below(k)));
            let win = rng.bernoulli(if pair.first < pair.second { 0.8 } else { 0.2 });
            bounds.record(pair, if win { Outcome::Win } else { Outcome::Loss });
            let width = bounds.width(t);
            for i in 0..k {
                let lowest = (0..k)
                    .map(|j| bounds.upper(i, j, width))
                    .fold(f64::MAX, f64::min);
                if (lowest - 0.5).abs() > 1e-9 {
                    assert_eq!(bounds.may_be_unbeaten(i, width), lowest > 0.5);
                    excluded += u32::from(lowest < 0.5);
                }
            }
        }
        assert!(excluded > 1000, "the test must see both sides: {excluded}");
    }
}
