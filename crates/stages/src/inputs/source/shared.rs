//! Items with the same source, as answers to one prompt have: answers about them are dependent, like those about one item.

use super::Source;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::words::counted;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_decide::ranking::Collection;

/// What was done with items that have comparisons, as [`SharedSources::sentence`] says it.
pub(crate) const COMPARED: &str = "compared";

/// The sources of items that were answered about, where some items share theirs.
#[derive(Debug)]
pub(crate) struct SharedSources {
    /// The first item with the same source, for each item by position.
    first: Vec<u32>,
    /// The first items that stand for several.
    several: BTreeSet<u32>,
    /// The number of items with answers and a source.
    items: u64,
    /// The number of their different sources.
    different: u64,
    /// Whether all items with answers have a source.
    is_whole: bool,
}

/// The sources met so far, item by item in their order.
#[derive(Default)]
pub(crate) struct SourceTally {
    known: HashMap<u64, u32, foldhash::fast::RandomState>,
    first: Vec<u32>,
    several: BTreeSet<u32>,
    items: u64,
    answered: u64,
}

impl SourceTally {
    /// Adds the next item. Sources are the same but for blanks around them.
    ///
    /// # Errors
    /// More items than 32 bits count.
    pub(crate) fn push(&mut self, group: &Group, is_answered: bool) -> Result<()> {
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        self.answered += u64::from(is_answered);
        let text = group.source.as_ref().filter(|_| is_answered);
        self.items += u64::from(text.is_some());
        self.first.push(text.map_or(item, |text| {
            let mut hasher = DefaultHasher::new();
            text.trim().hash(&mut hasher);
            let first = *self.known.entry(hasher.finish()).or_insert(item);
            self.several.extend((first != item).then_some(first));
            first
        }));
        Ok(())
    }

    /// Returns the sources; `None` where each item has its own.
    pub(crate) fn finish(self) -> Option<SharedSources> {
        let different = self.known.len() as u64;
        (different < self.items).then_some(SharedSources {
            first: self.first,
            several: self.several,
            items: self.items,
            different,
            is_whole: self.items == self.answered,
        })
    }
}

impl SharedSources {
    /// Finds items with the same source among those that comparisons are about; `None` where each has its own.
    pub(crate) fn of_comparisons(source: &Source, collection: &Collection) -> Result<Option<Self>> {
        let mut is_compared = vec![false; source.index.items() as usize];
        for one in collection.comparisons() {
            is_compared[one.item as usize] = true;
        }
        Self::among(source, |group| is_compared[group.position as usize])
    }

    /// Finds items with the same source among those that a function tells to have answers; `None` where each has its own.
    pub(crate) fn among(
        source: &Source,
        is_answered: impl Fn(&Group) -> bool + Sync + Send,
    ) -> Result<Option<Self>> {
        let mut tally = SourceTally::default();
        // Only these tables have sources.
        if source.index.has(Kind::Items) || source.index.has(Kind::Outputs) {
            let push = |group: Group| tally.push(&group, is_answered(&group));
            source.index.each(push)?;
        }
        Ok(tally.finish())
    }

    /// The item that stands for all with the source of an item. Where all have one source each stands for itself: the
    /// result is about that source alone.
    pub(crate) fn cluster(&self, item: u32) -> u32 {
        match self.is_one() {
            true => item,
            false => self.first[item as usize],
        }
    }

    /// Whether an item stands for itself alone.
    pub(crate) fn is_alone(&self, item: u32) -> bool {
        self.is_one() || !self.several.contains(&self.cluster(item))
    }

    fn is_one(&self) -> bool {
        self.different == 1 && self.is_whole
    }

    /// Takes items with the same source for one.
    pub(crate) fn group(&self, collection: Collection) -> Collection {
        match self.is_one() {
            true => collection,
            false => collection.grouped(|item| self.cluster(item)),
        }
    }

    /// Says how items with the same source count, of those that were `answered`, such as compared.
    pub(crate) fn sentence(&self, answered: &str, is_grouped: bool) -> String {
        let items = counted(self.items, &format!("{answered} item"));
        if self.is_one() {
            return format!(
                "All {items} have the same source: the result is about this source alone."
            );
        }
        let sources = match self.different {
            1 => "the same source".to_string(),
            several => counted(several, "different source"),
        };
        match is_grouped {
            true => format!(
                "{items} have {sources}. Items with the same source count as one in intervals and in the verdict."
            ),
            false => format!(
                "{items} have {sources}. Intervals take them as independent, so they may be too narrow."
            ),
        }
    }
}
