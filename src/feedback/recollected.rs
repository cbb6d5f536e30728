//! Nobody is asked the same thing twice: what a person answered about a pair on an item is her answer
//! whenever that comes up again.
//!
//! Items are drawn with replacement, so that every answer is a fair draw; a repeated question has an answer
//! on record, or one to come, and counts with that. Like identical texts, repetitions follow from seed and journal and
//! need not be logged: wrap this around a journal.

use super::{Answer, Decorator, FeedbackSource, Question, Reply};
use crate::duel::{Origin, Outcome, Pair};
use crate::error::Result;
use std::collections::{BTreeMap, VecDeque};

/// So many repetitions in a row: nothing new can be asked now.
const NOTHING_NEW: u32 = 100;

/// Person, item and pair, the lower system first.
pub(super) type Asked = (u32, u32, Pair);

/// A source that remembers who answered what.
#[derive(Debug)]
pub struct Recollected<F> {
    people: F,
    known: BTreeMap<Asked, State>,
    /// Answers to repetitions whose first question was answered since.
    ready: VecDeque<Answer>,
    /// Repetitions in a row.
    repetitions: u32,
}

#[derive(Debug)]
enum State {
    /// With the repetitions that wait for its answer.
    Open(Vec<Question>),
    /// How the lower system fared.
    Answered(Outcome),
}

impl<F> Recollected<F> {
    /// Asks `people` what they were not asked before.
    pub fn new(people: F) -> Self {
        Self {
            people,
            known: BTreeMap::new(),
            ready: VecDeque::new(),
            repetitions: 0,
        }
    }

    /// Who is asked.
    pub fn people_mut(&mut self) -> &mut F {
        &mut self.people
    }

    /// What somebody else answered is not her answer: hers may still come.
    fn learn(&mut self, answer: &Answer) {
        if !matches!(answer.origin, Origin::Human | Origin::Again) {
            return;
        }
        let lower = seen_from_lower(answer.question.duel.pair, answer.outcome);
        let state = State::Answered(lower);
        if let Some(State::Open(waiting)) = self.known.insert(key(answer.question), state) {
            let again = |question| repeated(question, lower);
            self.ready.extend(waiting.into_iter().map(again));
        }
    }
}

fn key(question: Question) -> Asked {
    asked(question, question.sample.person)
}

/// What somebody is asked by a question.
pub(super) fn asked(Question { duel, sample }: Question, person: u32) -> Asked {
    let Pair { first, second } = duel.pair;
    let pair = Pair::new(first.min(second), first.max(second));
    (person, sample.item, pair)
}

/// The answer to a question that was answered before.
pub(super) fn repeated(question: Question, lower: Outcome) -> Answer {
    Answer {
        question,
        outcome: seen_from_lower(question.duel.pair, lower),
        origin: Origin::Again,
    }
}

/// An outcome of the first of a pair as one of the lower, or the other way round.
pub(super) fn seen_from_lower(pair: Pair, outcome: Outcome) -> Outcome {
    match pair.first < pair.second {
        true => outcome,
        false => outcome.flipped(),
    }
}

impl<F: FeedbackSource> Decorator for Recollected<F> {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        &mut self.people
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let state = self.known.get_mut(&key(question));
        self.repetitions = if state.is_some() {
            self.repetitions + 1
        } else {
            0
        };
        if self.repetitions == NOTHING_NEW {
            return Ok(Reply::Ended);
        }
        match state {
            Some(&mut State::Answered(lower)) => {
                return Ok(Reply::Known(repeated(question, lower)));
            }
            Some(State::Open(waiting)) => {
                waiting.push(question);
                return Ok(Reply::Repeated);
            }
            None => {}
        }
        let reply = self.people.ask(question)?;
        if reply != Reply::Ended {
            self.known.insert(key(question), State::Open(Vec::new()));
        }
        if let Reply::Answer(answer) | Reply::Known(answer) = &reply {
            self.learn(answer);
        }
        Ok(reply)
    }

    fn arrived(&mut self) -> Result<Option<Answer>> {
        if let Some(answer) = self.ready.pop_front() {
            return Ok(Some(answer));
        }
        let answer = self.people.arrived()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    fn collect(&mut self) -> Result<Option<Answer>> {
        match self.ready.pop_front() {
            Some(answer) => Ok(Some(answer)),
            None => self.people.collect(),
        }
    }
}
