//! Questions as they are put to people, and what comes back.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::duel::{DuelId, Outcome};
use tiebreak_base::rng::Seed;
use tiebreak_decide::feedback::PairQuestion;

/// What somebody said of one output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputRating {
    /// Her scores, by criterion.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, f64>,
    /// The output as she edited it, or the words of a passage that show it to be right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a person gave back for a question; nothing but remarks where the question was skipped.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Response {
    /// How the question's first system fared, where it is about two.
    pub outcome: Option<Outcome>,
    /// What was said of the output, where it is about one.
    pub rated: Option<OutputRating>,
    /// The answer as it was given, where that says more than the outcome.
    pub label: Option<String>,
    /// Who answered, where known.
    pub annotator: Option<String>,
    /// How long it took, where known.
    pub seconds: Option<f64>,
    /// What was remarked.
    pub comment: Option<String>,
    /// Why the question was skipped, where that was said.
    pub reason: Option<String>,
    /// When, in seconds since 1970: nothing depends on it.
    pub at: Option<u64>,
}

impl Response {
    /// Whether it is an answer, and not a skip.
    pub fn is_answer(&self) -> bool {
        self.outcome.is_some() || self.rated.is_some()
    }

    /// Whether the same was said, whatever stands beside it.
    pub fn says_the_same(&self, other: &Self) -> bool {
        (self.outcome, &self.label, &self.rated) == (other.outcome, &other.label, &other.rated)
    }
}

/// A question as it is put to one person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assignment {
    /// The question.
    pub id: DuelId,
    /// Whose second opinion is asked for; `None` for the person to whom the question was dealt.
    pub second: Option<u32>,
}

impl Assignment {
    /// To the person to whom it was dealt.
    pub fn dealt(id: DuelId) -> Self {
        Self { id, second: None }
    }
}

/// Whether the second system's output is shown first: drawn for each person.
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

/// The identity of a task that one person is given. It follows from the journal, and not from the task's place in
/// anybody's list, so it is the same before and after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskId {
    /// A question, as it is put to this person.
    Question(Assignment),
    /// The check that was due after so many tasks of this person.
    Check(u64),
}

/// A question with those who are asked for a second opinion.
#[derive(Debug, Clone, PartialEq)]
pub struct DealtQuestion {
    /// The question.
    pub question: PairQuestion,
    /// People other than the one it is dealt to.
    pub others: Vec<u32>,
}

impl DealtQuestion {
    /// A question for one person alone.
    pub fn to_one(question: PairQuestion) -> Self {
        let others = Vec::new();
        Self { question, others }
    }

    /// As it is put to each of them, the one to whom it is dealt first.
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
    /// Whose.
    pub person: u32,
    /// What came back; `None` while it is open.
    pub given: Option<Response>,
}

/// A question that was posed.
#[derive(Debug, Clone, PartialEq)]
pub struct PosedQuestion {
    /// The question.
    pub question: PairQuestion,
    /// What came back; `None` while it is open.
    pub given: Option<Response>,
    /// Second opinions.
    pub seconds: Vec<SecondOpinion>,
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

    /// Somebody's second opinion, where it was asked for.
    pub fn second(&self, person: u32) -> Option<&SecondOpinion> {
        self.seconds.iter().find(|second| second.person == person)
    }

    /// As it is put to each person, with what came back.
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
