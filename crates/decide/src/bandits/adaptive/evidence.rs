//! The answers about each pair, as a noisy observation of its margin.
//!
//! Only items with different outputs are judged. With n judgments of i against j, f the share of
//! items on which their outputs differ, S_k the score of a judgment (1, 0 or −1; one that a model gave
//! and that is audited reaches to ±R, [`tiebreak_base::duel::AuditWeighting`]),
//!
//! ```text
//! S = Σ S_k/2        y = f S/n               estimates d = p − ½ over all items
//! r = (Σ S_k² + 4R r₀)/(n + 4R)              mean of S_k², shrunk to that of all, r₀ = (D + 2R²)/(M + 3R)
//! v = max(r/4 − (S/(n + 4R))², 0.02)         variance of one judgment
//! s² = f² v/n                                variance of y
//! ```
//!
//! Without audits R is 1 and r the share of decided judgments. Large scores are rare, one in R or so,
//! hence the more judgments that the pooled rate counts for.
//!
//! Where a pair's N judgments are drawn without replacement, s² would be 1 − n/N times that. It is not, until all are
//! known: with less doubt fewer questions explore, and runs that are wrong stay so for longer (on Grammarly's Wikipedia
//! 95 % of them were right for good after 1,979 judgments rather than 523, and certificates came no sooner).

use super::certificate::Expectation;
use super::stock::JudgmentPool;
use crate::bandits::square::Square;
use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;

/// Judgments that the pooled rate counts for, where R is 1.
const PSEUDO_COUNT: f64 = 4.0;

/// The least variance of one judgment.
const VARIANCE_FLOOR: f64 = 0.02;

/// The variance of a margin of which all judgments are known: none to speak of.
const KNOWN_VARIANCE: f64 = 1e-12;

/// The variance of a judgment still to come, when an opponent is chosen and R is 1.
const PENDING_VARIANCE: f64 = 0.2;

/// The answers about one pair, as its lower arm sees them.
#[derive(Debug, Clone, Copy, Default)]
struct PairScoreSums {
    /// Σ S_k.
    scores: f64,
    /// Σ S_k².
    squares: f64,
    judged: u64,
    /// Asked, neither answered nor skipped.
    pending: u64,
}

/// A margin as observed, with the variance of the observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Observation {
    pub margin: f64,
    pub variance: f64,
}

/// All answers so far.
#[derive(Debug, Clone)]
pub(super) struct MarginEvidence {
    /// `f_ij`, above 0.
    differing: Square,
    /// At i·K + j for i < j; of pairs that were asked about.
    counts: BTreeMap<usize, PairScoreSums>,
    stock: JudgmentPool,
    /// R, the largest so far.
    reach: f64,
    /// Σ S_k² over all pairs.
    squares: f64,
    judged: u64,
}

impl MarginEvidence {
    /// Creates evidence without answers about systems of which any two differ somewhere; scores lie within
    /// ±1 until `reach` says otherwise.
    pub(super) fn new(differing: Square, stock: JudgmentPool) -> Self {
        Self {
            differing,
            counts: BTreeMap::new(),
            stock,
            reach: 1.0,
            squares: 0.0,
            judged: 0,
        }
    }

    pub(super) fn k(&self) -> usize {
        self.differing.k()
    }

    /// The number of answers.
    pub(super) fn judged(&self) -> u64 {
        self.judged
    }

    /// Widens the range of scores to ±`reach`.
    pub(super) fn reach(&mut self, reach: f64) {
        self.reach = self.reach.max(reach);
    }

    /// Whether scores may be those of audits.
    pub(super) fn is_audited(&self) -> bool {
        self.reach > 1.0
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i.min(j) * self.k() + i.max(j)
    }

    fn of_pair(&mut self, pair: Pair) -> &mut PairScoreSums {
        let at = self.at(pair.first.index(), pair.second.index());
        self.counts.entry(at).or_default()
    }

    /// The sums of a pair; zeros for one that was not asked about.
    fn counts(&self, i: usize, j: usize) -> PairScoreSums {
        let counts = self.counts.get(&self.at(i, j));
        counts.copied().unwrap_or_default()
    }

    /// The pairs that were asked about, i before j, in their order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let k = self.k();
        self.counts.keys().map(move |at| (at / k, at % k))
    }

    /// The judgments that can still be drawn.
    pub(super) fn stock(&self) -> &JudgmentPool {
        &self.stock
    }

    /// Notes that a question is on its way.
    pub(super) fn ask(&mut self, pair: Pair) {
        self.of_pair(pair).pending += 1;
        self.stock.draw(pair);
    }

    /// Learns the answer of the person asked, as a score of the first of its pair.
    pub(super) fn learn(&mut self, pair: Pair, score: f64) {
        self.stock.learn(pair, score);
    }

    /// Notes that a question is not on its way any more: it was answered or skipped.
    pub(super) fn close(&mut self, pair: Pair) {
        self.of_pair(pair).pending -= 1;
    }

    /// Records an answer by its score for the first of the pair.
    pub(super) fn record(&mut self, pair: Pair, score: f64) {
        let lower = if pair.first < pair.second {
            score
        } else {
            -score
        };
        let counts = self.of_pair(pair);
        counts.judged += 1;
        counts.scores += lower;
        counts.squares += lower * lower;
        self.judged += 1;
        self.squares += lower * lower;
    }

    /// Judgments that the pooled rate counts for.
    fn pseudo_count(&self) -> f64 {
        PSEUDO_COUNT * self.reach
    }

    /// `r_ij`, above 0.
    fn mean_square(&self, counts: &PairScoreSums) -> f64 {
        let reach = self.reach;
        let judged = self.judged as f64;
        let pooled = (self.squares + 2.0 * reach * reach) / (judged + 3.0 * reach);
        let pseudo = self.pseudo_count();
        (counts.squares + pseudo * pooled) / (counts.judged as f64 + pseudo)
    }

    /// The observation of the margin of i over j, i < j; `None` before the first answer.
    pub(super) fn observation(&self, i: usize, j: usize) -> Option<Observation> {
        let counts = self.counts(i, j);
        if counts.judged == 0 {
            return None;
        }
        let (n, f) = (counts.judged as f64, self.differing.get(i, j));
        if let Some(mean) = self.stock.mean(i, j) {
            return Some(Observation {
                margin: f * mean / 2.0,
                variance: KNOWN_VARIANCE,
            });
        }
        let balance = counts.scores / 2.0;
        let mean = balance / (n + self.pseudo_count());
        let one = (self.mean_square(&counts) / 4.0 - mean * mean).max(VARIANCE_FLOOR);
        Some(Observation {
            margin: f * balance / n,
            variance: f * f * one / n,
        })
    }

    /// The expectation of a question about i and j when i's margin over all items is `margin` and scores lie within
    /// ±`reach`.
    pub(super) fn expected(&self, i: usize, j: usize, margin: f64, reach: f64) -> Expectation {
        Expectation {
            margin: margin / self.differing.get(i, j),
            square: self.mean_square(&self.counts(i, j)),
            reach,
            rest: self.stock.rest(i, j),
        }
    }

    /// `f_ij`.
    pub(super) fn differing(&self, i: usize, j: usize) -> f64 {
        self.differing.get(i, j)
    }

    /// The variance of a margin, `variance` now, once the questions on their way are answered.
    pub(super) fn anticipated(&self, i: usize, j: usize, variance: f64) -> f64 {
        let pending = self.counts(i, j).pending as f64;
        let f = self.differing.get(i, j);
        variance / (1.0 + pending * variance / (PENDING_VARIANCE * self.reach * f * f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    #[test]
    fn an_observation_by_hand() {
        let mut evidence =
            MarginEvidence::new(Square::from_fn(3, |_, _| 0.5), JudgmentPool::default());
        let up = Pair::new(Arm(0), Arm(2));
        let down = Pair::new(Arm(2), Arm(0));
        for (pair, score) in [(up, 1.0), (down, -1.0), (up, 0.0), (down, 1.0)] {
            evidence.ask(pair);
            evidence.close(pair);
            evidence.record(pair, score);
        }
        // W = 2, L = 1, n = 4: S = ½; r₀ = 5/7, r = (3 + 20/7)/8 = 41/56.
        let seen = evidence.observation(0, 2).unwrap();
        let one = 41.0 / 56.0 / 4.0 - (0.5_f64 / 8.0).powi(2);
        assert!((seen.margin - 0.5 * 0.125).abs() < 1e-15);
        assert!((seen.variance - 0.25 * one / 4.0).abs() < 1e-15);
        assert_eq!(evidence.observation(0, 1), None);
        // A pair without answers has the pooled rate.
        let Expectation { margin, square, .. } = evidence.expected(1, 0, 0.1, 1.0);
        assert!((margin - 0.2).abs() < 1e-15 && (square - 5.0 / 7.0).abs() < 1e-15);
        assert_eq!(evidence.anticipated(0, 2, 0.3), 0.3);
        evidence.ask(down);
        let expected = 1.0 / (1.0 / 0.3 + 1.0 / (0.2 * 0.25));
        assert!((evidence.anticipated(2, 0, 0.3) - expected).abs() < 1e-15);
    }
}
