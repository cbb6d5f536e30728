//! A knockout tournament's plan: in every round neighbours meet, and an odd one advances.

/// The arms in their places, and how far a round has come.
#[derive(Debug, Clone)]
pub(super) struct Bracket {
    /// Winners move to the front as a round goes on.
    places: Vec<usize>,
    /// The number of arms the round began with.
    alive: usize,
    /// Matches of the round that are over.
    played: usize,
}

/// The next step of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BracketStep {
    /// These two meet.
    Match(usize, usize),
    /// This one has no opponent.
    Bye(usize),
    /// All have played.
    RoundOver,
}

impl Bracket {
    /// The first round of arms `0..k`, in order.
    pub(super) fn new(k: usize) -> Self {
        Self {
            places: (0..k).collect(),
            alive: k,
            played: 0,
        }
    }

    /// The arms still in the tournament, to be reordered before a round.
    pub(super) fn alive_mut(&mut self) -> &mut [usize] {
        &mut self.places[..self.alive]
    }

    /// The first survivor.
    pub(super) fn first(&self) -> usize {
        self.places[0]
    }

    /// Whether only one arm is left after this round.
    pub(super) fn is_final(&self) -> bool {
        self.alive <= 2
    }

    /// The next step of this round.
    pub(super) fn next(&self) -> BracketStep {
        self.next_within(self.alive)
    }

    /// The next step, but an odd arm meets the one that stood in the next place in an earlier round.
    pub(super) fn next_with_stale_places(&self) -> BracketStep {
        self.next_within(self.places.len())
    }

    fn next_within(&self, end: usize) -> BracketStep {
        if self.played == self.alive.div_ceil(2) {
            return BracketStep::RoundOver;
        }
        let first = 2 * self.played;
        if first + 1 < end {
            BracketStep::Match(self.places[first], self.places[first + 1])
        } else {
            BracketStep::Bye(self.places[first])
        }
    }

    /// Ends a match; `winner` stays.
    pub(super) fn advance(&mut self, winner: usize) {
        self.places[self.played] = winner;
        self.played += 1;
    }

    /// Begins a round among those who advanced.
    pub(super) fn next_round(&mut self) {
        self.alive = self.alive.div_ceil(2);
        self.played = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays `rounds` rounds in which the larger arm wins; returns the matches played.
    fn play(
        k: usize,
        rounds: usize,
        next: fn(&Bracket) -> BracketStep,
    ) -> (Vec<(usize, usize)>, usize) {
        let mut bracket = Bracket::new(k);
        let mut matches = Vec::new();
        for round in 0..rounds {
            if round > 0 {
                bracket.next_round();
            }
            loop {
                match next(&bracket) {
                    BracketStep::Match(i, j) => {
                        matches.push((i, j));
                        bracket.advance(i.max(j));
                    }
                    BracketStep::Bye(i) => bracket.advance(i),
                    BracketStep::RoundOver => break,
                }
            }
        }
        (matches, bracket.first())
    }

    #[test]
    fn a_clean_bracket_needs_one_match_fewer_than_arms() {
        for k in 2..70_usize {
            let rounds = k.next_power_of_two().ilog2() as usize;
            let (matches, winner) = play(k, rounds, Bracket::next);
            assert_eq!((matches.len(), winner), (k - 1, k - 1));
        }
    }

    #[test]
    fn stale_places_add_matches() {
        let (matches, winner) = play(9, 4, Bracket::next_with_stale_places);
        assert_eq!((matches.len(), winner), (10, 8));
        assert!(matches.contains(&(8, 5)), "{matches:?}");
    }
}
