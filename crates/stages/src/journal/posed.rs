//! Questions as they are put to annotators, and their responses.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::duel::{DuelId, Outcome};
use tiebreak_base::error::{self, Error};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::reader::Row;
use tiebreak_decide::feedback::PairQuestion;

/// A rating of one output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputRating {
    /// The scores, by criterion.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// The output as the annotator edited it, or the words of a passage that show it to be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A response to a question; nothing but remarks where the question was skipped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response {
    /// The outcome for the question's first system, where it is about two.
    pub outcome: Option<Outcome>,
    /// The rating of the output, where it is about one.
    pub rated: Option<OutputRating>,
    /// The answer as it was given, where that is more exact than the outcome.
    pub label: Option<String>,
    /// The annotator who answered, where known.
    pub annotator: Option<String>,
    /// The time it took, where known.
    pub seconds: Option<f64>,
    /// The annotator's remark.
    pub comment: Option<String>,
    /// The reason for a skip, where given.
    pub reason: Option<String>,
    /// The time of the answer, in seconds since 1970: nothing depends on it.
    pub at: Option<u64>,
}

impl Response {
    /// Whether it is an answer, and not a skip.
    pub fn is_answer(&self) -> bool {
        self.outcome.is_some() || self.rated.is_some()
    }

    /// Refuses numbers with which a table of answers could not be read. They are refused before anything is written,
    /// whoever sends them: what is in the journal cannot be taken out of it.
    ///
    /// # Errors
    /// [`Error::Usage`] for a time below 0; for a time or a score that is none, or too large.
    pub fn check(&self) -> error::Result<()> {
        let rated = self.rated.iter().flat_map(|rated| &rated.scores);
        let scores =
            rated.map(|(name, &score)| (name.as_str(), score, -Row::LARGEST..=Row::LARGEST));
        let seconds = self
            .seconds
            .map(|time| ("seconds", time, 0.0..=Row::LARGEST));
        for (name, number, range) in scores.chain(seconds) {
            if !range.contains(&number) {
                let low = match *range.start() {
                    0.0 => "0".to_string(),
                    low => format!("{low:e}"),
                };
                let what = format!("{name} is {number:?}, expected {low} to {:e}", Row::LARGEST);
                return Err(Error::usage(what));
            }
        }
        Ok(())
    }

    /// Whether it is the same answer, whatever stands beside it.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (self.outcome, &self.label, &self.rated) == (other.outcome, &other.label, &other.rated)
    }
}

/// A question as it is put to one annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assignment {
    /// The question.
    pub id: DuelId,
    /// The annotator whose second opinion is asked for; `None` for the one to whom the question was dealt.
    pub second: Option<u32>,
}

impl Assignment {
    /// The assignment to the annotator to whom it was dealt.
    pub fn dealt(id: DuelId) -> Self {
        Self { id, second: None }
    }
}

/// Whether the second system's output is shown first: drawn for each annotator.
pub fn swapped(seed: Seed, put: Assignment) -> bool {
    match put.second {
        None => seed.stream("sides", put.id.0).bernoulli(0.5),
        Some(person) => {
            let mut rng = seed.stream("sides of second opinions", put.id.0);
            (0..person).for_each(|_| {
                rng.bernoulli(0.5);
            });
            rng.bernoulli(0.5)
        }
    }
}

/// The identity of a task of one annotator. It follows from the journal, and not from the task's place in
/// a list, so it is the same before and after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskId {
    /// A question, as it is put to this annotator.
    Question(Assignment),
    /// The check that was due after so many tasks of this annotator.
    Check(u64),
}

/// A question with those who are asked for a second opinion.
#[derive(Debug, Clone, PartialEq)]
pub struct DealtQuestion {
    /// The question.
    pub question: PairQuestion,
    /// Annotators other than the one it is dealt to.
    pub others: Vec<u32>,
}

impl DealtQuestion {
    /// A question for one annotator alone.
    pub fn to_one(question: PairQuestion) -> Self {
        let others = Vec::new();
        Self { question, others }
    }

    /// The assignments of the question, first that to the annotator to whom it is dealt.
    pub fn puts(&self) -> impl Iterator<Item = Assignment> {
        let id = self.question.duel.id;
        let seconds = self.others.iter().map(move |&person| Assignment {
            id,
            second: Some(person),
        });
        std::iter::once(Assignment::dealt(id)).chain(seconds)
    }
}

/// A second opinion: it serves agreement and proves nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOpinion {
    /// The annotator who gives it.
    pub person: u32,
    /// The response; `None` while it is open.
    pub given: Option<Response>,
}

/// A question that was posed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PosedQuestion {
    /// The question.
    pub question: PairQuestion,
    /// The response; `None` while it is open.
    pub given: Option<Response>,
    /// Second opinions.
    pub seconds: Vec<SecondOpinion>,
}

/// All questions that were posed, in the order asked, in which their numbers ascend.
#[derive(Debug, Default)]
pub(super) struct PosedQuestions {
    questions: Vec<PosedQuestion>,
    /// Their numbers side by side, among which one is found without reading the questions.
    ids: Vec<DuelId>,
}

impl PosedQuestions {
    /// Adds a question.
    ///
    /// # Errors
    /// A description of what is wrong with its number, if that is not higher than the last.
    pub(super) fn push(&mut self, posed: PosedQuestion) -> Result<(), String> {
        let id = posed.question.duel.id;
        if self.ids.last().is_some_and(|last| *last >= id) {
            return Err(format!("question {} is not the next one", id.0));
        }
        self.ids.push(id);
        self.questions.push(posed);
        Ok(())
    }

    pub(super) fn all(&self) -> &[PosedQuestion] {
        &self.questions
    }

    pub(super) fn into_all(self) -> Vec<PosedQuestion> {
        self.questions
    }

    fn index_of(&self, id: DuelId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    pub(super) fn get(&self, id: DuelId) -> Option<&PosedQuestion> {
        self.index_of(id).map(|index| &self.questions[index])
    }

    pub(super) fn get_mut(&mut self, id: DuelId) -> Option<&mut PosedQuestion> {
        self.index_of(id).map(|index| &mut self.questions[index])
    }
}

impl PosedQuestion {
    /// Whether it was answered. A skipped question may still be.
    pub fn is_settled(&self) -> bool {
        self.given.as_ref().is_some_and(Response::is_answer)
    }

    /// Whether nothing came back yet.
    pub fn is_open(&self) -> bool {
        self.given.is_none()
    }

    /// The second opinion of an annotator, where it was asked for.
    pub fn second(&self, person: u32) -> Option<&SecondOpinion> {
        self.seconds.iter().find(|second| second.person == person)
    }

    /// The assignments of the question, with their responses.
    pub fn puts(&self) -> impl Iterator<Item = (Assignment, Option<&Response>)> {
        let id = self.question.duel.id;
        let seconds = self.seconds.iter().map(move |second| {
            let put = Assignment {
                id,
                second: Some(second.person),
            };
            (put, second.given.as_ref())
        });
        std::iter::once((Assignment::dealt(id), self.given.as_ref())).chain(seconds)
    }
}
