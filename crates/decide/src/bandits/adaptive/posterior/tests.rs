//! The posterior against plain conditioning of all margins at once, as one Gaussian vector.

use super::super::stock::JudgmentPool;
use super::*;
use crate::bandits::adaptive::prior::{self, BETA_MEAN, BETA_PRECISION};
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Outcome, Pair};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::cholesky::Cholesky;

const K: usize = 4;

fn all() -> Vec<usize> {
    (0..K).collect()
}

fn some_evidence(answers: usize) -> MarginEvidence {
    let mut rng = Seed(5).stream("test", answers as u64);
    let differing = Square::from_fn(K, |i, j| 1.0 - 0.1 * (i.min(j) as f64));
    let mut evidence = MarginEvidence::new(differing, JudgmentPool::default());
    for _ in 0..answers {
        let i = rng.below(K - 1);
        let pair = Pair::new(Arm::from(i), Arm::from(i + 1 + rng.below(K - 1 - i)));
        let outcome = *rng.choose(&[Outcome::Win, Outcome::Win, Outcome::Tie, Outcome::Loss]);
        evidence.ask(pair);
        evidence.record(pair, outcome.score());
    }
    evidence
}

/// The predictions of some models: one well, one the opposite, one little.
fn some_tables(models: usize) -> PredictedMargins {
    let tables = [1.0, -0.7, 0.1].map(|size| {
        let margins = some_margins();
        Square::from_fn(K, |i, j| size * margins.get(i, j))
    });
    tables[..models].into()
}

fn some_margins() -> Square {
    Square::from_fn(K, |i, j| {
        0.07 * (j as f64 - i as f64) + 0.01 * ((i + j) % 2) as f64 * (j as f64 - i as f64).signum()
    })
}

/// The covariance of the margins of pairs p and q before any answer.
fn prior_covariance(p: (usize, usize), q: (usize, usize), m: &Square, scales: Scales) -> f64 {
    let strengths = [p.0, p.1].into_iter().zip([1.0, -1.0]).map(|(a, x)| {
        let of_q = [q.0, q.1].into_iter().zip([1.0, -1.0]);
        let same = of_q.map(|(b, y)| if a == b { x * y } else { 0.0 });
        same.sum::<f64>() * scales.strength.powi(2)
    });
    let beta = m.get(p.0, p.1) * m.get(q.0, q.1) / BETA_PRECISION;
    let own = if p == q {
        scales.deviation.powi(2)
    } else {
        0.0
    };
    beta + strengths.sum::<f64>() + own
}

/// Weight times evidence, and the means and variances of all pairs, by conditioning.
fn conditioned(
    evidence: &MarginEvidence,
    tables: &PredictedMargins,
    scales: Scales,
) -> (f64, Vec<(f64, f64)>) {
    let nothing = Square::from_fn(K, |_, _| 0.0);
    let m = scales.believes.map_or(&nothing, |table| &tables[table]);
    let pairs: Vec<(usize, usize)> = (0..K)
        .flat_map(|i| (i + 1..K).map(move |j| (i, j)))
        .collect();
    let seen: Vec<((usize, usize), f64, f64)> = pairs
        .iter()
        .filter_map(|&(i, j)| {
            evidence
                .observation(i, j)
                .map(|o| ((i, j), o.margin, o.variance))
        })
        .collect();
    let n = seen.len();
    let expected = |(i, j): (usize, usize)| BETA_MEAN * m.get(i, j);
    let covariance: Vec<f64> = (0..n * n)
        .map(|at| {
            let (a, b) = (&seen[at / n], &seen[at % n]);
            prior_covariance(a.0, b.0, m, scales) + if at / n == at % n { a.2 } else { 0.0 }
        })
        .collect();
    let factor = Cholesky::new(covariance, n).unwrap();
    let mut residual: Vec<f64> = seen.iter().map(|one| one.1 - expected(one.0)).collect();
    factor.solve_lower(&mut residual);
    let squares: f64 = residual.iter().map(|x| x * x).sum();
    let ln_determinant: f64 = (0..n).map(|i| 2.0 * factor.diagonal(i).ln()).sum();
    let ln_evidence = scales.ln_prior - 0.5 * (ln_determinant + squares);
    let margins = pairs.iter().map(|&pair| {
        let mut with: Vec<f64> = seen
            .iter()
            .map(|one| prior_covariance(pair, one.0, m, scales))
            .collect();
        factor.solve_lower(&mut with);
        let mean: f64 = with.iter().zip(&residual).map(|(a, b)| a * b).sum();
        let explained: f64 = with.iter().map(|a| a * a).sum();
        (
            expected(pair) + mean,
            prior_covariance(pair, pair, m, scales) - explained,
        )
    });
    (ln_evidence.exp(), margins.collect())
}

#[test]
fn it_is_what_conditioning_all_margins_gives() {
    for (answers, models) in [(1, 1), (7, 0), (40, 1), (300, 3), (300, 0)] {
        let evidence = some_evidence(answers);
        let tables = some_tables(models);
        let scales = prior::scales(&vec![0.0; models]);
        let posterior = MarginPosterior::fit(&evidence, &tables, &scales);
        let each: Vec<_> = scales
            .iter()
            .map(|&scales| conditioned(&evidence, &tables, scales))
            .collect();
        let total: f64 = each.iter().map(|one| one.0).sum();
        for (place, term) in posterior.terms(&all()).enumerate() {
            let mean: f64 = each.iter().map(|(w, all)| w / total * all[place].0).sum();
            let second: f64 = each
                .iter()
                .map(|(w, all)| w / total * (all[place].1 + all[place].0.powi(2)))
                .sum();
            assert!((posterior.mean(term.i, term.j) - mean).abs() < 1e-11);
            let variance = posterior.variance(term.j, term.i);
            assert!((variance / (second - mean * mean) - 1.0).abs() < 1e-8);
        }
    }
}

#[test]
fn draws_have_the_posterior_mean_and_variance() {
    let posterior =
        MarginPosterior::fit(&some_evidence(60), &some_tables(1), &prior::scales(&[0.0]));
    let mut rng = Seed(6).stream("test", 0);
    let n = 40_000;
    let mut sums = vec![(0.0, 0.0); K * K];
    for _ in 0..n {
        let drawn = posterior.draw(&mut rng);
        for (at, sum) in sums.iter_mut().enumerate() {
            let x = drawn.get(at / K, at % K);
            *sum = (sum.0 + x, sum.1 + x * x);
        }
    }
    for i in 0..K {
        for j in (0..K).filter(|&j| j != i) {
            let (mean, square) = sums[i * K + j];
            let mean = mean / f64::from(n);
            let variance = square / f64::from(n) - mean * mean;
            let error = (posterior.variance(i, j) / f64::from(n)).sqrt();
            assert!((mean - posterior.mean(i, j)).abs() < 5.0 * error);
            assert!((variance / posterior.variance(i, j) - 1.0).abs() < 0.06);
        }
    }
}

#[test]
fn shares_of_draws_are_the_probabilities_of_being_best() {
    // Of two systems one is best, with the probability that the margin is above 0.
    let mut evidence = MarginEvidence::new(Square::from_fn(2, |_, _| 1.0), JudgmentPool::default());
    for outcome in [Outcome::Win, Outcome::Tie, Outcome::Win, Outcome::Loss] {
        let pair = Pair::new(Arm(0), Arm(1));
        evidence.ask(pair);
        evidence.record(pair, outcome.score());
    }
    let posterior = MarginPosterior::fit(&evidence, &[].into(), &prior::scales(&[]));
    let above = |one: &Component| {
        let term = posterior.terms(&all()).next().unwrap();
        let (mean, variance) = one.moments(&term, &posterior.predicted, &posterior.touched);
        one.weight * normal::cdf(mean / variance.sqrt())
    };
    let expected: f64 = posterior.components.iter().map(above).sum();
    let shares = posterior.shares_best(40_000, &mut Seed(6).stream("test", 1));
    assert!((shares[0] - expected).abs() < 0.01, "{shares:?}");
    assert!((shares[0] + shares[1] - 1.0).abs() < 1e-12);
    assert!(expected > 0.55 && expected < 0.9);
}

#[test]
fn a_sharp_prediction_that_exchanges_the_first_and_the_third_gives_way() {
    let strengths = [0.2, 0.1, 0.0, -0.3];
    let exchanged = [0.0, 0.1, 0.2, -0.3];
    let m = [Square::from_fn(K, |i, j| exchanged[i] - exchanged[j])].into();
    let mut evidence = MarginEvidence::new(Square::from_fn(K, |_, _| 1.0), JudgmentPool::default());
    for step in 0..120 {
        let (i, j) = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][step % 6];
        let pair = Pair::new(Arm::from(i), Arm::from(j));
        evidence.ask(pair);
        let wins = 20.0 * (0.5 + strengths[i] - strengths[j]);
        let is_won = ((step / 6) as f64) < wins;
        evidence.record(pair, Outcome::of_scores(f64::from(is_won), 0.5).score());
    }
    let margin = |predicted: &PredictedMargins, credits: &[f64]| {
        MarginPosterior::fit(&evidence, predicted, &prior::scales(credits)).mean(0, 2)
    };
    let (with, without) = (margin(&m, &[0.0]), margin(&[].into(), &[]));
    assert!(with > 0.8 * without, "{with} {without}");
}

#[test]
fn a_reversed_prediction_is_found_out() {
    // Predictions say that system 0 is worst; the answers of three pairs say that it is best.
    let m = [Square::from_fn(K, |i, j| 0.1 * (i as f64 - j as f64))].into();
    let mut evidence = MarginEvidence::new(Square::from_fn(K, |_, _| 1.0), JudgmentPool::default());
    let before = MarginPosterior::fit(&evidence, &m, &prior::scales(&[0.0]));
    assert_eq!(before.leader(), K - 1);
    for step in 0..600 {
        let pair = [(0, 1), (1, 2), (2, 3)][step % 3];
        let pair = Pair::new(Arm(pair.0), Arm(pair.1));
        evidence.ask(pair);
        let outcome = if step % 10 < 6 {
            Outcome::Win
        } else {
            Outcome::Loss
        };
        evidence.record(pair, outcome.score());
    }
    let after = MarginPosterior::fit(&evidence, &m, &prior::scales(&[0.0]));
    assert_eq!(after.leader(), 0);
    // The pair never asked, too, is seen as if nothing had been predicted.
    let without = MarginPosterior::fit(&evidence, &[].into(), &prior::scales(&[]));
    assert!(after.mean(0, 3) > 0.9 * without.mean(0, 3));
    assert!(without.mean(0, 3) > 0.05);
    assert_eq!(
        (before.order(), after.order()),
        (vec![3, 2, 1, 0], vec![0, 1, 2, 3])
    );
    assert!(after.doubt(0, 1, 0.0) < before.doubt(0, 1, 0.0));
    assert!(after.doubt(0, 1, 0.05) < after.doubt(0, 1, 0.0));
}

/// Systems without answers change nothing for the others, and stay as the prior has them.
#[test]
fn systems_that_nobody_judged_stand_alone() {
    let (few, many) = (3, 9);
    let evidence = |k| {
        let mut evidence =
            MarginEvidence::new(Square::from_fn(k, |_, _| 1.0), JudgmentPool::default());
        for (i, j) in [(0, 1), (1, 2), (0, 2), (0, 1)] {
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            evidence.ask(pair);
            evidence.record(pair, Outcome::Win.score());
        }
        evidence
    };
    let scales = &prior::scales(&[])[..1];
    let small = MarginPosterior::fit(&evidence(few), &[].into(), scales);
    let large = MarginPosterior::fit(&evidence(many), &[].into(), scales);
    assert_eq!(large.components[0].factor.inverse().len(), (few + 1).pow(2));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(small.mean(i, j), large.mean(i, j));
        assert_eq!(small.variance(i, j), large.variance(i, j));
    }
    let alone = 2.0 * scales[0].strength.powi(2) + scales[0].deviation.powi(2);
    assert!((large.variance(4, 7) - alone).abs() < 1e-12 && large.mean(4, 7) == 0.0);
}

/// The posterior of many systems, some of them judged, with or without predictions.
fn of_many(k: usize, predicted: bool) -> MarginPosterior {
    let mut rng = Seed(8).stream("test", 0);
    let mut evidence = MarginEvidence::new(Square::from_fn(k, |_, _| 1.0), JudgmentPool::default());
    for _ in 0..600 {
        let i = rng.below(k / 2);
        let pair = Pair::new(Arm::from(i), Arm::from((i + 1 + rng.below(k / 2)) % k));
        let better = pair.first > pair.second;
        let won = rng.bernoulli(if better { 0.9 } else { 0.1 });
        let outcome = if won { Outcome::Win } else { Outcome::Loss };
        evidence.record(pair, outcome.score());
    }
    let margin = |i: usize, j: usize| (i as f64 - j as f64) / 300.0;
    let tables: PredictedMargins = match predicted {
        true => [Square::from_fn(k, margin)].into(),
        false => [].into(),
    };
    MarginPosterior::fit(&evidence, &tables, &prior::scales(&vec![0.0; tables.len()]))
}

/// Total variation between two lists of draws.
fn apart(draws: u32, mut one: impl FnMut() -> usize, mut other: impl FnMut() -> usize) -> f64 {
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    for _ in 0..draws {
        *counts.entry(one()).or_default() += 1.0;
        *counts.entry(other()).or_default() -= 1.0;
    }
    counts
        .values()
        .map(|difference| difference.abs())
        .sum::<f64>()
        / 2.0
        / f64::from(draws)
}

#[test]
fn of_many_systems_the_margins_that_decide_are_enough() {
    let k = 80;
    for predicted in [false, true] {
        let posterior = of_many(k, predicted);
        let rng = |number| Seed(9).stream("test", number);
        let (mut whole, mut part) = (rng(0), rng(1));
        let best = apart(
            1500,
            || posterior.draw(&mut whole).condorcet_winner().unwrap_or(k),
            || posterior.draw_best(&mut part).unwrap_or(k),
        );
        let winner = apart(
            1500,
            || posterior.draw(&mut whole).winner(),
            || posterior.draw_winner(&mut part),
        );
        // Two lists of the same draws are apart by chance alone.
        let chance = apart(
            1500,
            || posterior.draw(&mut whole).winner(),
            || posterior.draw(&mut part).winner(),
        );
        assert!(best < 1.4 * chance.max(0.05), "{best} {chance}");
        assert!(winner < 1.4 * chance.max(0.05), "{winner} {chance}");
    }
}
