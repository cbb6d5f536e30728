//! Contributions of items to the error of an estimate, which make errors of systems judged on the same items
//! comparable.

use std::collections::BTreeMap;

/// The linear part of an estimate's error.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// One number per judged item.
    pub by_item: BTreeMap<u32, f64>,
    /// Degrees of freedom of the standard error.
    pub df: u64,
}

impl Contributions {
    /// The contributions of items, with the degrees of freedom of their squares.
    pub fn of_items(by_item: BTreeMap<u32, f64>, df: u64) -> Self {
        Self { by_item, df }
    }

    /// The standard error of the estimate.
    pub fn standard_error(&self) -> f64 {
        squares(&self.by_item).sqrt()
    }

    /// The standard error of the difference of two estimates, whose errors are correlated on the items
    /// that both have.
    pub fn standard_error_of_difference(&self, other: &Self) -> f64 {
        let (one, other) = (&self.by_item, &other.by_item);
        let shared = one
            .iter()
            .filter_map(|(item, x)| Some(x * other.get(item)?));
        let shared: f64 = shared.sum();
        (squares(one) + squares(other) - 2.0 * shared)
            .max(0.0)
            .sqrt()
    }

    /// The contributions, all multiplied by a factor.
    #[must_use]
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.by_item.values_mut().for_each(|x| *x *= factor);
        self
    }
}

fn squares(all: &BTreeMap<u32, f64>) -> f64 {
    all.values().map(|x| x * x).sum()
}
