//! Capital split over bets that a mean is above a candidate.
//!
//! For numbers x ≥ 0 whose mean is at most m, given what came before, the factor 1 + s (x/m − 1) with a share s from 0
//! to 1 is expected to be at most 1, and so is the mean of the products over several shares that were fixed before any
//! number. It exceeds 1/ε at any time with a chance of at most ε (Ville). It grows with every x and falls as m grows.

/// Capital of 1, split evenly over bets.
#[derive(Debug, Clone)]
pub(crate) struct SplitCapital {
    /// Each bet, as a share of the largest one that cannot lose more than all, and the logarithm of its product.
    bets: Vec<(f64, f64)>,
}

impl SplitCapital {
    /// Capital over these shares, each between 0 and 1.
    pub(crate) fn new(shares: impl Iterator<Item = f64>) -> Self {
        let bets = shares.map(|share| (share, 0.0)).collect();
        Self { bets }
    }

    /// Multiplies by the factors of a number `x` against the candidate `m` > 0, as often as it occurs.
    pub(crate) fn take(&mut self, x: f64, m: f64, times: f64) {
        let gain = x / m - 1.0;
        for (share, ln) in &mut self.bets {
            *ln += times * (*share * gain).ln_1p();
        }
    }

    /// The logarithm of the capital.
    pub(crate) fn ln(&self) -> f64 {
        let logs = || self.bets.iter().map(|bet| bet.1);
        let best = logs().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs().map(|ln| (ln - best).exp()).sum();
        best + (sum / self.bets.len() as f64).ln()
    }
}
