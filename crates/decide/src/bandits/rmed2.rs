//! RMED2: as RMED1, but a losing system is tried against the rival that proves its loss most
//! cheaply.
//!
//! Source: Komiyama, Honda, Kashima and Nakagawa, "Regret lower bound and optimal algorithm in
//! dueling bandit problem", COLT 2015, algorithms 1 and 3. Assumes a Condorcet winner.
//! Parameters: `f` (0.3), with f(K) = f · K^1.01; `alpha` (3), how often every pair is dueled at least.
//!
//! [`super::rmed`] with two changes. Before each new list, every pair is dueled until
//! `n_ij` ≥ α ln ln t (as asked for, so that late answers cause no further duels). The opponent of l is
//! b*, the j that minimises (`Δ_i*l` + `Δ_i*j`) / d(`m_lj`) where `m_lj` < ½, with `Δ_ij` = `m_ij` − ½ and d
//! the divergence from ½, as long as `n_l,i*` ≥ `n_l,b*` / ln ln t: then the regret of the comparisons is
//! least. Otherwise the opponent is chosen as in RMED1. The released code has no RMED2, so there is no
//! variant.

use super::rmed::Rmed;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::stats::special::kl_from_half;

/// The registry entry of `rmed2`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "rmed2",
    summary: "as rmed, against the rival that proves a system's loss with the fewest duels",
    cite: "Komiyama et al., COLT 2015 (RMED2)",
    parameters: parameters::<Rmed2Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Rmed2Parameters {
    f: f64,
    alpha: f64,
}

impl Default for Rmed2Parameters {
    fn default() -> Self {
        Self { f: 0.3, alpha: 3.0 }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let (rmed, alpha) = unrefined("rmed2", params, arena)?;
    let refinement = Refinement::new(arena.k(), Some(alpha));
    Ok(Box::new(rmed.refined(1, refinement)))
}

/// RMED1 with these parameters, and α.
pub(super) fn unrefined(name: &str, params: &Params, arena: &Arena) -> Result<(Rmed, f64)> {
    let Rmed2Parameters { f, alpha } = params.read(name)?;
    let slack = positive(name, "f", f)? * (arena.k() as f64).powf(1.01);
    let rmed = Rmed::new(arena.k(), slack, Variant::Original);
    Ok((rmed, positive(name, "alpha", alpha)?))
}

/// ln ln t, at least 0.
pub(super) fn ln_ln(t: u64) -> f64 {
    (t as f64).ln().max(1.0).ln()
}

/// The refinement that RMED2 and RMED2FH add to RMED1.
pub(super) struct Refinement {
    k: usize,
    /// α, where every pair is dueled α ln ln t times again and again: RMED2.
    floor: Option<f64>,
    topping_up: bool,
    /// Duels asked for, at i·K + j for i < j.
    asked: Vec<u64>,
    /// b* of every arm, where it is fixed once and for all: RMED2FH.
    fixed: Option<Vec<Option<usize>>>,
}

impl Refinement {
    /// Creates a refinement for `k` arms; without a floor, rivals are fixed when the first list begins.
    pub(super) fn new(k: usize, floor: Option<f64>) -> Self {
        Self {
            k,
            floor,
            topping_up: floor.is_some(),
            asked: vec![0; k * k],
            fixed: None,
        }
    }

    /// Counts a duel asked for.
    pub(super) fn count(&mut self, i: usize, j: usize) {
        self.asked[i.min(j) * self.k + i.max(j)] += 1;
    }

    /// Begins a new list.
    pub(super) fn begin_list(&mut self) {
        self.topping_up = self.floor.is_some();
    }

    /// Whether pairs may still be too rare for the list to go on.
    pub(super) fn is_topping_up(&self) -> bool {
        self.topping_up
    }

    /// Fixes the rivals, where they are to be fixed and are not.
    pub(super) fn prepare(&mut self, tally: &Tally, best: usize) {
        if self.floor.is_none() && self.fixed.is_none() {
            let rivals = (0..self.k).map(|arm| cheapest_rival(tally, best, arm));
            self.fixed = Some(rivals.collect());
        }
    }

    /// The first pair dueled too rarely after `t` steps; `None` once the list can go on.
    pub(super) fn top_up(&mut self, t: u64) -> Option<(usize, usize)> {
        let least = self.floor? * ln_ln(t);
        let mut pairs = (0..self.k).flat_map(|i| (i + 1..self.k).map(move |j| (i, j)));
        let rare = |&(i, j): &(usize, usize)| (self.asked[i * self.k + j] as f64) < least;
        let found = self.topping_up.then(|| pairs.find(rare)).flatten();
        self.topping_up = found.is_some();
        found
    }

    /// b* of `arm`, unless it was dueled too often compared with i*.
    pub(super) fn rival(&self, tally: &Tally, best: usize, arm: usize, t: u64) -> Option<usize> {
        let rival = match &self.fixed {
            Some(fixed) => fixed[arm],
            None => cheapest_rival(tally, best, arm),
        }?;
        let balanced = tally.duels(arm, best) * ln_ln(t) >= tally.duels(arm, rival);
        balanced.then_some(rival)
    }
}

/// b*: the arm that beats `arm` most clearly for the regret that it costs; `None` if none does.
fn cheapest_rival(tally: &Tally, best: usize, arm: usize) -> Option<usize> {
    let regret = |other: usize| tally.mean(best, other) - 0.5;
    let stronger = (0..tally.k()).filter(|&other| tally.mean(arm, other) < 0.5);
    let costs = stronger.map(|other| {
        let divergence = kl_from_half(tally.mean(arm, other));
        (other, (regret(arm) + regret(other)) / divergence)
    });
    // Divergences next to ½ may round to 0.
    let cheapest = costs
        .filter(|(_, cost)| cost.is_finite())
        .min_by(|a, b| a.1.total_cmp(&b.1));
    cheapest.map(|(other, _)| other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Outcome, Pair};

    /// `n` duels of which the first wins `wins`.
    fn duels(tally: &mut Tally, first: u16, second: u16, wins: u32, n: u32) {
        for duel in 0..n {
            let outcome = if duel < wins {
                Outcome::Win
            } else {
                Outcome::Loss
            };
            tally.record(Pair::new(Arm(first), Arm(second)), outcome);
        }
    }

    #[test]
    fn the_cheapest_rival_is_a_clear_one_with_little_regret() {
        let mut tally = Tally::new(4);
        duels(&mut tally, 0, 1, 55, 100);
        duels(&mut tally, 0, 2, 60, 100);
        duels(&mut tally, 0, 3, 60, 100);
        duels(&mut tally, 3, 1, 10, 100);
        duels(&mut tally, 3, 2, 45, 100);
        // Against 3: 0 costs (0.1 + 0)/d(0.4), 1 (0.1 + 0.05)/d(0.1), 2 (0.1 + 0.1)/d(0.45).
        assert_eq!(cheapest_rival(&tally, 0, 3), Some(1));
        assert_eq!(cheapest_rival(&tally, 0, 0), None);
        let refinement = Refinement::new(4, Some(3.0));
        // n(3, 0) · ln ln t ≥ n(3, 1) from t = 16 on, where ln ln t exceeds 1.
        assert_eq!(refinement.rival(&tally, 0, 3, 15), None);
        assert_eq!(refinement.rival(&tally, 0, 3, 16), Some(1));
    }

    #[test]
    fn rare_pairs_are_topped_up_once_per_list() {
        let mut refinement = Refinement::new(3, Some(3.0));
        let mut asked = Vec::new();
        while let Some((i, j)) = refinement.top_up(100) {
            refinement.count(j, i);
            asked.push((i, j));
        }
        // 3 ln ln 100 = 4.6.
        let expected = [(0, 1), (0, 2), (1, 2)].map(|pair| [pair; 5]);
        assert_eq!(asked, expected.concat());
        assert_eq!(refinement.top_up(1_000_000), None, "not within a list");
        refinement.begin_list();
        assert_eq!(refinement.top_up(1_000_000), Some((0, 1)));
    }
}
