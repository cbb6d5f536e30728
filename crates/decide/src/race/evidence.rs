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

/// The number of bets: from large differences to those of a quarter percent of the range.
const BETS: i32 = 6;

/// The largest bet, as a share of the one that could lose everything.
const LARGEST_BET: f64 = 0.99;

/// Each bet, as a share of the one before.
const NEXT_BET: f64 = 0.4;

/// The steps in which a bound is found: to a millionth of the range.
const HALVINGS: u32 = 20;

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
        let shares = (0..BETS).map(|place| LARGEST_BET * NEXT_BET.powi(place));
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

/// The processes against some margins after so many rounds.
#[derive(Debug, Clone)]
struct Progress {
    rounds: usize,
    processes: Vec<MarginProcess>,
}

impl Progress {
    fn take(&mut self, x: f64) {
        self.rounds += 1;
        self.processes.iter_mut().for_each(|one| one.take(x));
    }
}

/// The open rounds between two states that are kept.
const STEP: usize = 16;

/// The evidence for one ordered pair of systems, against one or more margins.
#[derive(Debug, Clone)]
pub(super) struct PairEvidence {
    first: usize,
    second: usize,
    range: Range,
    /// After the rounds from the first on that are complete for both.
    settled: Progress,
    /// After some of the later ones, as far as they are known: a score that comes late is followed up from there.
    ahead: Vec<Progress>,
    /// Up to the last round that is complete.
    last: usize,
    /// The logarithm of the evidence against each margin.
    best: Vec<f64>,
}

impl PairEvidence {
    pub(super) fn new(pair: [usize; 2], range: Range, processes: Vec<MarginProcess>) -> Self {
        let [first, second] = pair;
        Self {
            first,
            second,
            range,
            best: vec![0.0; processes.len()],
            settled: Progress {
                rounds: 0,
                processes,
            },
            ahead: Vec::new(),
            last: 0,
        }
    }

    /// The logarithm of the evidence against the margin of that place.
    pub(super) fn ln(&self, place: usize) -> f64 {
        self.best[place]
    }

    /// Takes in all rounds, none of which was taken in before.
    pub(super) fn update_all(&mut self, rounds: &[RaceRound]) {
        if let Some(last) = rounds.iter().rposition(|round| self.is_complete(round)) {
            self.update(rounds, last);
        }
    }

    /// Takes in what is new since a score of either system in `round` came.
    pub(super) fn update(&mut self, rounds: &[RaceRound], round: usize) {
        if self.is_complete(&rounds[round]) {
            self.last = self.last.max(round + 1);
        }
        if round >= self.last {
            return;
        }
        while self.ahead.pop_if(|one| one.rounds > round).is_some() {}
        while self.settled.rounds < self.last && self.is_complete(&rounds[self.settled.rounds]) {
            self.settled.take(self.least(&rounds[self.settled.rounds]));
        }
        let from = self.ahead.last().unwrap_or(&self.settled);
        if from.rounds == self.last {
            return self.best = bests(from).collect();
        }
        let mut now = from.clone();
        while now.rounds < self.last {
            now.take(self.least(&rounds[now.rounds]));
            if now.rounds.is_multiple_of(STEP) {
                self.ahead.push(now.clone());
            }
        }
        self.best = bests(&now).collect();
    }

    /// The largest margin up to 0 against which the evidence reaches `threshold`, rounded down.
    pub(super) fn lower_bound(
        &self,
        rounds: &[RaceRound],
        items: Option<usize>,
        threshold: f64,
    ) -> f64 {
        let x: Vec<f64> = rounds[..self.last]
            .iter()
            .map(|round| self.least(round))
            .collect();
        let is_reached = |margin: f64| {
            let mut process = MarginProcess::new(self.range, margin, items);
            for &x in &x {
                process.take(x);
            }
            process.best >= threshold
        };
        if is_reached(0.0) {
            return 0.0;
        }
        // No difference is below the first of the two.
        let (mut reached, mut open) = (self.range.lower() - self.range.upper(), 0.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (reached + open);
            match is_reached(middle) {
                true => reached = middle,
                false => open = middle,
            }
        }
        reached
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

fn bests(progress: &Progress) -> impl Iterator<Item = f64> {
    progress.processes.iter().map(|one| one.best)
}
