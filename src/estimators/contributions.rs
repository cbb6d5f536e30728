//! How much each item adds to an estimate's error: what makes errors of different systems, judged on
//! the same items, comparable.

use std::collections::BTreeMap;

/// The linear part of an estimate's error, by item. The sum of the squares is the squared standard
/// error.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// One number per judged item.
    pub by_item: BTreeMap<u32, f64>,
    /// Degrees of freedom of the standard error.
    pub df: u64,
}

impl Contributions {
    /// The standard error of the estimate.
    pub fn standard_error(&self) -> f64 {
        self.by_item.values().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// The standard error of the difference of two estimates, whose errors go together on the items
    /// that both have.
    pub fn standard_error_of_difference(&self, other: &Self) -> f64 {
        let shared: f64 = self
            .by_item
            .iter()
            .filter_map(|(item, one)| other.by_item.get(item).map(|other| one * other))
            .sum();
        let variance = self.standard_error().powi(2) + other.standard_error().powi(2);
        (variance - 2.0 * shared).max(0.0).sqrt()
    }

    /// The same, when the error is larger or smaller by a factor.
    #[must_use]
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.by_item.values_mut().for_each(|x| *x *= factor);
        self
    }
}
