//! Replays collected human comparisons.
//!
//! Each question draws one stored judgment of its pair uniformly, with replacement, independently
//! every time (Mohankumar and Khapra, ACL 2022, section 4). An item judged more often is drawn more
//! often.

use super::comparisons::Comparisons;
use super::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::duel::Pair;
use crate::error::Result;
use crate::rng::Rng;

/// Answers from stored comparisons.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    comparisons: &'a Comparisons,
}

impl<'a> Recorded<'a> {
    /// Answers from `comparisons`.
    pub fn new(comparisons: &'a Comparisons) -> Self {
        Self { comparisons }
    }
}

impl FeedbackSource for Recorded<'_> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let list = self.comparisons.judgments(pair);
        if list.is_empty() {
            return Err(self.comparisons.missing(pair));
        }
        let place = rng.below(list.len());
        Ok(Sample {
            judgment: place as u32, // rows are numbered by u32, so there are no more
            ..Sample::item(list[place].item)
        })
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let pair = question.duel.pair;
        let judgment = self.comparisons.judgments(pair)[question.sample.judgment as usize];
        let outcome = if pair.first < pair.second {
            judgment.outcome
        } else {
            judgment.outcome.flipped()
        };
        let answer = Answer::human(question, outcome);
        Ok(Reply::Answer(
            answer.costing(self.comparisons.cost(judgment)),
        ))
    }
}
