//! The covariances B and M of the sums that strengths are fitted to, of which the errors are made.

use super::least_squares::{add, add_square, difference};
use super::{Share, Term};
use crate::duel::Pair;
use std::collections::{BTreeMap, BTreeSet};

/// Ties by which a fitted difference is shrunk before it is taken off a variance.
const TIES: f64 = 4.0;

/// The least share of σ²/π that a variance keeps.
const FLOOR: f64 = 0.1;

/// B over items and, where annotators are told, over annotators and over both.
pub(super) fn robust(terms: &[Term], shares: &[Share], strengths: &[f64]) -> Vec<Vec<f64>> {
    let residual = |one: &Term| one.score - difference(strengths, one.pair);
    let told = terms.iter().filter_map(|one| Some((one.annotator?, one)));
    let k = strengths.len();
    let by_item = terms.iter().map(|one| (one.item, one.pair, residual(one)));
    let of_items = shares.iter().map(|one| (one.item, one.pair, one.size));
    let judged: BTreeSet<u32> = terms.iter().map(|one| one.item).collect();
    let by_item = meat(k, by_item.chain(of_items), judged.len());
    if terms.iter().any(|one| one.annotator.is_none()) || terms.is_empty() {
        return vec![by_item];
    }
    let people: BTreeSet<u32> = told.clone().map(|(person, _)| person).collect();
    let by_person = told
        .clone()
        .map(|(person, one)| (person, one.pair, residual(one)));
    let by_person = meat(k, by_person, people.len());
    let both: BTreeSet<(u32, u32)> = told
        .clone()
        .map(|(person, one)| (person, one.item))
        .collect();
    let by_both = told.map(|(person, one)| ((person, one.item), one.pair, residual(one)));
    let by_both = meat(k, by_both, both.len());
    let crossed = by_item.iter().zip(&by_person).zip(by_both);
    let crossed = crossed.map(|((item, person), both)| item + person - both);
    let crossed = crossed.collect();
    vec![by_item, by_person, crossed]
}

/// B over the clusters of some residuals, corrected for their number.
fn meat<T: Ord>(
    k: usize,
    residuals: impl Iterator<Item = (T, Pair, f64)>,
    clusters: usize,
) -> Vec<f64> {
    let mut sums: BTreeMap<T, Vec<f64>> = BTreeMap::new();
    for (cluster, pair, residual) in residuals {
        let sum = sums.entry(cluster).or_insert_with(|| vec![0.0; k]);
        add(sum, pair, residual);
    }
    let correction = clusters as f64 / (clusters.max(2) - 1) as f64;
    let mut meat = vec![0.0; k * k];
    for sum in sums.values() {
        for (row, x) in meat.chunks_exact_mut(k).zip(sum) {
            for (entry, y) in row.iter_mut().zip(sum) {
                *entry += correction * x * y;
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
