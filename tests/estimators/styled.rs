//! Strengths with style held equal: known effects are found, and nothing else moves.

use tiebreak::duel::{Arm, Outcome, Pair};
use tiebreak::estimators::bradley_terry::{ComparisonDetails, StrengthComparison, Strengths};
use tiebreak::estimators::contrasts::Contrasts;
use tiebreak::rng::{Rng, Seed};

const THETA: [f64; 3] = [0.0, 0.5, -0.5];
const BETA: f64 = 0.9;

/// The first system writes at length, and people like that.
fn answers(n: u32, rng: &mut Rng) -> (Vec<StrengthComparison>, Vec<Vec<f64>>) {
    let mut all = (Vec::new(), Vec::new());
    for item in 0..n {
        let first = rng.below(3);
        let second = (first + 1 + rng.below(2)) % 3;
        let lean = |system: usize| if system == 0 { 0.8 } else { 0.0 };
        let x = lean(first) - lean(second) + 0.6 * rng.normal();
        let odds = THETA[first] - THETA[second] + BETA * x;
        let outcome = match rng.bernoulli(1.0 / (1.0 + (-odds).exp())) {
            true => Outcome::Win,
            false => Outcome::Loss,
        };
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        all.0.push(StrengthComparison {
            item,
            pair,
            outcome,
        });
        all.1.push(vec![x]);
    }
    all
}

fn fit_styled(answers: &[StrengthComparison], styles: &[Vec<f64>]) -> Strengths {
    let details = ComparisonDetails {
        styles,
        ..ComparisonDetails::default()
    };
    Strengths::fit_detailed(3, answers, details)
}

#[test]
fn effects_of_style_are_found_and_strengths_are_freed_of_them() {
    let (mut inside, mut misled) = (0, 0);
    let runs = 40;
    for run in 0..runs {
        let (answers, styles) = answers(600, &mut Seed(run).stream("test", 0));
        let held = fit_styled(&answers, &styles);
        let plain = Strengths::fit(3, &answers);
        let within = |found: tiebreak::estimators::contrasts::Contrast, truth: f64| {
            (found.value - truth).abs() < 1.96 * found.error
        };
        inside += u32::from(within(held.style(0), BETA));
        inside += u32::from(within(held.difference(0, 1).unwrap(), -0.5));
        misled += u32::from(!within(plain.difference(0, 1).unwrap(), -0.5));
    }
    // 95 % of 80 are 76, with a standard deviation of 2.
    assert!(inside >= 69, "{inside} of 80");
    assert!(
        misled >= 35,
        "without style the long-winded one looks better: {misled}"
    );
}

#[test]
fn outputs_of_one_style_have_the_strengths_they_had() {
    let (answers, _) = answers(200, &mut Seed(5).stream("test", 0));
    let same = vec![vec![0.0, 0.0]; answers.len()];
    let held = fit_styled(&answers, &same);
    let plain = Strengths::fit(3, &answers);
    for system in 0..3 {
        let (held, plain) = (held.strength(system), plain.strength(system));
        assert!((held.value - plain.value).abs() < 1e-9);
        assert!((held.error - plain.error).abs() < 1e-9);
    }
    assert!(held.style(1).value.abs() < 1e-12);
}

#[test]
fn it_does_not_matter_which_output_is_named_first() {
    let (answers, styles) = answers(200, &mut Seed(6).stream("test", 0));
    let turned: Vec<StrengthComparison> = answers
        .iter()
        .map(|one| StrengthComparison {
            pair: Pair::new(one.pair.second, one.pair.first),
            outcome: one.outcome.flipped(),
            ..*one
        })
        .collect();
    let opposite: Vec<Vec<f64>> = styles.iter().map(|one| vec![-one[0]]).collect();
    let one = fit_styled(&answers, &styles);
    let other = fit_styled(&turned, &opposite);
    assert!((one.style(0).value - other.style(0).value).abs() < 1e-9);
    assert!((one.strength(0).value - other.strength(0).value).abs() < 1e-9);
}
