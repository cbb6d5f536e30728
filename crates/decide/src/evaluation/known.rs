//! Prior knowledge about the systems before the first question, for the bandits that use it.

use super::controls::Controls;
use super::eligible::EligibleItems;
use super::variates::Variates;
use crate::bandits::{Arena, Square, Uses};
use crate::feedback::names::pair_index;
use std::collections::BTreeMap;
use std::sync::Arc;
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::Result;

/// Prior knowledge before the first question; by default none.
#[derive(Debug, Clone, Default)]
pub struct PriorKnowledge {
    /// The probability with which a certificate must be right; `None` for no certificate.
    pub confidence: Option<f64>,
    /// The premise about skipped questions under which it must be.
    pub skips: SkipPremise,
    /// The margins `p_ij` − ½ predicted by each of some models, by system.
    pub margins: Vec<Square>,
    /// The models' predictions for the items.
    pub controls: Option<Arc<Controls>>,
    /// The items on which each pair may be asked about; where known, answers about an item are remembered.
    pub eligible: Option<EligibleItems>,
    /// The items on which systems gave the same output.
    pub outputs: Option<Arc<IdenticalOutputItems>>,
    /// The number of judgments of each pair on which its outputs differ, where none is drawn twice in a
    /// run.
    pub stock: Option<Square>,
}

impl PriorKnowledge {
    /// The arena of the systems in `order`, with the knowledge that the bandit uses.
    pub(super) fn arena(&self, order: &[Arm], horizon: u64, uses: Uses) -> Result<Arena> {
        let mut arena = Arena::new(order.len(), horizon)?;
        let order: Vec<usize> = order.iter().map(|arm| arm.index()).collect();
        if let Some(confidence) = self.confidence.filter(|_| uses.confidence) {
            arena = arena.with_confidence(confidence)?.with_skips(self.skips);
        }
        if uses.margins {
            let margins = self.margins.iter().map(|one| one.restricted_to(&order));
            arena = arena.with_margins(margins.collect())?;
        }
        let variates = Variates::new(self, uses);
        arena = arena.with_controls(variates.number(), variates.predicting());
        if let Some(outputs) = self.outputs.as_ref().filter(|_| uses.differing) {
            arena = arena.with_differing(outputs.differing.restricted_to(&order))?;
        }
        if let Some(stock) = self.stock.as_ref().filter(|_| uses.stock) {
            arena = arena.with_stock(stock.restricted_to(&order))?;
        }
        Ok(arena)
    }
}

/// The items on which two systems gave the very same output. They are ties, and no question about them
/// is needed.
#[derive(Debug, Clone)]
pub struct IdenticalOutputItems {
    k: usize,
    /// The items of each pair that has some, ascending, by `pair_index`.
    same: BTreeMap<usize, (Pair, Vec<u32>)>,
    differing: Square,
}

impl IdenticalOutputItems {
    /// The identical outputs, from (item, pair) for every pair with the same output on an item. `drawn` are the items
    /// on which a pair may be compared, each as often as it is likely to be drawn.
    pub fn new(
        k: usize,
        same: impl IntoIterator<Item = (u32, Pair)>,
        drawn: impl Fn(Pair) -> Vec<u32>,
    ) -> Self {
        let mut by_pair: BTreeMap<usize, (Pair, Vec<u32>)> = BTreeMap::new();
        for (item, pair) in same {
            let pair = pair.lower_first();
            let of_pair = by_pair.entry(pair_index(k, pair));
            of_pair.or_insert((pair, Vec::new())).1.push(item);
        }
        let (mut same, mut shares) = (BTreeMap::new(), Vec::new());
        for (place, (pair, mut items)) in by_pair {
            items.sort_unstable();
            let drawn = drawn(pair);
            let differ = |item: &&u32| items.binary_search(item).is_err();
            let share = match drawn.len() {
                0 => 1.0, // nothing is known, and nothing can be asked
                n => drawn.iter().filter(differ).count() as f64 / n as f64,
            };
            let (i, j) = pair.indices();
            shares.extend([((i, j), share), ((j, i), share)]);
            same.insert(place, (pair, items));
        }
        let differing = Square::alike(k, 0.0, 1.0, shares);
        Self { k, same, differing }
    }

    /// The share of the items on which two systems' outputs differ.
    pub fn differing(&self) -> &Square {
        &self.differing
    }

    /// The items and pairs of those of `arms` whose outputs never differ, so that no question about them
    /// is possible.
    pub(super) fn never_differing(&self, arms: &[Arm]) -> impl Iterator<Item = (u32, Pair)> {
        let among = |pair: Pair| arms.contains(&pair.first) && arms.contains(&pair.second);
        let never = move |(pair, _): &&(Pair, Vec<u32>)| {
            let share = self.differing.get(pair.first.index(), pair.second.index());
            share == 0.0 && among(*pair)
        };
        let all = self.same.values().filter(never);
        all.flat_map(|(pair, items)| items.iter().map(move |&item| (item, *pair)))
    }

    /// Whether two systems gave the same output on an item.
    pub fn same(&self, pair: Pair, item: u32) -> bool {
        let known = self.same.get(&pair_index(self.k, pair));
        known.is_some_and(|(_, items)| items.binary_search(&item).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_what_is_drawn() {
        let pair = |i, j| Pair::new(Arm(i), Arm(j));
        let same = [(7, pair(1, 0)), (3, pair(0, 1)), (3, pair(1, 2))];
        // Item 3 is drawn twice as often as the others, and 1 never meets 2 elsewhere.
        let outputs =
            IdenticalOutputItems::new(3, same, |pair| match pair.second.0 - pair.first.0 {
                1 if pair.first.0 == 1 => vec![3],
                1 => vec![3, 3, 5, 7],
                _ => Vec::new(),
            });
        let differing = outputs.differing();
        assert_eq!((differing.get(0, 1), differing.get(1, 0)), (0.25, 0.25));
        assert_eq!((differing.get(2, 1), differing.get(0, 2)), (0.0, 1.0));
        assert!(outputs.same(pair(0, 1), 7) && !outputs.same(pair(0, 1), 5));
    }
}
