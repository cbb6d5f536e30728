//! People who take many questions at once and answer whenever they like.
//!
//! The journal is all there is: questions posed before are replayed with the answers that came in
//! between, and then some new ones are drawn, to be logged together once the run has gone as far as
//! it can without an answer. Of a skipped question the bandit learns that nobody answered, so that it
//! does not wait for it; a certificate counts it as the worst it could have been.

use super::journal::Journal;
use super::texts::Texts;
use super::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::duel::{DuelId, Pair};
use crate::error::Result;
use crate::rng::Rng;

/// A source that poses a number of new questions and waits for none of the answers.
#[derive(Debug)]
pub struct Batch<T> {
    texts: T,
    journal: Journal,
    wanted: usize,
    drawn: Vec<Question>,
}

impl<T: Texts> Batch<T> {
    /// Replays `journal`, then takes `wanted` new questions on `texts`.
    pub fn new(texts: T, journal: Journal, wanted: usize) -> Self {
        Self {
            texts,
            journal,
            wanted,
            drawn: Vec::new(),
        }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The journal, and the new questions, not yet logged.
    ///
    /// # Errors
    /// [`crate::error::Error::Record`] if the run ended before the journal does.
    pub fn finish(self) -> Result<(Journal, Vec<Question>)> {
        self.journal.replayed()?;
        Ok((self.journal, self.drawn))
    }
}

impl<T: Texts> FeedbackSource for Batch<T> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.texts.draw(pair, rng)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        if self.journal.replay(question)? {
            return Ok(Reply::Later);
        }
        if self.drawn.len() == self.wanted {
            return Ok(Reply::Ended);
        }
        self.drawn.push(question);
        Ok(Reply::Later)
    }

    fn arrived(&mut self) -> Result<Option<Answer>> {
        Ok(self.journal.arrival())
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(self.journal.skip())
    }
}
