//! Clusters of items: answers about items with the same source, as answers to one prompt have, or of the same document are
//! dependent, like those about one item.

use super::Source;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use tiebreak_base::error::{Error, Flag, Key, Result};
use tiebreak_base::message;
use tiebreak_base::scope::ItemScope;
use tiebreak_base::words::counted;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_decide::ranking::Collection;

/// What was done with items that have comparisons, as [`ItemClusters::sentence`] says it.
pub(crate) const COMPARED: &str = "compared";

/// What was done with items that have outputs.
pub(crate) const SCORED: &str = "scored";

/// The column of the documents that items are from.
const DOCUMENT: &str = "document";

/// The key that names what items of a cluster share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ClusterKeys {
    /// Count items alike in a column as one: `document` [default: the source]
    #[cfg_attr(feature = "cli", arg(long, value_name = "COLUMN"))]
    pub cluster: Option<String>,
}

/// The clusters of items that were answered about, where some share theirs.
#[derive(Debug)]
pub(crate) struct ItemClusters {
    /// The column whose values are the clusters; without, they are the sources.
    column: Option<String>,
    /// The first item of the same cluster, for each item by position.
    first: Vec<u32>,
    /// The first items that stand for several.
    several: BTreeSet<u32>,
    /// The number of items with answers and a cluster.
    items: u64,
    /// The number of their different clusters.
    different: u64,
    /// Whether all items with answers have a cluster.
    is_whole: bool,
}

/// The clusters met so far, item by item in their order.
#[derive(Default)]
pub(crate) struct ClusterTally {
    /// The column, and its value for each item.
    column: Option<(String, BTreeMap<String, String>)>,
    known: HashMap<u64, u32, foldhash::fast::RandomState>,
    first: Vec<u32>,
    several: BTreeSet<u32>,
    items: u64,
    answered: u64,
}

impl ClusterKeys {
    /// Checks that a result about these items alone names no clusters: there each item counts by itself.
    ///
    /// # Errors
    /// [`Error::Key`].
    pub fn check(&self, items: ItemScope) -> Result<()> {
        match self.cluster.is_some() && items == ItemScope::These {
            true => self.refuse(
                "clusters do not matter to a result about these items alone",
                Key("items"),
            ),
            false => Ok(()),
        }
    }

    /// The error of clusters that cannot be together with another key.
    ///
    /// # Errors
    /// Always, where clusters are named.
    pub(crate) fn refuse(&self, what: &str, other: Key) -> Result<()> {
        match self.cluster {
            Some(_) => Err(Error::key("cluster", what).with_hint(message!(
                "leave out one of {} and {}",
                Key("cluster"),
                other
            ))),
            None => Ok(()),
        }
    }

    /// Says that items have documents, where no clusters are named and items share theirs.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub(crate) fn hint(&self, source: &Source, items: ItemScope) -> Result<Option<String>> {
        if self.cluster.is_some() || items == ItemScope::These {
            return Ok(None);
        }
        let first = source
            .dataset
            .rows(Kind::Items)?
            .and_then(|mut rows| rows.next());
        let has_documents = first
            .transpose()?
            .is_some_and(|row| row.cell(DOCUMENT).is_some());
        if !has_documents {
            return Ok(None);
        }
        let Ok(Some(labels)) = source.item_labels("cluster", DOCUMENT) else {
            return Ok(None);
        };
        let different: BTreeSet<&String> = labels.values().collect();
        let are_shared = different.len() > 1 && different.len() < labels.len();
        Ok(are_shared.then(|| {
            format!(
                "Items of one document may depend on each other: `{} {DOCUMENT}` counts them as one.",
                Flag("cluster")
            )
        }))
    }

    /// What differs from the default, for signatures.
    pub(crate) fn signature(&self) -> String {
        let column = self.cluster.as_ref();
        column.map_or_else(String::new, |column| format!("|cluster:{column}"))
    }

    /// Begins to tally the clusters of a data set.
    ///
    /// # Errors
    /// A column that no table has, or with two values for an item.
    pub(crate) fn tally(&self, source: &Source) -> Result<ClusterTally> {
        let Some(column) = &self.cluster else {
            return Ok(ClusterTally::default());
        };
        let labels = source.required_labels("cluster", column, "document")?;
        Ok(ClusterTally {
            column: Some((column.clone(), labels)),
            ..ClusterTally::default()
        })
    }

    /// Finds the clusters of items that comparisons are about; `None` where each item is one.
    ///
    /// # Errors
    /// As [`tally`](Self::tally); if the index cannot be read.
    pub(crate) fn of_comparisons(
        &self,
        source: &Source,
        collection: &Collection,
    ) -> Result<Option<ItemClusters>> {
        let mut is_compared = vec![false; source.index.items() as usize];
        for one in collection.comparisons() {
            is_compared[one.item as usize] = true;
        }
        self.among(source, |group| is_compared[group.position as usize])
    }

    /// Finds the clusters of items that a function tells to be scored, where some count as one. With them come sentences on
    /// these, and on items that may depend on each other.
    ///
    /// # Errors
    /// As [`among`](Self::among); if a table cannot be read.
    pub(crate) fn among_scored(
        &self,
        source: &Source,
        is_scored: impl Fn(&Group) -> bool + Sync + Send,
    ) -> Result<(Option<ItemClusters>, Vec<String>)> {
        let clusters = self.among(source, is_scored)?;
        let sentence = clusters.as_ref().map(|of| of.sentence(SCORED));
        let hint = self.hint(source, ItemScope::LikeThese)?;
        let sentences = sentence.into_iter().chain(hint).collect();
        Ok((clusters.filter(|of| !of.is_one()), sentences))
    }

    /// Finds the clusters of items that a function tells to have answers; `None` where each item is one.
    ///
    /// # Errors
    /// As [`tally`](Self::tally); if the index cannot be read.
    pub(crate) fn among(
        &self,
        source: &Source,
        is_answered: impl Fn(&Group) -> bool + Sync + Send,
    ) -> Result<Option<ItemClusters>> {
        let mut tally = self.tally(source)?;
        // Only these tables have sources.
        let may_share = source.index.has(Kind::Items) || source.index.has(Kind::Outputs);
        if may_share || self.cluster.is_some() {
            let push = |group: Group| tally.push(&group, is_answered(&group));
            source.index.each(push)?;
        }
        Ok(tally.finish())
    }
}

impl ClusterTally {
    /// Adds the next item. Sources are the same but for blanks around them.
    ///
    /// # Errors
    /// More items than 32 bits count.
    pub(crate) fn push(&mut self, group: &Group, is_answered: bool) -> Result<()> {
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        self.answered += u64::from(is_answered);
        let shared = match &self.column {
            Some((_, values)) => values.get(&group.item),
            None => group.source.as_ref(),
        };
        let shared = shared.filter(|_| is_answered);
        self.items += u64::from(shared.is_some());
        self.first.push(shared.map_or(item, |text| {
            let mut hasher = DefaultHasher::new();
            text.trim().hash(&mut hasher);
            let first = *self.known.entry(hasher.finish()).or_insert(item);
            self.several.extend((first != item).then_some(first));
            first
        }));
        Ok(())
    }

    /// Returns the clusters; `None` where each item is one.
    pub(crate) fn finish(self) -> Option<ItemClusters> {
        let different = self.known.len() as u64;
        (different < self.items).then_some(ItemClusters {
            column: self.column.map(|(name, _)| name),
            first: self.first,
            several: self.several,
            items: self.items,
            different,
            is_whole: self.items == self.answered,
        })
    }
}

impl ItemClusters {
    /// The item that stands for the cluster of an item. Where all are of one cluster each stands for itself: the result is
    /// about that cluster alone.
    pub(crate) fn cluster(&self, item: u32) -> u32 {
        match self.is_one() {
            true => item,
            false => self.first[item as usize],
        }
    }

    /// The number of items with answers, of so many, where those of a cluster count as one.
    pub(crate) fn units(&self, answered: u64) -> u64 {
        answered - self.items + self.different
    }

    /// The number of items with outputs of each system, where those of a cluster count as one.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(crate) fn of_systems(&self, source: &Source) -> Result<Vec<u64>> {
        let mut clusters = vec![BTreeSet::new(); source.systems().len()];
        source.index.each(|group| {
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            for output in &group.outputs {
                clusters[output.system.index()].insert(self.cluster(item));
            }
            Ok(())
        })?;
        Ok(clusters.iter().map(|of| of.len() as u64).collect())
    }

    /// Whether an item stands for itself alone.
    pub(crate) fn is_alone(&self, item: u32) -> bool {
        self.is_one() || !self.several.contains(&self.cluster(item))
    }

    /// What the items of a cluster share: `source`, or the name of a column. Where all are of one, each counts by itself.
    pub(crate) fn shared(&self) -> Option<String> {
        let column = self.column.as_deref();
        (!self.is_one()).then(|| column.unwrap_or("source").to_string())
    }

    fn is_one(&self) -> bool {
        self.different == 1 && self.is_whole
    }

    /// Takes the items of a cluster for one.
    pub(crate) fn group(&self, collection: Collection) -> Collection {
        match self.is_one() {
            true => collection,
            false => collection.grouped(|item| self.cluster(item)),
        }
    }

    /// Says how items of the same cluster count, of those that were `answered`, such as compared.
    pub(crate) fn sentence(&self, answered: &str) -> String {
        let items = counted(self.items, &format!("{answered} item"));
        let (what, of) = match &self.column {
            None => ("source", Cow::Borrowed("")),
            Some(column) => ("value", Cow::Owned(format!(" of `{column}`"))),
        };
        if self.is_one() {
            return format!(
                "All {items} have the same {what}{of}: the result is about this {what} alone."
            );
        }
        let clusters = match self.different {
            1 => format!("the same {what}{of}"),
            several => counted(several, &format!("different {what}")) + &of,
        };
        format!(
            "{items} have {clusters}. Items with the same {what} count as one in intervals and in the verdict."
        )
    }
}
