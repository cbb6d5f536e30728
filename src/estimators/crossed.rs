//! Standard errors when judgments of one item and judgments by one annotator both go together.
//!
//! Source: Cameron, Gelbach and Miller, "Robust inference with multiway clustering", JBES 2011: with
//! variances robust to clusters by item, by annotator, and by both at once,
//! V = V_item + V_annotator − V_both. Each has its own small-sample factor, as they advise.
//!
//! Deviation: V can come out below either part, even negative, for few annotators; the larger part is
//! used then. A judgment without an annotator counts as one by an annotator of its own.

use super::Judged;
use super::clusters::Clusters;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which judgments count as dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusteredBy {
    /// Those of one item.
    #[default]
    Item,
    /// Those of one item, and those by one annotator.
    ItemAndAnnotator,
}

/// The same judgments grouped by annotator, and by annotator and item.
#[derive(Debug, Clone, Default)]
pub(super) struct Crossed {
    annotators: Clusters,
    both: Clusters,
    cells: BTreeMap<(u32, u32), u32>,
    unknown: u32,
}

impl Crossed {
    /// One more judgment, with the metric already standardised.
    pub fn push(&mut self, judged: &Judged<'_>, g: f64) {
        let annotator = judged.annotator.unwrap_or_else(|| {
            self.unknown += 1;
            u32::MAX - self.unknown
        });
        let next = self.cells.len() as u32;
        let cell = *self.cells.entry((judged.item, annotator)).or_insert(next);
        self.annotators.push(annotator, judged.y, g);
        self.both.push(cell, judged.y, g);
    }

    /// How many annotators.
    pub fn annotators(&self) -> usize {
        self.annotators.items().len()
    }

    /// The standard error robust to both, where that by item is known already; `None` with too few
    /// annotators to tell.
    pub fn standard_error(&self, by_item: f64, alpha: f64, fitted: u64) -> Option<f64> {
        let by_annotator = self.annotators.standard_error(alpha, fitted)?;
        let by_both = self.both.standard_error(alpha, fitted)?;
        let sum = by_item.powi(2) + by_annotator.powi(2) - by_both.powi(2);
        let larger = by_item.max(by_annotator);
        Some(sum.max(larger * larger).sqrt())
    }
}
