//! Audits: which of a model's answers a person is asked for all the same, and how much of the model
//! counts where nobody is.
//!
//! A question that the model would answer is put to a person with probability π, by a coin of its own:
//! a function of seed, run and question, whatever the pair and the item. What counts is then the
//! score of a [`Weighing`], whose mean is that of people's answers however wrong the model is; the
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
//! Cutting q keeps scores within (1 + ½)/π − ½, by which bets are limited; a model right in 90 % of
//! decided answers has q of some 0.6 at most, so it costs little.

use crate::duel::{DuelId, Outcome, Weighing};
use crate::error::{Error, Result};
use crate::rng::Seed;
use std::collections::BTreeMap;

/// The largest |q|.
const LARGEST: f64 = 0.5;

/// The audits of one run.
#[derive(Debug, Clone)]
pub struct Audits {
    probability: f64,
    seed: Seed,
    run: u64,
    /// Of the questions with people, z.
    open: BTreeMap<DuelId, f64>,
    /// Σ z y and Σ z².
    products: f64,
    squares: f64,
}

impl Audits {
    /// Audits with probability π in run number `run`, below 2³², of `seed`.
    ///
    /// # Errors
    /// As [`check`].
    pub fn new(probability: f64, seed: Seed, run: u64) -> Result<Self> {
        check(probability)?;
        Ok(Self {
            probability,
            seed,
            run,
            open: BTreeMap::new(),
            products: 0.0,
            squares: 0.0,
        })
    }

    /// π.
    pub(super) fn probability(&self) -> f64 {
        self.probability
    }

    /// Whether a question that the model would answer is put to a person.
    pub(super) fn puts(&self, question: DuelId) -> bool {
        let mut coin = self.seed.stream("audit", self.run << 32 | question.0);
        coin.bernoulli(self.probability)
    }

    /// How the answer counts where the model prefers the first with `p` and would answer a `share` of
    /// such questions.
    pub(super) fn weighing(&self, p: f64, share: f64) -> Weighing {
        let slope = self.products / (1.0 + self.squares);
        Weighing {
            q: (slope * centred(p)).clamp(-LARGEST, LARGEST),
            probability: asked(share, self.probability),
        }
    }

    /// Such a question is put to a person.
    pub(super) fn ask(&mut self, question: DuelId, p: f64) {
        self.open.insert(question, centred(p));
    }

    /// Its answer, for the first of the pair.
    pub(super) fn answer(&mut self, question: DuelId, outcome: Outcome) {
        if let Some(z) = self.open.remove(&question) {
            self.products += z * outcome.score();
            self.squares += z * z;
        }
    }
}

/// Checks a probability of audits.
///
/// # Errors
/// [`Error::Usage`] unless it is above 0 and at most 1.
pub fn check(probability: f64) -> Result<()> {
    if probability > 0.0 && probability <= 1.0 {
        return Ok(());
    }
    Err(Error::usage(format!(
        "answers audited with probability {probability}, expected a number above 0, at most 1"
    )))
}

/// The largest score there can be where the model would answer a `share` of the questions.
pub(super) fn reach(share: f64, probability: f64) -> f64 {
    let extreme = Weighing {
        q: LARGEST,
        probability: asked(share, probability),
    };
    extreme.reach()
}

/// How likely a person is asked.
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

    fn audits() -> Audits {
        Audits::new(0.1, Seed(1), 7).unwrap()
    }

    #[test]
    fn as_many_questions_are_put_as_said_and_in_every_run_others() {
        let put = |audits: &Audits| -> Vec<u64> {
            let all = (0..20_000).filter(|&id| audits.puts(DuelId(id)));
            all.collect()
        };
        let first = put(&audits());
        // 2000 with a standard deviation of 42.
        assert!((1870..2130).contains(&first.len()), "{}", first.len());
        assert_eq!(first, put(&audits()));
        assert_ne!(first, put(&Audits::new(0.1, Seed(1), 8).unwrap()));
    }

    #[test]
    fn a_model_is_believed_as_far_as_its_answers_were_right() {
        let mut audits = audits();
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
    fn no_score_is_beyond_the_reach() {
        for (share, expected) in [(1.0, 14.5), (0.5, 1.5 / 0.55 - 0.5), (0.0, 1.0)] {
            assert!((reach(share, 0.1) - expected).abs() < 1e-12);
            let weighing = audits().weighing(1.0, share);
            assert!(weighing.reach() <= reach(share, 0.1));
        }
        for wrong in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(Audits::new(wrong, Seed(1), 0).is_err());
        }
    }
}
