//! Contributions of items to the error of an estimate, which make errors of systems judged on the same items
//! comparable.

use std::collections::BTreeMap;

/// The linear part of an estimate's error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
        let squares: f64 = self.by_item.values().map(|x| x * x).sum();
        squares.sqrt()
    }

    /// The standard error of the difference of two estimates, whose errors are correlated on the items
    /// that both have.
    pub fn standard_error_of_difference(&self, other: &Self) -> f64 {
        self.minus(other).standard_error()
    }

    /// The contributions to the error of the difference of two estimates.
    #[must_use]
    pub(super) fn minus(&self, other: &Self) -> Self {
        let mut by_item = self.by_item.clone();
        for (&item, x) in &other.by_item {
            *by_item.entry(item).or_default() -= x;
        }
        Self::of_items(by_item, self.df.min(other.df))
    }

    /// The contributions, all multiplied by a factor.
    #[must_use]
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.by_item.values_mut().for_each(|x| *x *= factor);
        self
    }
}
