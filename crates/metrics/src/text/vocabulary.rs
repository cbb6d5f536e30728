//! Tokens as numbers: equal tokens get the same number, so that comparing n-grams and
//! subsequences compares integers.

use super::hash;

/// Numbers tokens 0, 1, 2, … in the order in which they are first seen.
///
/// An open-addressing table of numbers. Nearly all words have fewer than eight bytes and are told apart by
/// their key alone; longer ones are compared.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// By slot, a number plus one, 0 where there is none; at most half full.
    slots: Vec<u32>,
    /// The keys by number.
    keys: Vec<u64>,
    /// The end of each token in `text`, by number.
    ends: Vec<usize>,
    text: String,
}

/// The fewest slots of a table that holds a token.
const SLOTS: usize = 64;

impl Vocabulary {
    /// The number of `token`, a new one if it was never seen.
    ///
    /// # Panics
    /// If there are more than 2³² - 2 different tokens.
    pub(crate) fn id(&mut self, token: &str) -> u32 {
        if 2 * self.keys.len() >= self.slots.len() {
            self.grow();
        }
        let key = key(token);
        let slot = self.probe(key, token);
        if self.slots[slot] == 0 {
            let next = u32::try_from(self.keys.len() + 1).expect("fewer than 2^32 tokens");
            self.slots[slot] = next;
            self.keys.push(key);
            self.text.push_str(token);
            self.ends.push(self.text.len());
        }
        self.slots[slot] - 1
    }

    /// The number of `token`, if it was seen.
    pub(crate) fn find_token(&self, token: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.probe(key(token), token)].checked_sub(1)
    }

    /// The number of different tokens seen: one more than the largest number.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Forgets all tokens, but not the memory for as many.
    pub(crate) fn clear(&mut self) {
        // Few tokens after many shall not pay for the many.
        let enough = (4 * self.keys.len()).next_power_of_two();
        self.slots.truncate(enough.max(SLOTS));
        self.slots.fill(0);
        self.keys.clear();
        self.ends.clear();
        self.text.clear();
    }

    /// The slot that holds `token`, or the empty one where it would be put.
    fn probe(&self, key: u64, token: &str) -> usize {
        let mut slot = hash::slot(key, self.slots.len());
        loop {
            let Some(id) = self.slots[slot].checked_sub(1) else {
                return slot;
            };
            let id = id as usize;
            if self.keys[id] == key && (key < LONG || self.token(id) == token) {
                return slot;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The token of a number.
    pub(crate) fn token(&self, id: usize) -> &str {
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[id]]
    }

    fn grow(&mut self) {
        let slots = (2 * self.slots.len()).max(SLOTS);
        self.slots.clear();
        self.slots.resize(slots, 0);
        for (number, &key) in (1..).zip(&self.keys) {
            let mut slot = hash::slot(key, slots);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = number;
        }
    }
}

/// Keys from here on are hashes.
const LONG: u64 = 1 << 63;

/// Of a token of fewer than eight bytes, the token itself: its bytes and its length. Of a longer one, a hash.
fn key(token: &str) -> u64 {
    let bytes = token.as_bytes();
    match bytes.len() {
        length @ ..8 => hash::packed(bytes) | (length as u64) << 56,
        _ => hash::token(token) | LONG,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tokens_and_only_those_share_a_number() {
        let mut vocabulary = Vocabulary::default();
        let ids = ["a", "b", "a", "", "ab", "b"].map(|token| vocabulary.id(token));
        assert_eq!(ids, [0, 1, 0, 2, 3, 1]);
        assert_eq!(vocabulary.len(), 4);
        assert_eq!(
            (vocabulary.find_token("ab"), vocabulary.find_token("c")),
            (Some(3), None)
        );
    }

    #[test]
    fn thousands_of_similar_tokens_stay_apart() {
        let mut vocabulary = Vocabulary::default();
        for n in 0..5_000_u32 {
            assert_eq!(vocabulary.id(&format!("w{n}")), n);
        }
        assert_eq!(vocabulary.id("w1234"), 1234);
    }
}
