//! CCB, Copeland confidence bound: looks for a system whose Copeland score cannot be surpassed, and
//! for the few systems that beat each of the others.
//!
//! Source: Zoghi, Karnin, Whiteson and de Rijke, "Copeland dueling bandits", NeurIPS 2015,
//! algorithm 1. Assumes nothing: aims at a Copeland winner.
//! Parameters: `alpha` (0.501) scales the radius √(α ln t / n).
//!
//! It keeps potential winners B, for each arm i some rivals `B^i` believed to beat it, and L, how
//! many systems a winner is believed to lose to. One step:
//!
//! * A. Where i is known to beat a rival in `B^i` after all, everything starts anew.
//! * B. Potential winners that cannot reach the largest pessimistic Copeland score leave B.
//! * C. A candidate (largest optimistic score) whose score is certain enters B and sets L.
//! * D. Mostly a candidate c duels an arm that may beat it, preferably one of its rivals; now and then an
//!   undecided rivalry is dueled.
//!
//! The paper counts bounds of exactly ½ towards both scores; after the first step there are none.
//! With no undecided rival left for c, all arms are considered. Ties are broken at random, but
//! never in favour of c itself; c alone means a free duel of c with itself.
//!
//! `variant=released` never duels c with itself, takes the first other arm where no undecided rival
//! is left, and in B renews the rivals of every potential winner. Its list B collects duplicates,
//! which only makes it slower; that is not reproduced.

use super::bounds::PreferenceBounds;
use super::choice::{ArgmaxTieRule, argmax};
use super::open_duels::OpenDuels;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `ccb`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "ccb",
    summary: "the system whose Copeland score cannot be surpassed, within confidence bounds",
    cite: "Zoghi et al., NeurIPS 2015",
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
    let Parameters { alpha, variant } = params.read("ccb")?;
    let alpha = positive("ccb", "alpha", alpha)?;
    Ok(Box::new(Ccb::new(arena.k(), alpha, variant)))
}

struct Ccb {
    bounds: PreferenceBounds,
    variant: Variant,
    beliefs: Beliefs,
    open: OpenDuels,
    steps: u64,
}

/// The beliefs that step A throws away.
struct Beliefs {
    /// B, by arm.
    potential: Vec<bool>,
    /// `B^i`.
    rivals: Vec<Vec<usize>>,
    /// L.
    losses: usize,
}

impl Beliefs {
    fn new(k: usize) -> Self {
        Self {
            potential: vec![true; k],
            rivals: vec![Vec::new(); k],
            losses: k,
        }
    }

    /// Step C for one candidate: it loses to exactly `losses` systems, so no arm needs more rivals
    /// than one beyond those to be excluded.
    fn settle(&mut self, winner: usize, losses: usize, rng: &mut Rng) {
        self.potential[winner] = true;
        self.losses = losses;
        for (arm, rivals) in self.rivals.iter_mut().enumerate() {
            if arm == winner || rivals.len() < losses + 1 {
                rivals.clear();
            }
            while rivals.len() > losses + 1 {
                rivals.swap_remove(rng.below(rivals.len()));
            }
        }
    }
}

/// The Copeland scores that the bounds of one step allow.
struct CopelandBounds {
    optimistic: Vec<usize>,
    pessimistic: Vec<usize>,
}

impl Ccb {
    fn new(k: usize, alpha: f64, variant: Variant) -> Self {
        Self {
            bounds: PreferenceBounds::new(k, alpha),
            variant,
            beliefs: Beliefs::new(k),
            open: OpenDuels::default(),
            steps: 0,
        }
    }

    fn k(&self) -> usize {
        self.bounds.k()
    }

    fn scores(&self, width: f64) -> CopelandBounds {
        let arms = 0..self.k();
        CopelandBounds {
            optimistic: arms
                .clone()
                .map(|arm| self.bounds.optimistic_copeland(arm, width))
                .collect(),
            pessimistic: arms
                .map(|arm| self.bounds.pessimistic_copeland(arm, width))
                .collect(),
        }
    }

    /// Step A.
    fn start_anew_if_refuted(&mut self, width: f64) {
        let rivals = self.beliefs.rivals.iter().enumerate();
        let refuted = rivals
            .flat_map(|(arm, rivals)| rivals.iter().map(move |&rival| (arm, rival)))
            .any(|(arm, rival)| self.bounds.surely_beats(arm, rival, width));
        if refuted {
            self.beliefs = Beliefs::new(self.k());
        }
    }

    /// Step B.
    fn drop_the_surpassed(&mut self, scores: &CopelandBounds, width: f64) {
        let bar = scores.pessimistic.iter().copied().max().unwrap_or(0);
        for arm in 0..self.k() {
            if !self.beliefs.potential[arm] {
                continue;
            }
            let surpassed = scores.optimistic[arm] < bar;
            self.beliefs.potential[arm] = !surpassed;
            let renew = surpassed || self.variant == Variant::Released;
            if renew && self.beliefs.rivals[arm].len() != self.beliefs.losses + 1 {
                self.beliefs.rivals[arm] = (0..self.k())
                    .filter(|&other| self.bounds.surely_loses(arm, other, width))
                    .collect();
            }
        }
        if !self.beliefs.potential.contains(&true) {
            self.beliefs = Beliefs::new(self.k());
        }
    }

    /// The candidates C, after step C.
    fn candidates(&mut self, scores: &CopelandBounds, rng: &mut Rng) -> Vec<usize> {
        let best = scores.optimistic.iter().copied().max().unwrap_or(0);
        let candidates: Vec<usize> = (0..self.k())
            .filter(|&arm| scores.optimistic[arm] == best)
            .collect();
        for &arm in &candidates {
            if scores.pessimistic[arm] == best {
                self.beliefs.settle(arm, self.k() - 1 - best, rng);
            }
        }
        candidates
    }

    /// The rivalries that the bounds leave undecided.
    fn undecided(&self, width: f64) -> Vec<(usize, usize)> {
        let rivals = self.beliefs.rivals.iter().enumerate();
        rivals
            .flat_map(|(arm, rivals)| rivals.iter().map(move |&rival| (arm, rival)))
            .filter(|&(arm, rival)| {
                let decided = |i, j| self.bounds.surely_beats(i, j, width);
                !decided(arm, rival) && !decided(rival, arm)
            })
            .collect()
    }

    /// Step D.
    fn choose(&self, mut candidates: Vec<usize>, width: f64, rng: &mut Rng) -> (usize, usize) {
        if rng.bernoulli(0.25) {
            let undecided = self.undecided(width);
            if !undecided.is_empty() {
                return *rng.choose(&undecided);
            }
        }
        let potential = |arm: &usize| self.beliefs.potential[*arm];
        if candidates.iter().any(potential) && rng.bernoulli(2.0 / 3.0) {
            candidates.retain(potential);
        }
        let champion = *rng.choose(&candidates);
        (champion, self.challenger(champion, width, rng))
    }

    fn challenger(&self, champion: usize, width: f64, rng: &mut Rng) -> usize {
        let most_plausible = |pool: &[usize], rng: &mut Rng| {
            let plausible = pool
                .iter()
                .filter(|&&arm| !self.bounds.surely_beats(arm, champion, width));
            let values = plausible.map(|&arm| (arm, self.bounds.upper(arm, champion, width)));
            argmax(values, ArgmaxTieRule::Random, rng)
        };
        let among_rivals = rng.bernoulli(0.5);
        if among_rivals {
            let rival = most_plausible(&self.beliefs.rivals[champion], rng);
            if let Some((rival, _)) = rival {
                return rival;
            }
        }
        let others: Vec<usize> = (0..self.k()).filter(|&arm| arm != champion).collect();
        match self.variant {
            Variant::Released if among_rivals => others[0],
            Variant::Released => most_plausible(&others, rng).map_or(others[0], |(arm, _)| arm),
            // u_cc = ½ is larger than what lies below.
            Variant::Original => most_plausible(&others, rng)
                .filter(|&(_, upper)| upper >= 0.5)
                .map_or(champion, |(arm, _)| arm),
        }
    }
}

impl DuelingBandit for Ccb {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        self.steps += 1;
        let width = self.bounds.width(self.steps);
        self.start_anew_if_refuted(width);
        let scores = self.scores(width);
        self.drop_the_surpassed(&scores, width);
        let candidates = self.candidates(&scores, rng);
        let (first, second) = self.choose(candidates, width, rng);
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            self.bounds.record(pair, outcome);
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

    fn known(ccb: &mut Ccb, winner: usize, loser: usize, duels: u32) {
        for _ in 0..duels {
            let pair = Pair::new(Arm::from(winner), Arm::from(loser));
            ccb.bounds.record(pair, Outcome::Win);
        }
    }

    #[test]
    fn a_certain_winner_enters_and_an_excluded_arm_keeps_its_rivals() {
        let mut ccb = Ccb::new(4, 0.501, Variant::Original);
        let mut rng = Seed(1).stream("test", 0);
        for loser in 1..4 {
            known(&mut ccb, 0, loser, 100);
        }
        let width = ccb.bounds.width(1000);
        let scores = ccb.scores(width);
        assert_eq!(scores.optimistic, [3, 2, 2, 2]);
        assert_eq!(scores.pessimistic, [3, 0, 0, 0]);
        ccb.drop_the_surpassed(&scores, width);
        assert_eq!(ccb.beliefs.potential, [true, false, false, false]);
        assert_eq!(ccb.beliefs.rivals, [vec![], vec![0], vec![0], vec![0]]);
        assert_eq!(ccb.candidates(&scores, &mut rng), [0]);
        assert_eq!(ccb.beliefs.losses, 0);
        assert_eq!(ccb.beliefs.rivals, [vec![], vec![0], vec![0], vec![0]]);
        // All that is left to ask is whether the winner beats itself.
        assert_eq!(ccb.choose(vec![0], width, &mut rng), (0, 0));
        ccb.variant = Variant::Released;
        assert_ne!(ccb.choose(vec![0], width, &mut rng).1, 0);
    }

    #[test]
    fn a_refuted_rival_makes_it_start_anew() {
        let mut ccb = Ccb::new(3, 0.501, Variant::Original);
        ccb.beliefs.rivals[1] = vec![0];
        ccb.beliefs.potential[1] = false;
        ccb.start_anew_if_refuted(ccb.bounds.width(100));
        assert!(!ccb.beliefs.potential[1], "nothing is known yet");
        known(&mut ccb, 1, 0, 100);
        ccb.start_anew_if_refuted(ccb.bounds.width(100));
        assert_eq!(ccb.beliefs.potential, [true; 3]);
        assert!(ccb.beliefs.rivals.iter().all(Vec::is_empty));
        assert_eq!(ccb.beliefs.losses, 3);
    }

    #[test]
    fn superfluous_rivals_are_thinned_out() {
        let mut beliefs = Beliefs::new(6);
        beliefs.rivals = vec![
            vec![1],
            vec![0],
            vec![0, 1, 3, 4],
            vec![],
            vec![1, 2],
            vec![0],
        ];
        let mut rng = Seed(2).stream("test", 0);
        beliefs.settle(5, 1, &mut rng);
        let sizes: Vec<usize> = beliefs.rivals.iter().map(Vec::len).collect();
        assert_eq!(sizes, [0, 0, 2, 0, 2, 0]);
    }
}
