//! Second opinions that were asked for, and their use when the draw puts the same question to
//! the same annotator: they have seen it, so it is not shown again, and their opinion is the answer.

use crate::journal::DealtQuestion;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tiebreak_base::duel::Outcome;
use tiebreak_decide::feedback::alike::OutputAliases;
use tiebreak_decide::feedback::recollected::PersonQuestionKey;
use tiebreak_decide::feedback::{DuelAnswer, PairQuestion, Reply};

/// The questions that each annotator has seen, and their second opinions.
#[derive(Debug, Default)]
pub(super) struct Opinions {
    alike: OutputAliases,
    /// Every question that anybody was ever asked.
    seen: BTreeSet<PersonQuestionKey>,
    second: BTreeMap<PersonQuestionKey, Opinion>,
    /// Answers to draws that waited for a second opinion.
    ready: VecDeque<DuelAnswer>,
}

#[derive(Debug, Default)]
struct Opinion {
    /// The outcome of the lower of the texts.
    lower: Option<Outcome>,
    /// Draws that wait for it.
    waiting: Vec<PairQuestion>,
}

impl Opinions {
    /// Starts with nothing seen; `alike` tells which systems wrote the same.
    pub(super) fn new(alike: OutputAliases) -> Self {
        Self {
            alike,
            ..Self::default()
        }
    }

    /// Records that a question was put to annotators.
    pub(super) fn note(&mut self, dealt: &DealtQuestion) {
        let DealtQuestion { question, others } = dealt;
        let asked = |person| self.alike.question_key(*question, person);
        self.seen.insert(asked(question.sample.person));
        for &person in others {
            let key = asked(person);
            self.seen.insert(key);
            self.second.entry(key).or_default();
        }
    }

    /// Whether somebody has seen the texts of a question.
    pub(super) fn has_seen(&self, person: u32, question: PairQuestion) -> bool {
        self.seen
            .contains(&self.alike.question_key(question, person))
    }

    /// Whether the annotator of a question is or was asked for a second opinion on it.
    pub(super) fn is_second(&self, question: PairQuestion) -> bool {
        let key = self.alike.question_key(question, question.sample.person);
        self.second.contains_key(&key)
    }

    /// The number of questions that an annotator has been asked.
    pub(super) fn seen_by(&self, person: u32) -> usize {
        let seen = self.seen.iter();
        seen.filter(|(who, ..)| *who == person).count()
    }

    /// The reply to a question on which the same annotator was asked for a second opinion before.
    pub(super) fn reply(&mut self, question: PairQuestion) -> Option<Reply> {
        let key = self.alike.question_key(question, question.sample.person);
        let opinion = self.second.get_mut(&key)?;
        Some(match opinion.lower {
            Some(lower) => Reply::Known(self.alike.repeated(question, lower)),
            None => {
                opinion.waiting.push(question);
                Reply::Repeated
            }
        })
    }

    /// Takes in a second opinion on a question.
    pub(super) fn hear(&mut self, question: PairQuestion, person: u32, outcome: Outcome) {
        let lower = self.alike.turned(question, outcome);
        let key = self.alike.question_key(question, person);
        let opinion = self.second.entry(key).or_default();
        opinion.lower = Some(lower);
        let waiting = std::mem::take(&mut opinion.waiting).into_iter();
        self.ready
            .extend(waiting.map(|question| self.alike.repeated(question, lower)));
    }

    /// An answer for a draw that waited.
    pub(super) fn arrived(&mut self) -> Option<DuelAnswer> {
        self.ready.pop_front()
    }
}
