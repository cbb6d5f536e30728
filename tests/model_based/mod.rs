//! Models that answer in a person's place, and systems eliminated by their predictions.

mod audits;

use crate::evaluation::{certified, easy_comparisons, experiment};
use std::sync::Arc;
use tiebreak::duel::{Arm, Outcome, Pair, Prediction, Uncertainty};
use tiebreak::evaluation::active::{RunTrace, Stop};
use tiebreak::feedback::comparisons::Comparisons;
use tiebreak::feedback::names::Names;
use tiebreak::model_based::thresholds::Thresholds;
use tiebreak::model_based::ucb_elimination::{Elimination, EliminationOptions, Formula, survivors};
use tiebreak::model_based::{
    AdvisedPolicy, Forecasts, PairPredictions, Policy, Selection, UncertaintyMeasure,
};

fn pair(i: u16, j: u16) -> Pair {
    Pair::new(Arm(i), Arm(j))
}

fn uncertain(p: f64, bald: f64, std: f64) -> Prediction {
    let mean = p;
    Prediction {
        p,
        uncertainty: Some(Uncertainty { mean, bald, std }),
    }
}

type Model<'a> = Option<(&'a dyn Forecasts, Policy)>;

/// Predictions for every comparison: right about who is better, certain on even items only, by its draws and by itself.
fn predictions_for(comparisons: &Comparisons, known: bool) -> PairPredictions {
    let mut rows: Vec<(u32, Pair, Prediction)> = comparisons
        .all()
        .map(|(pair, judgment)| {
            let (p, spread) = match judgment.item.is_multiple_of(2) {
                true => (0.9, 0.01),
                false => (0.6, 0.2),
            };
            let mut prediction = uncertain(p, spread / 2.0, spread);
            if !known {
                prediction.uncertainty = None;
            }
            (judgment.item, pair, prediction)
        })
        .collect();
    rows.sort_by_key(|&(item, pair, _)| (pair, item));
    rows.dedup_by_key(|&mut (item, pair, _)| (pair, item));
    let names = Arc::clone(comparisons.names());
    PairPredictions::new(names, rows, Thresholds::default()).unwrap()
}

#[test]
fn mixing_answers_its_share_and_none_of_it_changes_nothing_else() {
    let comparisons = easy_comparisons(5);
    let predictions = predictions_for(&comparisons, false);
    let run = |share| {
        let model: Model<'_> = Some((&predictions, Policy::Mixing { share }));
        experiment("uniform", 2000, &comparisons, model, 0).run_one(3)
    };
    let plain = experiment("uniform", 2000, &comparisons, None, 0).run_one(3);
    let none = run(0.0).unwrap();
    assert_eq!(none.credit.unwrap().judged, none.annotations);
    assert_eq!(without_credit(none), plain.unwrap());
    let mixed = run(0.8).unwrap();
    let share = mixed.model_answers as f64 / (mixed.model_answers + mixed.annotations) as f64;
    assert!((share - 0.8).abs() < 0.02, "{share}");
    let all = run(1.0).unwrap();
    assert_eq!((all.annotations, all.model_answers), (0, all.steps));
}

fn without_credit(trace: RunTrace) -> RunTrace {
    let credit = None;
    RunTrace { credit, ..trace }
}

/// Predictions that prefer the first of each pair with probability `p`, or guess by the item.
fn preferring(comparisons: &Comparisons, p: Option<f64>) -> PairPredictions {
    let mut rows: Vec<(u32, Pair, Prediction)> = comparisons
        .all()
        .map(|(pair, judgment)| {
            let guess = f64::from(judgment.item * 7 % 10 + u32::from(pair.first.0)) / 14.0;
            let spread = f64::from(judgment.item % 10) / 100.0;
            (
                judgment.item,
                pair,
                uncertain(p.unwrap_or(guess), spread, spread),
            )
        })
        .collect();
    rows.sort_by_key(|&(item, pair, _)| (pair, item));
    rows.dedup_by_key(|&mut (item, pair, _)| (pair, item));
    let names = Arc::clone(comparisons.names());
    PairPredictions::new(names, rows, Thresholds::default()).unwrap()
}

const ADVISED: [Policy; 3] = [
    Policy::Advised(AdvisedPolicy::Mixing),
    Policy::Advised(AdvisedPolicy::Selection(UncertaintyMeasure::Bald)),
    Policy::Advised(AdvisedPolicy::Selection(UncertaintyMeasure::Std)),
];

#[test]
fn a_model_answers_once_it_is_shown_to_be_better_than_chance() {
    // Right in 70 % of judgments and, where those are decided, in seven of eight.
    let comparisons = easy_comparisons(5);
    let good = preferring(&comparisons, Some(0.8));
    for policy in ADVISED {
        for delay in [0, 5] {
            let experiment =
                experiment("uniform", 2000, &comparisons, Some((&good, policy)), delay);
            let trace = experiment.run_one(1).unwrap();
            let credit = trace.credit.unwrap();
            let after = credit.better_after.unwrap();
            assert!((4..60).contains(&after), "{policy:?}: {after}");
            assert_eq!(trace.winner(), Some(Arm(0)));
            // 0.5 + 4 (0.70 − 0.01 − 0.65) in the end; τ is chosen earlier.
            let share = trace.model_answers as f64 / trace.steps as f64;
            assert!((0.15..0.85).contains(&share), "{policy:?}: {share}");
        }
    }
}

#[test]
fn predictions_no_better_than_chance_are_never_answers() {
    let comparisons = easy_comparisons(5);
    let plain = experiment("rmed", 800, &comparisons, None, 0);
    for (predictions, most) in [
        (preferring(&comparisons, Some(0.2)), 0),
        (preferring(&comparisons, None), 2), // 5 % of 30
    ] {
        for policy in ADVISED {
            let experiment = experiment("rmed", 800, &comparisons, Some((&predictions, policy)), 0);
            let mut shown = 0;
            for run in 0..30 {
                let trace = experiment.run_one(run).unwrap();
                if trace.credit.unwrap().better_after.is_some() {
                    shown += 1;
                    continue;
                }
                assert_eq!(without_credit(trace), plain.run_one(run).unwrap());
            }
            assert!(shown <= most, "{policy:?}: {shown}");
        }
    }
}

#[test]
fn advised_elimination_begins_again_among_the_survivors_once_it_is_earned() {
    let comparisons = easy_comparisons(5);
    let survivors = vec![Arm(0), Arm(3)];
    let run = |p, kept: &[Arm], policy| {
        let predictions = preferring(&comparisons, p);
        let model: Model<'_> = Some((&predictions, policy));
        let experiment = experiment("adaptive", 300, &comparisons, model, 2);
        experiment
            .eliminating(Some(kept.to_vec()))
            .run_one(4)
            .unwrap()
    };
    let earned = run(Some(0.8), &survivors, Policy::Nothing);
    let after = earned.restarted_after.unwrap();
    assert!((5..200).contains(&after), "{after}");
    assert_eq!((earned.annotations, earned.model_answers), (300, 0));
    let later = |leader: &&(u64, Arm)| leader.0 > after;
    assert!(
        earned
            .leaders
            .iter()
            .filter(later)
            .all(|(_, arm)| survivors.contains(arm))
    );
    assert_eq!(earned.winner(), Some(Arm(0)));

    let refused = run(Some(0.2), &survivors, Policy::Nothing);
    assert_eq!(
        (refused.restarted_after, refused.winner()),
        (None, Some(Arm(0)))
    );

    let alone = run(Some(0.8), &[Arm(2)], Policy::Nothing);
    assert_eq!((alone.stop, alone.winner()), (Stop::Finished, Some(Arm(2))));
    assert_eq!(Some(alone.annotations), alone.restarted_after);
}

#[test]
fn an_elimination_that_leaves_one_system_keeps_what_is_proved() {
    let comparisons = easy_comparisons(3);
    let predictions = preferring(&comparisons, Some(0.8));
    let model: Model<'_> = Some((&predictions, Policy::Nothing));
    let play = |run, confidence| {
        let experiment = certified("adaptive", 3000, &comparisons, model, confidence);
        let experiment = experiment.eliminating(Some(vec![Arm(2)]));
        experiment.run_one(run).unwrap()
    };
    // The answer that earns the elimination may be the one that proves the best: then nothing begins again.
    let both = (0..60).find_map(|run| {
        let after = play(run, 1.0 - 1e-12).restarted_after?;
        let mut levels = (1..100).map(|step| play(run, 1.0 - f64::from(step) / 100.0));
        levels.find(|trace| trace.annotations == after && trace.verdict.is_claim())
    });
    let both = both.expect("a run and a level at which both are due at once");
    assert_eq!((both.stop, both.restarted_after), (Stop::Certificate, None));
}

#[test]
fn a_selection_by_advice_keeps_the_certificate_until_it_selects() {
    let comparisons = easy_comparisons(3);
    let policy = Policy::Advised(AdvisedPolicy::Selection(UncertaintyMeasure::Std));
    let run = |p, confidence| {
        let predictions = preferring(&comparisons, p);
        let model: Model<'_> = Some((&predictions, policy));
        let experiment = certified("adaptive", 3000, &comparisons, model, confidence);
        experiment.run_one(0).unwrap()
    };
    let refused = run(Some(0.2), 0.95);
    assert_eq!(
        (refused.stop, refused.restarted_after),
        (Stop::Certificate, None)
    );
    // So confident that the predictions earn their share before the certificate comes.
    let selecting = run(Some(0.8), 1.0 - 1e-12);
    assert!(selecting.restarted_after.is_some());
    assert_ne!(selecting.stop, Stop::Certificate);
}

#[test]
fn the_advised_threshold_leaves_the_advised_share_below_it() {
    let comparisons = easy_comparisons(4);
    let predictions = preferring(&comparisons, Some(0.8));
    for (share, threshold) in [(0.0, 0.0), (0.3, 0.03), (0.8, 0.08), (1.0, f64::INFINITY)] {
        let found = predictions.threshold(UncertaintyMeasure::Std, share);
        assert_eq!(found, threshold);
    }
    // 1 − |2p − 1| of .2 on even items and .8 on odd ones.
    let predictions = predictions_for(&comparisons, false);
    for (share, threshold) in [(0.3, 0.2), (0.8, 0.8)] {
        let found = predictions.threshold(UncertaintyMeasure::Margin, share);
        assert!((found - threshold).abs() < 1e-12, "{found}");
    }
}

#[test]
fn selection_asks_people_only_where_the_model_is_uncertain() {
    let comparisons = easy_comparisons(5);
    for (by, threshold) in [
        (UncertaintyMeasure::Std, 0.1),
        (UncertaintyMeasure::Bald, 0.05),
        (UncertaintyMeasure::Margin, 0.5),
    ] {
        let predictions = predictions_for(&comparisons, by.needs_draws());
        let run = |threshold| {
            let policy = Policy::Selection(Selection { by, threshold });
            let model: Model<'_> = Some((&predictions, policy));
            let experiment = experiment("uniform", 2000, &comparisons, model, 0);
            experiment.run_one(0).unwrap()
        };
        let plain = experiment("uniform", 2000, &comparisons, None, 0);
        assert_eq!(without_credit(run(0.0)), plain.run_one(0).unwrap());
        let half = run(threshold);
        let share = half.model_answers as f64 / half.steps as f64;
        assert!(
            (share - 0.5).abs() < 0.05,
            "even items are half of all: {share}"
        );
        assert_eq!(run(1.0).annotations, 0);
    }
}

#[test]
fn what_cannot_work_is_refused_before_the_first_question() {
    let comparisons = easy_comparisons(4);
    let unknown = predictions_for(&comparisons, false);
    let selection = Selection {
        by: UncertaintyMeasure::Bald,
        threshold: 0.1,
    };
    let error = Policy::Selection(selection).check(&unknown).unwrap_err();
    assert!(error.to_string().contains("unknown"), "{error}");
    assert!(error.hint().unwrap().contains("`draws = 20`"));
    for share in [1.1, -0.1, f64::NAN] {
        assert!(Policy::Mixing { share }.check(&unknown).is_err());
    }

    let names = Arc::clone(comparisons.names());
    let one = [(0, pair(0, 1), uncertain(0.5, 0.0, 0.0))];
    let partial = PairPredictions::new(names, one, Thresholds::default()).unwrap();
    let error = partial.cover(&comparisons).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a prediction for `0` and `1` on item"),
        "{error}"
    );
}

/// Three systems. 0 against 1: p = 0.52 and 0.44, std 0.08 and 0.06, so p̄ = 0.48,
/// s = √(0.0064 + 0.0036)/2 = 0.05, mean std 0.07. 0 beats 2 and 1 beats 2 clearly.
fn three_systems() -> (PairPredictions, Comparisons) {
    let names = Arc::new(Names::numbered(3));
    let rows = [
        (0, pair(0, 1), uncertain(0.52, 0.1, 0.08)),
        (1, pair(0, 1), uncertain(0.44, 0.1, 0.06)),
        (0, pair(0, 2), uncertain(0.9, 0.0, 0.01)),
        (1, pair(0, 2), uncertain(0.9, 0.0, 0.01)),
        (0, pair(1, 2), uncertain(0.9, 0.0, 0.01)),
        (1, pair(1, 2), uncertain(0.9, 0.0, 0.01)),
    ];
    let predictions =
        PairPredictions::new(Arc::clone(&names), rows, Thresholds::default()).unwrap();
    // Item 1 was judged three times as often as item 0.
    let judged = [(0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| [0, 1, 1, 1].map(|item| (item, pair(i, j), Outcome::Tie)));
    let comparisons = Comparisons::new(names, judged.concat()).unwrap();
    (predictions, comparisons)
}

fn eliminate(alpha: f64, copeland: f64, formula: Formula) -> Elimination {
    let (predictions, comparisons) = three_systems();
    let options = EliminationOptions {
        alpha,
        copeland,
        formula,
    };
    survivors(&predictions, Some(&comparisons), options).unwrap()
}

#[test]
fn the_papers_bound_is_mean_preference_and_standard_error() {
    // u_01 = 0.48 + 0.05 α: above ½ for α > 0.4.
    let strict = eliminate(0.39, 1.0, Formula::Paper);
    assert_eq!(strict.scores, [0.5, 1.0, 0.0]);
    assert_eq!(
        (strict.kept, strict.eliminated),
        (vec![Arm(1)], vec![Arm(0), Arm(2)])
    );
    let generous = eliminate(0.41, 1.0, Formula::Paper);
    assert_eq!(generous.scores, [1.0, 1.0, 0.0]);
    assert_eq!(
        generous.kept,
        [Arm(0), Arm(1)],
        "a score equal to τ_cop keeps"
    );
    assert_eq!(eliminate(0.0, 0.5, Formula::Paper).kept, [Arm(0), Arm(1)]);
}

#[test]
fn the_released_bound_is_the_mean_optimistic_outcome_of_stored_comparisons() {
    // Stored: item 0 once (w = 1, capped at 1), item 1 three times (w = 0, 0.06 α each), so
    // u_01 = (1 + 3 · 0.06 α)/4, above ½ for α > 5.56; the other way
    // u_10 = (0.08 α + 3 · 1)/4 > ½ always.
    assert_eq!(
        eliminate(5.5, 1.0, Formula::Released).scores[..2],
        [0.5, 1.0]
    );
    assert_eq!(
        eliminate(5.6, 1.0, Formula::Released).scores[..2],
        [1.0, 1.0]
    );
    let (predictions, _) = three_systems();
    let options = EliminationOptions {
        formula: Formula::Released,
        ..EliminationOptions::default()
    };
    assert!(survivors(&predictions, None, options).is_err());
}

#[test]
fn someone_always_stays() {
    // A cycle: everybody beats one of two.
    let names = Arc::new(Names::numbered(3));
    let rows = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (0, pair(i, j), uncertain(0.9, 0.0, 0.0)));
    let cycle = PairPredictions::new(names, rows, Thresholds::default()).unwrap();
    let kept = survivors(&cycle, None, EliminationOptions::default())
        .unwrap()
        .kept;
    assert_eq!(kept, [Arm(0), Arm(1), Arm(2)]);
    let defaults = EliminationOptions::default();
    assert_eq!((defaults.alpha, defaults.copeland), (0.6, 0.8));
    for (alpha, copeland) in [(-1.0, 0.8), (f64::NAN, 0.8), (0.6, 1.1)] {
        let options = EliminationOptions {
            alpha,
            copeland,
            formula: Formula::Paper,
        };
        assert!(survivors(&cycle, None, options).is_err());
    }
}
