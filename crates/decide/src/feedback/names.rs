//! Names of systems and items, for messages: everything else works on their numbers.

use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Result};

/// The names behind the numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The names of systems, by arm.
    pub systems: Vec<String>,
    /// The names of items, by number. May be shorter than the data: further items are shown by number.
    pub items: Vec<String>,
}

impl Names {
    /// The systems `0..k`, called by their numbers.
    pub fn numbered(k: usize) -> Self {
        Self {
            systems: (0..k).map(|arm| arm.to_string()).collect(),
            items: Vec::new(),
        }
    }

    /// The number of systems.
    pub fn k(&self) -> usize {
        self.systems.len()
    }

    /// A system's name.
    pub fn system(&self, arm: Arm) -> String {
        let name = self.systems.get(arm.index());
        name.cloned().unwrap_or_else(|| arm.0.to_string())
    }

    /// The names of a pair, as in `a and b`.
    pub fn pair(&self, pair: Pair) -> String {
        format!(
            "`{}` and `{}`",
            self.system(pair.first),
            self.system(pair.second)
        )
    }

    /// An item's name.
    pub fn item(&self, item: u32) -> String {
        let name = self.items.get(item as usize);
        name.cloned().unwrap_or_else(|| item.to_string())
    }

    /// Checks that both of the pair are among the systems, and different.
    pub(crate) fn check(&self, pair: Pair) -> Result<()> {
        for arm in [pair.first, pair.second] {
            if arm.index() >= self.k() {
                return Err(Error::usage(format!(
                    "system number {} of {}, which are counted from 0",
                    arm.0,
                    self.k()
                )));
            }
        }
        if pair.is_self() {
            return Err(Error::usage(format!(
                "`{}` is compared with itself, expected two different systems",
                self.system(pair.first)
            )));
        }
        Ok(())
    }
}

/// The place of an unordered pair among the K(K−1)/2 of them, in the order (0,1), (0,2), …, (1,2), …
pub fn pair_index(k: usize, pair: Pair) -> usize {
    let (i, j) = pair.indices();
    let (low, high) = (i.min(j), i.max(j));
    low * (2 * k - low - 1) / 2 + high - low - 1
}

/// All unordered pairs, the lower arm first, in the order of [`pair_index`].
pub fn all_pairs(k: usize) -> impl Iterator<Item = Pair> {
    Arm::all(k).flat_map(move |first| {
        Arm::all(k)
            .skip(first.index() + 1)
            .map(move |second| Pair::new(first, second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        for k in 2..9 {
            for (place, pair) in all_pairs(k).enumerate() {
                assert_eq!(pair_index(k, pair), place);
                assert_eq!(pair_index(k, Pair::new(pair.second, pair.first)), place);
            }
            assert_eq!(all_pairs(k).count(), k * (k - 1) / 2);
        }
    }
}
