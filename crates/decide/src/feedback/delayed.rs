//! Holds people's answers back: an answer arrives only after `delay` further questions.
//!
//! Source: Mohankumar and Khapra, ACL 2022, appendix E. People's answers enter a first-in-first-out
//! queue, and once it holds more than `delay` of them each new one releases the oldest, which
//! usually belongs to another pair than the one just asked. Answers of models pass at once. Unlike
//! the released code, which delays four of its algorithms and counts an annotation when it is
//! delivered, the delay holds for every bandit, and an annotation counts when it is *asked* (the
//! honest cost).

use super::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use std::collections::VecDeque;
use tiebreak_base::duel::{Origin, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Rng;

/// A source whose human answers are late.
#[derive(Debug, Clone)]
pub struct DelayedFeedback<F> {
    inner: F,
    delay: usize,
    held: VecDeque<DuelAnswer>,
}

impl<F> DelayedFeedback<F> {
    /// Holds back the answers of `inner` for `delay` questions; 0 changes nothing.
    pub fn new(inner: F, delay: usize) -> Self {
        Self {
            inner,
            delay,
            held: VecDeque::new(),
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for DelayedFeedback<F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.inner)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.inner.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        match self.inner.ask(question)? {
            Reply::Answer(answer) if answer.origin != Origin::Model => {
                self.held.push_back(answer);
                if self.held.len() <= self.delay {
                    return Ok(Reply::Later);
                }
                Ok(self.held.pop_front().map_or(Reply::Later, Reply::Answer))
            }
            other => Ok(other),
        }
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        while let Some(answer) = self.inner.arrived()? {
            self.held.push_back(answer);
        }
        if self.held.len() <= self.delay {
            return Ok(None);
        }
        Ok(self.held.pop_front())
    }

    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        match self.held.pop_front() {
            Some(answer) => Ok(Some(answer)),
            None => self.inner.collect(),
        }
    }
}
