//! How much each item, and where annotators repeat each annotator, adds to an estimate's error: what
//! makes errors of different systems, judged on the same items by the same people, comparable.
//!
//! Source: Cameron, Gelbach and Miller, "Robust inference with multiway clustering", JBES 2011: with
//! variances robust to clusters by item, by annotator, and by both at once,
//! V = V_item + V_annotator − V_both.
//!
//! Deviation: V can come out below either part, even negative, for few annotators; the larger part is
//! used then.

use std::collections::BTreeMap;

/// The linear part of an estimate's error.
#[derive(Debug, Clone, PartialEq)]
pub struct Contributions {
    /// One number per judged item.
    pub by_item: BTreeMap<u32, f64>,
    /// Degrees of freedom of the standard error by item.
    pub df: u64,
    /// The same error by annotator, where people's habits are part of it.
    pub crossed: Option<Crossed>,
}

/// The error of an estimate as annotators add to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossed {
    /// One number per named annotator.
    pub by_annotator: BTreeMap<u32, f64>,
    /// One number per named annotator and item.
    pub by_both: BTreeMap<(u32, u32), f64>,
    /// Degrees of freedom of what annotators add.
    pub df: u64,
}

impl Crossed {
    /// What annotators add to the variance by item; 0 where that comes out negative.
    pub(super) fn added(&self) -> f64 {
        (squares(&self.by_annotator) - squares(&self.by_both)).max(0.0)
    }
}

impl Contributions {
    /// Those of items alone.
    pub fn of_items(by_item: BTreeMap<u32, f64>, df: u64) -> Self {
        Self {
            by_item,
            df,
            crossed: None,
        }
    }

    /// The standard error of the estimate.
    pub fn standard_error(&self) -> f64 {
        let crossed = self.crossed.as_ref();
        joined(
            squares(&self.by_item),
            crossed.map(|crossed| [squares(&crossed.by_annotator), squares(&crossed.by_both)]),
        )
    }

    /// Degrees of freedom of the standard error: of the part that knows least.
    pub fn degrees(&self) -> u64 {
        let crossed = self.crossed.as_ref();
        crossed.map_or(self.df, |crossed| crossed.df.min(self.df))
    }

    /// The standard error of the difference of two estimates, whose errors go together on the items
    /// that both have, and for the annotators who judged both.
    pub fn standard_error_of_difference(&self, other: &Self) -> f64 {
        let empty = Crossed {
            by_annotator: BTreeMap::new(),
            by_both: BTreeMap::new(),
            df: u64::MAX,
        };
        let crossed = self.crossed.is_some() || other.crossed.is_some();
        let [one, two] = [self, other].map(|one| one.crossed.as_ref().unwrap_or(&empty));
        joined(
            apart(&self.by_item, &other.by_item),
            crossed.then(|| {
                [
                    apart(&one.by_annotator, &two.by_annotator),
                    apart(&one.by_both, &two.by_both),
                ]
            }),
        )
    }

    /// The same, when what items add is larger or smaller by a factor.
    #[must_use]
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.by_item.values_mut().for_each(|x| *x *= factor);
        self
    }
}

/// The root of V, from the squares by item and, where these are crossed, by annotator and by both.
fn joined(by_item: f64, crossed: Option<[f64; 2]>) -> f64 {
    let all = crossed.map_or(by_item, |[by_annotator, by_both]| {
        (by_item + by_annotator - by_both).max(by_item.max(by_annotator))
    });
    all.max(0.0).sqrt()
}

fn squares<K: Ord>(all: &BTreeMap<K, f64>) -> f64 {
    all.values().map(|x| x * x).sum()
}

/// The squares of the differences, where what only one has stands against 0.
fn apart<K: Ord>(one: &BTreeMap<K, f64>, other: &BTreeMap<K, f64>) -> f64 {
    let shared: f64 = one
        .iter()
        .filter_map(|(key, x)| other.get(key).map(|y| x * y))
        .sum();
    (squares(one) + squares(other) - 2.0 * shared).max(0.0)
}
