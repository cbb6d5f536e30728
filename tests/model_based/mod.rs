//! Models that answer in a person's place, and systems eliminated by their predictions.

use crate::evaluation::{easy_comparisons, experiment};
use std::sync::Arc;
use tiebreak::duel::{Arm, Outcome, Pair, Prediction, Uncertainty};
use tiebreak::feedback::comparisons::Comparisons;
use tiebreak::feedback::names::Names;
use tiebreak::model_based::ucb_elimination::{Elimination, Formula, Options, survivors};
use tiebreak::model_based::{Measure, Policy, Predictions, Selection};
use tiebreak::preference::thresholds::Thresholds;

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

/// Predictions for every comparison: right about who is better, certain on even items only.
fn predictions_for(comparisons: &Comparisons, known: bool) -> Predictions {
    let mut rows: Vec<(u32, Pair, Prediction)> = comparisons
        .all()
        .map(|(pair, judgment)| {
            let spread = if judgment.item.is_multiple_of(2) {
                0.01
            } else {
                0.2
            };
            let mut prediction = uncertain(0.8, spread / 2.0, spread);
            if !known {
                prediction.uncertainty = None;
            }
            (judgment.item, pair, prediction)
        })
        .collect();
    rows.sort_by_key(|&(item, pair, _)| (pair, item));
    rows.dedup_by_key(|&mut (item, pair, _)| (pair, item));
    let names = Arc::clone(comparisons.names());
    Predictions::new(names, rows, Thresholds::default()).unwrap()
}

#[test]
fn mixing_answers_its_share_and_none_of_it_changes_nothing_else() {
    let comparisons = easy_comparisons(5);
    let predictions = predictions_for(&comparisons, false);
    let run = |share| {
        let model = Some((&predictions, Policy::Mixing { share }));
        experiment("uniform", 2000, &comparisons, model, 0).run_one(3)
    };
    let plain = experiment("uniform", 2000, &comparisons, None, 0).run_one(3);
    assert_eq!(run(0.0).unwrap(), plain.unwrap());
    let mixed = run(0.8).unwrap();
    let share = mixed.model_answers as f64 / (mixed.model_answers + mixed.annotations) as f64;
    assert!((share - 0.8).abs() < 0.02, "{share}");
    let all = run(1.0).unwrap();
    assert_eq!((all.annotations, all.model_answers), (0, all.steps));
}

#[test]
fn selection_asks_people_only_where_the_model_is_uncertain() {
    let comparisons = easy_comparisons(5);
    let predictions = predictions_for(&comparisons, true);
    for (by, threshold) in [(Measure::Std, 0.1), (Measure::Bald, 0.05)] {
        let run = |threshold| {
            let policy = Policy::Selection(Selection { by, threshold });
            let model = Some((&predictions, policy));
            let experiment = experiment("uniform", 2000, &comparisons, model, 0);
            experiment.run_one(0).unwrap()
        };
        let plain = experiment("uniform", 2000, &comparisons, None, 0);
        assert_eq!(run(0.0), plain.run_one(0).unwrap());
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
    let selection: Selection = "bald:0.1".parse().unwrap();
    let error = Policy::Selection(selection).check(&unknown).unwrap_err();
    assert!(error.to_string().contains("unknown"), "{error}");
    assert!(error.hint().unwrap().contains("--draws"));
    for share in [1.1, -0.1, f64::NAN] {
        assert!(Policy::Mixing { share }.check(&unknown).is_err());
    }

    let names = Arc::clone(comparisons.names());
    let one = [(0, pair(0, 1), uncertain(0.5, 0.0, 0.0))];
    let partial = Predictions::new(names, one, Thresholds::default()).unwrap();
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
fn three_systems() -> (Predictions, Comparisons) {
    let names = Arc::new(Names::numbered(3));
    let rows = [
        (0, pair(0, 1), uncertain(0.52, 0.1, 0.08)),
        (1, pair(0, 1), uncertain(0.44, 0.1, 0.06)),
        (0, pair(0, 2), uncertain(0.9, 0.0, 0.01)),
        (1, pair(0, 2), uncertain(0.9, 0.0, 0.01)),
        (0, pair(1, 2), uncertain(0.9, 0.0, 0.01)),
        (1, pair(1, 2), uncertain(0.9, 0.0, 0.01)),
    ];
    let predictions = Predictions::new(Arc::clone(&names), rows, Thresholds::default()).unwrap();
    // Item 1 was judged three times as often as item 0.
    let judged = [(0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| [0, 1, 1, 1].map(|item| (item, pair(i, j), Outcome::Tie)));
    let comparisons = Comparisons::new(names, judged.concat()).unwrap();
    (predictions, comparisons)
}

fn eliminate(alpha: f64, copeland: f64, formula: Formula) -> Elimination {
    let (predictions, comparisons) = three_systems();
    let options = Options {
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
    let options = Options {
        formula: Formula::Released,
        ..Options::default()
    };
    assert!(survivors(&predictions, None, options).is_err());
}

#[test]
fn someone_always_stays() {
    // A cycle: everybody beats one of two.
    let names = Arc::new(Names::numbered(3));
    let rows = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| (0, pair(i, j), uncertain(0.9, 0.0, 0.0)));
    let cycle = Predictions::new(names, rows, Thresholds::default()).unwrap();
    let kept = survivors(&cycle, None, Options::default()).unwrap().kept;
    assert_eq!(kept, [Arm(0), Arm(1), Arm(2)]);
    let defaults = Options::default();
    assert_eq!((defaults.alpha, defaults.copeland), (0.6, 0.8));
    for (alpha, copeland) in [(-1.0, 0.8), (f64::NAN, 0.8), (0.6, 1.1)] {
        let options = Options {
            alpha,
            copeland,
            formula: Formula::Paper,
        };
        assert!(survivors(&cycle, None, options).is_err());
    }
}
