//! Rows of statistics, added up over the items of a cluster.

use crate::inputs::source::ItemClusters;
use std::collections::BTreeMap;

/// The sums of rows by cluster.
pub(super) struct ClusteredRows<'a> {
    clusters: &'a ItemClusters,
    width: usize,
    sums: BTreeMap<u32, Vec<f64>>,
}

impl<'a> ClusteredRows<'a> {
    /// Creates sums of rows of so many numbers.
    pub(super) fn new(clusters: &'a ItemClusters, width: usize) -> Self {
        Self {
            clusters,
            width,
            sums: BTreeMap::new(),
        }
    }

    /// Adds a row for each of these items.
    pub(super) fn add(&mut self, items: &[u32], rows: &[f64]) {
        for (&item, row) in items.iter().zip(rows.chunks_exact(self.width)) {
            let cluster = self.clusters.cluster(item);
            let sums = self.sums.entry(cluster);
            let sums = sums.or_insert_with(|| vec![0.0; self.width]);
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }

    /// The rows, one for each cluster, by its first item.
    pub(super) fn finish(self) -> Vec<f64> {
        self.sums.into_values().flatten().collect()
    }
}
