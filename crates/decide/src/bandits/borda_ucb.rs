//! The system with the most optimistic Borda score meets a random other one; predictions of items make
//! the score known better.
//!
//! Source: UCB-E of Audibert, Bubeck and Munos, "Best arm identification in multi-armed bandits", COLT 2010,
//! on scores that predictions correct as in PULSE (Tolochinsky, Tenzer and Romano, "Valid best-model
//! identification for LLM evaluation via low-rank factorization", 2026). There models are right or wrong on
//! examples and the predictions come from a factorisation; here what is wanted of system i is its Borda
//! score, the mean of its answers' scores S (1, 0 or −1) against a random other system on a random item:
//!
//! ```text
//! B_i = mean of (S − a c)        c = h_ij(x) − its mean over all j and x, h the predicted score
//! a   = Σ c S/Σ c², in [0, 1]    both about their means by system: PPI++'s tuning
//! ```
//!
//! Only what was asked for i's sake counts for it, because then its opponent is a random one. Where people audit
//! a model's answers S is that of [`AuditWeighting`]: with them, and the allocation of Neyman, it is a peer of the
//! best-arm identification with judges and audits of Ao et al. (2026).
//! Parameters: `exploration` (20), how large a variance of the mean is allowed for: systems are held to be as good as
//! `B_i` + √(exploration · variance/n).

use super::choice::{ArgmaxTieRule, argmax, first_highest};
use super::open_duels::OpenDuels;
use super::square::Square;
use super::{Arena, BuildDueling, DuelingBandit, Uses, positive};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, AuditWeighting, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `borda-ucb`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "borda-ucb",
    summary: "the most optimistic Borda score against a random system; predictions correct scores",
    cite: "Audibert et al., COLT 2010; Tolochinsky et al., 2026",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    exploration: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { exploration: 20.0 }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { exploration } = params.read("borda-ucb")?;
    Ok(Box::new(BordaUcb {
        exploration: positive("borda-ucb", "exploration", exploration)?,
        predicted: advantages(arena),
        scores: vec![BordaSums::default(); arena.k()],
        open: OpenDuels::default(),
        asked: BTreeMap::new(),
    }))
}

/// The predicted score of each system against each, less its average over opponents.
fn advantages(arena: &Arena) -> Square {
    let (k, models) = (arena.k(), arena.margins().len().max(1) as f64);
    let score = |i, j| {
        let margins = arena.margins().iter().map(|one| one.get(i, j));
        2.0 * margins.sum::<f64>() / models
    };
    let mean = |i| (0..k).map(|j| score(i, j)).sum::<f64>() / (k - 1) as f64;
    let means: Vec<f64> = (0..k).map(mean).collect();
    Square::from_fn(k, |i, j| match i == j {
        true => 0.0,
        false => score(i, j) - means[i],
    })
}

struct BordaUcb {
    exploration: f64,
    predicted: Square,
    /// The sums by system.
    scores: Vec<BordaSums>,
    open: OpenDuels,
    asked: BTreeMap<DuelId, BordaQuestion>,
}

/// The state of an open question.
#[derive(Debug, Clone, Copy)]
struct BordaQuestion {
    /// c.
    control: f64,
    weighing: Option<AuditWeighting>,
}

impl BordaQuestion {
    fn score(self, outcome: Outcome, origin: Origin) -> f64 {
        match self.weighing {
            Some(weighing) => weighing.score((origin != Origin::Model).then_some(outcome)),
            None => outcome.score(),
        }
    }
}

/// Sums over the answers that count for one system.
#[derive(Debug, Clone, Copy, Default)]
struct BordaSums {
    number: f64,
    /// Σ S, Σ c, Σ S², Σ S c and Σ c².
    scores: f64,
    controls: f64,
    squares: f64,
    products: f64,
    controls_squared: f64,
}

impl BordaSums {
    fn record(&mut self, score: f64, control: f64) {
        self.number += 1.0;
        self.scores += score;
        self.controls += control;
        self.squares += score * score;
        self.products += score * control;
        self.controls_squared += control * control;
    }

    /// Σ (S − S̄)², Σ (S − S̄)(c − c̄) and Σ (c − c̄)².
    fn about_means(&self) -> [f64; 3] {
        let n = self.number.max(1.0);
        [
            self.squares - self.scores * self.scores / n,
            self.products - self.scores * self.controls / n,
            self.controls_squared - self.controls * self.controls / n,
        ]
    }

    /// The mean of S − a c, 0 before any.
    fn mean(&self, slope: f64) -> f64 {
        (self.scores - slope * self.controls) / self.number.max(1.0)
    }

    /// The variance of that mean, as if one more answer had been off by 1.
    fn variance(&self, slope: f64) -> f64 {
        let [squares, products, controls] = self.about_means();
        let sum = squares - 2.0 * slope * products + slope * slope * controls;
        (1.0 + sum.max(0.0)) / ((1.0 + self.number) * self.number)
    }
}

impl BordaUcb {
    /// a, from the answers of all systems.
    fn slope(&self) -> f64 {
        let sums = self.scores.iter().map(BordaSums::about_means);
        let [products, controls] = sums.fold([0.0; 2], |sum: [f64; 2], [_, products, controls]| {
            [sum[0] + products, sum[1] + controls]
        });
        match controls > 0.0 {
            true => (products / controls).clamp(0.0, 1.0),
            false => 0.0,
        }
    }

    /// The optimistic score of each system.
    fn optimistic(&self) -> impl Iterator<Item = (usize, f64)> {
        let slope = self.slope();
        let bound = move |scores: &BordaSums| match scores.number > 0.0 {
            true => scores.mean(slope) + (self.exploration * scores.variance(slope)).sqrt(),
            false => f64::INFINITY,
        };
        self.scores.iter().map(bound).enumerate()
    }
}

impl DuelingBandit for BordaUcb {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        let (first, _) = argmax(self.optimistic(), ArgmaxTieRule::Random, rng)?;
        let other = rng.below(self.scores.len() - 1);
        let second = if other < first { other } else { other + 1 };
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        let duel = self.open.open(pair);
        let asked = BordaQuestion {
            control: self.predicted.get(first, second),
            weighing: None,
        };
        self.asked.insert(duel.id, asked);
        Some(duel)
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, origin: Origin) {
        if let (Some(pair), Some(asked)) = (self.open.close(duel), self.asked.remove(&duel)) {
            self.scores[pair.first.index()].record(asked.score(outcome, origin), asked.control);
        }
    }

    fn control(&mut self, duel: DuelId, centred: &[f64]) {
        if let Some(asked) = self.asked.get_mut(&duel) {
            asked.control += centred.iter().sum::<f64>() / centred.len().max(1) as f64;
        }
    }

    fn weigh(&mut self, duel: DuelId, weighing: AuditWeighting) {
        if let Some(asked) = self.asked.get_mut(&duel) {
            asked.weighing = Some(weighing);
        }
    }

    /// The highest Borda score.
    fn leader(&self) -> Arm {
        let slope = self.slope();
        let means = self.scores.iter().map(|scores| scores.mean(slope));
        Arm::from(first_highest(means.enumerate()).unwrap_or(0))
    }

    fn uses(&self) -> Uses {
        Uses {
            margins: true,
            controls: true,
            ..Uses::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn bandit(arena: &Arena) -> Box<dyn DuelingBandit> {
        build(&Params::default(), arena).unwrap()
    }

    #[test]
    fn a_score_by_hand() {
        let mut scores = BordaSums::default();
        for (score, control) in [(1.0, 0.5), (-1.0, -0.3), (0.0, 0.1)] {
            scores.record(score, control);
        }
        // c̄ = .1: Σ (c − c̄)² = .16 + .16; Σ S (c − c̄) = .4 + .4.
        let [squares, products, controls] = scores.about_means();
        assert!((squares - 2.0).abs() < 1e-12);
        assert!((products - 0.8).abs() < 1e-12 && (controls - 0.32).abs() < 1e-12);
        assert!((scores.mean(0.5) + 0.05).abs() < 1e-12);
        // 2 − .8 + .08 = 1.28, over 4 · 3.
        assert!((scores.variance(0.5) - 2.28 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn predictions_take_off_what_chance_dealt() {
        // Answers are the predicted scores: with a = 1 every score is the mean over opponents and items.
        let margin = |i: usize, j: usize| 0.1 * (j as f64 - i as f64);
        let arena = Arena::new(3, 1000).unwrap();
        let arena = arena
            .with_margins(vec![Square::from_fn(3, margin)])
            .unwrap();
        let mut sums = [0.0; 3];
        let predicted = advantages(&arena);
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = (0..3).map(|j| predicted.get(i, j)).sum::<f64>();
        }
        assert!(sums.iter().all(|sum| sum.abs() < 1e-12), "{sums:?}");
        // The first: .2 and .4 against the others, so .3 in the mean.
        assert!((predicted.get(0, 2) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_best_is_found_and_useless_predictions_do_no_harm() {
        let arena = Arena::new(5, 2000).unwrap();
        let mut right = 0;
        for run in 0..20 {
            let mut bandit = bandit(&arena);
            let mut rng = Seed(7).stream("test", run);
            for _ in 0..2000 {
                let duel = bandit.ask(&mut rng).unwrap();
                let (i, j) = (duel.pair.first.0, duel.pair.second.0);
                assert_ne!(i, j);
                bandit.control(duel.id, &[rng.uniform() - 0.5]);
                let p = 0.5 + 0.08 * (f64::from(j) - f64::from(i));
                let outcome = if rng.bernoulli(p) {
                    Outcome::Win
                } else {
                    Outcome::Loss
                };
                bandit.record_outcome(duel.id, outcome, Origin::Human);
                bandit.record_outcome(duel.id, outcome, Origin::Human); // only once
            }
            right += u32::from(bandit.leader() == Arm(0));
        }
        assert!(right >= 18, "{right}");
    }

    #[test]
    fn what_nobody_was_asked_about_is_scored_as_the_audit_says() {
        let mut bandit = bandit(&Arena::new(2, 10).unwrap());
        let mut rng = Seed(1).stream("test", 0);
        let duel = bandit.ask(&mut rng).unwrap();
        let weighing = AuditWeighting {
            q: -0.5,
            probability: 0.1,
        };
        bandit.weigh(duel.id, weighing);
        bandit.record_outcome(duel.id, Outcome::Win, Origin::Model);
        // The model's win counts as q.
        assert_eq!(bandit.leader(), duel.pair.second);
    }
}
