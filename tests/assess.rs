//! How good predictions are: against slow definitions, and on models whose truth is known.

use tiebreak::duel::{Outcome, Prediction, Uncertainty};
use tiebreak::keys::{bounds::TieBounds, flag};
use tiebreak::model_based::UncertaintyMeasure;
use tiebreak::model_based::thresholds::Thresholds;
use tiebreak::rng::{Rng, Seed};
use tiebreak::stages::assess::{Assessment, Bins, Cases, PredictionCase, ThresholdOrigin};

fn case(item: u64, p: f64, outcome: Outcome) -> PredictionCase {
    PredictionCase {
        item,
        prediction: Prediction {
            p,
            uncertainty: None,
        },
        outcome,
        identical: false,
    }
}

fn assessed(all: Vec<PredictionCase>, thresholds: Option<(f64, f64)>) -> Assessment {
    let cases = Cases {
        all,
        unpredicted: 0,
        positions: Vec::new(),
    };
    let thresholds = thresholds.map(|(tau1, tau2)| Thresholds::new(tau1, tau2).unwrap());
    cases.measure(10, thresholds, Seed(1)).unwrap()
}

/// A comparison whose first system truly wins with probability `truth`, unless it is a tie.
fn drawn(rng: &mut Rng, truth: f64, tied: f64) -> Outcome {
    match (rng.bernoulli(tied), rng.bernoulli(truth)) {
        (true, _) => Outcome::Tie,
        (false, true) => Outcome::Win,
        (false, false) => Outcome::Loss,
    }
}

/// `items` items with up to four comparisons, some ties, some identical outputs.
fn mixed(items: u64) -> Vec<PredictionCase> {
    let mut rng = Seed(4).stream("test", 0);
    let mut all = Vec::new();
    for item in 0..items {
        for _ in 0..rng.below(5) {
            let p = (rng.uniform() * 8.0).round() / 8.0;
            let mut case = case(item, p, drawn(&mut rng, 0.2 + 0.6 * p, 0.3));
            case.identical = rng.bernoulli(0.1);
            case.prediction.uncertainty = Some(Uncertainty {
                mean: p,
                bald: (rng.uniform() * 6.0).floor() / 50.0,
                std: rng.uniform() / 2.0,
            });
            all.push(case);
        }
    }
    all
}

#[test]
fn numbers_are_those_of_their_definitions() {
    let cases = mixed(200);
    let found = assessed(cases.clone(), Some((0.4, 0.6)));
    let different: Vec<&PredictionCase> = cases.iter().filter(|case| !case.identical).collect();
    let n = different.len() as f64;
    let (mut right, mut decided, mut brier, mut loss) = (0.0, 0.0, 0.0, 0.0);
    for case in &different {
        let (p, w) = (case.prediction.p, case.outcome.value());
        if case.outcome != Outcome::Tie {
            decided += 1.0;
            right += if p == 0.5 {
                0.5
            } else {
                f64::from(u8::from((p > 0.5) == (w == 1.0)))
            };
        }
        for (share, won) in [(w, 1.0), (1.0 - w, 0.0)] {
            brier += share * (won - p) * (won - p);
            let chance: f64 = if won == 1.0 { p } else { 1.0 - p };
            loss -= share * chance.clamp(1e-6, 1.0 - 1e-6).ln();
        }
    }
    let close = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    };
    close(found.accuracy.value, right / decided);
    close(found.brier.value, brier / n);
    close(found.log_loss.value, loss / n);
    assert_eq!(found.accuracy.comparisons as f64, decided);
    let mut three_way = 0.0;
    for case in &cases {
        for (p, outcome) in [
            (case.prediction.p, case.outcome),
            (1.0 - case.prediction.p, case.outcome.flipped()),
        ] {
            let predicted = if p > 0.6 {
                Outcome::Win
            } else if p < 0.4 {
                Outcome::Loss
            } else {
                Outcome::Tie
            };
            three_way += f64::from(u8::from(predicted == outcome));
        }
    }
    close(found.three_way.value, three_way / (2 * cases.len()) as f64);
    let counts = found.counts;
    assert_eq!(counts.comparisons + counts.identical, cases.len() as u64);
    let in_bins: u64 = found.reliability.iter().map(|bin| bin.comparisons).sum();
    let with_bald: u64 = found.bald.iter().map(|bin| bin.comparisons).sum();
    assert_eq!(
        (in_bins, with_bald),
        (counts.comparisons, counts.comparisons)
    );
    assert_eq!(found.uncertainty.len(), 3);
}

#[test]
fn the_side_named_first_and_the_order_of_comparisons_change_nothing() {
    let cases = mixed(60);
    let one = assessed(cases.clone(), Some((0.4, 0.6)));
    let turned = cases.iter().rev().map(|case| PredictionCase {
        prediction: case.prediction.flipped(),
        outcome: case.outcome.flipped(),
        ..*case
    });
    let other = assessed(turned.collect(), Some((0.4, 0.6)));
    let numbers = |found: &Assessment| {
        [
            found.accuracy.value,
            found.three_way.value,
            found.brier.value,
            found.log_loss.value,
            found.calibration_error.value,
            found.uncertainty[0].area.value,
            found.uncertainty[1].gain.value,
        ]
        .map(Option::unwrap)
    };
    for (one, other) in numbers(&one).into_iter().zip(numbers(&other)) {
        assert!((one - other).abs() < 1e-9, "{one} {other}");
    }
}

#[test]
fn a_calibrated_model_errs_as_chance_explains_and_a_bold_one_more() {
    let model = |boldness: f64| {
        let mut rng = Seed(7).stream("test", 1);
        let cases = (0..3000).map(|item| {
            let logit = 1.5 * rng.normal();
            let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
            case(
                item,
                logistic(boldness * logit),
                drawn(&mut rng, logistic(logit), 0.0),
            )
        });
        assessed(cases.collect(), None)
    };
    let (calibrated, bold) = (model(1.0), model(2.5));
    let error = |found: &Assessment| found.calibration_error.value.unwrap();
    let chance = calibrated.calibration_error_by_chance.unwrap();
    assert!(error(&calibrated) < 2.0 * chance, "{}", error(&calibrated));
    assert!(error(&bold) > 4.0 * chance, "{}", error(&bold));
    assert!(bold.calibration_error.lower.unwrap() > 0.05);
    assert!(calibrated.log_loss.value < bold.log_loss.value);
    assert!(calibrated.brier.value < bold.brier.value);
    // The same order of preferences: the same winners.
    assert_eq!(calibrated.accuracy.value, bold.accuracy.value);
}

/// Right where it is sure, guessing where it is not, and its BALD says which.
#[test]
fn an_uncertainty_that_knows_the_mistakes_is_worth_much_and_a_random_one_nothing() {
    let mut rng = Seed(9).stream("test", 2);
    let cases = (0..2000).map(|item| {
        let knows = rng.bernoulli(0.5);
        let truth = if knows { 0.95 } else { 0.5 };
        let mut case = case(item, 0.8, drawn(&mut rng, truth, 0.1));
        case.prediction.uncertainty = Some(Uncertainty {
            mean: 0.8,
            bald: if knows { 0.01 } else { 0.1 },
            std: rng.uniform(),
        });
        case
    });
    let found = assessed(cases.collect(), None);
    assert_eq!(found.uncertainty.len(), UncertaintyMeasure::ALL.len());
    let [bald, std, margin] = UncertaintyMeasure::ALL.map(|by| {
        let mut all = found.uncertainty.iter();
        all.find(|one| one.by == by).unwrap().gain
    });
    assert!(bald.lower.unwrap() > 0.3, "{bald:?}");
    assert!(std.lower < Some(0.0) && std.upper > Some(0.0), "{std:?}");
    assert!(margin.value.unwrap().abs() < 1e-9, "{margin:?}");
}

#[test]
fn thresholds_are_tested_on_items_they_were_not_fitted_on() {
    // Preferences that say nothing: fitted on themselves they would beat chance.
    let mut rng = Seed(12).stream("test", 3);
    let cases: Vec<PredictionCase> = (0..400)
        .map(|item| {
            let p = 0.4 + 0.2 * rng.uniform();
            case(
                item,
                p,
                [Outcome::Loss, Outcome::Tie, Outcome::Win][rng.below(3)],
            )
        })
        .collect();
    let honest = assessed(cases.clone(), None);
    assert_eq!(honest.thresholds.origin, ThresholdOrigin::Halves);
    assert_eq!(honest.thresholds.pairs.len(), 2);
    let value = honest.three_way.value.unwrap();
    assert!((value - 1.0 / 3.0).abs() < 0.06, "{value}");
    let interval = honest.three_way;
    assert!(interval.lower < Some(1.0 / 3.0) && interval.upper > Some(1.0 / 3.0));
}

/// A position bias lies between -1 and 1, and its interval with it.
#[test]
fn a_bias_to_the_second_has_an_interval_below_zero() {
    let of = |bias: &dyn Fn(u64) -> f64| {
        let cases = Cases {
            all: Vec::new(),
            unpredicted: 0,
            positions: (0..60).map(|item| (item, bias(item))).collect(),
        };
        let found = cases.measure(10, None, Seed(1)).unwrap().position;
        let found = found.unwrap();
        [found.value, found.lower, found.upper].map(Option::unwrap)
    };
    let second = |item: u64| if item.is_multiple_of(4) { -0.6 } else { -0.2 };
    let [value, lower, upper] = of(&second);
    assert!((value + 0.3).abs() < 1e-12);
    assert!(-0.4 < lower && lower < -0.3 && -0.3 < upper && upper < -0.2);
    let first = of(&|item| -second(item));
    let mirrored = [-value, -upper, -lower];
    assert!(
        first
            .iter()
            .zip(mirrored)
            .all(|(one, other)| (one - other).abs() < 0.02)
    );
    let [value, lower, upper] = of(&|_| 0.0);
    assert!(
        value == 0.0 && lower < 0.0 && upper > 0.0,
        "{lower} {upper}"
    );
}

#[test]
fn what_is_not_defined_is_missing_and_never_nan() {
    let ties = assessed(
        vec![case(0, 0.7, Outcome::Tie), case(0, 0.0, Outcome::Tie)],
        None,
    );
    assert_eq!(ties.accuracy.value, None);
    assert!(ties.brier.value.is_some() && ties.log_loss.value.unwrap().is_finite());
    assert!(ties.uncertainty.iter().all(|one| one.gain.value.is_none()));
    let certain = assessed(vec![case(3, 1.0, Outcome::Loss)], None);
    assert!(certain.log_loss.value.unwrap().is_finite());
    assert_eq!((certain.counts.clipped, certain.clip), (1, 1e-6));
    assert_eq!((ties.counts.clipped, ties.counts.comparisons), (1, 2));
    let told = tiebreak::report::ShownResult::render(&certain);
    let note = "1 of 1 predictions are 0 or 1, or nearer than 0.000001: the log loss counts them as 0.000001 or 0.999999.";
    assert!(told.contains(note), "{told}");
    let text = serde_json::to_string(&certain).unwrap();
    assert!(!text.to_lowercase().contains("nan"), "{text}");
    for bins in ["0", "2000"] {
        assert!(flag::<Bins>(bins).is_err(), "{bins}");
    }
    assert!(flag::<TieBounds>("0.6,0.4").is_err() && flag::<TieBounds>("0.4,0.6").is_ok());
}

/// Judges of items that are easy or hard for them: three comparisons an item, all with the item's chance to be right.
fn of_uneven_items(items: u64, run: u64) -> Assessment {
    let mut rng = Seed(12).stream("run", run);
    let mut all = Vec::new();
    for item in 0..items {
        let sure = if rng.bernoulli(0.5) { 0.9 } else { 0.6 };
        for _ in 0..3 {
            all.push(case(item, sure, drawn(&mut rng, sure, 0.0)));
        }
    }
    assessed(all, Some((0.5, 0.5)))
}

#[test]
fn intervals_hold_what_they_are_about() {
    let entropy = |p: f64| -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
    let mean = |of: &dyn Fn(f64) -> f64| 0.5 * (of(0.9) + of(0.6));
    let brier = mean(&|p| p * (1.0 - p));
    let truths = [mean(&|p| p), brier, mean(&entropy)];
    // Percentiles that are not stretched hold in .91, .93 and .93.
    for (items, least, runs) in [
        (5, 0.90, 1000),
        (10, 0.945, 1500),
        (20, 0.945, 500),
        (200, 0.945, 100),
    ] {
        let mut held = [0.0; 3];
        for run in 0..runs {
            let found = of_uneven_items(items, run);
            let measures = [found.accuracy, found.brier, found.log_loss];
            for (held, (one, truth)) in held.iter_mut().zip(measures.iter().zip(truths)) {
                // Of five items all alike nothing is said.
                let above = one.lower.is_none_or(|lower| lower <= truth);
                let inside = above && one.upper.is_none_or(|upper| truth <= upper);
                *held += f64::from(u8::from(inside)) / runs as f64;
            }
        }
        // Three standard deviations.
        let least = least - 3.0 * (least * (1.0 - least) / runs as f64).sqrt();
        assert!(
            held.iter().all(|&share| share >= least),
            "{items}: {held:?}"
        );
    }
}
