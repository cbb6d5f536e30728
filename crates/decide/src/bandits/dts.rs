//! DTS, double Thompson sampling: both arms of a duel are drawn from the posterior, among those that
//! the confidence bounds leave.
//!
//! Source: Wu and Liu, "Double Thompson sampling for dueling bandits", NeurIPS 2016, algorithm 1.
//! Assumes nothing: aims at a Copeland winner.
//! Parameters: `alpha` (0.51) scales the radius √(α ln t / n).
//!
//! First arm a: among those with the largest optimistic Copeland score #{j: `u_aj` > ½}, the one with
//! the largest Copeland score in a draw of all `θ_ij` ~ Beta(`w_ij` + 1, `w_ji` + 1). Second arm:
//! among those not known to beat a (`l_ia` ≤ ½), the one whose fresh `θ_ia` is largest, where
//! `θ_aa` = ½: a duel of a with itself, for free, is the end of exploration. Only the pairs that
//! decide are drawn, and only their sides of ½ where that is enough.
//!
//! `variant=released` takes the second arm the wrong way round: the one that a is most likely to
//! *beat*, among those that a is not known to beat.

use super::bounds::PreferenceBounds;
use super::choice::{ArgmaxTieRule, argmax};
use super::dts_plus_plus::regrets;
use super::open_duels::OpenDuels;
use super::posterior::{PreferencePosterior, draw};
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `dts`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "dts",
    summary: "both systems drawn from the posterior, within confidence bounds",
    cite: "Wu and Liu, NeurIPS 2016",
    parameters: parameters::<DtsParameters>,
    build,
};

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    build_with("dts", Tiebreak::Random, params, arena)
}

/// Builds `dts` or `dts++`, which differ only in how the first arm is chosen among equals.
pub(super) fn build_with(
    name: &str,
    tiebreak: Tiebreak,
    params: &Params,
    arena: &Arena,
) -> Result<Box<dyn DuelingBandit>> {
    let DtsParameters { alpha, variant } = params.read(name)?;
    Ok(Box::new(Dts {
        bounds: PreferenceBounds::new(arena.k(), positive(name, "alpha", alpha)?),
        posterior: PreferencePosterior::new(arena.k()),
        tiebreak,
        variant,
        open: OpenDuels::default(),
        steps: 0,
    }))
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct DtsParameters {
    alpha: f64,
    variant: Variant,
}

impl Default for DtsParameters {
    fn default() -> Self {
        Self {
            alpha: 0.51,
            variant: Variant::Original,
        }
    }
}

/// The choice of the first arm among those with the largest sampled Copeland score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiebreak {
    /// Uniformly: DTS.
    Random,
    /// By the regret of exploring it: DTS++.
    Regret,
}

struct Dts {
    bounds: PreferenceBounds,
    posterior: PreferencePosterior,
    tiebreak: Tiebreak,
    variant: Variant,
    open: OpenDuels,
    steps: u64,
}

impl Dts {
    /// The arms with the largest optimistic Copeland score.
    fn candidates(&self, width: f64) -> Vec<usize> {
        let scores: Vec<usize> = (0..self.bounds.k())
            .map(|arm| self.bounds.optimistic_copeland(arm, width))
            .collect();
        let best = scores.iter().max();
        (0..scores.len())
            .filter(|&arm| Some(&scores[arm]) == best)
            .collect()
    }

    fn first(&self, width: f64, rng: &mut Rng) -> Option<usize> {
        let candidates = self.candidates(width);
        if let &[only] = candidates.as_slice() {
            return Some(only);
        }
        let values: Vec<(usize, f64)> = match self.tiebreak {
            Tiebreak::Random => self.sampled_copeland(&candidates, rng),
            Tiebreak::Regret => regrets(self.bounds.tally(), &candidates, self.variant, rng)
                .into_iter()
                .map(|(arm, regret)| (arm, -regret))
                .collect(),
        };
        argmax(values.into_iter(), ArgmaxTieRule::Random, rng).map(|(arm, _)| arm)
    }

    /// #{j: `θ_ij` > ½} for the candidates, in one draw: a pair of candidates is drawn once.
    fn sampled_copeland(&self, candidates: &[usize], rng: &mut Rng) -> Vec<(usize, f64)> {
        let mut scores = vec![0.0; candidates.len()];
        for (place, &arm) in candidates.iter().enumerate() {
            for other in (0..self.bounds.k()).filter(|&other| other != arm) {
                let other_place = candidates.binary_search(&other).ok();
                if other_place.is_some_and(|earlier| earlier < place) {
                    continue;
                }
                if self.posterior.prefers(arm, other, rng) {
                    scores[place] += 1.0;
                } else if let Some(later) = other_place {
                    scores[later] += 1.0;
                }
            }
        }
        candidates.iter().copied().zip(scores).collect()
    }

    fn second(&self, first: usize, width: f64, rng: &mut Rng) -> Option<usize> {
        let tally = self.bounds.tally();
        let sample = |arm: usize| {
            let value = match self.variant {
                _ if arm == first => Some(0.5),
                Variant::Original if self.bounds.surely_beats(arm, first, width) => None,
                Variant::Original => Some(draw(tally, arm, first, rng)),
                Variant::Released if self.bounds.surely_beats(first, arm, width) => None,
                Variant::Released => Some(draw(tally, first, arm, rng)),
            };
            value.map(|value| (arm, value))
        };
        let values: Vec<(usize, f64)> = (0..self.bounds.k()).filter_map(sample).collect();
        argmax(values.into_iter(), ArgmaxTieRule::Random, rng).map(|(arm, _)| arm)
    }
}

impl DuelingBandit for Dts {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        self.steps += 1;
        let width = self.bounds.width(self.steps);
        let first = self.first(width, rng)?;
        let second = self.second(first, width, rng)?;
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel).filter(|pair| !pair.is_self()) {
            self.bounds.record(pair, outcome);
            self.posterior.update(self.bounds.tally(), pair);
        }
    }

    fn leader(&self) -> Arm {
        self.bounds.tally().leader()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn played(variant: Variant, steps: u32) -> (Dts, Rng) {
        let mut rng = Seed(4).stream("test", 0);
        let mut dts = Dts {
            bounds: PreferenceBounds::new(5, 0.51),
            posterior: PreferencePosterior::new(5),
            tiebreak: Tiebreak::Random,
            variant,
            open: OpenDuels::default(),
            steps: 0,
        };
        for _ in 0..steps {
            let duel = dts.ask(&mut rng).unwrap();
            let likely = if duel.pair.first < duel.pair.second {
                0.7
            } else {
                0.3
            };
            let win = rng.bernoulli(likely);
            let outcome = if win { Outcome::Win } else { Outcome::Loss };
            dts.record_outcome(duel.id, outcome, Origin::Human);
        }
        (dts, rng)
    }

    /// The paper's own way: all θ as Beta variates, then Copeland scores.
    fn slow_first(dts: &Dts, candidates: &[usize], rng: &mut Rng) -> usize {
        let (k, tally) = (dts.bounds.k(), dts.bounds.tally());
        let mut score = vec![0; k];
        for i in 0..k {
            for j in i + 1..k {
                let ahead = rng.beta(tally.wins(i, j) + 1.0, tally.wins(j, i) + 1.0) > 0.5;
                score[if ahead { i } else { j }] += 1;
            }
        }
        let best = candidates.iter().map(|&arm| score[arm]).max().unwrap();
        let equals: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|&arm| score[arm] == best)
            .collect();
        *rng.choose(&equals)
    }

    #[test]
    fn the_lazy_first_arm_has_the_distribution_of_the_sampled_one() {
        let (dts, mut rng) = played(Variant::Original, 40);
        let candidates = [0, 1, 3];
        let n = 40_000;
        let mut counts = [[0_u32; 5]; 2];
        for _ in 0..n {
            let scores = dts.sampled_copeland(&candidates, &mut rng);
            let fast = argmax(scores.into_iter(), ArgmaxTieRule::Random, &mut rng)
                .unwrap()
                .0;
            counts[0][fast] += 1;
            counts[1][slow_first(&dts, &candidates, &mut rng)] += 1;
        }
        for (fast, slow) in counts[0].iter().zip(&counts[1]) {
            let sd = f64::from(fast + slow).sqrt().max(1.0);
            assert!(f64::from(fast.abs_diff(*slow)) < 4.0 * sd, "{counts:?}");
        }
        assert!(counts[0].iter().filter(|&&count| count > 500).count() > 1);
    }

    /// Against arm 2, the right second arm is one that beats it; the released one is one it beats.
    #[test]
    fn the_variants_look_for_a_rival_in_opposite_directions() {
        for (variant, expected) in [(Variant::Original, 0), (Variant::Released, 4)] {
            let (mut dts, mut rng) = played(variant, 0);
            for (other, outcome) in [(0, Outcome::Loss), (4, Outcome::Win)] {
                for _ in 0..6 {
                    let pair = Pair::new(Arm(2), Arm(other));
                    dts.bounds.record(pair, outcome);
                }
            }
            for (other, outcome) in [(1, Outcome::Tie), (3, Outcome::Tie)] {
                for _ in 0..200 {
                    dts.bounds.record(Pair::new(Arm(2), Arm(other)), outcome);
                }
            }
            let width = dts.bounds.width(10_000);
            let mut chosen = [0; 5];
            for _ in 0..500 {
                chosen[dts.second(2, width, &mut rng).unwrap()] += 1;
            }
            assert!(chosen[expected] > 450, "{variant:?}: {chosen:?}");
        }
    }
}
