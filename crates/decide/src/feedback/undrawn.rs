//! What is left of a pair's judgments or items, where none is drawn twice.

use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;
use tiebreak_base::rng::Rng;

/// The places in the list of each pair that are not drawn yet; of pairs that were drawn from.
#[derive(Debug, Clone, Default)]
pub struct UndrawnPlaces(BTreeMap<Pair, Vec<usize>>);

impl UndrawnPlaces {
    /// Draws one of the `number` places in a pair's list, uniformly among those left; `None` where all are drawn.
    pub fn draw(&mut self, pair: Pair, number: usize, rng: &mut Rng) -> Option<usize> {
        let left = self.0.entry(pair.lower_first());
        let left = left.or_insert_with(|| (0..number).collect());
        (!left.is_empty()).then(|| left.swap_remove(rng.below(left.len())))
    }
}
