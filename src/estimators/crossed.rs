//! Who judged what: what the errors of estimates need to know where judgments by one annotator go
//! together, as those of one item do.
//!
//! Sources: Cameron, Gelbach and Miller, JBES 2011, for crossed clusters (see `contributions`); Bell and
//! McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage samples", Survey
//! Methodology 2002, for few annotators of unequal shares w: Σ w² (b − b̄)² for independent habits b of
//! equal variance has the expectation (p₂ − 2 p₃ + p₂²) Var b, where p_k = Σ w^k, while the error has p₂
//! Var b. It is made larger by that factor, which is A/(A − 1) for A annotators of equal shares, and has
//! Satterthwaite's degrees of freedom, A − 1 for equal shares.
//!
//! What is said of people at large needs people: from fewer than [`FEWEST`] of them, errors are by item
//! and the interval speaks of these annotators only. A judgment without a name counts as one by an
//! annotator of its own, which adds to the items' part and to no other.

use super::contributions::Crossed;
use super::{Judged, Over};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// From so many annotators on something is said of people at large.
pub(super) const FEWEST: usize = 3;

/// Which judgments count as dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteredBy {
    /// Those of one item, and those by one annotator where at least three are named and one of them
    /// judged more than once.
    #[default]
    Auto,
    /// Those of one item.
    Item,
    /// Those of one item, and those by one annotator.
    ItemAndAnnotator,
}

/// The judgments by annotators who gave their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Annotators {
    clusters: ClusteredBy,
    /// By annotator and item: how many judgments, and their sum relative to the offset.
    cells: BTreeMap<(u32, u32), (f64, f64)>,
    judgments: BTreeMap<u32, f64>,
    unnamed: f64,
}

impl Annotators {
    pub fn new(clusters: ClusteredBy) -> Self {
        Self {
            clusters,
            ..Self::default()
        }
    }

    /// One more judgment, with its y relative to the estimator's offset.
    pub fn push(&mut self, judged: &Judged<'_>, y: f64) {
        let Some(annotator) = judged.annotator else {
            self.unnamed += 1.0;
            return;
        };
        let cell = self.cells.entry((annotator, judged.item)).or_default();
        *cell = (cell.0 + 1.0, cell.1 + y);
        *self.judgments.entry(annotator).or_default() += 1.0;
    }

    /// Whether somebody judged more than once.
    pub fn repeat(&self) -> bool {
        self.judgments.values().any(|&n| n > 1.0)
    }

    /// What intervals can speak of.
    pub fn over(&self) -> Over {
        match (self.crossed(), self.repeat()) {
            (true, _) => Over::ItemsAndAnnotators,
            (false, true) => Over::TheseAnnotators,
            (false, false) => Over::Items,
        }
    }

    fn crossed(&self) -> bool {
        let people = self.judgments.len();
        match self.clusters {
            ClusteredBy::Auto => self.repeat() && people >= FEWEST,
            ClusteredBy::Item => false,
            ClusteredBy::ItemAndAnnotator => people > 1,
        }
    }

    /// What annotators add to an error that is the sum over judgments of `weight` (y − `target`), two
    /// numbers that an item decides; `None` where it is by item only.
    pub fn error(&self, of_item: impl Fn(u32) -> (f64, f64)) -> Option<Crossed> {
        if !self.crossed() {
            return None;
        }
        let mut crossed = Crossed {
            by_annotator: BTreeMap::new(),
            by_both: BTreeMap::new(),
            df: 0,
        };
        for (&(annotator, item), &(n, y)) in &self.cells {
            let (weight, target) = of_item(item);
            let part = weight * (y - n * target);
            *crossed.by_annotator.entry(annotator).or_default() += part;
            crossed.by_both.insert((annotator, item), part);
        }
        let all = self.judgments.values().sum::<f64>() + self.unnamed;
        let people = Shares::sum(self.judgments.values().map(|n| n / all));
        let larger = people.correction().sqrt();
        crossed.by_annotator.values_mut().for_each(|x| *x *= larger);
        crossed.df = people.degrees();
        Some(crossed)
    }
}

/// Power sums of the annotators' shares of the judgments.
struct Shares([f64; 6]);

impl Shares {
    fn sum(shares: impl Iterator<Item = f64>) -> Self {
        let mut sums = [0.0; 6];
        for share in shares {
            let mut power = 1.0;
            for sum in &mut sums {
                *sum += power;
                power *= share;
            }
        }
        Self(sums)
    }

    /// What Σ w² (b − b̄)² is to be multiplied by.
    fn correction(&self) -> f64 {
        let [_, _, p2, ..] = self.0;
        p2 / self.expectation()
    }

    fn expectation(&self) -> f64 {
        let [_, _, p2, p3, ..] = self.0;
        p2 - 2.0 * p3 + p2 * p2
    }

    /// Satterthwaite's: the squared expectation over the sum of squared eigenvalues; at least 1.
    fn degrees(&self) -> u64 {
        let [_, _, p2, p3, p4, p5] = self.0;
        let apart = p2.powi(4) + 2.0 * p2 * p4 - 4.0 * p2 * p2 * p3 + 2.0 * p3 * p3;
        let squares = apart + p4 * (1.0 + 2.0 * p2) - 4.0 * p5;
        // What rounding leaves of a whole number belongs to it.
        let degrees = self.expectation().powi(2) / squares + 1e-9;
        (degrees as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_have_the_textbooks_correction_and_degrees() {
        for people in [2, 3, 5, 20, 1000] {
            let a = f64::from(people);
            let shares = Shares::sum((0..people).map(|_| 1.0 / a));
            assert!((shares.correction() - a / (a - 1.0)).abs() < 1e-9);
            assert_eq!(shares.degrees(), people as u64 - 1);
        }
    }

    /// The quadratic form of the module's documentation as a matrix.
    #[test]
    fn unequal_shares_agree_with_their_matrix() {
        let w = [0.5, 0.2, 0.15, 0.1, 0.05];
        let square: f64 = w.iter().map(|w| w * w).sum();
        let entry = |i: usize, j: usize| {
            let same = f64::from(u8::from(i == j));
            w[i] * w[i] * (same - w[i] - w[j] + square)
        };
        let trace: f64 = (0..5).map(|i| entry(i, i)).sum();
        let squared: f64 = (0..5)
            .flat_map(|i| (0..5).map(move |j| (i, j)))
            .map(|(i, j)| entry(i, j) * entry(j, i))
            .sum();
        let shares = Shares::sum(w.into_iter());
        assert!((shares.expectation() - trace).abs() < 1e-12);
        assert!((shares.correction() - square / trace).abs() < 1e-12);
        assert_eq!(shares.degrees(), (trace * trace / squared) as u64);
    }

    #[test]
    fn two_people_speak_of_themselves_and_unnamed_ones_of_items() {
        let over = |people: &[Option<u32>]| {
            let mut annotators = Annotators::default();
            for (item, &annotator) in people.iter().enumerate() {
                let judged = Judged {
                    annotator,
                    ..Judged::new(item as u32, 1.0, &[])
                };
                annotators.push(&judged, 1.0);
            }
            annotators.over()
        };
        assert_eq!(over(&[None, None]), Over::Items);
        assert_eq!(over(&[Some(1), Some(2), Some(3)]), Over::Items);
        assert_eq!(over(&[Some(1), Some(1), Some(2)]), Over::TheseAnnotators);
        let three = [Some(1), Some(1), Some(2), Some(3)];
        assert_eq!(over(&three), Over::ItemsAndAnnotators);
    }
}
