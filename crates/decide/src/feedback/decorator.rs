//! Decorators of feedback sources, which change some of what passes through.

use super::{
    CorrectedAnswer, DuelAnswer, FeedbackSource, PairQuestion, PredictionCounts, Reply, Restart,
    Sample,
};
use tiebreak_base::duel::{AuditWeighting, DuelId, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Rng;

/// A [`FeedbackSource`] around another one, [`Decorator::inner`], to which it forwards each method that it does
/// not override. So no method gets lost, not even one that sources gain later.
///
/// ```
/// use tiebreak_decide::feedback::{Decorator, FeedbackSource, PairQuestion, Reply};
///
/// /// Counts the questions.
/// struct Counted<F> {
///     inner: F,
///     questions: u64,
/// }
///
/// impl<F: FeedbackSource> Decorator for Counted<F> {
///     type Inner = F;
///
///     fn inner(&mut self) -> &mut F {
///         &mut self.inner
///     }
///
///     fn ask(&mut self, question: PairQuestion) -> tiebreak_base::Result<Reply> {
///         self.questions += 1;
///         self.inner.ask(question)
///     }
/// }
/// ```
pub trait Decorator {
    /// The type of the source within.
    type Inner: FeedbackSource + ?Sized;

    /// The source within.
    fn inner(&mut self) -> &mut Self::Inner;

    /// As [`FeedbackSource::draw`].
    ///
    /// # Errors
    /// As there.
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.inner().draw(pair, rng)
    }

    /// As [`FeedbackSource::reach`].
    ///
    /// # Errors
    /// As there.
    fn reach(&mut self) -> Result<Option<f64>> {
        self.inner().reach()
    }

    /// As [`FeedbackSource::weighing`].
    ///
    /// # Errors
    /// As there.
    fn weighing(&mut self, question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        self.inner().weighing(question)
    }

    /// As [`FeedbackSource::repeats`].
    ///
    /// # Errors
    /// As there.
    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        self.inner().repeats(question)
    }

    /// As [`FeedbackSource::ask`].
    ///
    /// # Errors
    /// As there.
    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        self.inner().ask(question)
    }

    /// As [`FeedbackSource::wants`].
    ///
    /// # Errors
    /// As there.
    fn wants(&mut self) -> Result<bool> {
        self.inner().wants()
    }

    /// As [`FeedbackSource::begins_block`].
    ///
    /// # Errors
    /// As there.
    fn begins_block(&mut self) -> Result<bool> {
        self.inner().begins_block()
    }

    /// As [`FeedbackSource::arrived`].
    ///
    /// # Errors
    /// As there.
    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().arrived()
    }

    /// As [`FeedbackSource::opinion`].
    ///
    /// # Errors
    /// As there.
    fn opinion(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().opinion()
    }

    /// As [`FeedbackSource::skipped`].
    ///
    /// # Errors
    /// As there.
    fn skipped(&mut self) -> Result<Option<DuelId>> {
        self.inner().skipped()
    }

    /// As [`FeedbackSource::corrected`].
    ///
    /// # Errors
    /// As there.
    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        self.inner().corrected()
    }

    /// As [`FeedbackSource::credit`].
    fn credit(&mut self) -> Option<PredictionCounts> {
        self.inner().credit()
    }

    /// As [`FeedbackSource::restart`].
    ///
    /// # Errors
    /// As there.
    fn restart(&mut self) -> Result<Option<Restart>> {
        self.inner().restart()
    }

    /// As [`FeedbackSource::renews_evidence`].
    ///
    /// # Errors
    /// As there.
    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        self.inner().renews_evidence()
    }

    /// As [`FeedbackSource::collect`].
    ///
    /// # Errors
    /// As there.
    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        self.inner().collect()
    }
}

// A method with a default would be left out here silently, without the lint.
#[warn(clippy::missing_trait_methods)]
impl<D: Decorator + ?Sized> FeedbackSource for D {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        Decorator::draw(self, pair, rng)
    }

    fn reach(&mut self) -> Result<Option<f64>> {
        Decorator::reach(self)
    }

    fn weighing(&mut self, question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        Decorator::weighing(self, question)
    }

    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        Decorator::repeats(self, question)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        Decorator::ask(self, question)
    }

    fn wants(&mut self) -> Result<bool> {
        Decorator::wants(self)
    }

    fn begins_block(&mut self) -> Result<bool> {
        Decorator::begins_block(self)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        Decorator::arrived(self)
    }

    fn opinion(&mut self) -> Result<Option<DuelAnswer>> {
        Decorator::opinion(self)
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Decorator::skipped(self)
    }

    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        Decorator::corrected(self)
    }

    fn credit(&mut self) -> Option<PredictionCounts> {
        Decorator::credit(self)
    }

    fn restart(&mut self) -> Result<Option<Restart>> {
        Decorator::restart(self)
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        Decorator::renews_evidence(self)
    }

    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        Decorator::collect(self)
    }
}

impl<F: FeedbackSource + ?Sized> Decorator for Box<F> {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        self
    }
}

impl<F: FeedbackSource + ?Sized> Decorator for &mut F {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        self
    }
}
