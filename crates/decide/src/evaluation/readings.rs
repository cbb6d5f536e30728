//! Readings of a run about pairs of systems, passed on as soon as possible.
//!
//! Where people audit a model's answers, unaudited ones are known at once, and the
//! others only after a person's answer. In that order a run with open audits would repeat the
//! model's answers. So a question waits for all that were asked before it. One that was
//! skipped is left out.

use crate::estimators::bradley_terry::StrengthComparison;
use crate::estimators::margins::Reading;
use crate::feedback::{DuelAnswer, PairQuestion};
use std::collections::VecDeque;
use tiebreak_base::duel::{AuditWeighting, DuelId, Origin, Outcome, Pair};

/// A queue that passes readings on in order.
pub(super) struct Readings<'a> {
    note: Box<dyn FnMut(Reading) + 'a>,
    /// Whether a model is audited.
    audited: bool,
    /// The questions from the oldest open one on, in the order asked; empty without audits.
    queue: VecDeque<QueuedReading>,
}

struct QueuedReading {
    id: DuelId,
    state: ReadingState,
}

enum ReadingState {
    Open(AuditWeighting),
    Lost,
    Known(Reading),
}

impl<'a> Readings<'a> {
    pub(super) fn new(note: Box<dyn FnMut(Reading) + 'a>, audited: bool) -> Self {
        Self {
            note,
            audited,
            queue: VecDeque::new(),
        }
    }

    /// Notes a tie by identical outputs, for which no question is needed.
    pub(super) fn tie(&mut self, item: u32, pair: Pair) {
        let outcome = Outcome::Tie;
        let tie = StrengthComparison {
            item,
            pair,
            outcome,
        };
        (self.note)(tie.into());
    }

    /// Notes a question that was asked.
    pub(super) fn ask(&mut self, question: &PairQuestion, weighing: Option<AuditWeighting>) {
        if self.audited {
            self.queue.push_back(QueuedReading {
                id: question.duel.id,
                state: ReadingState::Open(weighing.unwrap_or(AuditWeighting::NONE)),
            });
        }
    }

    /// Notes an answer. Without audits an answer `on_record` was passed on when it was given.
    pub(super) fn answer(&mut self, answer: &DuelAnswer, on_record: bool) {
        let DuelAnswer {
            question,
            outcome,
            origin,
            ..
        } = *answer;
        let by_person = origin != Origin::Model;
        let reading = |weighing| Reading {
            item: question.sample.item,
            pair: question.duel.pair,
            answer: by_person.then_some(outcome),
            person: by_person.then_some(question.sample.person),
            weighing,
        };
        if !self.audited {
            if by_person && !on_record {
                (self.note)(reading(AuditWeighting::NONE));
            }
            return;
        }
        self.settle(question.duel.id, |weighing| {
            match by_person || weighing != AuditWeighting::NONE {
                true => ReadingState::Known(reading(weighing)),
                false => ReadingState::Lost,
            }
        });
    }

    /// Notes a question that came back without an answer.
    pub(super) fn skip(&mut self, id: DuelId) {
        self.settle(id, |_| ReadingState::Lost);
    }

    fn settle(&mut self, id: DuelId, state: impl FnOnce(AuditWeighting) -> ReadingState) {
        let Ok(place) = self.queue.binary_search_by_key(&id, |entry| entry.id) else {
            return;
        };
        if let ReadingState::Open(weighing) = self.queue[place].state {
            self.queue[place].state = state(weighing);
        }
        while let Some(entry) = self.queue.pop_front() {
            match entry.state {
                ReadingState::Known(reading) => (self.note)(reading),
                ReadingState::Lost => {}
                ReadingState::Open(_) => {
                    self.queue.push_front(entry);
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::Sample;
    use tiebreak_base::duel::{Arm, Duel};

    fn question(id: u64) -> PairQuestion {
        PairQuestion {
            duel: Duel {
                id: DuelId(id),
                pair: Pair::new(Arm(0), Arm(1)),
                bet: 0.0,
            },
            sample: Sample::item(id as u32),
        }
    }

    #[test]
    fn audited_answers_wait_for_those_asked_before() {
        let mut items = Vec::new();
        let mut note = |one: Reading| items.push((one.item, one.answer));
        let mut readings = Readings::new(Box::new(&mut note), true);
        let weighing = AuditWeighting {
            q: 0.3,
            probability: 0.5,
        };
        for id in 0..5 {
            readings.ask(&question(id), (id != 4).then_some(weighing));
        }
        readings.answer(&DuelAnswer::model(question(1), Outcome::Win), false);
        readings.answer(&DuelAnswer::human(question(2), Outcome::Loss), false);
        // A tie of identical texts, which is not audited.
        readings.answer(&DuelAnswer::model(question(4), Outcome::Tie), false);
        readings.answer(&DuelAnswer::human(question(0), Outcome::Tie), false);
        readings.skip(DuelId(3));
        readings.answer(&DuelAnswer::human(question(3), Outcome::Win), false);
        let expected = [(0, Some(Outcome::Tie)), (1, None), (2, Some(Outcome::Loss))];
        drop(readings);
        assert_eq!(items, expected);
    }

    #[test]
    fn without_audits_people_are_heard_at_once_and_models_never() {
        let mut items = Vec::new();
        let mut note = |one: Reading| items.push(one.item);
        let mut readings = Readings::new(Box::new(&mut note), false);
        for id in 0..4 {
            readings.ask(&question(id), None);
        }
        readings.answer(&DuelAnswer::human(question(2), Outcome::Win), false);
        readings.answer(&DuelAnswer::model(question(0), Outcome::Win), false);
        readings.answer(&DuelAnswer::human(question(3), Outcome::Win), true);
        readings.answer(&DuelAnswer::human(question(1), Outcome::Win), false);
        drop(readings);
        assert_eq!(items, [2, 1]);
    }
}
