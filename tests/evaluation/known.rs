//! What is known beforehand reaches the bandits that use it, in every run's own order of arms.

use super::easy_comparisons;
use std::sync::Arc;
use tiebreak::bandits::{BANDITS, Square};
use tiebreak::duel::{Arm, Pair, Verdict};
use tiebreak::error::Result;
use tiebreak::evaluation::active::{Limits, Setup, Stop};
use tiebreak::evaluation::experiment::Experiment;
use tiebreak::evaluation::known::{IdenticalOutputItems, PriorKnowledge};
use tiebreak::feedback::comparisons::Comparisons;
use tiebreak::feedback::recorded::RecordedFeedback;
use tiebreak::feedback::{FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

const K: u16 = 5;

fn setup(bandit: &str, known: PriorKnowledge) -> Setup {
    let entry = find_entry("bandit", BANDITS, bandit).unwrap();
    // Not in the order of their numbers, and without system 1.
    let arms = vec![Arm(4), Arm(0), Arm(2), Arm(3)];
    let limits = Limits::new(3000, None);
    let setup = Setup::new(entry, Params::default(), arms, limits, Seed(42)).unwrap();
    setup.with(known).unwrap()
}

/// Even items have the same output for systems 0 and 2, and all items for 3 and 4.
fn outputs(comparisons: &Comparisons) -> IdenticalOutputItems {
    let same = |pair: Pair, item: u32| match (pair.first.0, pair.second.0) {
        (0, 2) => item.is_multiple_of(2),
        (3, 4) => true,
        _ => false,
    };
    let judged = |pair: Pair| -> Vec<u32> {
        let list = comparisons.judgments(pair).iter();
        list.map(|judgment| judgment.item).collect()
    };
    let rows = comparisons
        .all()
        .filter(|(pair, one)| same(*pair, one.item));
    IdenticalOutputItems::new(
        usize::from(K),
        rows.map(|(pair, one)| (one.item, pair)),
        judged,
    )
}

/// Notes how many questions were about identical outputs.
struct Watched<'a> {
    inner: RecordedFeedback<'a>,
    outputs: &'a IdenticalOutputItems,
    about_identical: u32,
}

impl FeedbackSource for Watched<'_> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.inner)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.inner.draw(pair, rng)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let same = self.outputs.same(question.duel.pair, question.sample.item);
        self.about_identical += u32::from(same);
        self.inner.ask(question)
    }
}

#[test]
fn nobody_is_asked_about_identical_outputs_where_the_bandit_takes_them_for_ties() {
    let comparisons = easy_comparisons(K);
    let outputs = Arc::new(outputs(&comparisons));
    assert_eq!(outputs.differing().get(2, 0), 0.5);
    assert_eq!(outputs.differing().get(3, 4), 0.0);
    for (bandit, asks) in [("adaptive", false), ("rmed", true)] {
        let known = PriorKnowledge {
            outputs: Some(Arc::clone(&outputs)),
            ..PriorKnowledge::default()
        };
        let setup = setup(bandit, known);
        let mut about_identical = 0;
        for run in 0..5 {
            let mut watched = Watched {
                inner: RecordedFeedback::new(&comparisons),
                outputs: &outputs,
                about_identical: 0,
            };
            let trace = setup.play(run, &mut watched).unwrap();
            assert_eq!(trace.winner(), Some(Arm(0)), "{bandit}");
            about_identical += watched.about_identical;
        }
        assert_eq!(about_identical > 0, asks, "{bandit}: {about_identical}");
    }
}

#[test]
fn runs_stop_by_certificate_and_the_verdict_names_the_system() {
    let comparisons = easy_comparisons(K);
    let known = PriorKnowledge {
        confidence: Some(0.95),
        outputs: Some(Arc::new(outputs(&comparisons))),
        ..PriorKnowledge::default()
    };
    for delay in [0, 20] {
        let setup = setup("adaptive", known.clone());
        let experiment = Experiment::new(setup, &comparisons, None, delay).unwrap();
        let runs = experiment.run_many(0..20).unwrap();
        for trace in &runs {
            assert_eq!(
                (trace.stop, trace.winner()),
                (Stop::Certificate, Some(Arm(0)))
            );
            let named = matches!(trace.verdict, Verdict::Winner { arm: Arm(0), .. });
            assert!(named, "{:?}", trace.verdict);
        }
        let summary = experiment.summarise(&runs).unwrap();
        assert_eq!(summary.stopped.share, 1.0);
        assert_eq!(summary.stopped.correct, Some(1.0));
        assert!(summary.stopped.annotations.median.unwrap() < 3000.0);
    }
    // Without a confidence there is no certificate, and the budget ends the run.
    let setup = setup("adaptive", PriorKnowledge::default());
    let trace = setup
        .play(0, &mut RecordedFeedback::new(&comparisons))
        .unwrap();
    assert_eq!((trace.stop, trace.verdict), (Stop::Budget, Verdict::Open));
}

#[test]
fn predicted_margins_follow_the_systems_whatever_their_order() {
    let favourite = Square::from_fn(usize::from(K), |i, j| {
        let strength = |system: usize| f64::from(u8::from(system == 3));
        0.2 * (strength(i) - strength(j))
    });
    let known = PriorKnowledge {
        margins: vec![favourite],
        ..PriorKnowledge::default()
    };
    let comparisons = easy_comparisons(K);
    let setup = setup("adaptive", known.clone());
    for run in 0..10 {
        let trace = setup
            .play(run, &mut RecordedFeedback::new(&comparisons))
            .unwrap();
        assert_eq!(trace.leaders[0], (0, Arm(3)));
        assert_eq!(trace.winner(), Some(Arm(0)), "and the answers correct them");
    }
    let entry = find_entry("bandit", BANDITS, "adaptive").unwrap();
    let limits = Limits::new(10, None);
    let again = || {
        Setup::new(
            entry,
            Params::default(),
            vec![Arm(0), Arm(1)],
            limits,
            Seed(1),
        )
    };
    let wrong = PriorKnowledge {
        confidence: Some(1.5),
        ..known
    };
    assert!(again().unwrap().with(wrong).is_err());
}
