//! N-grams as numbers: equal n-grams of words get the same number.
//!
//! The numbers are the nodes of a trie: an n-gram's node is the child, by its last word, of the
//! node of the words before.

use super::hash::FastBuildHasher;
use super::vocabulary::Vocabulary;
use std::collections::HashMap;

/// Numbers n-grams 0, 1, 2, … in the order in which they are first seen.
#[derive(Debug, Default)]
pub(crate) struct NgramIds {
    words: Vocabulary,
    /// The nodes, by parent's place in the trie and last word.
    nodes: HashMap<u64, u32, FastBuildHasher>,
}

/// An n-gram's place in the trie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node(u32);

impl Node {
    /// The place of the empty n-gram, which has no number.
    pub(crate) const ROOT: Self = Self(0);

    /// The number of the n-gram.
    ///
    /// # Panics
    /// For the empty one.
    pub(crate) fn number(self) -> u32 {
        self.0.checked_sub(1).expect("the root has no number")
    }
}

impl NgramIds {
    /// Calls `emit` with each n-gram of `words` of 1 to `order` words and its number, those that
    /// begin at the first word first, shorter ones before longer ones.
    ///
    /// # Panics
    /// If there are 2³² different n-grams.
    pub(crate) fn read<'a>(
        &mut self,
        words: &[&'a str],
        order: usize,
        mut emit: impl FnMut(&[&'a str], u32),
    ) {
        let ids: Vec<u32> = words.iter().map(|word| self.words.id(word)).collect();
        for start in 0..words.len() {
            let mut node = Node::ROOT;
            for (n, &word) in (1..=order).zip(&ids[start..]) {
                node = self.insert_id(node, word);
                emit(&words[start..start + n], node.number());
            }
        }
    }

    /// The place of the n-gram at `before` followed by `word`, a new one if it was never seen.
    ///
    /// # Panics
    /// If there are 2³² different n-grams.
    pub(crate) fn insert(&mut self, before: Node, word: &str) -> Node {
        let word = self.words.id(word);
        self.insert_id(before, word)
    }

    fn insert_id(&mut self, before: Node, word: u32) -> Node {
        let next = u32::try_from(self.nodes.len() + 1).expect("fewer than 2^32 n-grams");
        Node(*self.nodes.entry(key(before, word)).or_insert(next))
    }

    /// The place of the n-gram at `before` followed by `word`, if it was seen.
    pub(crate) fn find_ngram(&self, before: Node, word: &str) -> Option<Node> {
        let word = self.words.find_token(word)?;
        self.nodes.get(&key(before, word)).copied().map(Node)
    }

    /// The number of different n-grams seen: one more than the largest number.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

fn key(before: Node, word: u32) -> u64 {
    u64::from(before.0) << 32 | u64::from(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ngrams_and_only_those_share_a_number() {
        let mut ids = NgramIds::default();
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
        let find = |ngram: &[&str]| {
            let step = |before: Option<Node>, word: &&str| ids.find_ngram(before?, word);
            ngram.iter().fold(Some(Node::ROOT), step)
        };
        assert_eq!(find(&["a", "b"]).map(Node::number), Some(seen[1].1));
        assert_eq!(find(&["c", "a"]), None);
        assert_eq!(find(&["z"]), None);
        let a = find(&["a"]).unwrap();
        assert_eq!(ids.insert(a, "b").number(), seen[1].1);
        assert_eq!(ids.insert(a, "z").number(), 6);
    }
}
