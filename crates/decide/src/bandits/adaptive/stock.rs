//! Judgments that are drawn without replacement: what was drawn says what the rest must be.
//!
//! Of a pair's N judgments n were drawn; the scores known of them sum to s, and u are not known (yet), so that they
//! sum to s − u at least. Where the mean of all N is at most b, the rest has a mean of at most
//!
//! ```text
//! m = (bN − s + u)/(N − n)      so 1 + λ(S − m) has a mean of at most 1, given all that was drawn before
//! ```
//!
//! and a bet gains by S − m what it gains by S − b where all N may be drawn again. The claim is about these N
//! judgments, each taken as given; once enough is drawn it is certain.
//!
//! Source: Waudby-Smith and Ramdas, "Confidence sequences for sampling without replacement", NeurIPS 2020.

use crate::bandits::square::Square;
use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;

/// The draws of every pair; nothing where draws are replaced.
#[derive(Debug, Clone, Default)]
pub(super) struct JudgmentPool {
    /// N of each pair.
    sizes: Option<Square>,
    /// The draws by pair, the lower system first.
    drawn: BTreeMap<(usize, usize), PairDraws>,
}

/// The draws of one pair, as its lower system sees them.
#[derive(Debug, Clone, Copy, Default)]
struct PairDraws {
    /// n.
    count: f64,
    /// u.
    unknown: f64,
    /// s.
    sum: f64,
}

/// The judgments left of a pair, as its first system sees them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RemainingJudgments {
    /// N − n as a share of N; 1 where draws are replaced.
    pub share: f64,
    /// (s − u)/(N − n): −m of the first for b = 0.
    pub ahead: f64,
    /// −m of the second for b = 0.
    pub behind: f64,
}

impl RemainingJudgments {
    /// The judgments of a pair that may all be drawn again.
    pub(super) const ALL: Self = Self {
        share: 1.0,
        ahead: 0.0,
        behind: 0.0,
    };

    /// −m of the first, for some b.
    pub(super) fn slack(self, b: f64) -> f64 {
        self.ahead - b / self.share
    }

    /// The mean score of the first in what is left, if that of all N is `mean`.
    pub(super) fn mean(self, mean: f64) -> f64 {
        mean / self.share - (self.ahead - self.behind) / 2.0
    }

    pub(super) fn flipped(self) -> Self {
        Self {
            ahead: self.behind,
            behind: self.ahead,
            ..self
        }
    }
}

impl JudgmentPool {
    /// Whether no draw is replaced.
    pub(super) fn is_limited(&self) -> bool {
        self.sizes.is_some()
    }

    /// Creates a pool of `sizes` judgments of each pair, each drawn once.
    pub(super) fn new(sizes: Option<Square>) -> Self {
        Self {
            sizes,
            drawn: BTreeMap::new(),
        }
    }

    fn size(&self, i: usize, j: usize) -> Option<f64> {
        self.sizes.as_ref().map(|sizes| sizes.get(i, j))
    }

    fn pair_draws(&self, i: usize, j: usize) -> PairDraws {
        let lower = self.drawn.get(&(i.min(j), i.max(j))).copied();
        let lower = lower.unwrap_or_default();
        PairDraws {
            sum: if i < j { lower.sum } else { -lower.sum },
            ..lower
        }
    }

    fn pair_draws_mut(&mut self, pair: Pair) -> &mut PairDraws {
        let (i, j) = pair.indices();
        self.drawn.entry((i.min(j), i.max(j))).or_default()
    }

    /// Counts a judgment drawn of a pair.
    pub(super) fn draw(&mut self, pair: Pair) {
        if self.sizes.is_some() {
            let drawn = self.pair_draws_mut(pair);
            drawn.count += 1.0;
            drawn.unknown += 1.0;
        }
    }

    /// Learns the score of a judgment that was drawn, for the first of the pair.
    pub(super) fn learn(&mut self, pair: Pair, score: f64) {
        if self.sizes.is_some() {
            let lower = if pair.first < pair.second {
                score
            } else {
                -score
            };
            let drawn = self.pair_draws_mut(pair);
            drawn.unknown -= 1.0;
            drawn.sum += lower;
        }
    }

    /// The number of judgments left of a pair; `None` where draws are replaced.
    pub(super) fn left(&self, i: usize, j: usize) -> Option<f64> {
        Some(self.size(i, j)? - self.pair_draws(i, j).count)
    }

    /// Whether any judgment of a pair can still be drawn.
    pub(super) fn lasts(&self, i: usize, j: usize) -> bool {
        self.left(i, j).is_none_or(|left| left > 0.0)
    }

    /// The judgments left of a pair that has any.
    pub(super) fn rest(&self, i: usize, j: usize) -> RemainingJudgments {
        match (self.size(i, j), self.left(i, j)) {
            (Some(size), Some(left)) if left > 0.0 => {
                let PairDraws { unknown, sum, .. } = self.pair_draws(i, j);
                RemainingJudgments {
                    share: left / size,
                    ahead: (sum - unknown) / left,
                    behind: (-sum - unknown) / left,
                }
            }
            _ => RemainingJudgments::ALL,
        }
    }

    /// The mean score of i over all N, once all of them are known.
    pub(super) fn mean(&self, i: usize, j: usize) -> Option<f64> {
        let size = self.size(i, j)?;
        let drawn = self.pair_draws(i, j);
        (drawn.count == size && drawn.unknown == 0.0).then(|| drawn.sum / size)
    }

    /// The least that the mean score of i over all N may turn out to be; `None` where it is never certain.
    pub(super) fn least(&self, i: usize, j: usize) -> Option<f64> {
        let size = self.size(i, j)?;
        let PairDraws {
            count,
            unknown,
            sum,
        } = self.pair_draws(i, j);
        Some((sum - unknown - (size - count)) / size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    #[test]
    fn what_is_left_by_hand() {
        let mut stock = JudgmentPool::new(Some(Square::from_fn(3, |_, _| 10.0)));
        let (up, down) = (Pair::new(Arm(0), Arm(2)), Pair::new(Arm(2), Arm(0)));
        for (pair, score) in [
            (up, Some(1.0)),
            (down, Some(-1.0)),
            (up, Some(0.0)),
            (down, None),
        ] {
            stock.draw(pair);
            if let Some(score) = score {
                stock.learn(pair, score);
            }
        }
        // n = 4, s = 2, u = 1.
        let rest = stock.rest(0, 2);
        assert_eq!(
            (rest.share, rest.ahead, rest.behind),
            (0.6, 1.0 / 6.0, -0.5)
        );
        assert_eq!(stock.rest(2, 0), rest.flipped());
        // Where the mean of all is 0.05: 0.5 − 2 over 6.
        assert!((rest.mean(0.05) + 0.25).abs() < 1e-15);
        // (−0.4 · 10 − 2 + 1)/6 is the most for 0, (−4 + 2 + 1)/6 for 2.
        assert!((rest.slack(-0.4) - 5.0 / 6.0).abs() < 1e-15);
        assert!((rest.flipped().slack(-0.4) - 1.0 / 6.0).abs() < 1e-15);
        let least = [stock.least(0, 2), stock.least(2, 0), stock.least(0, 1)];
        assert_eq!(least, [Some(-0.5), Some(-0.9), Some(-1.0)]);
        assert_eq!((stock.left(2, 0), stock.lasts(0, 2)), (Some(6.0), true));
    }

    #[test]
    fn once_all_are_known_nothing_is_in_doubt() {
        let mut stock = JudgmentPool::new(Some(Square::from_fn(2, |_, _| 2.0)));
        let pair = Pair::new(Arm(1), Arm(0));
        stock.draw(pair);
        stock.learn(pair, 1.0);
        stock.draw(pair);
        assert!(!stock.lasts(0, 1) && stock.mean(0, 1).is_none());
        stock.learn(pair, 0.0);
        assert_eq!(
            (stock.mean(0, 1), stock.mean(1, 0)),
            (Some(-0.5), Some(0.5))
        );
        assert_eq!(
            (stock.least(0, 1), stock.least(1, 0)),
            (Some(-0.5), Some(0.5))
        );
        assert_eq!(stock.rest(0, 1), RemainingJudgments::ALL);
    }

    #[test]
    fn where_draws_are_replaced_nothing_is_kept() {
        let mut stock = JudgmentPool::default();
        let pair = Pair::new(Arm(0), Arm(1));
        stock.draw(pair);
        stock.learn(pair, 1.0);
        assert!(stock.lasts(0, 1) && stock.drawn.is_empty());
        assert_eq!(
            (stock.rest(0, 1), stock.least(0, 1)),
            (RemainingJudgments::ALL, None)
        );
        assert_eq!(
            (
                RemainingJudgments::ALL.slack(-0.04),
                RemainingJudgments::ALL.mean(0.1)
            ),
            (0.04, 0.1)
        );
    }
}
