//! Delays, the journal and the terminal.

mod batch;
mod decorator;
mod journal;
mod session;

use decorator::Helped;
use tiebreak::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak::error::Result;
use tiebreak::feedback::delayed::DelayedFeedback;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::rng::Rng;

/// Answers question by question as told; counts how often it was asked.
pub(crate) struct Scripted {
    pub asked: u64,
    /// Asked this often, it ends.
    pub patience: u64,
}

impl Scripted {
    pub(crate) fn new() -> Self {
        let patience = u64::MAX;
        Self { asked: 0, patience }
    }
}

impl FeedbackSource for Scripted {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let item = rng.below(50) as u32;
        Ok(Sample::item(item))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        if self.asked == self.patience {
            return Ok(Reply::Ended);
        }
        self.asked += 1;
        let Pair { first, second } = question.duel.pair;
        let outcome = match (first.0 + 2 * second.0 + question.sample.item as u16) % 4 {
            0 => Outcome::Tie,
            1 => Outcome::Loss,
            _ => Outcome::Win,
        };
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

pub(crate) fn question(id: u64, item: u32) -> PairQuestion {
    PairQuestion {
        duel: Duel {
            id: DuelId(id),
            pair: Pair::new(Arm(0), Arm(1)),
            bet: 0.0,
        },
        sample: Sample::item(item),
    }
}

#[test]
fn a_delay_of_d_answers_after_d_further_questions_in_order_and_models_at_once() {
    let mut source = DelayedFeedback::new(Helped(Scripted::new()), 2);
    let mut arrived = Vec::new();
    for (id, item) in [(0, 1), (1, 2), (2, 8), (3, 3), (4, 16), (5, 5)] {
        if let Reply::Answer(answer) = source.ask(question(id, item)).unwrap() {
            arrived.push((id, answer.question.duel.id.0, answer.origin));
        }
    }
    let expected = [
        (2, 2, Origin::Model),
        (3, 0, Origin::Human),
        (4, 4, Origin::Model),
        (5, 1, Origin::Human),
    ];
    assert_eq!(arrived, expected);
    let mut rest = Vec::new();
    while let Some(answer) = source.collect().unwrap() {
        rest.push(answer.question.duel.id.0);
    }
    assert_eq!(rest, [3, 5]);
}
