//! The n-grams two sequences share, counted with clipping: an n-gram matches at most as often as
//! it occurs in the reference.
//!
//! The reference's n-grams of orders 1 to N are kept as a trie: the n-grams beginning at a
//! position of the hypothesis are a walk from the root, which ends as soon as one is not in the
//! reference, since no longer one can be. The trie is one open-addressing hash table whose slots
//! are the nodes, keyed by (parent node, symbol), so a walk of n steps is n look-ups and nothing
//! is allocated once the table is large enough.

/// The counted n-grams of one or several reference sequences.
#[derive(Debug, Default)]
pub struct NgramCounts {
    order: usize,
    keys: Vec<u64>,
    counts: Vec<u32>,
    /// How often each n-gram was seen in the sequence being added or compared.
    seen: Vec<u32>,
    /// 64 minus the number of bits of a slot number.
    shift: u32,
}

const EMPTY: u64 = u64::MAX;
const ROOT: u64 = 0;

impl NgramCounts {
    /// Forgets everything and makes room for the n-grams, up to order `order`, of sequences of
    /// these lengths.
    pub fn reset(&mut self, order: usize, lengths: impl Iterator<Item = usize>) {
        let ngrams: usize = lengths.map(|length| count_up_to(length, order)).sum();
        // At most half full, so that look-ups of what is not there end soon.
        let slots = (2 * ngrams).next_power_of_two().max(16);
        self.order = order;
        self.shift = 64 - slots.trailing_zeros();
        for (values, empty) in [(&mut self.counts, 0), (&mut self.seen, 0)] {
            values.clear();
            values.resize(slots, empty);
        }
        self.keys.clear();
        self.keys.resize(slots, EMPTY);
    }

    /// Adds a reference. The count of an n-gram is its largest count in any one reference.
    pub fn add(&mut self, reference: &[u32]) {
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
    pub fn overlap(&mut self, hypothesis: &[u32], matches: &mut [u64]) {
        self.seen.fill(0);
        let matches = &mut matches[..self.order];
        for start in 0..hypothesis.len() {
            let mut node = ROOT;
            for (&symbol, matched) in hypothesis[start..].iter().zip(&mut *matches) {
                let Some(slot) = self.find(key(node, symbol)) else {
                    break;
                };
                self.seen[slot] += 1;
                *matched += u64::from(self.seen[slot] <= self.counts[slot]);
                node = child(slot);
            }
        }
    }

    fn find(&self, key: u64) -> Option<usize> {
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
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        while self.keys[slot] != key && self.keys[slot] != EMPTY {
            slot = (slot + 1) & (self.keys.len() - 1);
        }
        slot
    }
}

/// How many n-grams of order `n` a sequence of `length` symbols has.
pub fn count(length: usize, n: usize) -> usize {
    (length + 1).saturating_sub(n)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(order: usize, references: &[&[u32]], hypothesis: &[u32]) -> Vec<u64> {
        let mut counts = NgramCounts::default();
        counts.reset(order, references.iter().map(|reference| reference.len()));
        for reference in references {
            counts.add(reference);
        }
        let mut matches = vec![0; order];
        counts.overlap(hypothesis, &mut matches);
        matches
    }

    #[test]
    fn matches_are_clipped_by_the_reference() {
        assert_eq!(overlap(2, &[&[7, 7, 8]], &[7, 7, 7, 7]), [2, 1]);
    }

    #[test]
    fn several_references_allow_the_largest_count() {
        assert_eq!(overlap(2, &[&[7, 8], &[7, 7]], &[7, 7, 7, 8]), [3, 2]);
    }

    #[test]
    fn a_hypothesis_is_compared_afresh_each_time() {
        let mut counts = NgramCounts::default();
        counts.reset(1, [1].into_iter());
        counts.add(&[3]);
        for _ in 0..2 {
            let mut matches = [0];
            counts.overlap(&[3], &mut matches);
            assert_eq!(matches, [1]);
        }
    }

    #[test]
    fn texts_shorter_than_the_order_have_no_ngrams() {
        assert_eq!(overlap(3, &[&[1, 2]], &[1, 2]), [2, 1, 0]);
        assert_eq!(overlap(3, &[&[]], &[]), [0, 0, 0]);
        assert_eq!((count(2, 3), count(3, 3), count(0, 1)), (0, 1, 0));
    }
}
