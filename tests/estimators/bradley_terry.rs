//! Strengths from comparisons: a known answer, a simulated truth, and what people bring.

use tiebreak::duel::{Arm, Outcome, Pair};
use tiebreak::estimators::bradley_terry::{StrengthComparison, Strengths};
use tiebreak::estimators::contrasts::Contrasts;
use tiebreak::rng::{Rng, Seed};

fn compared(item: u32, first: usize, second: usize, outcome: Outcome) -> StrengthComparison {
    StrengthComparison {
        item,
        pair: Pair::new(Arm::from(first), Arm::from(second)),
        outcome,
    }
}

/// So many wins, ties and losses of `first`, each on an item of its own.
fn many(
    first: usize,
    second: usize,
    [wins, ties, losses]: [usize; 3],
) -> impl Iterator<Item = StrengthComparison> {
    let outcomes = [
        (Outcome::Win, wins),
        (Outcome::Tie, ties),
        (Outcome::Loss, losses),
    ];
    let all = outcomes
        .into_iter()
        .flat_map(|(o, n)| std::iter::repeat_n(o, n));
    let base = 10_000 * (first * 10 + second) as u32;
    (base..)
        .zip(all)
        .map(move |(item, outcome)| compared(item, first, second, outcome))
}

/// An answer that prefers the first with so many log-odds, a tie counting one half; `ties` is the share of ties
/// among answers about equals.
fn answer(difference: f64, ties: f64, rng: &mut Rng) -> Outcome {
    let p = logistic(difference);
    let half = ties * p.min(1.0 - p);
    match rng.uniform() {
        u if u < p - half => Outcome::Win,
        u if u < p + half => Outcome::Tie,
        _ => Outcome::Loss,
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn two_systems_have_their_closed_form() {
    let data: Vec<StrengthComparison> = many(1, 0, [3000, 2000, 1000]).collect();
    let fitted = Strengths::fit(2, &data);
    let Some(difference) = fitted.difference(1, 0) else {
        panic!("compared directly");
    };
    // p = ⅔ with the variance (w + t/4)/n − p² of an outcome; the penalty is half a judgment.
    assert!((difference.value - 2_f64.ln()).abs() < 1e-3);
    let of_outcome: f64 = 0.5 + 1.0 / 12.0 - 4.0 / 9.0;
    let error = (of_outcome / 6000.0).sqrt() / (2.0 / 9.0);
    assert!((difference.error / error - 1.0).abs() < 2e-3);
    assert_eq!(fitted.strength(0).value, -fitted.strength(1).value);
    assert_eq!((fitted.items(), fitted.comparisons(0)), (6000, 6000));
}

/// Comparisons that no Bradley-Terry model made.
fn unruly(k: usize, n: u32) -> Vec<StrengthComparison> {
    let mut rng = Seed(2).stream("test", 0);
    let mut data = Vec::new();
    for item in 0..n {
        let (i, j) = (rng.below(k), rng.below(k - 1));
        let j = if j >= i { j + 1 } else { j };
        let outcome = *rng.choose(&[Outcome::Win, Outcome::Tie, Outcome::Loss]);
        let outcome = if i * j % 3 == 1 {
            Outcome::Win
        } else {
            outcome
        };
        data.push(compared(item, i, j, outcome));
    }
    data
}

/// At the maximum every system's score, a tie counting one half, is what the model expects.
#[test]
fn expected_scores_are_the_observed_ones() {
    let k = 5;
    let data = unruly(k, 50_000);
    let fitted = Strengths::fit(k, &data);
    let mut excess = vec![0.0; k];
    for one in &data {
        let (i, j) = one.pair.indices();
        let expected = logistic(fitted.difference(i, j).unwrap().value);
        excess[i] += one.outcome.value() - expected;
        excess[j] -= one.outcome.value() - expected;
    }
    assert!(excess.iter().all(|x| x.abs() < 1.0), "{excess:?}");
}

/// Zermelo's iteration, slow and sure: each system's worth is its wins, a tie being half of one, over what meets it,
/// the imaginary average opponent included.
fn by_iteration(k: usize, data: &[StrengthComparison]) -> Vec<f64> {
    let mut worths = vec![1.0; k];
    for _ in 0..20_000 {
        let mut wins = vec![0.5; k];
        let mut met: Vec<f64> = worths.iter().map(|worth| 1.0 / (worth + 1.0)).collect();
        for one in data {
            let (i, j) = one.pair.indices();
            wins[i] += one.outcome.value();
            wins[j] += 1.0 - one.outcome.value();
            met[i] += 1.0 / (worths[i] + worths[j]);
            met[j] += 1.0 / (worths[i] + worths[j]);
        }
        worths = wins
            .iter()
            .zip(&met)
            .map(|(wins, met)| wins / met)
            .collect();
    }
    worths.iter().map(|worth: &f64| worth.ln()).collect()
}

#[test]
fn strengths_are_those_of_zermelos_iteration() {
    for data in [
        unruly(4, 60),
        many(0, 1, [7, 0, 0]).chain(many(2, 1, [1, 5, 2])).collect(),
    ] {
        let (fitted, slow) = (Strengths::fit(4, &data), by_iteration(4, &data));
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            let difference = fitted.difference(i, j).unwrap().value;
            assert!((difference - slow[i] + slow[j]).abs() < 1e-6);
        }
    }
}

#[test]
fn what_others_tie_moves_nothing() {
    let apart: Vec<StrengthComparison> = many(0, 1, [40, 20, 15])
        .chain(many(2, 3, [3, 0, 2]))
        .collect();
    let before = Strengths::fit(4, &apart).difference(0, 1).unwrap();
    let ties: Vec<StrengthComparison> = apart.into_iter().chain(many(3, 2, [0, 1000, 0])).collect();
    let after = Strengths::fit(4, &ties).difference(0, 1).unwrap();
    assert!((before.value - after.value).abs() < 1e-9);
    assert!((before.error - after.error).abs() < 1e-9);
    assert_eq!(before.df, after.df);
}

/// The share of intervals that hold the truth, when each item gives `on_each` answers that share the
/// item's whim.
fn coverage(on_each: u32, whim: f64, ties: f64) -> f64 {
    let (k, truth) = (4, [0.6, 0.2, -0.1, -0.7]);
    let (mut inside, mut all) = (0, 0);
    for run in 0..150 {
        let mut rng = Seed(8).stream("test", run);
        let mut data = Vec::new();
        for item in 0..200 {
            let (i, j) = (rng.below(k), rng.below(k - 1));
            let j = if j >= i { j + 1 } else { j };
            let shift = whim * rng.normal();
            for _ in 0..on_each {
                let outcome = answer(truth[i] - truth[j] + shift, ties, &mut rng);
                data.push(compared(item, i, j, outcome));
            }
        }
        let fitted = Strengths::fit(k, &data);
        for i in 0..k {
            for j in 0..i {
                let difference = fitted.difference(i, j).unwrap();
                let off = (difference.value - truth[i] + truth[j]).abs();
                inside += u32::from(off < 1.96 * difference.error);
                all += 1;
            }
        }
    }
    f64::from(inside) / f64::from(all)
}

#[test]
fn errors_are_as_large_as_they_say_also_where_judgments_of_an_item_agree() {
    // Many ties make outcomes vary less, and errors must follow: too large ones are wrong as well.
    for ties in [0.0, 0.3, 0.9] {
        let independent = coverage(1, 0.0, ties);
        assert!((0.92..0.98).contains(&independent), "{ties}: {independent}");
    }
    // Eight judgments of one item with a shared whim: taken for independent, one interval in six
    // would miss. The whim also shrinks strengths a little.
    let together = coverage(8, 0.7, 0.3);
    assert!((0.90..0.98).contains(&together), "{together}");
}

#[test]
fn a_system_that_won_or_lost_everything_has_a_place_and_an_error() {
    let data: Vec<StrengthComparison> = many(0, 1, [20, 0, 0])
        .chain(many(1, 2, [6, 4, 5]))
        .chain(many(3, 1, [0, 0, 2]))
        .collect();
    let fitted = Strengths::fit(4, &data);
    let first = fitted.difference(0, 1).unwrap();
    assert!(
        first.value > 2.0 * first.error && first.value < 8.0,
        "{first:?}"
    );
    let last = fitted.difference(1, 3).unwrap();
    assert!(
        last.value > 0.0 && last.value < 2.0 * last.error,
        "{last:?}"
    );
}

/// Comparisons of five systems on a few items, the same for any names of the systems.
fn some_answers(run: u64) -> Vec<StrengthComparison> {
    let mut rng = Seed(17).stream("twins", run);
    let outcomes = [Outcome::Win, Outcome::Win, Outcome::Tie, Outcome::Loss];
    let one = |_| {
        let first = rng.below(5);
        let second = (first + 1 + rng.below(4)) % 5;
        compared(rng.below(40) as u32, first, second, *rng.choose(&outcomes))
    };
    (0..200 + 100 * (run as usize % 7)).map(one).collect()
}

#[test]
fn systems_with_the_same_records_have_the_same_strength() {
    for run in 0..40 {
        let answers = some_answers(run);
        let of_third = answers.iter().filter(|one| {
            let (first, second) = one.pair.indices();
            first == 3 || second == 3
        });
        let twin = |arm: Arm| if arm.index() == 3 { Arm::from(5) } else { arm };
        let again = of_third.map(|one| StrengthComparison {
            pair: Pair::new(twin(one.pair.first), twin(one.pair.second)),
            ..*one
        });
        // The twin's records come in another order.
        let mut again: Vec<StrengthComparison> = again.collect();
        again.reverse();
        let fitted = Strengths::fit(6, &[answers, again].concat());
        assert_eq!(fitted.strength(3), fitted.strength(5), "run {run}");
        let difference = fitted.difference(3, 5).unwrap();
        assert_eq!(difference.value, 0.0, "run {run}");
        for other in [0, 1, 2, 4] {
            assert_eq!(fitted.difference(3, other), fitted.difference(5, other));
        }
    }
}

#[test]
fn strengths_are_the_same_whatever_the_order_of_systems() {
    for run in 0..40 {
        let answers = some_answers(run);
        let moved = |arm: Arm| Arm::from(4 - arm.index());
        let named_anew = answers.iter().rev().map(|one| StrengthComparison {
            pair: Pair::new(moved(one.pair.second), moved(one.pair.first)),
            outcome: one.outcome.flipped(),
            ..*one
        });
        let (here, there) = (
            Strengths::fit(5, &answers),
            Strengths::fit(5, &named_anew.collect::<Vec<_>>()),
        );
        for system in 0..5 {
            assert_eq!(
                here.strength(system),
                there.strength(4 - system),
                "run {run}"
            );
        }
    }
}

#[test]
fn nothing_but_ties_and_nothing_at_all_are_equal_strengths() {
    let ties: Vec<StrengthComparison> = many(0, 1, [0, 50, 0])
        .chain(many(1, 2, [0, 9, 0]))
        .collect();
    for data in [&ties[..], &[]] {
        let fitted = Strengths::fit(3, data);
        for i in 0..3 {
            let strength = fitted.strength(i);
            assert!(strength.value.abs() < 1e-9 && strength.error.is_finite());
        }
    }
    // That fifty answers are ties says that the two are nearly equal, and not that they are the very same.
    let equal = Strengths::fit(3, &ties).difference(0, 1).unwrap();
    assert!((0.01..0.1).contains(&equal.error), "{equal:?}");
    let alone = Strengths::fit(2, &ties[..1]).difference(0, 1).unwrap();
    assert!(alone.error > 0.3 && alone.df == 0, "{alone:?}");
    let none = Strengths::fit(3, &[]);
    assert_eq!(
        (none.items(), none.groups(), none.difference(0, 1)),
        (0, 3, None)
    );
    assert_eq!(Strengths::fit(0, &[]).groups(), 0);
    let itself = [compared(0, 1, 1, Outcome::Tie)];
    assert_eq!(Strengths::fit(3, &itself).items(), 0);
}

#[test]
fn what_no_chain_links_is_not_compared() {
    let data: Vec<StrengthComparison> = many(0, 1, [30, 5, 2])
        .chain(many(2, 3, [3, 5, 30]))
        .collect();
    let fitted = Strengths::fit(4, &data);
    assert_eq!(fitted.groups(), 2);
    assert!(fitted.difference(0, 3).is_none() && fitted.difference(0, 1).is_some());
    // Strengths are against the mean of the own group.
    assert_eq!(fitted.strength(0).value, -fitted.strength(1).value);
    let linked: Vec<StrengthComparison> = data.into_iter().chain(many(1, 2, [1, 0, 0])).collect();
    assert_eq!(Strengths::fit(4, &linked).groups(), 1);
}

#[test]
fn the_order_of_comparisons_and_of_a_pair_changes_nothing() {
    let mut data: Vec<StrengthComparison> =
        many(0, 1, [9, 4, 6]).chain(many(2, 1, [5, 8, 7])).collect();
    let before = Strengths::fit(3, &data);
    data.reverse();
    for one in &mut data {
        one.pair = Pair::new(one.pair.second, one.pair.first);
        one.outcome = one.outcome.flipped();
    }
    let after = Strengths::fit(3, &data);
    for i in 0..3 {
        let (before, after) = (before.strength(i), after.strength(i));
        assert!((before.value - after.value).abs() < 1e-9);
        assert!((before.error - after.error).abs() < 1e-9);
    }
}
