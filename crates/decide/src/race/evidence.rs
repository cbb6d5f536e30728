//! The evidence that one system's mean score is above another's.
//!
//! A round is one item, scored for all systems that are still in the race when it begins. With d the difference of two
//! systems' scores on a round's item, R the width of the range and c a margin, x = d + R is at least 0, and "the mean of d
//! is at most c" says that the mean of x is at most m = R + c. Capital against that ([`SplitCapital`]) multiplies over rounds
//! in the order in which they began, never in that of arrival. A score that has not come counts at its worst, so that what
//! is computed never exceeds the product that all scores would give. The evidence is the largest product over
//! the first t rounds, for any t.
//!
//! Without replacement, where the scores of all N items are what counts, m becomes the mean of what is left under the
//! hypothesis, (N m − Σ x)/(N − t). A score at its worst makes every later factor smaller too.

use super::{RaceRound, ScoreState};
use crate::estimators::{Range, SplitCapital};

/// The number of bets, each half the one before: from large differences to those of one in a thousand of the range.
const BETS: i32 = 9;

/// The largest bet, as a share of the one that could lose everything.
const LARGEST_BET: f64 = 0.9;

/// The part of the scale that sums of rounded numbers may be off by.
const ROUNDING: f64 = 1e-9;

/// The capital against one margin.
#[derive(Debug, Clone)]
pub(super) struct MarginProcess {
    capital: SplitCapital,
    /// R + c.
    m: f64,
    /// Where the scores of all items are what counts, their number.
    items: Option<f64>,
    sum: f64,
    rounds: f64,
    /// The logarithm of the largest product so far.
    best: f64,
}

impl MarginProcess {
    pub(super) fn new(range: Range, margin: f64, items: Option<usize>) -> Self {
        let shares = (0..BETS).map(|place| LARGEST_BET * 0.5_f64.powi(place));
        Self {
            capital: SplitCapital::new(shares),
            m: range.upper() - range.lower() + margin,
            items: items.map(|items| items as f64),
            sum: 0.0,
            rounds: 0.0,
            best: 0.0,
        }
    }

    fn take(&mut self, x: f64) {
        let left = match self.items {
            None => self.m,
            Some(n) => (n * self.m - self.sum) / (n - self.rounds),
        };
        self.sum += x;
        self.rounds += 1.0;
        if left > ROUNDING * self.m {
            self.capital.take(x, left, 1.0);
            self.best = self.best.max(self.capital.ln());
        }
        // All that is still to come is at least 0.
        if self
            .items
            .is_some_and(|n| self.sum > n * self.m * (1.0 + ROUNDING))
        {
            self.best = f64::INFINITY;
        }
    }
}

/// The evidence for one ordered pair of systems, against one or more margins.
#[derive(Debug, Clone)]
pub(super) struct PairEvidence {
    first: usize,
    second: usize,
    range: Range,
    processes: Vec<MarginProcess>,
    /// The rounds from the first on that are complete for both.
    settled: usize,
    /// Up to the last round that is.
    last: usize,
}

impl PairEvidence {
    pub(super) fn new(pair: [usize; 2], range: Range, processes: Vec<MarginProcess>) -> Self {
        let [first, second] = pair;
        Self {
            first,
            second,
            range,
            processes,
            settled: 0,
            last: 0,
        }
    }

    /// The logarithm of the evidence against the margin of that place.
    pub(super) fn ln(&self, place: usize) -> f64 {
        self.processes[place].best
    }

    /// Takes in what is new since a score of either system in `round` came.
    pub(super) fn update(&mut self, rounds: &[RaceRound], round: usize) {
        if self.is_complete(&rounds[round]) {
            self.last = self.last.max(round + 1);
        }
        while self.settled < self.last && self.is_complete(&rounds[self.settled]) {
            let x = self.least(&rounds[self.settled]);
            self.processes.iter_mut().for_each(|one| one.take(x));
            self.settled += 1;
        }
        let open: Vec<f64> = (self.settled..self.last)
            .map(|at| self.least(&rounds[at]))
            .collect();
        for process in self.processes.iter_mut().filter(|_| !open.is_empty()) {
            let mut ahead = process.clone();
            for &x in &open {
                ahead.take(x);
            }
            process.best = ahead.best;
        }
    }

    fn is_complete(&self, round: &RaceRound) -> bool {
        self.states(round).iter().all(|one| one.is_known())
    }

    fn states(&self, round: &RaceRound) -> [ScoreState; 2] {
        [self.first, self.second].map(|system| round.scores[system])
    }

    /// The least x that a round can still have.
    fn least(&self, round: &RaceRound) -> f64 {
        let [first, second] = self.states(round);
        let (low, high) = (self.range.lower(), self.range.upper());
        first.score().unwrap_or(low) - second.score().unwrap_or(high) + (high - low)
    }
}
