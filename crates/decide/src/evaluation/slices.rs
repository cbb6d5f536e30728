//! Differences of systems in slices of the items: intervals that hold together, and whether slices differ at all.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::normal;

/// The fewest items of a slice about which something is claimed.
pub const FEWEST_ITEMS: u64 = 20;

/// The permutations of the test.
const PERMUTATIONS: u64 = 2000;

/// The differences of all pairs of systems in all slices by one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlicedDifferences {
    /// The column of the items.
    pub by: String,
    /// The confidence with which all intervals hold together, in (0, 1).
    pub confidence: f64,
    /// The differences by criterion, then pair, then slice.
    pub rows: Vec<SliceDifference>,
    /// Whether slices differ, by criterion, then pair.
    pub tests: Vec<SliceHeterogeneity>,
}

/// The difference of two systems in one slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceDifference {
    /// The slice: a value of the column, or a third of its numbers.
    pub slice: String,
    /// The criterion of judgments; `preference` of comparisons, `verdicts` of a judge's.
    pub criterion: String,
    /// The first system.
    pub system_a: String,
    /// The second.
    pub system_b: String,
    /// The number of the slice's items that both have.
    pub n: u64,
    /// The first system's mean less the second's; of comparisons the share of wins less that of losses, in [-1, 1].
    pub difference: f64,
    /// Lower end of its interval; null where the slice claims nothing.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// Whether the systems are proved to differ in this slice.
    pub significant: bool,
    /// The reason why there is no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A test of whether a difference is the same in all slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SliceHeterogeneity {
    /// The criterion, as of a difference.
    pub criterion: String,
    /// The first system.
    pub system_a: String,
    /// The second.
    pub system_b: String,
    /// The p-value, from items assigned to slices at random; null with fewer than two slices of enough items.
    pub p: Option<f64>,
}

/// The level that each of several comparisons in slices has, by their numbers of items. Those that claim nothing take no
/// share.
pub fn shared_level(level: f64, items: impl Iterator<Item = u64>) -> f64 {
    let claims = items.filter(|&n| n >= FEWEST_ITEMS).count();
    level / claims.max(1) as f64
}

/// The p-value of the hypothesis that items' differences are the same in all slices: the share of random assignments of
/// items to slices that scatter the means of slices at least as much. `None` with fewer than two slices of enough items.
pub fn heterogeneity(slices: Vec<Vec<f64>>, seed: Seed) -> Option<f64> {
    let mut slices = slices;
    slices.retain(|values| values.len() as u64 >= FEWEST_ITEMS);
    (slices.len() > 1).then(|| permuted(&slices, seed))
}

/// The p-value of the hypothesis that independent estimates with these variances are of one number: Cochran's Q ("The
/// combination of estimates from different experiments", Biometrics 1954) against χ². `None` with fewer than two
/// estimates, or where one does not vary.
pub fn homogeneity(estimates: &[(f64, f64)]) -> Option<f64> {
    let degrees = estimates.len().checked_sub(1).filter(|&n| n > 0)?;
    let values = || {
        estimates
            .iter()
            .map(|(value, variance)| (value, 1.0 / variance))
    };
    let all: f64 = values().map(|(_, weight)| weight).sum();
    let mean = values().map(|(value, weight)| weight * value).sum::<f64>() / all;
    let scatter: f64 = values()
        .map(|(value, weight)| weight * (value - mean).powi(2))
        .sum();
    scatter
        .is_finite()
        .then(|| chi_square_above(scatter, degrees))
}

/// The probability that χ² with some degrees of freedom is above x, from those with two fewer each time (Abramowitz and
/// Stegun 26.4.4 and 26.4.5).
fn chi_square_above(x: f64, degrees: usize) -> f64 {
    let density = (-0.5 * x).exp();
    let (first, mut tail, mut term) = match degrees % 2 {
        1 => (
            1,
            2.0 * normal::cdf(-x.sqrt()),
            (2.0 * x / PI).sqrt() * density,
        ),
        _ => (2, density, 0.5 * x * density),
    };
    for known in (first..degrees).step_by(2) {
        tail += term;
        term *= x / (known + 2) as f64;
    }
    tail
}

fn permuted(slices: &[Vec<f64>], seed: Seed) -> f64 {
    let mut values: Vec<f64> = slices.concat();
    let scatter = |values: &[f64]| {
        let mut rest = values;
        let squares = slices.iter().map(|slice| {
            let (own, after) = rest.split_at(slice.len());
            rest = after;
            own.iter().sum::<f64>().powi(2) / own.len() as f64
        });
        squares.sum::<f64>()
    };
    let observed = scatter(&values);
    let as_large = (0..PERMUTATIONS).filter(|&deal| {
        seed.stream("slices", deal).shuffle(&mut values);
        scatter(&values) >= observed * (1.0 - 1e-12)
    });
    (as_large.count() + 1) as f64 / (PERMUTATIONS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_that_differ_are_found_and_equal_ones_are_not() {
        let slice =
            |ups: usize| -> Vec<f64> { (0..30).map(|at| f64::from(u8::from(at < ups))).collect() };
        let p = |ups: &[usize]| heterogeneity(ups.iter().map(|&n| slice(n)).collect(), Seed(1));
        assert!(p(&[15, 15, 15]).unwrap() > 0.9);
        assert!(p(&[5, 25, 15]).unwrap() < 0.001);
        assert_eq!(p(&[15]), None);
        assert_eq!(heterogeneity(vec![slice(15), vec![1.0; 19]], Seed(1)), None);
    }

    #[test]
    fn estimates_that_scatter_as_their_errors_say_are_alike() {
        // The upper 5 % of χ² with 1 to 6 degrees of freedom.
        for (at, x) in [3.8415, 5.9915, 7.8147, 9.4877, 11.0705, 12.5916]
            .iter()
            .enumerate()
        {
            assert!((chi_square_above(*x, at + 1) - 0.05).abs() < 1e-5, "{x}");
        }
        let far = 5.9915_f64.sqrt();
        let three = homogeneity(&[(-far, 2.0), (0.0, 2.0), (far, 2.0)]).unwrap();
        assert!((three - 0.05).abs() < 1e-5, "{three}");
        assert!(homogeneity(&[(0.2, 0.1), (0.2, 0.3)]).unwrap() > 0.99);
        assert_eq!(homogeneity(&[(0.2, 0.1)]), None);
        assert_eq!(homogeneity(&[(0.2, 0.0), (0.3, 0.0)]), None);
    }

    #[test]
    fn slices_without_a_claim_take_no_share_of_the_level() {
        let level = shared_level(0.06, [20, 19, 40, 3, 25].into_iter());
        assert!((level - 0.02).abs() < 1e-15);
    }
}
