//! The trait of all that answers, and the wrappers that are sources themselves.

use super::{CorrectedAnswer, DuelAnswer, PairQuestion, PredictionCounts, Reply, Restart, Sample};
use std::cell::RefCell;
use tiebreak_base::duel::{AuditWeighting, DuelId, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Rng;

/// A source of answers to questions.
///
/// A model answers its own question at once; only a person may be late. So a reply that does not
/// answer the question just posed means that a person has it.
///
/// A decorator is a source around another one, [`FeedbackSource::inner`], which answers what it does not override. So
/// no method gets lost, not even one that sources gain later.
///
/// ```
/// use tiebreak_base::{duel::Pair, error::Result, rng::Rng};
/// use tiebreak_decide::feedback::{FeedbackSource, PairQuestion, Reply, Sample};
///
/// /// Counts the questions.
/// struct Counted<F> {
///     inner: F,
///     questions: u64,
/// }
///
/// impl<F: FeedbackSource> FeedbackSource for Counted<F> {
///     fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
///         Some(&mut self.inner)
///     }
///
///     fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
///         self.inner.draw(pair, rng)
///     }
///
///     fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
///         self.questions += 1;
///         self.inner.ask(question)
///     }
/// }
/// ```
pub trait FeedbackSource {
    /// The source within, of a decorator.
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        None
    }

    /// Draws what `pair`, two different systems, is compared on. All randomness is here, so that
    /// posing the same question again gives the same answer.
    ///
    /// # Errors
    /// If the pair cannot be compared.
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample>;

    /// The largest [`AuditWeighting::reach`] that the next question may have, whatever pair and item it turns out to be
    /// about, by what was answered so far; at least 1. `None` where no model is audited, in the whole run.
    ///
    /// # Errors
    /// If it cannot be known.
    fn reach(&mut self) -> Result<Option<f64>> {
        self.inner().map_or(Ok(None), FeedbackSource::reach)
    }

    /// The scoring of the answer to a question about to be posed, where a model may answer and people
    /// audit it; fixed before chance decides who answers.
    ///
    /// # Errors
    /// If the model's prediction cannot be had.
    fn weighing(&mut self, question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        self.inner()
            .map_or(Ok(None), |inner| inner.weighing(question))
    }

    /// Whether the person has the same question already: posing it brings no new answer. A question that they have not
    /// ends a row of repetitions, whoever answers it.
    ///
    /// # Errors
    /// If it cannot be known.
    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        self.inner()
            .map_or(Ok(false), |inner| inner.repeats(question))
    }

    /// Poses a question.
    ///
    /// # Errors
    /// If it cannot be posed or answered.
    fn ask(&mut self, question: PairQuestion) -> Result<Reply>;

    /// Whether a new question is wanted now. Where none is, the run pauses before anything is drawn for
    /// one, and may go on later as if it had not.
    ///
    /// # Errors
    /// If it cannot be known.
    fn wants(&mut self) -> Result<bool> {
        self.inner().map_or(Ok(true), FeedbackSource::wants)
    }

    /// Whether the next question begins a new block ([`crate::bandits::DuelingBandit::begin_block`]): it is the
    /// first to another person, newly drawn, whose answers stand for those of the population.
    /// All questions of a block are posed before its first answer is passed on. Once a block is full
    /// the next one begins, whether or not anybody is there for it.
    ///
    /// # Errors
    /// If it cannot be known.
    fn begins_block(&mut self) -> Result<bool> {
        self.inner().map_or(Ok(false), FeedbackSource::begins_block)
    }

    /// An answer to an earlier question that came in since the last one was posed.
    ///
    /// # Errors
    /// If it cannot be had.
    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().map_or(Ok(None), FeedbackSource::arrived)
    }

    /// A second opinion on an earlier question, by anybody but the person it was assigned to, since the last one
    /// was posed: next before the answers that have arrived. It informs but is no evidence.
    ///
    /// # Errors
    /// If it cannot be had.
    fn opinion(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().map_or(Ok(None), FeedbackSource::opinion)
    }

    /// An earlier question that came back without an answer since the last one was posed: next after
    /// the answers that have arrived. It may still be answered.
    ///
    /// # Errors
    /// If it cannot be had.
    fn skipped(&mut self) -> Result<Option<DuelId>> {
        self.inner().map_or(Ok(None), FeedbackSource::skipped)
    }

    /// A correction of an answer that was passed on, since the last question was posed: next after the questions that
    /// came back.
    ///
    /// # Errors
    /// If it cannot be had.
    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        self.inner().map_or(Ok(None), FeedbackSource::corrected)
    }

    /// The agreement of a model's predictions with people so far, where a model may answer.
    fn credit(&mut self) -> Option<PredictionCounts> {
        self.inner().and_then(FeedbackSource::credit)
    }

    /// Returns, once, how the run is to begin again, where it is, among other systems or by other means.
    ///
    /// # Errors
    /// If they cannot be had.
    fn restart(&mut self) -> Result<Option<Restart>> {
        self.inner().map_or(Ok(None), FeedbackSource::restart)
    }

    /// Returns, once, the share of the run's error probability, in (0, 1], with which a certificate begins
    /// anew, where earlier answers may not be counted together with later ones.
    ///
    /// # Errors
    /// If it cannot be known.
    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        self.inner()
            .map_or(Ok(None), FeedbackSource::renews_evidence)
    }

    /// An answer still owed, once nothing more will be asked.
    ///
    /// # Errors
    /// If it cannot be had.
    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().map_or(Ok(None), FeedbackSource::collect)
    }
}

impl FeedbackSource for Box<dyn FeedbackSource + '_> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut **self)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        (**self).draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        (**self).ask(question)
    }
}

impl FeedbackSource for &mut (dyn FeedbackSource + '_) {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(*self)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        (**self).draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        (**self).ask(question)
    }
}

impl<F: FeedbackSource> FeedbackSource for &mut F {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(*self)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        (**self).draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        (**self).ask(question)
    }
}

/// A source that is also added to from outside, between two questions.
impl<F: FeedbackSource> FeedbackSource for &RefCell<F> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.borrow_mut().draw(pair, rng)
    }

    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        self.borrow_mut().repeats(question)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        self.borrow_mut().ask(question)
    }

    fn wants(&mut self) -> Result<bool> {
        self.borrow_mut().wants()
    }

    fn begins_block(&mut self) -> Result<bool> {
        self.borrow_mut().begins_block()
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        self.borrow_mut().arrived()
    }

    fn opinion(&mut self) -> Result<Option<DuelAnswer>> {
        self.borrow_mut().opinion()
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        self.borrow_mut().skipped()
    }

    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        self.borrow_mut().corrected()
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        self.borrow_mut().renews_evidence()
    }
}
