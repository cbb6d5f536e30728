//! Distinct things: on one item k outputs meet in k(k−1)/2 contests, but there are only k of them.

use super::Contest;
use std::collections::BTreeMap;

/// Things, each once, in the order they are first seen.
pub(super) struct DistinctIndex<K, T> {
    pub all: Vec<T>,
    places: BTreeMap<K, usize>,
}

impl<K, T> Default for DistinctIndex<K, T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            places: BTreeMap::new(),
        }
    }
}

impl<K: Ord, T> DistinctIndex<K, T> {
    /// The place of the thing of a key; it is added if it is new.
    pub(super) fn index_or_insert(&mut self, key: K, thing: T) -> usize {
        let next = self.all.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.all.push(thing);
        }
        place
    }
}

/// The outputs of contests with what they are outputs for, each once.
pub(super) struct Sides<'a> {
    /// The outputs, as the first outputs of contests.
    pub all: Vec<Contest<'a>>,
    /// The places of the two outputs of every contest.
    pub of: Vec<(usize, usize)>,
}

impl<'a> Sides<'a> {
    /// Collects the sides of some contests.
    pub(super) fn from_contests(contests: &[Contest<'a>]) -> Self {
        let mut all = DistinctIndex::default();
        let mut place = |side: Contest<'a>| {
            let key = (side.a, side.source, side.references);
            all.index_or_insert(key, side)
        };
        let both = |contest: &Contest<'a>| (place(*contest), place(contest.turned()));
        let of = contests.iter().map(both).collect();
        Self { all: all.all, of }
    }
}
