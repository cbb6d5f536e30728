//! Numbers duels as they are asked and remembers their pairs until they are answered.

use std::collections::VecDeque;
use tiebreak_base::duel::{Duel, DuelId, Pair};

/// The duels asked and not yet answered.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenDuels {
    /// The id of the front of `pairs`.
    oldest: u64,
    /// The pairs by id; `None` once answered. Without delays there is one at most.
    pairs: VecDeque<Option<Pair>>,
}

impl OpenDuels {
    /// Opens a duel under the next id, with a bet of 0.
    pub(super) fn open(&mut self, pair: Pair) -> Duel {
        let id = self.next_id();
        self.pairs.push_back(Some(pair));
        Duel { id, pair, bet: 0.0 }
    }

    /// The id of the next duel.
    pub(super) fn next_id(&self) -> DuelId {
        DuelId(self.oldest + self.pairs.len() as u64)
    }

    /// The pair of an open duel.
    pub(super) fn pair(&self, id: DuelId) -> Option<Pair> {
        let place = usize::try_from(id.0.checked_sub(self.oldest)?).ok()?;
        *self.pairs.get(place)?
    }

    /// Closes a duel and returns its pair; `None` if it was never asked or is answered already.
    pub(super) fn close(&mut self, id: DuelId) -> Option<Pair> {
        let place = usize::try_from(id.0.checked_sub(self.oldest)?).ok()?;
        let pair = self.pairs.get_mut(place)?.take();
        while let Some(None) = self.pairs.front() {
            self.pairs.pop_front();
            self.oldest += 1;
        }
        pair
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    #[test]
    fn answers_may_come_in_any_order_but_only_once() {
        let mut open = OpenDuels::default();
        let pairs: Vec<Pair> = (0..4).map(|i| Pair::new(Arm(i), Arm(i + 1))).collect();
        let ids: Vec<DuelId> = pairs.iter().map(|&pair| open.open(pair).id).collect();
        for place in [2, 0, 3, 1] {
            assert_eq!(open.pair(ids[place]), Some(pairs[place]));
            assert_eq!(open.close(ids[place]), Some(pairs[place]));
            assert_eq!(
                (open.pair(ids[place]), open.close(ids[place])),
                (None, None)
            );
        }
        assert_eq!(open.open(pairs[0]).id, DuelId(4));
        assert_eq!(open.close(DuelId(5)), None);
    }
}
