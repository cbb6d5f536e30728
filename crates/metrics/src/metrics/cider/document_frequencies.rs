//! The number of items whose references have each n-gram.
//!
//! Most n-grams of a large data set occur in one item only, and one that is not known counts as
//! such. So where there are too many to remember, a first pass finds those that may be repeated
//! and a second one counts these; counts are exact either way.

use super::repeated::CountingBloomFilter;
use crate::text::hash;
use crate::text::ngram_ids::{NgramIds, Node};
use crate::text::whitespace::words;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};

/// The number of different n-grams remembered in the first pass: some 100 MB.
const REMEMBERED: usize = 2_000_000;

/// The document frequencies of n-grams over the references of a data set. Memory grows with the number of different
/// n-grams up to a bound, and then with the number of those that are in several items.
#[derive(Debug)]
pub(super) struct NgramDocumentFrequencies {
    ids: NgramIds,
    /// The counts by n-gram.
    counts: Vec<NgramItemCount>,
    items: u32,
    remembered: usize,
    stage: CountingPhase,
}

/// The number of items that have an n-gram, and the last of these.
#[derive(Debug, Clone, Copy, Default)]
struct NgramItemCount {
    items: u32,
    last: u32,
}

#[derive(Debug)]
enum CountingPhase {
    /// All n-grams are counted; their hashes are kept.
    All(Vec<u64>),
    /// There were too many n-grams: repeated ones are searched for.
    Search(CountingBloomFilter),
    /// Repeated n-grams are counted.
    Recount(CountingBloomFilter),
    /// Repeated n-grams have been counted.
    Complete,
}

impl Default for NgramDocumentFrequencies {
    fn default() -> Self {
        Self {
            ids: NgramIds::default(),
            counts: Vec::new(),
            items: 0,
            remembered: REMEMBERED,
            stage: CountingPhase::All(Vec::new()),
        }
    }
}

impl NgramDocumentFrequencies {
    /// The frequencies of a data set of one item: every n-gram is in one item.
    pub(super) fn of_one_item() -> Self {
        Self {
            items: 1,
            ..Self::default()
        }
    }

    /// The frequencies of a data set of so many items, to which n-grams are [listed](Self::list).
    pub(super) fn listed(items: u32) -> Self {
        Self {
            items,
            stage: CountingPhase::Complete,
            ..Self::default()
        }
    }

    /// The frequencies of a data set whose items were counted in parts: the number of items by n-gram, its words with
    /// spaces between. The n-gram without words has the number of all items.
    ///
    /// # Errors
    /// [`Error::Usage`] where the number of items is missing or too small.
    pub(super) fn counted(counts: &BTreeMap<String, u64>) -> Result<Self> {
        let number = |n: &u64| u32::try_from(*n).ok();
        let items = counts.get("").and_then(number).filter(|&items| items > 0);
        let items = items.ok_or_else(|| Error::usage("counts without the number of items"))?;
        let mut frequencies = Self::listed(items);
        for (ngram, n) in counts.iter().filter(|(ngram, _)| !ngram.is_empty()) {
            let n = number(n).filter(|&n| n <= items).ok_or_else(|| {
                Error::usage(format!(
                    "`{ngram}` is in {n} items, expected {items} at most"
                ))
            })?;
            // An n-gram that is not counted is in one item too.
            if n > 1 {
                frequencies.list(words(ngram), n);
            }
        }
        Ok(frequencies)
    }

    /// Sets the number of items that have an n-gram. Its prefixes are in one item unless they are listed.
    ///
    /// # Panics
    /// For an n-gram without words.
    pub(super) fn list<'a>(&mut self, ngram: impl Iterator<Item = &'a str>, items: u32) {
        let mut node = Node::ROOT;
        for word in ngram {
            node = self.ids.insert(node, word);
            if node.number() as usize == self.counts.len() {
                self.counts.push(NgramItemCount { items: 1, last: 0 });
            }
        }
        self.counts[node.number() as usize].items = items.max(1);
    }

    /// Adds one item's references: an n-gram counts once, however many of them have it.
    pub(super) fn add(&mut self, references: &[String], order: usize) {
        self.items += 1;
        let mut sought = Vec::new();
        for reference in references {
            let words: Vec<(&str, u64)> = words(reference)
                .map(|word| (word, hash::token(word)))
                .collect();
            for start in 0..words.len() {
                self.add_beginning(words[start..].iter().take(order), &mut sought);
            }
        }
        if let CountingPhase::Search(repeated) = &mut self.stage {
            sought.sort_unstable();
            sought.dedup();
            for hash in sought {
                repeated.see(hash);
            }
        }
        if matches!(self.stage, CountingPhase::All(_)) && self.ids.len() > self.remembered {
            self.search();
        }
    }

    /// Adds the n-grams that begin with the first of some words; those to be looked for go to
    /// `sought`.
    fn add_beginning<'a>(
        &mut self,
        words: impl Iterator<Item = &'a (&'a str, u64)>,
        sought: &mut Vec<u64>,
    ) {
        let (mut node, mut hash) = (Node::ROOT, 0);
        for &(word, word_hash) in words {
            hash = hash::join(hash, word_hash);
            match &mut self.stage {
                CountingPhase::Search(_) => {
                    sought.push(hash);
                    continue;
                }
                // No longer n-gram is repeated either.
                CountingPhase::Recount(repeated) if !repeated.may_be(hash) => return,
                CountingPhase::Recount(_) | CountingPhase::All(_) | CountingPhase::Complete => {}
            }
            node = self.ids.insert(node, word);
            let id = node.number() as usize;
            if id == self.counts.len() {
                self.counts.push(NgramItemCount::default());
                if let CountingPhase::All(hashes) = &mut self.stage {
                    hashes.push(hash);
                }
            }
            let count = &mut self.counts[id];
            if count.last != self.items {
                count.items += 1;
                count.last = self.items;
            }
        }
    }

    /// Forgets all n-grams but whether they were repeated.
    fn search(&mut self) {
        let mut repeated = CountingBloomFilter::new();
        if let CountingPhase::All(hashes) = &self.stage {
            for (&hash, count) in hashes.iter().zip(&self.counts) {
                (0..count.items.min(2)).for_each(|_| repeated.see(hash));
            }
        }
        (self.ids, self.counts) = (NgramIds::default(), Vec::new());
        self.stage = CountingPhase::Search(repeated);
    }

    /// Ends a pass over all items. Returns whether another one is needed.
    pub(super) fn needs_another_pass(&mut self) -> bool {
        match std::mem::replace(&mut self.stage, CountingPhase::Complete) {
            CountingPhase::Search(repeated) => {
                self.stage = CountingPhase::Recount(repeated);
                self.items = 0;
                true
            }
            CountingPhase::All(_) | CountingPhase::Recount(_) | CountingPhase::Complete => false,
        }
    }

    /// Whether every n-gram that was repeated has been counted.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.stage, CountingPhase::All(_) | CountingPhase::Complete)
    }

    /// The node of the n-gram at `before` followed by `word`, if it is counted.
    pub(super) fn find_ngram(&self, before: Node, word: &str) -> Option<Node> {
        self.ids.find_ngram(before, word)
    }

    /// The inverse document frequency: the logarithm of the number of items over that of items with the n-gram; one
    /// that is not counted is taken to be in one item.
    pub(super) fn inverse(&self, ngram: Option<Node>) -> f64 {
        let count = ngram.map_or(1, |node| self.counts[node.number() as usize].items);
        f64::from(self.items).ln() - f64::from(count).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn inverse(frequencies: &NgramDocumentFrequencies, ngram: &str) -> f64 {
        let step = |before: Option<Node>, word| frequencies.find_ngram(before?, word);
        frequencies.inverse(ngram.split(' ').fold(Some(Node::ROOT), step))
    }

    #[test]
    fn items_are_counted_not_references_or_occurrences() {
        let mut frequencies = NgramDocumentFrequencies::default();
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        frequencies.add(&texts(&["a a b", "a b"]), 2);
        frequencies.add(&texts(&["a c"]), 2);
        assert_eq!(inverse(&frequencies, "a"), 0.0);
        assert_eq!(inverse(&frequencies, "a b"), 2_f64.ln());
        assert_eq!(inverse(&frequencies, "b a"), 2_f64.ln());
        assert_eq!(inverse(&frequencies, "z"), 2_f64.ln());
        assert_eq!(inverse(&NgramDocumentFrequencies::of_one_item(), "z"), 0.0);
    }

    #[test]
    fn what_cannot_be_remembered_at_once_is_counted_in_two_passes() {
        let mut rng = Seed(11).stream("test", 0);
        let mut word = || {
            let words = 1 + rng.below(60);
            format!("w{}", rng.below(words))
        };
        let mut sentence = || (0..12).map(|_| word()).collect::<Vec<_>>().join(" ");
        let items: Vec<Vec<String>> = (0..300).map(|_| vec![sentence(), sentence()]).collect();
        let mut all = NgramDocumentFrequencies::default();
        let mut few = NgramDocumentFrequencies {
            remembered: 500,
            ..NgramDocumentFrequencies::default()
        };
        for item in &items {
            all.add(item, 4);
            few.add(item, 4);
        }
        assert!(all.is_complete() && !few.is_complete());
        assert!(!all.needs_another_pass() && few.needs_another_pass());
        for item in &items {
            few.add(item, 4);
        }
        assert!(!few.is_complete() && !few.needs_another_pass() && few.is_complete());
        assert!(few.ids.len() < all.ids.len() / 2, "{}", few.ids.len());
        for text in items.iter().flatten() {
            let words: Vec<&str> = text.split(' ').collect();
            for ngram in (1..=4).flat_map(|n| words.windows(n)) {
                let ngram = ngram.join(" ");
                assert_eq!(inverse(&few, &ngram), inverse(&all, &ngram), "{ngram}");
            }
        }
    }
}
