//! Deduplication of questions: a person's answer about two texts on an item is their answer whenever the
//! texts come up again, by whatever systems.
//!
//! Items are drawn with replacement, so that every answer is a fair draw; a repeated question has an answer
//! on record, or one to come, and counts with that. Like identical texts, repetitions follow from seed and journal and
//! need not be logged: wrap this around a journal.

use super::alike::OutputAliases;
use super::{CorrectedAnswer, DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use foldhash::fast::RandomState;
use std::collections::{HashMap, VecDeque};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Rng;

/// The number of repetitions in a row at which nothing new can be asked now.
const NOTHING_NEW: u32 = 100;

/// Person, item and texts, by the first systems that wrote them, the lower one first.
pub type PersonQuestionKey = (u32, u32, Pair);

/// A source that remembers who answered what.
#[derive(Debug)]
pub struct DeduplicatedFeedback<F> {
    people: F,
    alike: OutputAliases,
    known: HashMap<PersonQuestionKey, RecallState, RandomState>,
    /// Answers to repetitions whose first question was answered since.
    ready: VecDeque<DuelAnswer>,
    /// Repetitions in a row.
    repetitions: u32,
}

#[derive(Debug)]
enum RecallState {
    /// No answer yet, with the repetitions that wait for it.
    Open(Vec<PairQuestion>),
    /// The outcome for the lower of the texts, and whether it counted for a repetition with a bet.
    Answered(Outcome, bool),
}

impl<F> DeduplicatedFeedback<F> {
    /// Creates a source that asks `people` only what they were not asked before.
    pub fn new(people: F) -> Self {
        Self {
            people,
            alike: OutputAliases::default(),
            known: HashMap::default(),
            ready: VecDeque::new(),
            repetitions: 0,
        }
    }

    /// Sets the outputs that are identical.
    #[must_use]
    pub fn knowing(self, alike: OutputAliases) -> Self {
        Self { alike, ..self }
    }

    /// The source within.
    pub fn people_mut(&mut self) -> &mut F {
        &mut self.people
    }

    /// Learns a person's own answer; anybody else's is not theirs, which may still come.
    fn learn(&mut self, answer: &DuelAnswer) {
        if !matches!(answer.origin, Origin::Human | Origin::Again) {
            return;
        }
        self.remember(answer.question, answer.outcome);
    }

    /// Remembers an answer in the place of what was known, which is returned; repetitions that wait for it get it.
    fn remember(&mut self, question: PairQuestion, outcome: Outcome) -> Option<RecallState> {
        let lower = self.alike.turned(question, outcome);
        let key = self.key(question);
        let before = self.known.remove(&key);
        let waiting = match &before {
            Some(RecallState::Open(waiting)) => waiting.as_slice(),
            Some(RecallState::Answered(..)) | None => &[],
        };
        let is_bet_on = waiting.iter().any(|question| question.duel.bet != 0.0);
        let answered = RecallState::Answered(lower, is_bet_on);
        let again = waiting.iter();
        let again = again.map(|&question| self.alike.repeated(question, lower));
        self.ready.extend(again);
        self.known.insert(key, answered);
        before
    }

    fn key(&self, question: PairQuestion) -> PersonQuestionKey {
        self.alike.question_key(question, question.sample.person)
    }
}

impl OutputAliases {
    /// The key under which a person's answer to a question is remembered.
    pub fn question_key(
        &self,
        PairQuestion { duel, sample }: PairQuestion,
        person: u32,
    ) -> PersonQuestionKey {
        (person, sample.item, self.texts(sample.item, duel.pair))
    }

    /// The answer to a question that was answered before.
    pub fn repeated(&self, question: PairQuestion, lower: Outcome) -> DuelAnswer {
        DuelAnswer {
            question,
            outcome: self.turned(question, lower),
            origin: Origin::Again,
            cost: Cost::default(),
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for DeduplicatedFeedback<F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.people)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        if self.known.contains_key(&self.key(*question)) || self.people.repeats(question)? {
            return Ok(true);
        }
        self.repetitions = 0;
        Ok(false)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
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
            Some(RecallState::Answered(lower, is_bet_on)) => {
                *is_bet_on |= question.duel.bet != 0.0;
                return Ok(Reply::Known(self.alike.repeated(question, *lower)));
            }
            Some(RecallState::Open(waiting)) => {
                waiting.push(question);
                return Ok(Reply::Repeated);
            }
            None => {}
        }
        let reply = self.people.ask(question)?;
        if reply != Reply::Ended {
            self.known.insert(key, RecallState::Open(Vec::new()));
        }
        if let Reply::Answer(answer) | Reply::Known(answer) = &reply {
            self.learn(answer);
        }
        Ok(reply)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        if let Some(answer) = self.ready.pop_front() {
            return Ok(Some(answer));
        }
        let answer = self.people.arrived()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    /// Passes a correction on; later repetitions get the corrected answer.
    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        let Some(corrected) = self.people.corrected()? else {
            return Ok(None);
        };
        let question = corrected.question;
        let before = match corrected.outcome {
            Some(outcome) => self.remember(question, outcome),
            None => {
                let open = RecallState::Open(Vec::new());
                self.known.insert(self.key(question), open)
            }
        };
        Ok(Some(CorrectedAnswer {
            counted_again: matches!(before, Some(RecallState::Answered(_, true))),
            ..corrected
        }))
    }

    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        match self.ready.pop_front() {
            Some(answer) => Ok(Some(answer)),
            None => self.people.collect(),
        }
    }
}
