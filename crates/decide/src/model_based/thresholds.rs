//! Thresholds that turn a preference into an outcome, with ties between the two.
//!
//! Source: Mohankumar and Khapra, "Active Evaluation", ACL 2022: the outcome is 1 when
//! p > τ2, 0 when p < τ1, else a tie; τ1 in 0.400, 0.401 … 0.500 and τ2 in 0.500 … 0.600 have the
//! best sentence accuracy, over both orders of every judgment, on a validation set.
//!
//! Deviation: in the released code p = τ2 predicts 0 while its accuracy counts it as 1; here it is
//! a tie in both. Several best pairs: the smallest τ2, then the smallest τ1.

use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};

/// The number of values tried of each threshold.
const GRID: usize = 101;

/// τ1 ≤ τ2, both in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    tau1: f64,
    tau2: f64,
}

/// Only a preference of exactly ½ is a tie.
impl Default for Thresholds {
    fn default() -> Self {
        Self {
            tau1: 0.5,
            tau2: 0.5,
        }
    }
}

/// A preference for the first of two outputs and its outcome with people.
pub type JudgedPreference = (f64, Outcome);

impl Thresholds {
    /// Ties between `tau1` and `tau2`, ends included.
    ///
    /// # Errors
    /// Unless 0 ≤ τ1 ≤ τ2 ≤ 1.
    pub fn new(tau1: f64, tau2: f64) -> Result<Self> {
        if 0.0 <= tau1 && tau1 <= tau2 && tau2 <= 1.0 {
            return Ok(Self { tau1, tau2 });
        }
        let what = format!("thresholds are {tau1} and {tau2}, expected 0 ≤ tau1 ≤ tau2 ≤ 1");
        Err(Error::usage(what))
    }

    /// The threshold below which the first loses.
    pub fn tau1(&self) -> f64 {
        self.tau1
    }

    /// The threshold above which the first wins.
    pub fn tau2(&self) -> f64 {
        self.tau2
    }

    /// The predicted outcome for the first.
    pub fn outcome(&self, p: f64) -> Outcome {
        if p > self.tau2 {
            Outcome::Win
        } else if p < self.tau1 {
            Outcome::Loss
        } else {
            Outcome::Tie
        }
    }

    /// Sentence accuracy: the share of judgments predicted as people made them, each taken in both
    /// orders; `None` without judgments.
    pub fn accuracy(&self, judged: &[JudgedPreference]) -> Option<f64> {
        let right = both_orders(judged)
            .filter(|&(p, outcome)| self.outcome(p) == outcome)
            .count();
        (!judged.is_empty()).then(|| right as f64 / (2 * judged.len()) as f64)
    }

    /// The thresholds of the grid with the best accuracy; the default without judgments.
    ///
    /// Since τ1 ≤ τ2, the number of right predictions is a sum of a function of τ1 (losses below
    /// it, less the ties below it) and one of τ2, so each is chosen by itself.
    pub fn fit(judged: &[JudgedPreference]) -> Self {
        if judged.is_empty() {
            return Self::default();
        }
        // The gain of a threshold, by how many of the grid's values a preference is beyond.
        let lower: Vec<f64> = (0..GRID).map(|i| grid_value(400 + i)).collect();
        let upper: Vec<f64> = (0..GRID).map(|i| grid_value(500 + i)).collect();
        let mut losses = [0_i64; GRID + 1];
        let mut wins = [0_i64; GRID + 1];
        for (p, outcome) in both_orders(judged) {
            let first_above = lower.partition_point(|&tau1| tau1 <= p);
            let first_not_below = upper.partition_point(|&tau2| tau2 < p);
            losses[first_above] += gain(outcome, Outcome::Loss);
            wins[first_not_below] += gain(outcome, Outcome::Win);
        }
        // p counts as a loss for every τ1 from its own bin up, as a win for every τ2 below its bin.
        let by_tau1 = (0..GRID).map(|i| losses[..=i].iter().sum());
        let by_tau2 = (0..GRID).map(|i| wins[i + 1..].iter().sum());
        Self {
            tau1: lower[first_best(by_tau1)],
            tau2: upper[first_best(by_tau2)],
        }
    }
}

/// Every judgment as made and as seen from the other side.
fn both_orders(judged: &[JudgedPreference]) -> impl Iterator<Item = JudgedPreference> {
    judged
        .iter()
        .flat_map(|&(p, outcome)| [(p, outcome), (1.0 - p, outcome.flipped())])
}

/// The number of right predictions that `predicted` adds, in place of a tie.
fn gain(outcome: Outcome, predicted: Outcome) -> i64 {
    i64::from(outcome == predicted) - i64::from(outcome == Outcome::Tie)
}

fn grid_value(thousandths: usize) -> f64 {
    thousandths as f64 / 1000.0
}

fn first_best(gains: impl Iterator<Item = i64>) -> usize {
    let mut best = (0, i64::MIN);
    for (i, gain) in gains.enumerate() {
        if gain > best.1 {
            best = (i, gain);
        }
    }
    best.0
}
