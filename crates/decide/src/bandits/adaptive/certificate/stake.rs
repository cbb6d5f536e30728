//! The size and the side of the bet on a question.

use super::process::EvidenceFactor;
use crate::bandits::adaptive::stock::RemainingJudgments;
use tiebreak_base::duel::Pair;

/// The largest bet: one lost answer costs at most a factor of ten.
pub(super) const LARGEST_BET: f64 = 0.9;

/// The least that a lost answer is taken to cost, as a share of what a won one brings: where what was drawn
/// without replacement says that none can be lost, bets would have no bound.
const LEAST_LOSS: f64 = 0.1;

/// The model's expectation of a question.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Expectation {
    /// `p_ij` − ½ among items with different outputs: half the mean of S.
    pub margin: f64,
    /// The mean of S² among those: without audits the share of decided answers. Above 0.
    pub square: f64,
    /// R, the largest |S| there can be; at least 1.
    pub reach: f64,
    /// The judgments that it will be drawn from.
    pub rest: RemainingJudgments,
}

impl Expectation {
    /// The mean of S − m, with m the most that it can be where the first's over all items is at most `b`
    /// ([`RemainingJudgments::slack`]).
    pub(super) fn gain(self, b: f64) -> f64 {
        self.rest.mean(2.0 * self.margin) + self.rest.slack(b)
    }

    /// The mean of (S − m)² for b = 0.
    fn square_of_gain(self) -> f64 {
        let slack = self.rest.slack(0.0);
        let mean = self.rest.mean(2.0 * self.margin);
        (self.square + slack * (2.0 * mean + slack)).max(self.square * LEAST_LOSS)
    }

    /// The mean of S − m divided by that of its square: without audits, and where draws are replaced, by how much more
    /// often the first is expected to win than to lose, among decided answers. Any number, beyond ±1 where the
    /// margin is too large.
    fn advantage(self) -> f64 {
        self.gain(0.0) / self.square_of_gain()
    }

    /// The largest bet on the first where scores may go beyond the reach by `excess`: the least factor is
    /// that of S − m = −(R + excess) − m.
    pub(super) fn largest(self, excess: f64, b: f64) -> f64 {
        let most = self.reach + excess;
        LARGEST_BET / (most - self.rest.slack(b)).max(most * LEAST_LOSS)
    }

    /// λR: the bet within the bounds under which evidence is expected to grow fastest.
    pub(super) fn stake(self) -> f64 {
        (self.advantage() * self.reach).clamp(-LARGEST_BET, LARGEST_BET)
    }

    /// The expected growth of ln E at a question when the bet is on the first; below 0 where the second is
    /// expected to win. As if each score were −R, 0 or R, with the same mean and variance.
    pub(in super::super) fn growth(self) -> f64 {
        let stake = self.stake().abs();
        let wins = 0.5 + stake / 2.0;
        let decided = wins * stake.ln_1p() + (1.0 - wins) * (-stake).ln_1p();
        (self.square_of_gain() / (self.reach * self.reach) * decided).copysign(self.gain(0.0))
    }

    pub(super) fn flipped(self) -> Self {
        Self {
            margin: -self.margin,
            rest: self.rest.flipped(),
            ..self
        }
    }
}

/// A bet on one of a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct DuelFactor {
    pub winner: usize,
    pub loser: usize,
    /// Whether the winner is the first of the pair.
    on_first: bool,
    /// |λ|.
    size: f64,
    /// The largest |λ|.
    most: f64,
    /// −m.
    slack: f64,
    /// The mean of (S − m)².
    square: f64,
}

impl DuelFactor {
    /// Creates the bet on a question with this expectation, where scores may go beyond the reach by `excess`.
    /// `None` for a bet of 0.
    pub(super) fn new(pair: Pair, expected: Expectation, excess: f64) -> Option<Self> {
        let on_first = expected.gain(0.0) > 0.0;
        let (first, second) = pair.indices();
        let (winner, loser, expected) = match on_first {
            true => (first, second, expected),
            false => (second, first, expected.flipped()),
        };
        let most = expected.largest(excess, 0.0);
        let size = expected.advantage().clamp(0.0, most);
        (size > 0.0).then_some(Self {
            winner,
            loser,
            on_first,
            size,
            most,
            slack: expected.rest.slack(0.0),
            square: expected.square_of_gain(),
        })
    }

    /// λ, above 0 when it is on the first of the pair.
    pub(super) fn signed(self) -> f64 {
        match self.on_first {
            true => self.size,
            false => -self.size,
        }
    }

    /// The bet for a process that doubts that the winner wins.
    pub(super) fn against(self, process: usize) -> EvidenceFactor {
        EvidenceFactor {
            process,
            on_first: self.on_first,
            size: self.size,
            most: self.most,
            slack: self.slack,
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
            rest: RemainingJudgments::ALL,
        };
        let growth = |stake: f64| 0.5 * (0.7 * stake.ln_1p() + 0.3 * (-stake).ln_1p());
        assert!((expected.stake() - 0.4).abs() < 1e-15);
        assert!((expected.growth() - growth(0.4)).abs() < 1e-15);
        assert!(growth(0.4) > growth(0.39) && growth(0.4) > growth(0.41));
        assert_eq!(expected.flipped().growth(), -expected.growth());
    }
}
