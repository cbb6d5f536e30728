//! What stands around a source lets through whatever it does not change.

use tiebreak::duel::{AuditWeighting, DuelId, Outcome, Pair};
use tiebreak::error::Result;
use tiebreak::feedback::delayed::DelayedFeedback;
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::{
    CorrectedAnswer, DuelAnswer, FeedbackSource, PairQuestion, PredictionCounts, Reply, Restart,
    Sample,
};
use tiebreak::rng::{Rng, Seed};

/// Asks nobody about one item in eight.
pub(super) struct Helped<F>(pub F);

impl<F: FeedbackSource> FeedbackSource for Helped<F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.0)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.0.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        if question.sample.item.is_multiple_of(8) {
            return Ok(Reply::Answer(DuelAnswer::model(question, Outcome::Tie)));
        }
        self.0.ask(question)
    }
}

/// Has something of its own to say whatever it is asked.
struct Talkative;

const WEIGHING: AuditWeighting = AuditWeighting {
    q: 0.5,
    probability: 0.125,
};

fn terms() -> Restart {
    Restart {
        kept: Vec::new(),
        sampled: true,
    }
}

fn answer(id: u64) -> DuelAnswer {
    DuelAnswer::human(super::question(id, 1), Outcome::Win)
}

fn correction() -> CorrectedAnswer {
    CorrectedAnswer {
        question: super::question(2, 1),
        outcome: None,
        counted_again: false,
    }
}

impl FeedbackSource for Talkative {
    fn draw(&mut self, _: Pair, _: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(17))
    }

    fn reach(&mut self) -> Result<Option<f64>> {
        Ok(Some(23.0))
    }

    fn weighing(&mut self, _: &PairQuestion) -> Result<Option<AuditWeighting>> {
        Ok(Some(WEIGHING))
    }

    fn ask(&mut self, _: PairQuestion) -> Result<Reply> {
        Ok(Reply::Ended)
    }

    fn begins_block(&mut self) -> Result<bool> {
        Ok(true)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        Ok(Some(answer(1)))
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(Some(DuelId(2)))
    }

    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        Ok(Some(correction()))
    }

    fn credit(&mut self) -> Option<PredictionCounts> {
        Some(PredictionCounts {
            judged: 5,
            ..PredictionCounts::default()
        })
    }

    fn restart(&mut self) -> Result<Option<Restart>> {
        Ok(Some(terms()))
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        Ok(Some(0.25))
    }

    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        Ok(Some(answer(3)))
    }
}

/// Changes nothing.
struct Plain<F>(F);

impl<F: FeedbackSource> FeedbackSource for Plain<F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.0)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.0.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        self.0.ask(question)
    }
}

/// Asks `source` for everything but arrivals, which delays hold back.
fn lets_through(source: &mut dyn FeedbackSource) {
    let asked = super::question(9, 1);
    let drawn = source.draw(asked.duel.pair, &mut Seed(1).stream("draw", 0));
    assert_eq!(drawn.unwrap(), Sample::item(17));
    assert_eq!(source.reach().unwrap(), Some(23.0));
    assert_eq!(source.weighing(&asked).unwrap(), Some(WEIGHING));
    assert_eq!(source.ask(asked).unwrap(), Reply::Ended);
    assert!(source.begins_block().unwrap());
    assert_eq!(source.skipped().unwrap(), Some(DuelId(2)));
    assert_eq!(source.corrected().unwrap(), Some(correction()));
    assert_eq!(source.credit().unwrap().judged, 5);
    assert_eq!(source.restart().unwrap(), Some(terms()));
    assert_eq!(source.renews_evidence().unwrap(), Some(0.25));
    assert_eq!(source.collect().unwrap(), Some(answer(3)));
}

#[test]
fn what_a_decorator_does_not_change_passes_through() {
    lets_through(&mut Talkative);
    lets_through(&mut Plain(Talkative));
    lets_through(&mut (Box::new(Talkative) as Box<dyn FeedbackSource>));
    lets_through(&mut &mut Talkative);
    lets_through(&mut (&mut Talkative as &mut dyn FeedbackSource));
    lets_through(&mut DelayedFeedback::new(Talkative, 3));
    lets_through(&mut DeduplicatedFeedback::new(Talkative));
    let boxed: Box<dyn FeedbackSource> = Box::new(Plain(Talkative));
    let mut plain = Plain(boxed);
    let arrived = FeedbackSource::arrived(&mut plain).unwrap();
    assert_eq!(arrived, Some(answer(1)));
    lets_through(&mut plain);
}

/// Answers later, and otherwise after that.
struct Slip(Vec<DuelAnswer>, Vec<CorrectedAnswer>);

impl FeedbackSource for Slip {
    fn draw(&mut self, _: Pair, _: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(1))
    }

    fn ask(&mut self, _: PairQuestion) -> Result<Reply> {
        Ok(Reply::Later)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        Ok(self.0.pop())
    }

    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        Ok(self.1.pop())
    }
}

#[test]
fn a_correction_counts_for_later_draws_and_says_whether_earlier_ones_counted_the_slip() {
    let question = |id| super::question(id, 1);
    for (is_repeated, outcome) in [
        (false, Some(Outcome::Loss)),
        (true, Some(Outcome::Loss)),
        (false, None),
    ] {
        let correction = CorrectedAnswer {
            question: question(0),
            outcome,
            counted_again: false,
        };
        let staked = |id| {
            let mut question = question(id);
            question.duel.bet = 0.5;
            question
        };
        let slip = DuelAnswer::human(question(0), Outcome::Win);
        let mut source = DeduplicatedFeedback::new(Slip(vec![slip], vec![correction]));
        let source: &mut dyn FeedbackSource = &mut source;
        assert_eq!(source.ask(question(0)).unwrap(), Reply::Later);
        assert!(source.arrived().unwrap().is_some());
        let known = |reply| match reply {
            Reply::Known(answer) => Some(answer.outcome),
            other => {
                assert_eq!(other, Reply::Repeated);
                None
            }
        };
        // A draw without a bet proves nothing.
        let again = if is_repeated { staked(1) } else { question(1) };
        assert_eq!(known(source.ask(again).unwrap()), Some(Outcome::Win));
        let corrected = source.corrected().unwrap().unwrap();
        assert_eq!(corrected.counted_again, is_repeated);
        assert_eq!(source.corrected().unwrap(), None);
        assert_eq!(known(source.ask(question(2)).unwrap()), outcome);
    }
}
