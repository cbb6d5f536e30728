//! Whether what is said of who may be best comes true: the probability of the leader beside how often
//! the leader is the system that beats all others, where that is known.

use super::adaptive::{arena, build};
use rayon::prelude::*;
use tiebreak::bandits::Square;
use tiebreak::duel::{Origin, Outcome, Verdict};
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

/// What was said after some answers, and what is so. Systems are numbered as in the world.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    /// The probability of each system.
    shares: Vec<f64>,
    /// The probability that no system beats all others.
    pub none: f64,
    leader: usize,
    winner: Option<usize>,
    pub verdict: Verdict,
}

impl Said {
    /// The probability of the leader.
    pub(crate) fn leader(&self) -> f64 {
        self.shares[self.leader]
    }

    /// Whether the leader beats all others.
    pub(crate) fn right(&self) -> bool {
        self.winner == Some(self.leader)
    }

    /// Whether no system beats all others.
    pub(crate) fn no_winner(&self) -> bool {
        self.winner.is_none()
    }

    /// The probability of what is so.
    pub(crate) fn truth(&self) -> f64 {
        self.winner.map_or(self.none, |winner| self.shares[winner])
    }

    /// What would have been said with all probabilities raised to `power`, and then the odds that no system beats all
    /// others multiplied by `factor`.
    pub(crate) fn adjusted(&self, factor: f64, power: f64) -> Self {
        let mut shares: Vec<f64> = self.shares.iter().map(|share| share.powf(power)).collect();
        let none = factor * self.none.powf(power);
        let total = none + shares.iter().sum::<f64>();
        for share in &mut shares {
            *share /= total;
        }
        Self {
            shares,
            none: none / total,
            ..self.clone()
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

    /// Three systems of which each beats the next by `margin`.
    fn cycle(margin: f64) -> Self {
        let answers = [1.0, -1.0, 1.0].map(|sign| [0.5 + sign * margin, 0.0, 0.5 - sign * margin]);
        let [first, across, second] = answers;
        let none = [0.0; 3];
        let answers = vec![none, first, across, none, none, second, none, none, none];
        Self::new(Square::from_fn(3, |_, _| 1.0), answers, |i, j| {
            (i + 1) % 3 == j
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
            let found = bandit.outlook(&mut draws);
            let chances = found.chances.expect("of answers");
            let mut shares = vec![0.0; k];
            for (group, probability) in &chances.best {
                shares[order[group[0].index()]] = *probability;
            }
            Said {
                shares,
                none: chances.none,
                leader: order[found.leader.expect("of a model").index()],
                winner: self.winner,
                verdict: bandit.verdict(),
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
        let all = || worlds.iter().map(|said| &said[at]);
        let leaders = |sure: bool| {
            let these = all().filter(move |one| (one.leader() > 0.5) == sure);
            excess(these.map(|one| (one.leader(), one.right())))
        };
        let none = excess(all().map(|one| (one.none, one.no_winner())));
        for (excess, error) in [leaders(false), leaders(true), none] {
            assert!(
                excess.abs() <= 3.0 * error + 0.03,
                "{at}: {excess}, {error}"
            );
        }
    }
}

/// Evidence and model see the same answers in two ways: what is said must fit what is claimed.
#[test]
fn what_is_said_at_a_claim_agrees_with_it() {
    let world = |number: u64| {
        let mut rng = Seed(8).stream("world", number);
        let world = match number % 4 {
            0 => World::cycle(0.1),
            kind => World::drawn(
                3 + rng.below(4),
                0.15,
                [0.0, 0.02, 0.1][kind as usize - 1],
                &mut rng,
            ),
        };
        world.said_after(&[3000], number).remove(0)
    };
    let worlds: Vec<Said> = (0..120).into_par_iter().map(world).collect();
    let (mut winners, mut cycles) = (Vec::new(), Vec::new());
    for one in &worlds {
        match one.verdict {
            Verdict::Winner { .. } => winners.push(one.leader()),
            Verdict::NoWinner => cycles.push(one.none),
            _ => {}
        }
    }
    let least = |said: &[f64]| said.iter().copied().fold(1.0, f64::min);
    assert!(winners.len() > 60 && least(&winners) > 0.95, "{winners:?}");
    assert!(cycles.len() > 20 && least(&cycles) > 0.9, "{cycles:?}");
}
