//! In how many items' references each n-gram occurs.

use crate::text::ngram_ids::NgramIds;
use crate::text::whitespace::words;

/// Counts over the references of a data set. Memory grows with the number of different n-grams.
#[derive(Debug, Default)]
pub(super) struct DocumentFrequencies {
    ids: NgramIds,
    /// By n-gram: in how many items, and the last of these.
    counts: Vec<(u32, u64)>,
    items: u64,
}

impl DocumentFrequencies {
    /// Those of a data set of one item: any n-gram is in one item, whichever it is.
    pub(super) fn of_one_item() -> Self {
        Self {
            items: 1,
            ..Self::default()
        }
    }

    /// Adds one item's references: an n-gram counts once, however many of them have it.
    pub(super) fn add(&mut self, references: &[String], order: usize) {
        self.items += 1;
        let (item, counts) = (self.items, &mut self.counts);
        for reference in references {
            let split: Vec<&str> = words(reference).collect();
            self.ids.read(&split, order, |_, id| {
                let id = id as usize;
                counts.resize(counts.len().max(id + 1), (0, 0));
                if counts[id].1 != item {
                    counts[id] = (counts[id].0 + 1, item);
                }
            });
        }
    }

    /// The logarithm of the number of items over that of items with the n-gram; one that no
    /// reference has is taken to be in one item.
    pub(super) fn inverse(&self, ngram: &[&str]) -> f64 {
        let id = self.ids.find(ngram);
        let count = id.map_or(1, |id| self.counts[id as usize].0);
        (self.items as f64).ln() - f64::from(count).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_not_references_or_occurrences() {
        let mut frequencies = DocumentFrequencies::default();
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        frequencies.add(&texts(&["a a b", "a b"]), 2);
        frequencies.add(&texts(&["a c"]), 2);
        assert_eq!(frequencies.inverse(&["a"]), 0.0);
        assert_eq!(frequencies.inverse(&["a", "b"]), 2_f64.ln());
        assert_eq!(frequencies.inverse(&["b", "a"]), 2_f64.ln());
        assert_eq!(frequencies.inverse(&["z"]), 2_f64.ln());
        assert_eq!(DocumentFrequencies::of_one_item().inverse(&["z"]), 0.0);
    }
}
