//! Systems with identical outputs on an item: to annotators, a question about one is a question about the other.

use super::PairQuestion;
use std::collections::BTreeMap;
use std::sync::Arc;
use tiebreak_base::duel::{Arm, Outcome, Pair};

/// The first system that wrote the same on an item, by item and later system.
#[derive(Debug, Clone, Default)]
pub struct OutputAliases(Arc<BTreeMap<(u32, Arm), Arm>>);

impl OutputAliases {
    /// Creates the aliases from items, systems and the first system that wrote the same there.
    pub fn new(first: impl IntoIterator<Item = ((u32, Arm), Arm)>) -> Self {
        Self(Arc::new(first.into_iter().collect()))
    }

    /// The two texts of a pair on an item, by the first systems that wrote them, the lower one first.
    pub(super) fn texts(&self, item: u32, pair: Pair) -> Pair {
        let (first, second) = (self.first(item, pair.first), self.first(item, pair.second));
        Pair::new(first.min(second), first.max(second))
    }

    /// Converts an outcome for the first system of a question to one for the lower of its texts, or back.
    pub fn turned(&self, PairQuestion { duel, sample }: PairQuestion, outcome: Outcome) -> Outcome {
        let first = |arm| self.first(sample.item, arm);
        match first(duel.pair.first) < first(duel.pair.second) {
            true => outcome,
            false => outcome.flipped(),
        }
    }

    fn first(&self, item: u32, arm: Arm) -> Arm {
        self.0.get(&(item, arm)).copied().unwrap_or(arm)
    }
}
