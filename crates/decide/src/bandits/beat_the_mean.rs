//! Beat the mean: drops the system that does worst against a random opponent.
//!
//! Source: Yue and Joachims, "Beat the mean bandit", ICML 2011, algorithm 1 (its exploration phase).
//! Assumes a total order with relaxed stochastic transitivity and the stochastic triangle
//! inequality.
//! Parameters: `gamma` (1.3), how far transitivity is relaxed.
//!
//! Each arm b of the active set W keeps `n_b` and `w_b`, the duels it began against arms still in W and
//! how many of them it won, a tie being half a win; `P_b` = `w_b`/`n_b`, ½ where there are none. The
//! arm that began the fewest duels (as asked for, so that late answers do not hold one arm back)
//! meets a random other one. With n* = min `n_b` and c = 3 γ² √(ln(1/δ)/n*), δ = 1/(2TK), T the limit
//! of steps, the worst arm leaves as soon as max P − c ≥ min P + c, and every duel against it is
//! deleted. Exploration ends when one arm is left; the largest P leads.
//!
//! `variant=released`: a tie is a win of the arm that began; when an arm leaves, the others lose from
//! `n_b` the duels which the leaving arm began against *them*, and nothing from `w_b`; and an arm that
//! left still competes for the largest P, and leads with it.

use super::choice::{ArgmaxTieRule, argmax};
use super::open_duels::OpenDuels;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `beat-the-mean`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "beat-the-mean",
    summary: "drops the system that does worst against a random opponent",
    cite: "Yue and Joachims, ICML 2011",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    gamma: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            gamma: 1.3,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { gamma, variant } = params.read("beat-the-mean")?;
    let gamma = positive("beat-the-mean", "gamma", gamma)?;
    Ok(Box::new(BeatTheMean::new(arena, gamma, variant)))
}

struct BeatTheMean {
    variant: Variant,
    /// c √n.
    width: f64,
    /// W.
    active: Vec<bool>,
    records: Vec<ArmRecord>,
    open: OpenDuels,
}

/// The duels that one arm began.
#[derive(Debug, Clone)]
struct ArmRecord {
    /// The duels asked for, by opponent.
    asked: Vec<f64>,
    /// The duels answered, by opponent.
    duels: Vec<f64>,
    wins: Vec<f64>,
    /// Sums over opponents, as corrected when arms leave.
    total_asked: f64,
    n: f64,
    w: f64,
}

impl ArmRecord {
    fn new(k: usize) -> Self {
        Self {
            asked: vec![0.0; k],
            duels: vec![0.0; k],
            wins: vec![0.0; k],
            total_asked: 0.0,
            n: 0.0,
            w: 0.0,
        }
    }

    /// P.
    fn share(&self) -> f64 {
        if self.n > 0.0 { self.w / self.n } else { 0.5 }
    }

    fn answer(&mut self, opponent: usize, value: f64) {
        self.duels[opponent] += 1.0;
        self.wins[opponent] += value;
        self.n += 1.0;
        self.w += value;
    }

    fn forget(&mut self, opponent: usize) {
        self.total_asked -= self.asked[opponent];
        self.n -= self.duels[opponent];
        self.w -= self.wins[opponent];
    }
}

impl BeatTheMean {
    fn new(arena: &Arena, gamma: f64, variant: Variant) -> Self {
        let k = arena.k();
        let events = 2.0 * arena.horizon() as f64 * k as f64; // 1/δ
        Self {
            variant,
            width: 3.0 * gamma * gamma * events.ln().sqrt(),
            active: vec![true; k],
            records: vec![ArmRecord::new(k); k],
            open: OpenDuels::default(),
        }
    }

    fn active(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.active.len()).filter(|&arm| self.active[arm])
    }

    /// The arm with the largest P: of W, or of all as released.
    fn best(&self) -> usize {
        let competes = |arm: usize| self.active[arm] || self.variant == Variant::Released;
        let arms = (0..self.active.len()).filter(|&arm| competes(arm));
        let by_share = |&a: &usize, &b: &usize| {
            let shares = self.records[a].share().total_cmp(&self.records[b].share());
            shares.then(b.cmp(&a))
        };
        arms.max_by(by_share).unwrap_or(0)
    }

    fn worst(&self) -> Option<usize> {
        self.active()
            .min_by(|&a, &b| self.records[a].share().total_cmp(&self.records[b].share()))
    }

    fn drop_the_worst_if_clear(&mut self) {
        let fewest = self.active().map(|arm| self.records[arm].n);
        let fewest = fewest.fold(f64::INFINITY, f64::min);
        let radius = if fewest > 0.0 {
            self.width / fewest.sqrt()
        } else {
            1.0
        };
        let Some(worst) = self.worst() else { return };
        let gap = self.records[self.best()].share() - self.records[worst].share();
        if gap >= 2.0 * radius && self.active().count() > 1 {
            self.remove(worst);
        }
    }

    fn remove(&mut self, leaving: usize) {
        self.active[leaving] = false;
        let began = self.records[leaving].duels.clone();
        let others = self.records.iter_mut().zip(&self.active).zip(began);
        for ((record, _), began) in others.filter(|((_, active), _)| **active) {
            match self.variant {
                Variant::Original => record.forget(leaving),
                Variant::Released => {
                    record.n -= began;
                    record.total_asked -= began;
                }
            }
        }
    }
}

impl DuelingBandit for BeatTheMean {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        let seldom = self
            .active()
            .map(|arm| (arm, -self.records[arm].total_asked));
        let (first, _) = argmax(seldom, ArgmaxTieRule::Random, rng)?;
        let others: Vec<usize> = self.active().filter(|&arm| arm != first).collect();
        if others.is_empty() {
            return None;
        }
        let second = *rng.choose(&others);
        self.records[first].asked[second] += 1.0;
        self.records[first].total_asked += 1.0;
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let Some(pair) = self.open.close(duel) else {
            return;
        };
        let (first, second) = pair.indices();
        if !self.active[first] || !self.active[second] {
            return; // a duel against an arm that has left is deleted
        }
        let value = match (self.variant, outcome) {
            (Variant::Released, Outcome::Tie) => 1.0,
            _ => outcome.value(),
        };
        self.records[first].answer(second, value);
        self.drop_the_worst_if_clear();
    }

    fn leader(&self) -> Arm {
        Arm::from(self.best())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bandit(variant: Variant) -> BeatTheMean {
        BeatTheMean::new(&Arena::new(3, 1000).unwrap(), 0.3, variant)
    }

    fn answers(bandit: &mut BeatTheMean, first: usize, second: usize, outcome: Outcome, n: u32) {
        for _ in 0..n {
            let pair = Pair::new(Arm::from(first), Arm::from(second));
            let record = &mut bandit.records[first];
            record.asked[second] += 1.0;
            record.total_asked += 1.0;
            let duel = bandit.open.open(pair);
            bandit.record_outcome(duel.id, outcome, Origin::Human);
        }
    }

    #[test]
    fn a_tie_is_half_a_win_or_a_whole_one_as_released() {
        for (variant, expected) in [(Variant::Original, 0.5), (Variant::Released, 1.0)] {
            let mut bandit = bandit(variant);
            answers(&mut bandit, 1, 2, Outcome::Tie, 1);
            assert_eq!(bandit.records[1].share(), expected);
        }
    }

    #[test]
    fn the_worst_leaves_with_all_duels_against_it() {
        for variant in [Variant::Original, Variant::Released] {
            let mut bandit = bandit(variant);
            answers(&mut bandit, 0, 1, Outcome::Tie, 6);
            answers(&mut bandit, 0, 2, Outcome::Win, 4);
            answers(&mut bandit, 1, 2, Outcome::Win, 10);
            assert_eq!(bandit.active, [true; 3]);
            // c = 3 · 0.09 · √(ln 6000 / 10) = 0.25.
            answers(&mut bandit, 2, 0, Outcome::Loss, 3);
            answers(&mut bandit, 2, 1, Outcome::Loss, 7);
            assert_eq!(bandit.active, [true, true, false]);
            let record = &bandit.records[0];
            match variant {
                Variant::Original => assert_eq!((record.n, record.w), (6.0, 3.0)),
                Variant::Released => assert_eq!((record.n, record.w), (7.0, 10.0)),
            }
        }
    }

    #[test]
    fn a_duel_answered_after_its_opponent_left_is_not_counted() {
        let mut bandit = bandit(Variant::Original);
        let late = bandit.open.open(Pair::new(Arm(0), Arm(2)));
        bandit.remove(2);
        bandit.record_outcome(late.id, Outcome::Win, Origin::Human);
        assert_eq!(bandit.records[0].n, 0.0);
    }
}
