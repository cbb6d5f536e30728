//! Whether what is said of who may be best comes true: the probability of the leader beside how often
//! the leader is the system that beats all others, where that is known.

use super::adaptive::{arena, build};
use rayon::prelude::*;
use tiebreak::bandits::Square;
use tiebreak::duel::{Arm, Origin, Outcome};
use tiebreak::rng::{Rng, Seed};

/// Systems about which everything is known.
pub(crate) struct World {
    /// The system that beats all others, if one does.
    winner: Option<usize>,
    /// The share of items on which two outputs differ.
    differing: Square,
    /// How much a win, a tie and a loss of i against j weigh where outputs differ, at i·K + j for i < j.
    answers: Vec<[f64; 3]>,
}

/// What was said after some answers, and what is so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    /// The probability of the leader.
    pub leader: f64,
    /// Whether the leader beats all others.
    pub right: bool,
    /// The probability that no system does.
    pub none: f64,
    /// Whether no system does.
    pub no_winner: bool,
    /// The probability of what is so.
    pub truth: f64,
}

impl Said {
    /// What would have been said with the odds that no system beats all others multiplied by `factor`.
    pub(crate) fn with_odds(self, factor: f64) -> Self {
        let total = 1.0 - self.none + factor * self.none;
        let weight = if self.no_winner { factor } else { 1.0 };
        Self {
            leader: self.leader / total,
            none: factor * self.none / total,
            truth: weight * self.truth / total,
            ..self
        }
    }
}

impl World {
    pub(crate) fn new(
        differing: Square,
        answers: Vec<[f64; 3]>,
        beats: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let k = differing.k();
        let best = |&i: &usize| (0..k).all(|j| j == i || beats(i, j));
        Self {
            winner: (0..k).find(best),
            differing,
            answers,
        }
    }

    /// Strengths and deviations of pairs from a normal population, with a share of ties that does not
    /// depend on the pair.
    fn drawn(k: usize, strength: f64, deviation: f64, rng: &mut Rng) -> Self {
        let strengths: Vec<f64> = (0..k).map(|_| strength * rng.normal()).collect();
        let ties = *rng.choose(&[0.0, 0.1, 0.3, 0.5]);
        let most = (1.0 - ties) / 2.0;
        let mut margins = vec![0.0; k * k];
        for i in 0..k {
            for j in i + 1..k {
                let margin = strengths[i] - strengths[j] + deviation * rng.normal();
                margins[i * k + j] = margin.clamp(-most, most);
                margins[j * k + i] = -margins[i * k + j];
            }
        }
        let answers = margins.iter().map(|d| [most + d, ties, most - d]).collect();
        Self::new(Square::from_fn(k, |_, _| 1.0), answers, |i, j| {
            margins[i * k + j] > 0.0
        })
    }

    fn answer(&self, i: usize, j: usize, rng: &mut Rng) -> Outcome {
        let [win, tie, loss] = self.answers[i.min(j) * self.differing.k() + i.max(j)];
        let outcome = match rng.uniform() * (win + tie + loss) {
            u if u < win => Outcome::Win,
            u if u < win + tie => Outcome::Tie,
            _ => Outcome::Loss,
        };
        if i < j { outcome } else { outcome.flipped() }
    }

    /// What `adaptive` says after each number of answers, fewest first. What a run that is over before
    /// says in the end, it goes on saying.
    pub(crate) fn said_after(&self, numbers: &[u64], run: u64) -> Vec<Said> {
        let k = self.differing.k();
        let mut order: Vec<usize> = (0..k).collect();
        Seed(42).stream("arms", run).shuffle(&mut order);
        let arena = arena(k, 0.95).with_differing(self.differing.restricted_to(&order));
        let mut bandit = build("adaptive", &arena.unwrap());
        let mut choices = Seed(42).stream("bandit", run);
        let mut answers = Seed(42).stream("judgments", run);
        let mut told = 0;
        let said = |&number: &u64| {
            while told < number
                && let Some(duel) = bandit.ask(&mut choices)
            {
                let [i, j] = [duel.pair.first, duel.pair.second].map(|arm| order[arm.index()]);
                bandit.record_outcome(duel.id, self.answer(i, j, &mut answers), Origin::Human);
                told += 1;
            }
            let mut draws = Seed(42).stream("outlook", run);
            let chances = bandit.outlook(&mut draws).chances.expect("of answers");
            let of = |arm: Arm| {
                let mut groups = chances.best.iter();
                let group = groups.find(|(group, _)| group.contains(&arm));
                group.map_or(0.0, |&(_, probability)| probability)
            };
            let leader = bandit.leader();
            let winner = self.winner.map(|winner| {
                let place = order.iter().position(|&system| system == winner);
                Arm::from(place.expect("a system"))
            });
            Said {
                leader: of(leader),
                right: winner == Some(leader),
                none: chances.none,
                no_winner: winner.is_none(),
                truth: winner.map_or(chances.none, of),
            }
        };
        numbers.iter().map(said).collect()
    }
}

/// The mean of what was said less that of what was so, with its standard error if the former is right.
fn excess(said: impl Iterator<Item = (f64, bool)>) -> (f64, f64) {
    let (mut n, mut sum, mut variance) = (0.0, 0.0, 0.0);
    for (p, so) in said {
        n += 1.0;
        sum += p - f64::from(u8::from(so));
        variance += p * (1.0 - p);
    }
    (sum / n, variance.sqrt() / n)
}

/// Strengths from a scale drawn anew for each world, and pairs that follow them exactly, nearly, or about
/// as much as not.
#[test]
fn what_is_said_of_the_leader_comes_true_as_often_as_said() {
    let world = |number: u64| {
        let mut rng = Seed(7).stream("world", number);
        let k = 3 + rng.below(6);
        let strength = 0.02 * 10_f64.powf(rng.uniform());
        let deviation = [0.0, 0.02, 0.05, strength / 2.0][number as usize % 4];
        World::drawn(k, strength, deviation, &mut rng).said_after(&[20, 100], number)
    };
    let worlds: Vec<Vec<Said>> = (0..320).into_par_iter().map(world).collect();
    for at in [0, 1] {
        let all = || worlds.iter().map(|said| said[at]);
        let leaders = |sure: bool| {
            let these = all().filter(move |one| (one.leader > 0.5) == sure);
            excess(these.map(|one| (one.leader, one.right)))
        };
        let none = excess(all().map(|one| (one.none, one.no_winner)));
        for (excess, error) in [leaders(false), leaders(true), none] {
            assert!(
                excess.abs() <= 3.0 * error + 0.03,
                "{at}: {excess}, {error}"
            );
        }
    }
}
