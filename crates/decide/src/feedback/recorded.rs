//! Replay of collected human comparisons.
//!
//! Each question draws one stored judgment of its pair uniformly, with replacement, independently
//! every time (Mohankumar and Khapra, ACL 2022, section 4), or, where none may be drawn twice, of those that are
//! left. An item judged more often is drawn more often.

use super::comparisons::Comparisons;
use super::undrawn::UndrawnPlaces;
use super::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak_base::duel::Pair;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;

/// Answers from stored comparisons.
#[derive(Debug, Clone)]
pub struct RecordedFeedback<'a> {
    comparisons: &'a Comparisons,
    /// The judgments left; `None` where draws are replaced.
    left: Option<UndrawnPlaces>,
}

impl<'a> RecordedFeedback<'a> {
    /// Creates a source that answers from `comparisons`.
    pub fn new(comparisons: &'a Comparisons) -> Self {
        Self {
            comparisons,
            left: None,
        }
    }

    /// Has no judgment drawn twice.
    #[must_use]
    pub fn without_replacement(self) -> Self {
        let left = Some(UndrawnPlaces::default());
        Self { left, ..self }
    }
}

impl FeedbackSource for RecordedFeedback<'_> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let list = self.comparisons.judgments(pair);
        if list.is_empty() {
            return Err(self.comparisons.missing(pair));
        }
        let place = match &mut self.left {
            None => rng.below(list.len()),
            Some(left) => left.draw(pair, list.len(), rng).ok_or_else(|| {
                let pair = self.comparisons.names().pair(pair);
                Error::failed(format!("all comparisons of {pair} are drawn"))
            })?,
        };
        Ok(Sample {
            judgment: place as u32, // rows are numbered by u32, so there are no more
            ..Sample::item(list[place].item)
        })
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let pair = question.duel.pair;
        let judgment = self.comparisons.judgments(pair)[question.sample.judgment as usize];
        let outcome = if pair.first < pair.second {
            judgment.outcome
        } else {
            judgment.outcome.flipped()
        };
        let answer = DuelAnswer::human(question, outcome);
        Ok(Reply::Answer(
            answer.costing(self.comparisons.cost(judgment)),
        ))
    }
}
