//! Items with the same source, as battles on one prompt have: answers about them are dependent, like those about one item.

use crate::inputs::source::Source;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::words::counted;
use tiebreak_data::records::Kind;
use tiebreak_decide::ranking::Collection;

/// The sources of compared items, where some items share theirs.
pub(super) struct SharedSources {
    /// The first item with the same source, for each item by position.
    first: Vec<u32>,
    /// The number of compared items with a source.
    items: u64,
    /// The number of their different sources.
    pub different: u64,
    /// Whether all compared items have a source.
    is_whole: bool,
}

impl SharedSources {
    /// Finds compared items with the same source, but for blanks around it; `None` where each has its own.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(super) fn among(source: &Source, collection: &Collection) -> Result<Option<Self>> {
        if ![Kind::Items, Kind::Outputs]
            .map(|kind| source.index.has(kind))
            .contains(&true)
        {
            return Ok(None);
        }
        let mut is_compared = vec![false; source.index.items() as usize];
        for one in collection.comparisons() {
            is_compared[one.item as usize] = true;
        }
        let mut known: HashMap<u64, u32, foldhash::fast::RandomState> = HashMap::default();
        let (mut first, mut items) = (Vec::new(), 0);
        source.index.each(|group| {
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            let text = group.source.filter(|_| is_compared[item as usize]);
            first.push(text.map_or(item, |text| {
                items += 1;
                let mut hasher = DefaultHasher::new();
                text.trim().hash(&mut hasher);
                *known.entry(hasher.finish()).or_insert(item)
            }));
            Ok(())
        })?;
        let different = known.len() as u64;
        Ok((different < items).then_some(Self {
            first,
            items,
            different,
            is_whole: items == is_compared.iter().filter(|is| **is).count() as u64,
        }))
    }

    /// Takes items with the same source for one, unless all have one source: then the result is about that source alone.
    pub(super) fn group(&self, collection: Collection) -> Collection {
        match self.is_one() {
            true => collection,
            false => collection.grouped(|item| self.first[item as usize]),
        }
    }

    fn is_one(&self) -> bool {
        self.different == 1 && self.is_whole
    }

    /// Says how items with the same source count.
    pub(super) fn sentence(&self, is_grouped: bool) -> String {
        let items = counted(self.items, "compared item");
        if self.is_one() {
            return format!(
                "All {items} have the same source: the result is about this source alone."
            );
        }
        let sources = counted(self.different, "different source");
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
