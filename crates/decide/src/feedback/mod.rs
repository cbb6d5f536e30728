//! Sources of feedback: recorded comparisons, a known matrix, a person at the terminal, people with a sheet
//! of questions.
//!
//! Everything that answers is a [`FeedbackSource`], and so is a decorator around one: answers held back
//! ([`delayed`]), a log of questions and answers (`journal`), ties of identical texts without a question
//! ([`texts`]), a model that answers where it is trusted ([`crate::model_based`]).

use serde::{Deserialize, Serialize};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Arm, Duel, Origin, Outcome};

pub mod alike;
pub mod comparisons;
pub mod dealing;
pub mod delayed;
pub mod matrix;
pub mod names;
pub mod overlap;
pub mod recollected;
pub mod recorded;
mod source;
pub mod texts;
pub mod undrawn;

pub use source::FeedbackSource;

/// The item, stored judgment and annotator drawn for a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// The item, by its place in the list of items.
    pub item: u32,
    /// The stored judgment that was drawn; 0 where none are stored.
    pub judgment: u32,
    /// The person the comparison is assigned to ([`dealing`]); 0 where there is one person.
    pub person: u32,
}

impl Sample {
    /// Creates a sample of an item alone, for the only person.
    pub fn item(item: u32) -> Self {
        Self {
            item,
            judgment: 0,
            person: 0,
        }
    }
}

/// One comparison to be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairQuestion {
    /// The pair, and the id by which the bandit knows it.
    pub duel: Duel,
    /// The sample that it is compared on.
    pub sample: Sample,
}

/// A question with its answer. The answer names its question, so that delays, several annotators and a
/// page in the browser are all the same case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DuelAnswer {
    /// The question answered.
    pub question: PairQuestion,
    /// The outcome for the first of its pair.
    pub outcome: Outcome,
    /// The origin of the answer. [`Origin::Model`] costs no annotation.
    pub origin: Origin,
    /// The cost of the answer, where recorded.
    pub cost: Cost,
}

impl DuelAnswer {
    /// A person's answer.
    pub fn human(question: PairQuestion, outcome: Outcome) -> Self {
        Self::from_origin(Origin::Human, question, outcome)
    }

    /// An answer that no person was asked for.
    pub fn model(question: PairQuestion, outcome: Outcome) -> Self {
        Self::from_origin(Origin::Model, question, outcome)
    }

    fn from_origin(origin: Origin, question: PairQuestion, outcome: Outcome) -> Self {
        Self {
            question,
            outcome,
            origin,
            cost: Cost::default(),
        }
    }

    /// Sets the cost.
    #[must_use]
    pub fn costing(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }
}

/// The reply to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reply {
    /// An answer: to this question or, where answers are late, to an earlier one.
    Answer(DuelAnswer),
    /// The person's earlier answer about the same pair on the same item: no annotation, but a draw that
    /// counts.
    Known(DuelAnswer),
    /// The person has the same question already; their answer will arrive for both, and is no further
    /// annotation.
    Repeated,
    /// The question is with a person; no answer is ready.
    Later,
    /// No annotator is left; this question was not posed and none will be.
    Ended,
}

/// The agreement of a model's predictions with people's judgments, as counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PredictionCounts {
    /// Judgments with a prediction.
    pub judged: u64,
    /// The number of these that were what the model would have answered.
    pub right: u64,
    /// Judgments that were no tie, where the model had a preference.
    pub decided: u64,
    /// The number of these that agreed with the model.
    pub agreed: u64,
    /// The number of judgments after which the model was shown to be better than chance; `None` if it is not.
    pub better_after: Option<u64>,
}

/// An answer that was passed on and is another one now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectedAnswer {
    /// The question answered.
    pub question: PairQuestion,
    /// The outcome for the first of its pair now; `None` where the question was skipped after all.
    pub outcome: Option<Outcome>,
    /// Whether the answer before counted for another draw of the same question, with a bet, too.
    pub counted_again: bool,
}

/// The systems and means with which a run begins again.
#[derive(Debug, Clone, PartialEq)]
pub struct Restart {
    /// The systems that are still compared.
    pub kept: Vec<Arm>,
    /// Whether people go on seeing a random sample of the items, so that their answers can make a
    /// certificate.
    pub sampled: bool,
}
