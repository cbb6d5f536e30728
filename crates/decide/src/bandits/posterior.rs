//! Thompson's posterior of every preference: `θ_ij` ~ Beta(`w_ij` + 1, `w_ji` + 1).
//!
//! Where only the side of ½ matters, drawing it with its exact probability gives the same
//! distribution as drawing θ, for one uniform number instead of two gamma variates.

use super::tally::Tally;
use tiebreak_base::duel::Pair;
use tiebreak_base::rng::Rng;
use tiebreak_base::stats::special::beta_above_half;

/// P(`θ_ij` > ½) for every pair, kept current.
#[derive(Debug, Clone)]
pub(super) struct PreferencePosterior {
    k: usize,
    /// At i·K + j.
    above_half: Vec<f64>,
}

impl PreferencePosterior {
    /// The uniform prior for `k` arms.
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            above_half: vec![0.5; k * k],
        }
    }

    /// Learns what `tally` now says about two different arms.
    pub(super) fn update(&mut self, tally: &Tally, pair: Pair) {
        let (i, j) = pair.indices();
        let above = beta_above_half(tally.wins(i, j) + 1.0, tally.wins(j, i) + 1.0);
        self.above_half[i * self.k + j] = above;
        self.above_half[j * self.k + i] = 1.0 - above;
    }

    /// Whether a fresh `θ_ij` exceeds ½.
    pub(super) fn prefers(&self, i: usize, j: usize, rng: &mut Rng) -> bool {
        rng.bernoulli(self.above_half[i * self.k + j])
    }
}

/// A fresh `θ_ij` itself, for i ≠ j.
pub(super) fn draw(tally: &Tally, i: usize, j: usize, rng: &mut Rng) -> f64 {
    rng.beta(tally.wins(i, j) + 1.0, tally.wins(j, i) + 1.0)
}
