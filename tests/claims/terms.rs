//! Answers on record, answers that only inform, and evidence begun anew.

use super::{Preferences, outcome, setup};
use tiebreak::duel::{Arm, AuditWeighting, Origin, Pair, Verdict};
use tiebreak::error::Result;
use tiebreak::evaluation::active::RunTrace;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::rng::Rng;

/// Clear answers, under other terms than usual.
#[derive(Default)]
struct Special {
    known: bool,
    other: bool,
    weighing: Option<AuditWeighting>,
    /// After so many questions, with this share of the error probability.
    renewed: Option<(u64, f64)>,
    asked: u64,
}

impl FeedbackSource for Special {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let judgment = rng.next_u32();
        Ok(Sample {
            judgment,
            ..Sample::item(0)
        })
    }

    fn weighing(&mut self, _question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        Ok(self.weighing)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        self.asked += 1;
        let clear = Preferences::from_fn(3, |_, _| 0.8);
        let Pair { first, second } = question.duel.pair;
        let u = f64::from(question.sample.judgment) / f64::from(u32::MAX);
        let mut answer = DuelAnswer::human(question, outcome(clear.get(first, second), u));
        if self.other {
            answer.origin = Origin::Other;
        }
        Ok(match self.known {
            true => Reply::Known(answer),
            false => Reply::Answer(answer),
        })
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        let now = self.renewed.filter(|&(after, _)| after == self.asked);
        if now.is_some() {
            self.renewed = None;
        }
        Ok(now.map(|(_, share)| share))
    }
}

fn play(mut source: Special) -> (RunTrace, u64) {
    let mut noted = 0;
    let setup = setup("adaptive", 3, 1000);
    let trace = setup.play_noting(0, &mut source, &mut |_| noted += 1);
    (trace.unwrap(), noted)
}

fn is_claimed(trace: &RunTrace) -> bool {
    matches!(trace.verdict, Verdict::Winner { arm: Arm(0), .. })
}

#[test]
fn an_answer_on_record_is_evidence_and_no_annotation() {
    let (usual, noted) = play(Special::default());
    assert!(is_claimed(&usual) && noted == usual.annotations);
    let known = Special {
        known: true,
        ..Special::default()
    };
    let (known, noted) = play(known);
    assert!(is_claimed(&known) && known.steps == usual.steps);
    assert_eq!((known.annotations, known.model_answers, noted), (0, 0, 0));
}

#[test]
fn somebody_elses_answer_informs_and_proves_nothing() {
    let other = Special {
        other: true,
        ..Special::default()
    };
    let (trace, noted) = play(other);
    assert_eq!(
        (trace.winner(), trace.verdict),
        (Some(Arm(0)), Verdict::Open)
    );
    assert_eq!((trace.annotations, noted), (1000, 1000));
}

#[test]
fn new_evidence_counts_from_one_and_needs_more_with_less() {
    let (usual, _) = play(Special::default());
    let renewed = |after, share| {
        let source = Special {
            renewed: Some((after, share)),
            ..Special::default()
        };
        let (trace, _) = play(source);
        assert!(is_claimed(&trace));
        trace.annotations
    };
    let before = usual.annotations - 5;
    assert!(renewed(before, 1.0) > usual.annotations + 5);
    assert!(renewed(0, 0.01) > usual.annotations);
    assert_eq!(renewed(0, 1.0), usual.annotations);
}

#[test]
fn what_cannot_be_is_refused() {
    let setup = setup("adaptive", 3, 1000);
    let refused = |mut source: Special| setup.play(0, &mut source).unwrap_err().to_string();
    let share = Special {
        renewed: Some((0, 0.0)),
        ..Special::default()
    };
    assert!(refused(share).contains("new evidence at 0 "));
    for (q, probability) in [(0.0, 0.5), (2.0, 1.0), (0.5, 0.0), (f64::NAN, 1.0)] {
        let beyond = Special {
            weighing: Some(AuditWeighting { q, probability }),
            ..Special::default()
        };
        assert!(refused(beyond).contains("audited with probability"));
    }
}
