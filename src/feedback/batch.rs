//! People who take many questions at once and answer whenever they like.
//!
//! The journal is all there is: questions posed before are replayed with the answers that came in
//! between, and then some new ones are drawn, to be logged together once the run has gone as far as
//! it can without an answer. Of a skipped question the bandit learns that nobody answered, so that it
//! does not wait for it; a certificate counts it as the worst it could have been.

use super::dealing::{Dealing, People};
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
    dealing: Dealing,
    wanted: usize,
    drawn: Vec<Question>,
    /// Whether new questions have begun, which where people are newly drawn are one person's.
    begun: bool,
}

impl<T: Texts> Batch<T> {
    /// Replays `journal`, then takes `wanted` new questions on `texts`.
    pub fn new(texts: T, mut journal: Journal, people: People, wanted: usize) -> Self {
        let mut dealing = Dealing::new(people);
        if let Some(list) = journal.listed() {
            dealing.relist(&list);
        }
        Self {
            texts,
            journal,
            dealing,
            wanted,
            drawn: Vec::new(),
            begun: false,
        }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The journal, who has which question, and the new questions, not yet logged.
    ///
    /// # Errors
    /// [`crate::error::Error::Record`] if the run ended before the journal does.
    pub fn finish(self) -> Result<(Journal, Dealing, Vec<Question>)> {
        self.journal.replayed()?;
        Ok((self.journal, self.dealing, self.drawn))
    }
}

impl<T: Texts> FeedbackSource for Batch<T> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let sample = self.texts.draw(pair, rng)?;
        Ok(Sample {
            person: self.dealing.deal(rng),
            ..sample
        })
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
        Ok(self.journal.arrival(&mut self.dealing))
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(self.journal.skip())
    }

    /// What the last call drew is one person's block, and so is what this one draws.
    fn begins_block(&mut self) -> Result<bool> {
        if self.dealing.people() != People::Panel {
            return Ok(false);
        }
        let next = match self.journal.next_person() {
            Some(block) => block,
            None if self.begun => self.dealing.block(),
            None => self.dealing.block() + 1,
        };
        self.begun = self.journal.next_person().is_none();
        let begins = next != self.dealing.block();
        self.dealing.begin_block(next);
        Ok(begins)
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        let list = self.journal.listed();
        Ok(list.and_then(|list| self.dealing.relist(&list)))
    }
}
