//! N-grams as numbers: equal n-grams of words get the same number.
//!
//! The numbers are the nodes of a trie: an n-gram's node is the child, by its last word, of the
//! node of the words before.

use super::vocabulary::Vocabulary;
use std::collections::HashMap;

/// Numbers n-grams 0, 1, 2, … in the order in which they are first seen.
#[derive(Debug, Default)]
pub struct NgramIds {
    words: Vocabulary,
    /// By parent's number plus one (0 for the root) and last word.
    nodes: HashMap<(u32, u32), u32>,
}

impl NgramIds {
    /// Calls `emit` with each n-gram of `words` of 1 to `order` words and its number, those that
    /// begin at the first word first.
    ///
    /// # Panics
    /// If there are more than 2³² different n-grams.
    pub fn read<'a>(
        &mut self,
        words: &[&'a str],
        order: usize,
        mut emit: impl FnMut(&[&'a str], u32),
    ) {
        let ids: Vec<u32> = words.iter().map(|word| self.words.id(word)).collect();
        for start in 0..words.len() {
            let mut parent = 0;
            for (n, &word) in (1..=order).zip(&ids[start..]) {
                let next = u32::try_from(self.nodes.len()).expect("at most 2^32 n-grams");
                let node = *self.nodes.entry((parent, word)).or_insert(next);
                emit(&words[start..start + n], node);
                parent = node + 1;
            }
        }
    }

    /// The number of an n-gram, if it was seen.
    pub fn find(&self, ngram: &[&str]) -> Option<u32> {
        let mut node = None;
        for word in ngram {
            let parent = node.map_or(0, |node: u32| node + 1);
            node = Some(*self.nodes.get(&(parent, self.words.find(word)?))?);
        }
        node
    }

    /// How many different n-grams were seen: one more than the largest number.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no n-gram was seen yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ngrams_and_only_those_share_a_number() {
        let mut ids = NgramIds::default();
        assert!(ids.is_empty());
        let mut seen = Vec::new();
        ids.read(&["a", "b", "a", "b", "c"], 2, |ngram, id| {
            seen.push((ngram.join(" "), id));
        });
        for (ngram, id) in &seen {
            for (other, other_id) in &seen {
                assert_eq!(ngram == other, id == other_id, "{ngram}, {other}");
            }
        }
        assert_eq!((seen.len(), ids.len()), (9, 6));
        assert_eq!(ids.find(&["a", "b"]), Some(seen[1].1));
        assert_eq!(ids.find(&["c", "a"]), None);
        assert_eq!(ids.find(&["z"]), None);
    }
}
