//! A paired test on a data set: who is compared with whom, on which items.

use super::Test;
use crate::engine::context::Context;
use crate::inputs::source::{ClusterKeys, ItemClusters, Source};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};

/// A paired test on a data set.
pub struct PairedTest<'a> {
    pub(super) source: &'a Source,
    pub(super) test: Test,
    /// The systems that have outputs, at least two, in the order of the data set.
    pub(super) systems: Vec<Arm>,
    /// The baseline's place among them.
    pub(super) baseline: usize,
    /// The number of items that all of them have an output for, those of a cluster one; at least one.
    pub(super) items: u64,
    /// The clusters of these items, where some share theirs.
    pub(super) clusters: Option<ItemClusters>,
    /// Sentences on items of a cluster, or that may be of one.
    hints: Vec<String>,
}

impl<'a> PairedTest<'a> {
    /// Compares all systems with outputs with the baseline: the first of them unless it is named.
    ///
    /// # Errors
    /// An unknown baseline, or one without outputs; clusters that the data set does not have; fewer than two systems with
    /// outputs; no item that all of them have an output for; [`Error::Interrupted`].
    pub fn new(
        context: &Context<'_>,
        source: &'a Source,
        test: Test,
        baseline: Option<&str>,
        keys: &ClusterKeys,
    ) -> Result<Self> {
        let baseline = baseline.map(|name| source.index.system(name)).transpose()?;
        let counts = OutputCounts::new(context, source)?;
        let path = source.dataset.path();
        let systems: Vec<Arm> = Arm::all(source.systems().len())
            .filter(|arm| counts.outputs[arm.index()] > 0)
            .collect();
        if systems.len() < 2 {
            let what = match systems.first() {
                Some(&only) => format!("only `{}` has outputs", source.system(only)),
                None => "there are no outputs".to_string(),
            };
            return Err(Error::input(path, what)
                .with_hint("a paired test compares a baseline with at least one other system"));
        }
        let baseline = match baseline {
            None => 0,
            Some(arm) => systems.binary_search(&arm).map_err(|_| {
                Error::input(path, format!("`{}` has no outputs", source.system(arm)))
                    .with_hint("name a baseline that has")
            })?,
        };
        let items = counts.items_by_outputs[systems.len()];
        if items == 0 {
            return Err(Error::input(path, "no item has outputs of all systems")
                .with_hint("a paired test compares systems on the same items"));
        }
        let all: u64 = counts.items_by_outputs[1..].iter().sum();
        if items < all {
            let k = systems.len();
            context.progress.warn(&format!(
                "compared on the {items} of {all} items that all {k} systems have outputs for"
            ));
        }
        let k = systems.len();
        let (clusters, hints) = keys.among_scored(source, |group| group.outputs.len() == k)?;
        Ok(Self {
            source,
            test,
            systems,
            baseline,
            items: clusters.as_ref().map_or(items, |of| of.units(items)),
            clusters,
            hints,
        })
    }

    /// The name of the system the others are compared with.
    pub fn baseline(&self) -> &str {
        self.source.system(self.systems[self.baseline])
    }

    /// The significance test.
    pub fn test(&self) -> Test {
        self.test
    }

    /// The number of items that all systems have an output for; those of a cluster are one.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Whether some items count as one.
    pub fn is_clustered(&self) -> bool {
        self.clusters.is_some()
    }

    /// Sentences on items of a cluster, or that may be of one.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

pub(super) struct OutputCounts {
    /// The number of outputs, by system.
    pub outputs: Vec<u64>,
    /// The number of items, by their number of outputs.
    items_by_outputs: Vec<u64>,
}

impl OutputCounts {
    pub(super) fn new(context: &Context<'_>, source: &Source) -> Result<Self> {
        let k = source.systems().len();
        let mut counts = Self {
            outputs: vec![0; k],
            items_by_outputs: vec![0; k + 1],
        };
        for group in source.index.all() {
            context.check()?;
            let group = group?;
            counts.items_by_outputs[group.outputs.len()] += 1;
            for output in &group.outputs {
                counts.outputs[output.system.index()] += 1;
            }
        }
        Ok(counts)
    }
}
