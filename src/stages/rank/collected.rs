//! The comparisons that were collected, with whoever made them.

use crate::claims::About;
use crate::duel::Pair;
use crate::error::{Error, Result};
use crate::estimators::bradley_terry::Comparison;
use crate::inputs::source::Source;
use std::collections::BTreeMap;

/// From so many annotators on, their number says something about people at large: below, one more
/// or less would change what they have in common.
const PANEL: usize = 5;

/// Comparisons in the order of items.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    pub comparisons: Vec<Comparison>,
    /// The annotator of each, by number.
    annotators: Vec<u32>,
    /// Those named, and one for all without a name.
    people: BTreeMap<Option<String>, u32>,
}

impl Collection {
    /// Those of a data set.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(crate) fn read(source: &Source) -> Result<Self> {
        let mut found = Self::default();
        for group in source.index.all() {
            let group = group?;
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            for one in group.comparisons {
                let pair = Pair::new(one.a, one.b);
                let outcome = one.outcome;
                found.comparisons.push(Comparison {
                    item,
                    pair,
                    outcome,
                });
                let next = u32::try_from(found.people.len()).map_err(Error::failed)?;
                found
                    .annotators
                    .push(*found.people.entry(one.annotator).or_insert(next));
            }
        }
        Ok(found)
    }

    /// How many people answered; answers without names are taken to be one person's.
    pub(super) fn people(&self) -> usize {
        self.people.len()
    }

    /// Whose preferences the comparisons can speak of.
    pub(super) fn about(&self) -> About {
        match self.people() {
            0 | 1 => About::OneAnnotator,
            few if few < PANEL => About::TheseAnnotators,
            _ => About::Panel,
        }
    }

    /// The annotator of each comparison, where they stand for people at large.
    pub(super) fn annotators(&self) -> Option<&[u32]> {
        (self.about() == About::Panel).then_some(self.annotators.as_slice())
    }
}
