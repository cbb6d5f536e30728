//! Tokens as numbers: equal tokens get the same number, so that comparing n-grams and
//! subsequences compares integers.

use super::hash::Fast;
use std::collections::HashMap;

/// Numbers tokens 0, 1, 2, … in the order in which they are first seen.
#[derive(Debug, Default)]
pub struct Vocabulary {
    ids: HashMap<Box<str>, u32, Fast>,
}

impl Vocabulary {
    /// The number of `token`, a new one if it was never seen.
    ///
    /// # Panics
    /// If there are more than 2³² different tokens.
    pub fn id(&mut self, token: &str) -> u32 {
        if let Some(&id) = self.ids.get(token) {
            return id;
        }
        let id = u32::try_from(self.ids.len()).expect("at most 2^32 different tokens");
        self.ids.insert(token.into(), id);
        id
    }

    /// The number of `token`, if it was seen.
    pub fn find(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// How many different tokens were seen: one more than the largest number.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no token was seen yet.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tokens_and_only_those_share_a_number() {
        let mut vocabulary = Vocabulary::default();
        assert!(vocabulary.is_empty());
        let ids = ["a", "b", "a", "", "ab", "b"].map(|token| vocabulary.id(token));
        assert_eq!(ids, [0, 1, 0, 2, 3, 1]);
        assert_eq!(vocabulary.len(), 4);
        assert_eq!(
            (vocabulary.find("ab"), vocabulary.find("c")),
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
