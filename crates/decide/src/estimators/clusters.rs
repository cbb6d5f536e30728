//! Running sums of judgments and control variates, by item: the basis of every estimate here.
//!
//! With residuals r = y − α g and their mean m, the mean of n judgments in C items has the
//! cluster-robust variance `C/(C − p) · Σ_c (Σ_{i ∈ c} (r_i − m))² / n²`, where p counts the fitted
//! numbers (Liang and Zeger, Biometrika 1986; the factor is the usual small-sample one). With one
//! judgment per item and p = 1 it is the textbook s²/n. Contributions are larger where some items were judged more
//! often than others (see `shares`). The sum over clusters is a quadratic form
//! in (m, α), so its matrix can be kept up to date and any prefix's variance read off in O(1).
//! Judgments are held relative to the first one, so that a large common offset costs no digits and
//! equal judgments have a variance of exactly 0.

use super::contributions::Contributions;
use super::finite::share_of;
use super::people::ItemJudgmentMeans;
use super::{RatedOutput, shares};
use std::collections::BTreeMap;
use tiebreak_base::stats::moments::Moments;

/// Sums over some judgments: their number, y − offset, standardised g, and products
/// of these.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ControlVariateSums {
    pub n: f64,
    pub y: f64,
    pub g: f64,
    pub yg: f64,
    pub gg: f64,
    pub yy: f64,
}

impl ControlVariateSums {
    fn of_one(y: f64, g: f64) -> Self {
        Self {
            n: 1.0,
            y,
            g,
            yg: y * g,
            gg: g * g,
            yy: y * y,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.n += other.n;
        self.y += other.y;
        self.g += other.g;
        self.yg += other.yg;
        self.gg += other.gg;
        self.yy += other.yy;
    }

    /// The covariance of y and g (divided by n).
    pub(super) fn covariance(&self) -> f64 {
        self.yg / self.n - self.y / self.n * (self.g / self.n)
    }

    /// The mean of y − α g, relative to the offset.
    pub(super) fn adjusted_mean(&self, alpha: f64) -> f64 {
        (self.y - alpha * self.g) / self.n
    }

    fn vector(&self) -> [f64; 3] {
        [self.n, self.y, self.g]
    }
}

/// Judgments grouped by item.
#[derive(Debug, Clone, Default)]
pub(super) struct Clusters {
    offset: f64,
    all: ControlVariateSums,
    items: Vec<ControlVariateSums>,
    place: BTreeMap<u32, usize>,
    /// `Σ_c v_c v_cᵀ` with v = (n, y, g).
    products: [[f64; 3]; 3],
}

impl Clusters {
    /// Adds a judgment, with the metric already standardised.
    pub(super) fn push(&mut self, item: u32, y: f64, g: f64) {
        if self.items.is_empty() {
            self.offset = y;
        }
        let one = ControlVariateSums::of_one(y - self.offset, g);
        self.all.add(one);
        let place = *self.place.entry(item).or_insert(self.items.len());
        if place == self.items.len() {
            self.items.push(ControlVariateSums::default());
        }
        let old = self.items[place].vector();
        self.items[place].add(one);
        let (step, new) = (one.vector(), self.items[place].vector());
        for (row, products) in self.products.iter_mut().enumerate() {
            for (column, product) in products.iter_mut().enumerate() {
                *product += step[row] * old[column] + new[row] * step[column];
            }
        }
    }

    /// The offset subtracted from every y: the first judgment.
    pub(super) fn offset(&self) -> f64 {
        self.offset
    }

    /// The sums over everything.
    pub(super) fn all(&self) -> ControlVariateSums {
        self.all
    }

    /// The sums of each item, in order of first appearance.
    pub(super) fn items(&self) -> &[ControlVariateSums] {
        &self.items
    }

    /// The contribution of each item to the error of the mean of y − α g, small-sample factor included, so
    /// that the squares sum to that of [`Clusters::standard_error`].
    pub(super) fn contributions(&self, alpha: f64, fitted: u64) -> Option<Contributions> {
        let items = self.items.len() as u64;
        let spare = items.checked_sub(fitted).filter(|&spare| spare > 0)?;
        let (mean, n) = (self.all.adjusted_mean(alpha), self.all.n);
        let (larger, degrees) = shares::of_items(self.items.iter().map(|sums| sums.n));
        let factor = larger * (items as f64 / spare as f64).sqrt() / n;
        let share = |sums: &ControlVariateSums| factor * (sums.y - alpha * sums.g - mean * sums.n);
        let by_item = self.place.iter();
        Some(Contributions {
            by_item: by_item
                .map(|(&item, &at)| (item, share(&self.items[at])))
                .collect(),
            df: spare.min(degrees),
        })
    }

    /// The number of judgments of each item and their mean, in the order of the items' numbers.
    pub(super) fn people(&self) -> ItemJudgmentMeans {
        let rated = |&at: &usize| {
            let sums = &self.items[at];
            (sums.n, self.offset + sums.y / sums.n)
        };
        ItemJudgmentMeans::at_random(self.place.values().map(rated))
    }

    /// The variance that judgments of one item add to a mean of items of equal weight, from items judged more than once or,
    /// where each has one judgment, from the repeats of which it is the mean; `None` without any.
    pub(super) fn noise(&self, repeats: &BTreeMap<u32, RatedOutput>) -> Option<f64> {
        let items = self.items.len() as f64;
        let (mut squares, mut spare, mut each) = (0.0, self.all.n - items, 0.0);
        let is_single = spare == 0.0;
        for (item, &at) in &self.place {
            let sums = &self.items[at];
            let of_repeats = repeats.get(item).filter(|_| is_single);
            squares += (sums.yy - sums.y * sums.y / sums.n).max(0.0);
            squares += of_repeats.map_or(0.0, |one| one.squares);
            spare += of_repeats.map_or(0.0, |one| one.judgments as f64 - 1.0);
            each += 1.0 / of_repeats.map_or(sums.n, |one| one.judgments as f64);
        }
        (spare > 0.0).then(|| squares / spare * each / (items * items))
    }

    /// The variance of the mean of y − α g over items of equal weight, as a share of that of the mean of all judgments.
    pub(super) fn evenness(&self, alpha: f64) -> f64 {
        let mean = self.all.adjusted_mean(alpha);
        let apart = |sums: &ControlVariateSums| (sums.y - alpha * sums.g) / sums.n - mean;
        let spread: Moments = self.items.iter().map(apart).collect();
        let weighed = self.items.iter().map(|sums| (sums.n * apart(sums)).powi(2));
        let items = self.items.len() as f64;
        let even = spread.sample_variance().unwrap_or_default() * (items - 1.0) / (items * items);
        share_of(even, weighed.sum::<f64>() / (self.all.n * self.all.n))
    }

    /// The cluster-robust standard error of the mean of y − α g when `fitted` numbers were
    /// estimated from the same judgments; `None` unless there are more items than that.
    pub(super) fn standard_error(&self, alpha: f64, fitted: u64) -> Option<f64> {
        let items = self.items.len() as u64;
        let spare = items.checked_sub(fitted).filter(|&spare| spare > 0)?;
        let weights = [-self.all.adjusted_mean(alpha), 1.0, -alpha];
        let squares: f64 = self
            .products
            .iter()
            .zip(weights)
            .map(|(row, weight)| weight * dot(row, &weights))
            .sum();
        let correction = items as f64 / spare as f64;
        Some((correction * squares.max(0.0)).sqrt() / self.all.n)
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// The formula of the module's documentation, read literally.
    fn by_definition(judged: &[(u32, f64, f64)], alpha: f64, fitted: f64) -> f64 {
        let n = judged.len() as f64;
        let residual = |&(_, y, g): &(u32, f64, f64)| y - alpha * g;
        let mean = judged.iter().map(residual).sum::<f64>() / n;
        let mut clusters: BTreeMap<u32, f64> = BTreeMap::new();
        for one in judged {
            *clusters.entry(one.0).or_default() += residual(one) - mean;
        }
        let c = clusters.len() as f64;
        let squares: f64 = clusters.values().map(|sum| sum * sum).sum();
        (c / (c - fitted) * squares).sqrt() / n
    }

    #[test]
    fn every_prefix_agrees_with_the_definition() {
        let mut rng = Seed(1).stream("test", 0);
        let mut clusters = Clusters::default();
        let mut judged = Vec::new();
        for _ in 0..200 {
            let one = (
                rng.below(40) as u32,
                70.0 + 3.0 * rng.normal(),
                rng.normal(),
            );
            judged.push(one);
            clusters.push(one.0, one.1, one.2);
            for (alpha, fitted) in [(0.0, 1), (0.8, 2)] {
                if let Some(fast) = clusters.standard_error(alpha, fitted) {
                    let slow = by_definition(&judged, alpha, fitted as f64);
                    assert!((fast - slow).abs() < 1e-9, "{fast} {slow}");
                }
            }
        }
        assert!(
            clusters
                .standard_error(0.0, clusters.items().len() as u64)
                .is_none()
        );
    }

    #[test]
    fn equal_judgments_have_no_spread_at_all() {
        let mut clusters = Clusters::default();
        for item in 0..10 {
            clusters.push(item, 1e8 + 0.1, f64::from(item));
        }
        assert_eq!(clusters.all().covariance(), 0.0);
        assert_eq!(clusters.standard_error(0.0, 1), Some(0.0));
    }
}
