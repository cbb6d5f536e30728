//! RCS, relative confidence sampling: a champion is drawn from the posterior, its rival by
//! optimism.
//!
//! Source: Zoghi, Whiteson, de Rijke and Munos, "Relative confidence sampling for efficient on-line
//! ranker evaluation", WSDM 2014, algorithm 1. Assumes a Condorcet winner.
//! Parameters: `alpha` (0.501) scales the radius √(α ln t / n).
//!
//! The paper draws `θ_ij` ~ Beta(`w_ij` + 1, `w_ji` + 1) for every pair and asks whether one arm
//! has θ > ½ against all others. Only the sides of ½ matter, and pairs are independent, so drawing
//! the side with its exact probability gives the same distribution; and only the pairs that decide
//! need to be drawn: a step costs O(K) in place of K²/2 Beta variates.
//!
//! `variant=released` breaks ties, for the champion and for its rival, by the smallest arm in place
//! of at random.

use super::bounds::PreferenceBounds;
use super::choice::{ArgmaxTieRule, argmax};
use super::open_duels::OpenDuels;
use super::posterior::PreferencePosterior;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `rcs`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "rcs",
    summary: "a champion sampled from the posterior against its most optimistic rival",
    cite: "Zoghi et al., WSDM 2014",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    alpha: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            alpha: 0.501,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { alpha, variant } = params.read("rcs")?;
    let ties = match variant {
        Variant::Original => ArgmaxTieRule::Random,
        Variant::Released => ArgmaxTieRule::First,
    };
    let alpha = positive("rcs", "alpha", alpha)?;
    Ok(Box::new(Rcs::new(arena.k(), alpha, ties)))
}

struct Rcs {
    bounds: PreferenceBounds,
    ties: ArgmaxTieRule,
    open: OpenDuels,
    steps: u64,
    /// The number of times each arm was champion.
    championships: Vec<u64>,
    posterior: PreferencePosterior,
}

impl Rcs {
    fn new(k: usize, alpha: f64, ties: ArgmaxTieRule) -> Self {
        Self {
            bounds: PreferenceBounds::new(k, alpha),
            ties,
            open: OpenDuels::default(),
            steps: 0,
            championships: vec![0; k],
            posterior: PreferencePosterior::new(k),
        }
    }

    fn k(&self) -> usize {
        self.championships.len()
    }

    /// The arm with θ > ½ against all others, where one has it. Whoever survives the first pass is
    /// the only one who can; the second pass draws the pairs it did not meet. No pair is drawn
    /// twice.
    fn sampled_winner(&self, rng: &mut Rng) -> Option<usize> {
        let k = self.k();
        let mut beats = |i: usize, j: usize| self.posterior.prefers(i, j, rng);
        let mut candidate = 0;
        let mut dethroned = 0;
        for arm in 1..k {
            if !beats(candidate, arm) {
                (dethroned, candidate) = (candidate, arm);
            }
        }
        let unbeaten = (0..candidate).all(|arm| arm == dethroned || beats(candidate, arm));
        unbeaten.then_some(candidate)
    }

    fn champion(&self, rng: &mut Rng) -> Option<usize> {
        self.sampled_winner(rng).or_else(|| {
            let rarely = self.championships.iter().map(|&times| -(times as f64));
            argmax(rarely.enumerate(), self.ties, rng).map(|(arm, _)| arm)
        })
    }
}

impl DuelingBandit for Rcs {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        self.steps += 1;
        let champion = self.champion(rng)?;
        self.championships[champion] += 1;
        let width = self.bounds.width(self.steps);
        let rivals = (0..self.k()).map(|arm| (arm, self.bounds.upper(arm, champion, width)));
        let (challenger, _) = argmax(rivals, self.ties, rng)?;
        let pair = Pair::new(Arm::from(champion), Arm::from(challenger));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let Some(pair) = self.open.close(duel).filter(|pair| !pair.is_self()) else {
            return;
        };
        self.bounds.record(pair, outcome);
        self.posterior.update(self.bounds.tally(), pair);
    }

    fn leader(&self) -> Arm {
        self.bounds.tally().leader()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// The paper's own way: all θ as Beta variates, then the arm above ½ against all others.
    fn slow_winner(rcs: &Rcs, rng: &mut Rng) -> Option<usize> {
        let (k, tally) = (rcs.k(), rcs.bounds.tally());
        let mut theta = vec![0.5; k * k];
        for i in 0..k {
            for j in i + 1..k {
                theta[i * k + j] = rng.beta(tally.wins(i, j) + 1.0, tally.wins(j, i) + 1.0);
                theta[j * k + i] = 1.0 - theta[i * k + j];
            }
        }
        (0..k).find(|&i| (0..k).all(|j| i == j || theta[i * k + j] > 0.5))
    }

    #[test]
    fn the_lazy_champion_has_the_distribution_of_the_sampled_one() {
        let mut rng = Seed(3).stream("test", 0);
        let mut rcs = Rcs::new(4, 0.501, ArgmaxTieRule::Random);
        for _ in 0..30 {
            let duel = rcs.ask(&mut rng).unwrap();
            let outcome = *rng.choose(&[Outcome::Loss, Outcome::Tie, Outcome::Win]);
            rcs.record_outcome(duel.id, outcome, Origin::Human);
        }
        let n = 40_000_u32;
        let mut counts = [[0_u32; 5]; 2];
        for _ in 0..n {
            counts[0][rcs.sampled_winner(&mut rng).map_or(4, |arm| arm)] += 1;
            counts[1][slow_winner(&rcs, &mut rng).map_or(4, |arm| arm)] += 1;
        }
        for (fast, slow) in counts[0].iter().zip(&counts[1]) {
            let sd = f64::from(fast + slow).sqrt().max(1.0);
            assert!(f64::from(fast.abs_diff(*slow)) < 4.0 * sd, "{counts:?}");
        }
    }
}
