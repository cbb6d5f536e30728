//! The n-grams that a correction shares with a reference, less those it should have changed.

use crate::text::ngram_ids::NgramIds;
use crate::text::ngrams;
use crate::text::whitespace::words;

/// The longest n-gram.
pub(super) const ORDER: usize = 4;

/// A text's n-grams with their counts, sorted by number.
#[derive(Debug, Default)]
pub(super) struct Bag {
    ngrams: Vec<Ngram>,
    /// The number of words.
    pub(super) length: usize,
}

#[derive(Debug, Clone, Copy)]
struct Ngram {
    id: u32,
    /// The order n, less 1.
    order: usize,
    count: u32,
}

impl Bag {
    pub(super) fn read(ids: &mut NgramIds, text: &str) -> Self {
        let split: Vec<&str> = words(text).collect();
        let mut ngrams = Vec::new();
        ids.read(&split, ORDER, |ngram, id| {
            let (order, count) = (ngram.len() - 1, 1);
            ngrams.push(Ngram { id, order, count });
        });
        ngrams.sort_unstable_by_key(|ngram| ngram.id);
        ngrams.dedup_by(|next, kept| {
            let same = next.id == kept.id;
            kept.count += u32::from(same);
            same
        });
        let length = split.len();
        Self { ngrams, length }
    }

    /// The number of n-grams of each order.
    pub(super) fn totals(&self) -> [f64; ORDER] {
        std::array::from_fn(|order| ngrams::count(self.length, order + 1) as f64)
    }

    fn count(&self, id: u32) -> u32 {
        let found = self.ngrams.binary_search_by_key(&id, |ngram| ngram.id);
        found.map_or(0, |at| self.ngrams[at].count)
    }
}

/// For each order, the n-grams of `text` that are in the reference, less those that are in the
/// source and not in the reference at all, each counted as often as both have it; never below 0.
pub(super) fn rewarded(text: &Bag, source: &Bag, reference: &Bag) -> [f64; ORDER] {
    let mut sums = [0_i64; ORDER];
    for ngram in &text.ngrams {
        sums[ngram.order] += match reference.count(ngram.id) {
            0 => -i64::from(ngram.count.min(source.count(ngram.id))),
            count => i64::from(ngram.count.min(count)),
        };
    }
    sums.map(|sum| sum.max(0) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_should_have_been_changed_is_subtracted() {
        let mut ids = NgramIds::default();
        let [text, source, reference] =
            ["a b b c", "a b c c", "a d c"].map(|line| Bag::read(&mut ids, line));
        // a and c are right; b of the source should have gone, once. No pair is right.
        assert_eq!(rewarded(&text, &source, &reference), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(text.totals(), [4.0, 3.0, 2.0, 1.0]);
        assert_eq!(rewarded(&text, &source, &text), text.totals());
    }
}
