//! The covariances B and M of the sums that strengths are fitted to, of which the errors are made.

use super::least_squares::{add, add_square, difference};
use super::{Share, Term};
use crate::duel::Pair;
use crate::estimators::shares::{Uneven, uneven};
use std::collections::BTreeMap;

/// Ties by which a fitted difference is shrunk before it is taken off a variance.
const TIES: f64 = 4.0;

/// The least share of σ²/π that a variance keeps.
const FLOOR: f64 = 0.1;

/// B over items and, where annotators are told, over annotators and over both; and the degrees of freedom of each row,
/// those of the kind of clusters that knows least.
pub(super) fn robust(
    terms: &[Term],
    shares: &[Share],
    strengths: &[f64],
) -> (Vec<Vec<f64>>, Vec<u64>) {
    let k = strengths.len();
    let residual = |one: &Term| one.score - difference(strengths, one.pair);
    let items = clusters(k, terms, |one| one.item);
    let by_item = terms.iter().map(|one| (one.item, one.pair, residual(one)));
    let of_items = shares.iter().map(|one| (one.item, one.pair, one.size));
    let by_item = meat(&items, by_item.chain(of_items));
    let mut degrees: Vec<u64> = items.iter().map(|row| row.degrees).collect();
    if terms.iter().any(|one| one.annotator.is_none()) || terms.is_empty() {
        return (vec![by_item], degrees);
    }
    let people = clusters(k, terms, |one| one.annotator);
    let by_person = terms
        .iter()
        .map(|one| (one.annotator, one.pair, residual(one)));
    let by_person = meat(&people, by_person);
    let both = |one: &Term| (one.annotator, one.item);
    let by_both = terms.iter().map(|one| (both(one), one.pair, residual(one)));
    let by_both = meat(&clusters(k, terms, both), by_both);
    let crossed = by_item.iter().zip(&by_person).zip(by_both);
    let crossed = crossed.map(|((item, person), both)| item + person - both);
    let crossed = crossed.collect();
    for (degrees, row) in degrees.iter_mut().zip(people) {
        *degrees = row.degrees.min(*degrees);
    }
    (vec![by_item, by_person, crossed], degrees)
}

/// How unevenly clusters share the terms of each row.
fn clusters<T: Ord>(k: usize, terms: &[Term], cluster: impl Fn(&Term) -> T) -> Vec<Uneven> {
    let both =
        |one: &Term| [one.pair.first, one.pair.second].map(|arm| (arm.index(), cluster(one)));
    uneven(k, terms.iter().flat_map(both))
}

/// B over the clusters of some residuals, corrected for their shares.
fn meat<T: Ord>(rows: &[Uneven], residuals: impl Iterator<Item = (T, Pair, f64)>) -> Vec<f64> {
    let k = rows.len();
    let mut sums: BTreeMap<T, Vec<f64>> = BTreeMap::new();
    for (cluster, pair, residual) in residuals {
        let sum = sums.entry(cluster).or_insert_with(|| vec![0.0; k]);
        add(sum, pair, residual);
    }
    let mut meat = vec![0.0; k * k];
    for sum in sums.values_mut() {
        for (x, row) in sum.iter_mut().zip(rows) {
            *x *= row.larger;
        }
        for (row, x) in meat.chunks_exact_mut(k).zip(sum.iter()) {
            for (entry, y) in row.iter_mut().zip(sum.iter()) {
                *entry += x * y;
            }
        }
    }
    meat
}

/// M.
pub(super) fn expected(terms: &[Term], shares: &[Share], strengths: &[f64]) -> Vec<f64> {
    let k = strengths.len();
    let asked = || terms.iter().filter_map(|one| one.residual);
    let squares: f64 = asked().map(|residual| residual * residual).sum();
    let square = (squares + 1.0) / (asked().count() as f64 + 1.0);
    let mut number: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let of_pair = |Pair { first, second }| {
        let (i, j) = (first.index(), second.index());
        (i.min(j), i.max(j))
    };
    for one in terms {
        *number.entry(of_pair(one.pair)).or_default() += 1.0;
    }
    let mut meat = vec![0.0; k * k];
    for one in terms {
        let n = number[&of_pair(one.pair)];
        let fitted = difference(strengths, one.pair) * n / (n + TIES);
        let most = square / one.probability;
        let variance = (most - fitted * fitted).max(FLOOR * most);
        add_square(&mut meat, k, one.pair, variance);
    }
    for one in shares {
        add_square(&mut meat, k, one.pair, one.size * one.size);
    }
    meat
}
