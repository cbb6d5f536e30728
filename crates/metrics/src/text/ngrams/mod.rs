//! The n-grams two sequences share, counted with clipping: an n-gram matches at most as often as
//! it occurs in the reference.

mod places;
mod single;
mod trie;

use places::SymbolPositions;
use single::SingleReference;
use trie::Trie;

/// The counted n-grams of one or several reference sequences.
#[derive(Debug, Default)]
pub struct NgramCounts {
    method: CountingMethod,
    single: SingleReference,
    places: SymbolPositions,
    trie: Trie,
}

/// The fastest way to count for the references that were given.
#[derive(Debug, Default)]
enum CountingMethod {
    /// One short reference.
    #[default]
    Single,
    /// Short references.
    Places,
    /// Long ones.
    Table,
}

impl NgramCounts {
    /// Replaces the references by others, whose n-grams are counted up to order `order`. The count of an n-gram is
    /// its largest count in any one reference.
    pub fn set<'a>(&mut self, order: usize, references: impl Iterator<Item = &'a [u32]> + Clone) {
        let mut all = references.clone();
        self.method = match (all.next(), all.next()) {
            (Some(one), None) if self.single.set(order, one) => CountingMethod::Single,
            _ if self.places.set(order, references.clone()) => CountingMethod::Places,
            _ => CountingMethod::Table,
        };
        if let CountingMethod::Table = self.method {
            self.trie.reset(order, references.clone().map(<[u32]>::len));
            references.for_each(|reference| self.trie.add(reference));
        }
    }

    /// Adds to `matches[n - 1]` the number of n-grams of the hypothesis that occur in the
    /// reference, each counted at most as often as there. `matches` holds at least N numbers.
    pub fn overlap(&mut self, hypothesis: &[u32], matches: &mut [u64]) {
        match self.method {
            CountingMethod::Single => self.single.overlap(hypothesis, matches),
            CountingMethod::Places => self.places.overlap(hypothesis, matches),
            CountingMethod::Table => self.trie.overlap(hypothesis, matches),
        }
    }
}

/// The number of n-grams of order `n` in a sequence of `length` symbols.
pub(crate) fn count(length: usize, n: usize) -> usize {
    (length + 1).saturating_sub(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn overlap(order: usize, references: &[&[u32]], hypothesis: &[u32]) -> Vec<u64> {
        let mut counts = NgramCounts::default();
        counts.set(order, references.iter().copied());
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
        counts.set(1, std::iter::once(&[3][..]));
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
        assert_eq!(overlap(3, &[], &[1]), [0, 0, 0]);
        assert_eq!((count(2, 3), count(3, 3), count(0, 1)), (0, 1, 0));
    }

    #[test]
    fn no_ngram_lies_in_two_references() {
        let long: Vec<u32> = (0..64).collect();
        assert_eq!(overlap(2, &[&long, &[64]], &[63, 64]), [2, 0]);
        assert_eq!(overlap(2, &[&[1], &[2]], &[1, 2]), [2, 0]);
    }

    #[test]
    fn long_references_are_counted_too() {
        let long: Vec<u32> = (0..10_000).map(|n| n % 1_000).collect();
        assert_eq!(overlap(2, &[&long], &long[..2_000]), [2_000, 1_999]);
        let counts = overlap(1, &[&long], &[5; 12]);
        assert_eq!(counts, [10]);
    }

    #[test]
    fn every_way_counts_alike() {
        let mut rng = Seed(1).stream("test", 0);
        let (mut single, mut places) = (SingleReference::default(), SymbolPositions::default());
        let mut trie = Trie::default();
        for case in 0..600 {
            // Symbols on both sides of the small ones; few of them, so that n-grams are repeated.
            let (least, kinds) = (rng.below(2) * 126, 1 + rng.below(9));
            let mut sequence = |most: usize| -> Vec<u32> {
                let length = rng.below(most + 1);
                let symbol = |_| (least + rng.below(kinds)) as u32;
                (0..length).map(symbol).collect()
            };
            let (reference, hypothesis) = (sequence(256), sequence(300));
            let order = 1 + case % 6;
            assert!(single.set(order, &reference));
            assert!(places.set(order, std::iter::once(&reference[..])));
            trie.reset(order, std::iter::once(reference.len()));
            trie.add(&reference);
            let mut matches = vec![vec![0; order]; 3];
            single.overlap(&hypothesis, &mut matches[0]);
            places.overlap(&hypothesis, &mut matches[1]);
            trie.overlap(&hypothesis, &mut matches[2]);
            assert_eq!(matches[0], matches[1], "{reference:?} {hypothesis:?}");
            assert_eq!(matches[0], matches[2], "{reference:?} {hypothesis:?}");
        }
    }
}
