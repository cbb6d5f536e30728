//! Shared n-grams by a table, for long references: as long as it takes to read both sequences.
//!
//! The reference's n-grams of orders 1 to N are kept as a trie: the n-grams beginning at a
//! position of the hypothesis are a walk from the root, which ends as soon as one is not in the
//! reference, since no longer one can be. The trie is one open-addressing hash table whose slots
//! are the nodes, keyed by (parent node, symbol), so a walk of n steps is n look-ups and nothing
//! is allocated once the table is large enough.

use super::count;
use crate::text::hash;

/// The counted n-grams of one or several reference sequences.
#[derive(Debug, Default)]
pub(super) struct Trie {
    order: usize,
    keys: Vec<u64>,
    counts: Vec<u32>,
    /// How often each n-gram was seen in the sequence being added or compared.
    seen: Vec<u32>,
}

const EMPTY: u64 = u64::MAX;
const ROOT: u64 = 0;

impl Trie {
    /// Forgets everything and makes room for the n-grams, up to order `order`, of sequences of
    /// these lengths.
    pub(super) fn reset(&mut self, order: usize, lengths: impl Iterator<Item = usize>) {
        let ngrams: usize = lengths.map(|length| count_up_to(length, order)).sum();
        // At most half full, so that look-ups of what is not there end soon.
        let slots = (2 * ngrams).next_power_of_two().max(16);
        self.order = order;
        for (values, empty) in [(&mut self.counts, 0), (&mut self.seen, 0)] {
            values.clear();
            values.resize(slots, empty);
        }
        self.keys.clear();
        self.keys.resize(slots, EMPTY);
    }

    /// Adds a reference. The count of an n-gram is its largest count in any one reference.
    pub(super) fn add(&mut self, reference: &[u32]) {
        self.seen.fill(0);
        for start in 0..reference.len() {
            let mut node = ROOT;
            for &symbol in reference[start..].iter().take(self.order) {
                let slot = self.find_or_insert(key(node, symbol));
                self.seen[slot] += 1;
                self.counts[slot] = self.counts[slot].max(self.seen[slot]);
                node = child(slot);
            }
        }
    }

    /// Adds to `matches[n - 1]` the number of n-grams of the hypothesis that occur in the
    /// reference, each counted at most as often as there. `matches` holds at least N numbers.
    pub(super) fn overlap(&mut self, hypothesis: &[u32], matches: &mut [u64]) {
        self.seen.fill(0);
        let matches = &mut matches[..self.order];
        for start in 0..hypothesis.len() {
            let mut node = ROOT;
            for (&symbol, matched) in hypothesis[start..].iter().zip(&mut *matches) {
                let Some(slot) = self.find_slot(key(node, symbol)) else {
                    break;
                };
                self.seen[slot] += 1;
                *matched += u64::from(self.seen[slot] <= self.counts[slot]);
                node = child(slot);
            }
        }
    }

    fn find_slot(&self, key: u64) -> Option<usize> {
        let slot = self.probe(key);
        (self.keys[slot] == key).then_some(slot)
    }

    fn find_or_insert(&mut self, key: u64) -> usize {
        let slot = self.probe(key);
        self.keys[slot] = key;
        slot
    }

    /// The slot that holds `key`, or the empty one where it would be put.
    fn probe(&self, key: u64) -> usize {
        let mut slot = hash::slot(key, self.keys.len());
        while self.keys[slot] != key && self.keys[slot] != EMPTY {
            slot = (slot + 1) & (self.keys.len() - 1);
        }
        slot
    }
}

fn count_up_to(length: usize, order: usize) -> usize {
    (1..=order).map(|n| count(length, n)).sum()
}

fn key(node: u64, symbol: u32) -> u64 {
    node << 32 | u64::from(symbol)
}

fn child(slot: usize) -> u64 {
    slot as u64 + 1
}
