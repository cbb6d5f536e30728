//! Random mixing: the model answers each question with a fixed probability, a person otherwise.
//!
//! Source: Mohankumar and Khapra, ACL 2022, section 4.1. Parameter: `share`, their `p_m`; they
//! advise 0.8 where the model predicts over 70 % of judgments, 0.5 to 0.7 where it predicts 65 to
//! 70 %. The model's answer is its thresholded preference.

use super::Predictions;
use crate::duel::Pair;
use crate::error::Result;
use crate::feedback::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::rng::Rng;

/// A source of which the model answers a share.
#[derive(Debug, Clone)]
pub struct RandomMixing<'a, F> {
    people: F,
    predictions: &'a Predictions,
    share: f64,
    rng: Rng,
}

impl<'a, F> RandomMixing<'a, F> {
    /// Lets the model answer with probability `share`, decided by `rng` alone.
    pub fn new(people: F, predictions: &'a Predictions, share: f64, rng: Rng) -> Self {
        Self {
            people,
            predictions,
            share,
            rng,
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for RandomMixing<'_, F> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        if !self.rng.bernoulli(self.share) {
            return self.people.ask(question);
        }
        let Question { duel, sample } = question;
        let outcome = self.predictions.outcome(duel.pair, sample.item)?;
        Ok(Reply::Answer(Answer::model(question, outcome)))
    }

    fn collect(&mut self) -> Result<Option<Answer>> {
        self.people.collect()
    }
}
