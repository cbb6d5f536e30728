//! Nobody is asked the same thing twice: what a person answered about two texts on an item is her answer
//! whenever they come up again, by whatever systems.
//!
//! Items are drawn with replacement, so that every answer is a fair draw; a repeated question has an answer
//! on record, or one to come, and counts with that. Like identical texts, repetitions follow from seed and journal and
//! need not be logged: wrap this around a journal.

use super::alike::Alike;
use super::{Answer, Decorator, FeedbackSource, Question, Reply};
use std::collections::{BTreeMap, VecDeque};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Origin, Outcome, Pair};
use tiebreak_base::error::Result;

/// So many repetitions in a row: nothing new can be asked now.
const NOTHING_NEW: u32 = 100;

/// Person, item and texts, by the first systems that wrote them, the lower one first.
pub type Asked = (u32, u32, Pair);

/// A source that remembers who answered what.
#[derive(Debug)]
pub struct Recollected<F> {
    people: F,
    alike: Alike,
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
    /// How the lower of the texts fared.
    Answered(Outcome),
}

impl<F> Recollected<F> {
    /// Asks `people` what they were not asked before.
    pub fn new(people: F) -> Self {
        Self {
            people,
            alike: Alike::default(),
            known: BTreeMap::new(),
            ready: VecDeque::new(),
            repetitions: 0,
        }
    }

    /// The same where some systems wrote the same.
    #[must_use]
    pub fn knowing(self, alike: Alike) -> Self {
        Self { alike, ..self }
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
        let lower = self.alike.turned(answer.question, answer.outcome);
        let key = self.key(answer.question);
        if let Some(State::Open(waiting)) = self.known.insert(key, State::Answered(lower)) {
            let again = waiting.into_iter();
            let again = again.map(|question| repeated(question, lower, &self.alike));
            self.ready.extend(again);
        }
    }

    fn key(&self, question: Question) -> Asked {
        asked(question, question.sample.person, &self.alike)
    }
}

/// What somebody is asked by a question.
pub fn asked(Question { duel, sample }: Question, person: u32, alike: &Alike) -> Asked {
    (person, sample.item, alike.texts(sample.item, duel.pair))
}

/// The answer to a question that was answered before.
pub fn repeated(question: Question, lower: Outcome, alike: &Alike) -> Answer {
    Answer {
        question,
        outcome: alike.turned(question, lower),
        origin: Origin::Again,
        cost: Cost::default(),
    }
}

impl<F: FeedbackSource> Decorator for Recollected<F> {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        &mut self.people
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let key = self.key(question);
        let state = self.known.get_mut(&key);
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
                return Ok(Reply::Known(repeated(question, lower, &self.alike)));
            }
            Some(State::Open(waiting)) => {
                waiting.push(question);
                return Ok(Reply::Repeated);
            }
            None => {}
        }
        let reply = self.people.ask(question)?;
        if reply != Reply::Ended {
            self.known.insert(key, State::Open(Vec::new()));
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
