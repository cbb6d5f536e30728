//! Who judged what: what the errors of estimates need to know where judgments by one annotator go
//! together, as those of one item do.
//!
//! Source: Cameron, Gelbach and Miller, JBES 2011, for crossed clusters (see `contributions`); for few annotators of
//! unequal shares see `shares`.
//!
//! What is said of people at large needs people: from fewer than [`FEWEST`] of them, errors are by item
//! and the interval speaks of these annotators only. A judgment without a name counts as one by an
//! annotator of its own, which adds to the items' part and to no other.

use super::contributions::Crossed;
use super::shares::Shares;
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

#[cfg(test)]
mod tests {
    use super::*;

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
