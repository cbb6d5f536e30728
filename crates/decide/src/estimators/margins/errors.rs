//! The covariances B and M of the sums that strengths are fitted to, from which the errors are computed.

use super::least_squares::{add, add_square, difference};
use super::{MarginTerm, PredictionShare};
use crate::estimators::shares::{ClusterCorrection, uneven};
use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;

/// Ties by which a fitted difference is shrunk before it is taken off a variance.
const TIES: f64 = 4.0;

/// The least share of σ²/π that a variance keeps.
const FLOOR: f64 = 0.1;

/// The robust covariance B over items, and the degrees of freedom of each row.
pub(super) fn robust(
    terms: &[MarginTerm],
    shares: &[PredictionShare],
    strengths: &[f64],
) -> (Vec<f64>, Vec<u64>) {
    let of_item = |one: &MarginTerm| {
        let systems = [one.pair.first, one.pair.second];
        let (item, weight) = (one.item, one.weight);
        systems.map(|arm| (arm.index(), item, weight))
    };
    let items = uneven(strengths.len(), terms.iter().flat_map(of_item));
    let residual = |one: &MarginTerm| one.weight * (one.score - difference(strengths, one.pair));
    let by_item = terms.iter().map(|one| (one.item, one.pair, residual(one)));
    let of_shares = shares.iter().map(|one| (one.item, one.pair, one.size));
    let degrees = items.iter().map(|row| row.degrees).collect();
    (meat(&items, by_item.chain(of_shares)), degrees)
}

/// The matrix B over the items of some residuals, corrected for their shares.
fn meat(rows: &[ClusterCorrection], residuals: impl Iterator<Item = (u32, Pair, f64)>) -> Vec<f64> {
    let k = rows.len();
    let mut sums: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (item, pair, residual) in residuals {
        let sum = sums.entry(item).or_insert_with(|| vec![0.0; k]);
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

/// The expected covariance M.
pub(super) fn expected(
    terms: &[MarginTerm],
    shares: &[PredictionShare],
    strengths: &[f64],
) -> Vec<f64> {
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
        add_square(&mut meat, k, one.pair, one.weight * one.weight * variance);
    }
    for one in shares {
        add_square(&mut meat, k, one.pair, one.size * one.size);
    }
    meat
}
