//! Optimistic and pessimistic estimates of who beats whom, shared by the UCB family.
//!
//! `u_ij` = min(1, `m_ij` + r) and `l_ij` = max(0, `m_ij` − r) with r = √(α ln t / `n_ij`), and 1
//! where the pair never met; `u_ii` = `l_ii` = ½. t counts steps from 1. Comparing every bound with ½
//! would take K² square roots per step. But m + r < ½ holds exactly when the *deficit*
//! n (½ − m) |½ − m| exceeds α ln t, and m − r > ½ exactly when it is below −α ln t; deficits change
//! with the answers only, the threshold with every step. A pair that never met has a deficit of 0,
//! which is on the right side of both.

use super::tally::Tally;
use tiebreak_base::duel::{Outcome, Pair};

/// A [`Tally`] with confidence bounds.
#[derive(Debug, Clone)]
pub(super) struct PreferenceBounds {
    tally: Tally,
    alpha: f64,
    /// `n_ij` (½ − `m_ij`) |½ − `m_ij`| at i·K + j: positive where i loses to j.
    deficits: Vec<f64>,
    /// The largest deficit of every arm.
    worst: Vec<f64>,
}

impl PreferenceBounds {
    /// No duels yet among `k` arms; `alpha` scales the exploration.
    pub(super) fn new(k: usize, alpha: f64) -> Self {
        Self {
            tally: Tally::new(k),
            alpha,
            deficits: vec![0.0; k * k],
            worst: vec![0.0; k],
        }
    }

    /// Counts one duel, in O(K).
    pub(super) fn record(&mut self, pair: Pair, outcome: Outcome) {
        if pair.is_self() {
            return;
        }
        self.tally.record(pair, outcome);
        let (k, i, j) = (self.k(), pair.first.index(), pair.second.index());
        let margin = self.tally.wins(j, i) - self.tally.wins(i, j);
        let deficit = margin * margin.abs() / (4.0 * self.tally.duels(i, j));
        self.deficits[i * k + j] = deficit;
        self.deficits[j * k + i] = -deficit;
        for arm in [i, j] {
            self.worst[arm] = self.row(arm).iter().copied().fold(0.0, f64::max);
        }
    }

    fn row(&self, arm: usize) -> &[f64] {
        let k = self.k();
        &self.deficits[arm * k..(arm + 1) * k]
    }

    /// K.
    pub(super) fn k(&self) -> usize {
        self.worst.len()
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
        self.worst[arm] <= width
    }

    /// Whether `l_ij` > ½: i is known to beat j.
    pub(super) fn surely_beats(&self, i: usize, j: usize, width: f64) -> bool {
        self.deficits[i * self.k() + j] < -width
    }

    /// Whether `u_ij` < ½: i is known to lose to j.
    pub(super) fn surely_loses(&self, i: usize, j: usize, width: f64) -> bool {
        self.deficits[i * self.k() + j] > width
    }

    /// The optimistic Copeland score #{j ≠ i: `u_ij` > ½}. A bound can equal ½ in the first step
    /// only, where nothing is known and counts as above.
    pub(super) fn optimistic_copeland(&self, arm: usize, width: f64) -> usize {
        let open = |deficit: &&f64| **deficit <= 0.0 || **deficit < width;
        self.row(arm).iter().filter(open).count() - 1 // the arm itself
    }

    /// The pessimistic Copeland score #{j ≠ i: `l_ij` > ½}.
    pub(super) fn pessimistic_copeland(&self, arm: usize, width: f64) -> usize {
        let sure = |deficit: &&f64| **deficit < -width;
        self.row(arm).iter().filter(sure).count()
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
    use tiebreak_base::duel::Arm;
    use tiebreak_base::rng::Seed;

    /// Compares one step with the definitions; returns the number of pairs surely lost.
    fn agree(bounds: &PreferenceBounds, t: u64) -> usize {
        let (k, width) = (bounds.k(), bounds.width(t));
        let upper = |i: usize, j: usize| bounds.upper(i, j, width);
        let others = |i: usize| (0..k).filter(move |&j| j != i);
        for i in 0..k {
            if others(i)
                .any(|j| (upper(i, j) - 0.5).abs() < 1e-9 || (upper(j, i) - 0.5).abs() < 1e-9)
            {
                continue; // rounding decides
            }
            let unbeaten = others(i).all(|j| upper(i, j) > 0.5);
            assert_eq!(bounds.may_be_unbeaten(i, width), unbeaten);
            let optimistic = others(i).filter(|&j| upper(i, j) > 0.5).count();
            assert_eq!(bounds.optimistic_copeland(i, width), optimistic);
            // l_ij = 1 − u_ji.
            let pessimistic = others(i).filter(|&j| 1.0 - upper(j, i) > 0.5).count();
            assert_eq!(bounds.pessimistic_copeland(i, width), pessimistic);
            for j in others(i) {
                assert_eq!(bounds.surely_loses(i, j, width), upper(i, j) < 0.5);
                assert_eq!(bounds.surely_beats(i, j, width), upper(j, i) < 0.5);
            }
        }
        (0..k)
            .map(|i| others(i).filter(|&j| upper(i, j) < 0.5).count())
            .sum()
    }

    #[test]
    fn the_short_cuts_agree_with_the_definitions() {
        let k = 6;
        let mut bounds = PreferenceBounds::new(k, 0.51);
        let mut rng = Seed(5).stream("test", 0);
        let mut lost = 0;
        for t in 1..3000 {
            lost += agree(&bounds, t);
            let pair = Pair::new(Arm::from(rng.below(k)), Arm::from(rng.below(k)));
            let win = rng.bernoulli(if pair.first < pair.second { 0.8 } else { 0.2 });
            bounds.record(pair, if win { Outcome::Win } else { Outcome::Loss });
        }
        assert!(lost > 10_000, "the test must see both sides: {lost}");
    }
}
