//! How much is bet on a question, and on whom.

use super::process::Bet;
use crate::duel::Pair;

/// The largest bet: one lost answer costs at most a factor of ten.
pub(super) const LARGEST_BET: f64 = 0.9;

/// What the model expects of a question.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Expectation {
    /// `p_ij` − ½ among items with different outputs: half the mean of S.
    pub margin: f64,
    /// The mean of S² among those: without audits the share of decided answers. Above 0.
    pub square: f64,
    /// R, the largest |S| there can be; at least 1.
    pub reach: f64,
}

impl Expectation {
    /// The mean of S divided by that of S²: without audits by how much more often the first is expected to win than
    /// to lose, among decided answers. Any number, beyond ±1 where the margin is too large.
    fn advantage(self) -> f64 {
        2.0 * self.margin / self.square
    }

    /// λR: of those bets within the bounds the one under which evidence is expected to grow fastest.
    pub(super) fn stake(self) -> f64 {
        (self.advantage() * self.reach).clamp(-LARGEST_BET, LARGEST_BET)
    }

    /// By how much ln E is expected to grow at a question when the bet is on the first; below 0 where
    /// the second is expected to win. As if each score were −R, 0 or R, with the same mean and variance.
    pub(in super::super) fn growth(self) -> f64 {
        let stake = self.stake().abs();
        let wins = 0.5 + stake / 2.0;
        let decided = wins * stake.ln_1p() + (1.0 - wins) * (-stake).ln_1p();
        (self.square / (self.reach * self.reach) * decided).copysign(self.margin)
    }

    pub(super) fn flipped(self) -> Self {
        Self {
            margin: -self.margin,
            ..self
        }
    }
}

/// A bet on one of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stake {
    pub winner: usize,
    pub loser: usize,
    /// Whether the winner is the first of the pair.
    on_first: bool,
    /// |λ|.
    size: f64,
    /// The largest |λ|.
    most: f64,
    /// The mean of S².
    square: f64,
}

impl Stake {
    /// On a question of which the first is expected to do so well, where scores may go beyond the reach by
    /// `excess`. `None` for a bet of 0.
    pub(super) fn new(pair: Pair, expected: Expectation, excess: f64) -> Option<Self> {
        let most = LARGEST_BET / (expected.reach + excess);
        let signed = expected.advantage().clamp(-most, most);
        let (first, second) = (pair.first.index(), pair.second.index());
        let on_first = signed > 0.0;
        let (winner, loser) = match on_first {
            true => (first, second),
            false => (second, first),
        };
        let size = signed.abs();
        (size > 0.0).then_some(Self {
            winner,
            loser,
            on_first,
            size,
            most,
            square: expected.square,
        })
    }

    /// λ, above 0 when it is on the first of the pair.
    pub(super) fn signed(self) -> f64 {
        match self.on_first {
            true => self.size,
            false => -self.size,
        }
    }

    /// The same, for a process that doubts that the winner wins.
    pub(super) fn against(self, process: usize) -> Bet {
        Bet {
            process,
            on_first: self.on_first,
            size: self.size,
            most: self.most,
            slack: 0.0,
            square: self.square,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bet_grows_faster_than_the_one_placed() {
        let expected = Expectation {
            margin: 0.1,
            square: 0.5,
            reach: 1.0,
        };
        let growth = |stake: f64| 0.5 * (0.7 * stake.ln_1p() + 0.3 * (-stake).ln_1p());
        assert!((expected.stake() - 0.4).abs() < 1e-15);
        assert!((expected.growth() - growth(0.4)).abs() < 1e-15);
        assert!(growth(0.4) > growth(0.39) && growth(0.4) > growth(0.41));
        assert_eq!(expected.flipped().growth(), -expected.growth());
    }
}
