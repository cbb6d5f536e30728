//! Uncertainty-aware selection: a person is asked only where the model is uncertain.
//!
//! Source: Mohankumar and Khapra, ACL 2022, section 4.2; BALD after Houlsby et al. (2011). The
//! model answers where BALD or STD of its dropout draws is below the threshold τ. Its answer is its
//! thresholded preference *without* dropout, as in the released code: section 4.2 takes the mean of
//! the draws, section 4.3 the learned parameters.

use super::{Predictions, Selection};
use crate::duel::Pair;
use crate::error::{Error, Result};
use crate::feedback::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::rng::Rng;

/// A source of which the model answers what it is certain of.
#[derive(Debug, Clone)]
pub struct UncertaintyAware<'a, F> {
    people: F,
    predictions: &'a Predictions,
    selection: Selection,
}

impl<'a, F> UncertaintyAware<'a, F> {
    /// Lets the model answer where `selection` trusts it.
    pub fn new(people: F, predictions: &'a Predictions, selection: Selection) -> Self {
        Self {
            people,
            predictions,
            selection,
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for UncertaintyAware<'_, F> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let Question { duel, sample } = question;
        let prediction = self.predictions.get(duel.pair, sample.item)?;
        // Unknown is not certain: `Policy::check` refuses such predictions before the first
        // question.
        let uncertainty = self.selection.by.of(&prediction).ok_or_else(|| {
            Error::failed("a prediction of unknown uncertainty cannot be selected by it")
        })?;
        if uncertainty >= self.selection.threshold {
            return self.people.ask(question);
        }
        let outcome = self.predictions.outcome(duel.pair, sample.item)?;
        Ok(Reply::Answer(Answer::model(question, outcome)))
    }

    fn collect(&mut self) -> Result<Option<Answer>> {
        self.people.collect()
    }
}
