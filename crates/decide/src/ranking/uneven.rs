//! Items with more comparisons, which weigh more in a ranking: what that may change.

use super::Collection;
use crate::estimators::{ItemWeights, uneven_items, uneven_sentence};
use rayon::prelude::*;
use tiebreak_base::duel::Pair;
use tiebreak_base::words::listed;

/// The name of people's comparisons among criteria.
pub const PREFERENCE: &str = "preference";

/// The score above which the first of a pair wins.
const EVEN: f64 = 0.5;

impl Collection {
    /// Which items weigh more, since they have more comparisons of a pair, of those for which a function is true; `None`
    /// where numbers are much alike and have nothing to do with outcomes.
    pub fn uneven_items(&self, is_wanted: impl Fn(Pair) -> bool) -> Option<String> {
        let mut weights = self.item_weights();
        weights.retain(|one| is_wanted(one.0));
        uneven_items(&self.named(&weights))
    }

    /// Sentences on items that weigh more, and on who would win if all weighed the same; none where nobody answered.
    pub(super) fn hints(&self) -> Vec<String> {
        let weights = self.item_weights();
        let which = uneven_items(&self.named(&weights));
        let which = which.map(|which| uneven_sentence(PREFERENCE, &which));
        let turned = weights.iter().filter_map(|(pair, one)| {
            let [first, second] = self.names(*pair);
            Some(match one.turned(EVEN, weights.len())? {
                true => format!("{second} against {first}"),
                false => format!("{first} against {second}"),
            })
        });
        let turned: Vec<String> = turned.collect();
        let turned: Vec<&str> = turned.iter().map(String::as_str).collect();
        let would = (!turned.is_empty()).then(|| {
            format!(
                "If all items weighed the same, these would win more often than they lose: {}.",
                listed(&turned)
            )
        });
        which.into_iter().chain(would).collect()
    }

    /// The weights of the items in each pair that people compared, the lower system first.
    fn item_weights(&self) -> Vec<(Pair, ItemWeights)> {
        if self.judge().is_some() {
            return Vec::new();
        }
        let scores = self.comparisons().iter().map(|one| {
            let pair = one.pair.lower_first();
            let outcome = match pair == one.pair {
                true => one.outcome,
                false => one.outcome.flipped(),
            };
            (pair, one.item, (2.0 * outcome.value()) as u8)
        });
        let mut scores: Vec<(Pair, u32, u8)> = scores.collect();
        scores.par_sort_unstable();
        let pairs: Vec<_> = scores.chunk_by(|one, other| one.0 == other.0).collect();
        let weights = pairs.into_par_iter().filter_map(|rows| {
            let of_items = rows
                .iter()
                .map(|&(_, item, twice)| (item, 0.5 * f64::from(twice)));
            Some((rows[0].0, ItemWeights::new(of_items)?))
        });
        weights.collect()
    }

    fn named(&self, weights: &[(Pair, ItemWeights)]) -> Vec<(String, ItemWeights)> {
        let named = weights.iter().map(|&(pair, one)| {
            let [first, second] = self.names(pair);
            (format!("{first} against {second}"), one)
        });
        named.collect()
    }

    fn names(&self, pair: Pair) -> [&str; 2] {
        [pair.first, pair.second].map(|arm| self.systems()[arm.index()].as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::ranking::{Comparison, rank};
    use tiebreak_base::duel::Outcome;

    /// Comparisons of 60 items: the first ten so often each, won by a, the others once, won by b two times in three.
    fn hints(often: usize) -> Vec<String> {
        let items: Vec<String> = (0..60).map(|item| item.to_string()).collect();
        let rows = items.iter().enumerate().flat_map(|(at, item)| {
            let (times, outcome) = match at {
                0..10 => (often, Outcome::Win),
                _ if at % 3 == 0 => (1, Outcome::Win),
                _ => (1, Outcome::Loss),
            };
            std::iter::repeat_n(Comparison::new("a", "b", outcome).on(item), times)
        });
        rank(rows, 0.95).unwrap().hints
    }

    #[test]
    fn who_wins_if_items_weigh_the_same_is_said() {
        assert_eq!(
            hints(10),
            [
                "Items with more judgments weigh more under preference: for a against b, 10 of 60 items have 67 % of the \
                 judgments, and higher scores. In a gate all items weigh the same.",
                "If all items weighed the same, these would win more often than they lose: b against a."
            ]
        );
        assert!(hints(1).is_empty());
    }
}
