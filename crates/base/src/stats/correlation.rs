//! Correlations of two lists of numbers.
//!
//! Pearson's r on the values, Spearman's ρ on their ranks (equal values share their mean rank),
//! Kendall's τ-b on the order of pairs, ties corrected on both sides, in O(n log n) (Knight, "A
//! computer method for calculating Kendall's tau with ungrouped data", JASA 1966). Undefined means
//! `None`: fewer than two pairs, a side that does not vary, or a value that is not finite.

use crate::stats::moments::JointMoments;
use std::cmp::Ordering;

/// Pearson's r, in [-1, 1].
///
/// # Panics
/// If the lists differ in length.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let moments: JointMoments = pairs(x, y)?.into_iter().collect();
    moments.correlation()
}

/// Spearman's ρ, in [-1, 1].
///
/// # Panics
/// If the lists differ in length.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    pairs(x, y)?;
    pearson(&mean_ranks(x), &mean_ranks(y))
}

/// Kendall's τ-b, in [-1, 1].
///
/// # Panics
/// If the lists differ in length.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let mut pairs = pairs(x, y)?;
    pairs.sort_by(|a, b| ascending(a.0, b.0).then(ascending(a.1, b.1)));
    let tied_in_x = tied(&pairs, |a, b| a.0 == b.0);
    let mut second: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let discordant = sort_counting_inversions(&mut second);
    let counts = OrderedPairs {
        all: unordered_pairs(pairs.len() as u64),
        tied: [tied_in_x, tied(&second, |a, b| a == b)],
        tied_in_both: tied(&pairs, |a, b| a == b),
        discordant,
    };
    counts.tau_b()
}

/// Numbers of unordered pairs, from which Kendall's τ-b follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OrderedPairs {
    /// All pairs.
    pub all: u64,
    /// The pairs that a side has tied, by side.
    pub tied: [u64; 2],
    /// The pairs that both sides have tied.
    pub tied_in_both: u64,
    /// The pairs that the sides order otherwise.
    pub discordant: u64,
}

impl OrderedPairs {
    /// Kendall's τ-b, in [-1, 1]; `None` where a side has all pairs tied.
    pub fn tau_b(&self) -> Option<f64> {
        let [x, y] = self.tied;
        let comparable = self.all + self.tied_in_both - x - y;
        let scale = ((self.all - x) as f64).sqrt() * ((self.all - y) as f64).sqrt();
        let agreement = comparable as f64 - 2.0 * self.discordant as f64;
        (scale > 0.0).then(|| (agreement / scale).clamp(-1.0, 1.0))
    }
}

/// The rank of each value, from 1; equal values share the mean of their ranks.
pub fn mean_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| ascending(values[a], values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = mean_rank(before as u64, group.len() as u64);
        for &i in group {
            ranks[i] = rank;
        }
        before += group.len();
    }
    ranks
}

/// The rank that so many equal values share, after so many smaller ones.
#[inline]
pub fn mean_rank(before: u64, equal: u64) -> f64 {
    before as f64 + (equal + 1) as f64 / 2.0
}

/// Pairs the values up, if all are finite.
fn pairs(x: &[f64], y: &[f64]) -> Option<Vec<(f64, f64)>> {
    assert_eq!(x.len(), y.len(), "a correlation is of pairs");
    x.iter()
        .zip(y)
        .map(|(&x, &y)| (x.is_finite() && y.is_finite()).then_some((x, y)))
        .collect()
}

/// Order of finite values in which −0 and 0 are equal, as they are to `==`.
#[inline]
pub fn ascending(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// The number of pairs of so many, in either order.
#[inline]
pub fn unordered_pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// The number of unordered pairs of a sorted list that are equal.
fn tied<T>(sorted: &[T], equal: impl FnMut(&T, &T) -> bool) -> u64 {
    sorted
        .chunk_by(equal)
        .map(|group| unordered_pairs(group.len() as u64))
        .sum()
}

/// Merge sort; returns the number of pairs that stood in strictly descending order.
fn sort_counting_inversions(values: &mut [f64]) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut inversions = sort_counting_inversions(left) + sort_counting_inversions(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if right[j] < left[i] {
            inversions += (left.len() - i) as u64;
            merged.push(right[j]);
            j += 1;
        } else {
            merged.push(left[i]);
            i += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    values.copy_from_slice(&merged);
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// τ-b by its definition, in O(n²).
    fn kendall_by_definition(x: &[f64], y: &[f64]) -> Option<f64> {
        let (mut agree, mut in_x, mut in_y) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            for j in 0..i {
                let (dx, dy) = (x[i] - x[j], y[i] - y[j]);
                let sign = |d: f64| if d == 0.0 { 0.0 } else { d.signum() };
                agree += sign(dx) * sign(dy);
                in_x += f64::from(dx != 0.0);
                in_y += f64::from(dy != 0.0);
            }
        }
        let scale = f64::sqrt(in_x) * f64::sqrt(in_y);
        (scale > 0.0).then(|| agree / scale)
    }

    #[test]
    fn kendall_agrees_with_its_definition_under_ties() {
        for n in 0..60 {
            let mut rng = Seed(5).stream("test", n);
            let few = 1 + rng.below(8);
            let mut list = || -> Vec<f64> { (0..n).map(|_| rng.below(few) as f64).collect() };
            let (x, y) = (list(), list());
            match (kendall(&x, &y), kendall_by_definition(&x, &y)) {
                (Some(fast), Some(slow)) => assert!((fast - slow).abs() < 1e-12, "{fast} {slow}"),
                (fast, slow) => assert_eq!(fast, slow, "n = {n}"),
            }
        }
    }

    #[test]
    fn spearman_shares_ranks_among_equals() {
        assert_eq!(mean_ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        let rho = spearman(&[1.0, 2.0, 3.0, 4.0], &[1.0, 10.0, 100.0, 1e6]).unwrap();
        assert!((rho - 1.0).abs() < 1e-15);
    }

    #[test]
    fn negative_zero_ties_with_zero() {
        assert_eq!(
            kendall(&[-0.0, 0.0, 1.0, 2.0], &[4.0, 3.0, 2.0, 1.0]),
            kendall(&[0.0, 0.0, 1.0, 2.0], &[4.0, 3.0, 2.0, 1.0])
        );
    }

    #[test]
    fn the_undefined_is_none() {
        for correlation in [pearson, spearman, kendall] {
            assert_eq!(correlation(&[], &[]), None);
            assert_eq!(correlation(&[1.0], &[2.0]), None);
            assert_eq!(correlation(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
            assert_eq!(correlation(&[1.0, f64::NAN], &[1.0, 2.0]), None);
            assert_eq!(correlation(&[1.0, f64::INFINITY], &[1.0, 2.0]), None);
        }
    }
}
