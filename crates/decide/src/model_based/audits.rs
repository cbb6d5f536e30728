//! Audits: which of a model's answers people check, and how much the model counts where they do not.
//!
//! A question that the model would answer goes to a person with probability π, by a coin of its own:
//! a function of seed, run and question, whatever the pair and the item. What counts is then the
//! score of a [`AuditWeighting`], whose mean is that of people's answers however wrong the model is; the
//! better the prediction q, the less it scatters. With z = 2p − 1, from the preference p,
//!
//! ```text
//! q = b z, cut to ±½      b = Σ z y/(1 + Σ z²)
//! ```
//!
//! over the answers y that people gave so far where the model might have answered: least squares,
//! shrunk to 0 as if by one answer where the model was certain. So q is 0 before anything is known, a model
//! that guesses is soon left aside, and one that is always wrong is believed the other way round.
//!
//! Bets are limited by the largest score there may be, (1 + |q|)/π − |q|, which cutting q keeps within (1 + ½)/π − ½;
//! a model right in 90 % of decided answers has q of some 0.6 at most, so it costs little.
//!
//! π is the same for all ([`Rate`]), or larger where the model is expected to be further off (Neyman,
//! 1934): π(z) in proportion to σ(z), never below a floor, where
//!
//! ```text
//! σ²(z) = E(y − q)² = v − 2 q e + q²      e = b z, not cut      v = (1 + Σ y²)/(1 + n)
//! ```
//!
//! comes from answers given before, as b does, so that π(z) is fixed before the item is drawn.

mod rate;

pub use rate::{Allocation, Rate};

use std::collections::BTreeMap;
use tiebreak_base::duel::{AuditWeighting, DuelId, Outcome};
use tiebreak_base::rng::Seed;

/// The largest |q|.
const LARGEST: f64 = 0.5;

/// The least σ², which no model that answers questions about taste comes near.
const LEAST_VARIANCE: f64 = 0.05;

/// The audits of one run.
#[derive(Debug, Clone)]
pub struct Audits {
    rate: Rate,
    seed: Seed,
    run: u64,
    /// The questions with people.
    open: BTreeMap<DuelId, AuditableQuestion>,
    past: AuditStatistics,
}

/// A question that the model might have answered.
#[derive(Debug, Clone, Copy)]
struct AuditableQuestion {
    z: f64,
    probability: f64,
    deviation: f64,
}

/// Sums over the answers given.
#[derive(Debug, Clone, Copy, Default)]
struct AuditStatistics {
    number: f64,
    /// Σ z y, Σ z² and Σ y².
    products: f64,
    squares: f64,
    decided: f64,
    /// Σ 1/π and Σ σ/π, over all questions that the model might have answered, of which those with people
    /// are the π-th part.
    questions: f64,
    deviations: f64,
}

impl AuditStatistics {
    /// b z, the expected score of the first of the pair.
    fn expected(&self, z: f64) -> f64 {
        self.products / (1.0 + self.squares) * z
    }

    fn q(&self, z: f64) -> f64 {
        self.expected(z).clamp(-LARGEST, LARGEST)
    }

    /// σ(z).
    fn deviation(&self, z: f64) -> f64 {
        let (q, expected) = (self.q(z), self.expected(z).clamp(-1.0, 1.0));
        let decided = (1.0 + self.decided) / (1.0 + self.number);
        let variance = decided - 2.0 * q * expected + q * q;
        variance.max(LEAST_VARIANCE).sqrt()
    }

    fn mean_deviation(&self) -> f64 {
        (1.0 + self.deviations) / (1.0 + self.questions)
    }

    fn note(&mut self, question: AuditableQuestion, score: f64) {
        let AuditableQuestion {
            z,
            probability,
            deviation,
        } = question;
        self.number += 1.0;
        self.products += z * score;
        self.squares += z * z;
        self.decided += score * score;
        self.questions += 1.0 / probability;
        self.deviations += deviation / probability;
    }
}

impl Audits {
    /// Creates audits at this rate in run number `run`, below 2³², of `seed`.
    pub fn new(rate: Rate, seed: Seed, run: u64) -> Self {
        Self {
            rate,
            seed,
            run,
            open: BTreeMap::new(),
            past: AuditStatistics::default(),
        }
    }

    /// π, where the model prefers the first with `p`.
    fn probability(&self, p: f64) -> f64 {
        match self.rate.allocation {
            Allocation::Uniform => self.rate.mean,
            Allocation::Neyman => {
                let relative = self.past.deviation(centred(p)) / self.past.mean_deviation();
                (self.rate.mean * relative).clamp(self.rate.floor(), 1.0)
            }
        }
    }

    /// Whether a question that the model would answer, preferring the first with `p`, goes to a person.
    pub(super) fn puts(&self, question: DuelId, p: f64) -> bool {
        let mut coin = self.seed.stream("audit", self.run << 32 | question.0);
        coin.bernoulli(self.probability(p))
    }

    /// The weighting of the answer where the model prefers the first with `p` and would answer a `share`
    /// of such questions.
    pub(super) fn weighing(&self, p: f64, share: f64) -> AuditWeighting {
        AuditWeighting {
            q: self.past.q(centred(p)),
            probability: asked(share, self.probability(p)),
        }
    }

    /// The largest score there may be of the next question where the model would answer at most a `share` of such
    /// questions: the surer it is, the farther q is from 0 and the less often a person is asked.
    pub(super) fn reach(&self, share: f64) -> f64 {
        self.weighing(1.0, share).reach()
    }

    /// Notes that such a question goes to a person.
    pub(super) fn ask(&mut self, question: DuelId, p: f64) {
        let z = centred(p);
        let open = AuditableQuestion {
            z,
            probability: self.probability(p),
            deviation: self.past.deviation(z),
        };
        self.open.insert(question, open);
    }

    /// Learns the answer to such a question, for the first of the pair.
    pub(super) fn answer(&mut self, question: DuelId, outcome: Outcome) {
        if let Some(open) = self.open.remove(&question) {
            self.past.note(open, outcome.score());
        }
    }
}

/// The probability that a person is asked.
fn asked(share: f64, probability: f64) -> f64 {
    1.0 - share + share * probability
}

/// A preference as the difference from that for the other output.
fn centred(p: f64) -> f64 {
    2.0 * p - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audits(rate: &str) -> Audits {
        Audits::new(rate.parse().unwrap(), Seed(1), 7)
    }

    #[test]
    fn as_many_questions_are_put_as_said_and_in_every_run_others() {
        let put = |audits: &Audits| -> Vec<u64> {
            let all = (0..20_000).filter(|&id| audits.puts(DuelId(id), 0.8));
            all.collect()
        };
        let first = put(&audits("0.1"));
        // 2000 with a standard deviation of 42.
        assert!((1870..2130).contains(&first.len()), "{}", first.len());
        assert_eq!(first, put(&audits("0.1")));
        let other = Audits::new("0.1".parse().unwrap(), Seed(1), 8);
        assert_ne!(first, put(&other));
    }

    #[test]
    fn a_model_is_believed_as_far_as_its_answers_were_right() {
        let mut audits = audits("0.1");
        assert_eq!(audits.weighing(0.9, 1.0).q, 0.0);
        let mut answer = |id: u64, outcome| {
            audits.ask(DuelId(id), 0.75);
            audits.answer(DuelId(id), outcome);
            audits.answer(DuelId(id), outcome); // only the first counts
            audits.weighing(0.7, 1.0).q
        };
        // z = ½: b = ½/(1 + ¼) after a win.
        assert!((answer(0, Outcome::Win) - 0.4 * 0.4).abs() < 1e-12);
        assert!(answer(1, Outcome::Loss).abs() < 1e-12);
        for id in 2..60 {
            answer(id, Outcome::Loss);
        }
        assert_eq!(answer(60, Outcome::Loss), -LARGEST);
        audits.answer(DuelId(99), Outcome::Win); // never asked
    }

    #[test]
    fn people_are_asked_more_often_where_the_model_knows_less() {
        let mut audits = audits("neyman:0.1");
        // Before any answer nothing is known of the model: everywhere alike.
        assert_eq!(audits.weighing(0.95, 1.0), audits.weighing(0.5, 1.0));
        // Sure on half of the questions and then right; a coin on the others.
        let mut rng = Seed(3).stream("world", 0);
        let mut asked = 0;
        for id in 0..40_000 {
            let sure = rng.bernoulli(0.5);
            let p = if sure { 0.95 } else { 0.5 };
            if !audits.puts(DuelId(id), p) {
                continue;
            }
            asked += 1;
            audits.ask(DuelId(id), p);
            let won = rng.bernoulli(p);
            audits.answer(DuelId(id), if won { Outcome::Win } else { Outcome::Loss });
        }
        let at = |p| audits.weighing(p, 1.0).probability;
        // σ: 1 of the coin, √(1 − 2·½·0.9 + ¼) = .59 of the others.
        assert!(
            (at(0.95) / at(0.5) - 0.59).abs() < 0.05,
            "{}",
            at(0.95) / at(0.5)
        );
        assert!((at(0.5) + at(0.95) - 0.2).abs() < 0.01);
        assert!((3800..4200).contains(&asked), "{asked}");
    }

    #[test]
    fn no_score_is_beyond_the_reach() {
        for (share, at_first, at_last) in [
            (1.0, 10.0, 14.5),
            (0.5, 1.0 / 0.55, 1.5 / 0.55 - 0.5),
            (0.0, 1.0, 1.0),
        ] {
            for (rate, turns) in [("0.1", false), ("neyman:0.1", false), ("neyman:0.1", true)] {
                let mut audits = audits(rate);
                let mut reaches = Vec::new();
                for id in 0..400 {
                    reaches.push(audits.reach(share));
                    for p in (0..=20).map(|p| f64::from(p) / 20.0) {
                        let reach = audits.weighing(p, share).reach();
                        assert!(reach <= reaches[reaches.len() - 1] * (1.0 + 1e-12));
                    }
                    audits.ask(DuelId(id), 0.97);
                    let won = !turns || id % 3 == 0;
                    audits.answer(DuelId(id), if won { Outcome::Win } else { Outcome::Loss });
                }
                if rate == "0.1" {
                    assert!((reaches[0] - at_first).abs() < 1e-12);
                    assert!((reaches[399] - at_last).abs() < 1e-12);
                }
            }
        }
    }
}
