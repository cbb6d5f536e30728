//! A source that answers at once, with its journal.

use super::{Assignment, DealtQuestion, Journal, Response};
use tiebreak_base::duel::{DuelId, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;
use tiebreak_decide::feedback::dealing::AnnotatorAssignment;
use tiebreak_decide::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};

/// A source that answers at once (a person at the terminal), with its journal. Questions that were
/// left open are posed again before new ones. Wrap delays and models around it, not inside: what
/// they do follows from the seed and need not be logged.
#[derive(Debug)]
pub struct JournalledFeedback<F> {
    inner: F,
    journal: Journal,
    /// The assignment; whoever is at the terminal is the annotator asked.
    dealing: AnnotatorAssignment,
    ended: bool,
}

impl<F: FeedbackSource> JournalledFeedback<F> {
    /// Replays what `journal` holds, then passes questions to `inner` and logs them.
    pub fn new(inner: F, journal: Journal) -> Self {
        Self {
            inner,
            journal,
            dealing: AnnotatorAssignment::default(),
            ended: false,
        }
    }

    /// Poses a logged question.
    fn put(&mut self, question: PairQuestion) -> Result<()> {
        match self.inner.ask(question)? {
            Reply::Answer(answer) | Reply::Known(answer) => {
                let given = Response {
                    outcome: Some(answer.outcome),
                    ..Response::default()
                };
                self.journal
                    .answer(&[(Assignment::dealt(question.duel.id), given)], false)
            }
            Reply::Ended => {
                self.ended = true;
                Ok(())
            }
            Reply::Later | Reply::Repeated => Err(Error::failed(
                "a journal takes answers as they are given, but this source answers later",
            )),
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for JournalledFeedback<F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.inner)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.inner.draw(pair, rng)
    }

    /// Every answer arrives by [`FeedbackSource::arrived`], replayed or fresh.
    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        if self.journal.replay(question)? {
            return Ok(Reply::Later);
        }
        if self.ended {
            return Ok(Reply::Ended);
        }
        self.journal
            .pose(&[DealtQuestion::to_one(question)], None)?;
        self.put(question)?;
        Ok(Reply::Later)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        loop {
            if let Some(answer) = self.journal.arrival(&mut self.dealing) {
                return Ok(Some(answer));
            }
            match self.journal.oldest_open().filter(|_| !self.ended) {
                Some(open) => self.put(open)?,
                None => return Ok(None),
            }
        }
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(self.journal.skip())
    }
}
