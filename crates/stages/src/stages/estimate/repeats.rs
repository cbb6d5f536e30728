//! Repeats of judged outputs (epochs, trials): how far judgments vary within and between items, and how often one of k
//! repeats, or all, are right.
//!
//! The variances are those of an analysis of variance with unequal group sizes, which is unbiased for both. `pass@k` is
//! the unbiased estimate of Chen et al. (2021), 1 − C(n−c, k)/C(n, k) with c of n repeats right, and `pass^k` that of
//! Yao et al. (2024), C(c, k)/C(n, k); both are means over items.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_decide::estimators::{RatedOutput, VarianceComponentSums, VarianceComponents};

/// The repeats of one system's outputs under one criterion, counted.
#[derive(Debug, Default)]
pub(crate) struct RepeatTally {
    sums: VarianceComponentSums,
    /// The number of outputs by their numbers of repeats and of repeats that are right.
    outputs: BTreeMap<(u64, u64), u64>,
    /// Whether a judgment is neither 0 nor 1.
    is_graded: bool,
}

/// How the judgments of one system's repeats vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RepeatedJudgments {
    pub system: String,
    pub criterion: String,
    /// The fewest repeats of an output.
    pub fewest: u64,
    /// The most repeats of an output.
    pub most: u64,
    /// The variance of the repeats of one item; `None` without an item of several.
    pub within_variance: Option<f64>,
    /// The variance of the items' means if each had endless repeats; `None` without two items.
    pub between_variance: Option<f64>,
    /// The rates for each number of repeats that every item has; empty unless judgments are 0 or 1.
    pub pass: Vec<PassRate>,
}

/// How often repeats are right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct PassRate {
    /// The number of repeats.
    pub k: u64,
    /// The probability that one of k repeats is right: `pass@k`.
    pub pass_at: f64,
    /// The probability that all of k repeats are right: `pass^k`.
    pub pass_hat: f64,
}

impl RepeatTally {
    /// Adds the judgments of an output's repeats, of which there is at least one.
    pub(crate) fn add(&mut self, scores: &[f64]) {
        let count = scores.len() as u64;
        self.sums.push(&RatedOutput::new(scores.iter().copied()));
        let right = scores.iter().filter(|&&score| score == 1.0).count() as u64;
        *self.outputs.entry((count, right)).or_default() += 1;
        self.is_graded |= scores.iter().any(|score| ![0.0, 1.0].contains(score));
    }

    /// The summary; `None` where no output has several repeats.
    pub(super) fn summary(&self, system: &str, criterion: &str) -> Option<RepeatedJudgments> {
        let repeats = || self.outputs.keys().map(|(count, _)| *count);
        let (fewest, most) = (repeats().min()?, repeats().max()?);
        let components = VarianceComponents::pooled(&[self.sums]);
        let pass = match self.is_graded {
            true => Vec::new(),
            false => (1..=fewest).map(|k| self.pass_rate(k)).collect(),
        };
        (most > 1).then(|| RepeatedJudgments {
            system: system.to_string(),
            criterion: criterion.to_string(),
            fewest,
            most,
            within_variance: components.map(|found| found.noise),
            between_variance: components.map(|found| found.signal.max(0.0)),
            pass,
        })
    }

    fn pass_rate(&self, k: u64) -> PassRate {
        let (mut any, mut all, mut outputs) = (0.0, 0.0, 0.0);
        for (&(count, right), &number) in &self.outputs {
            let number = number as f64;
            any += number * (1.0 - chosen_among(count - right, count, k));
            all += number * chosen_among(right, count, k);
            outputs += number;
        }
        PassRate {
            k,
            pass_at: any / outputs,
            pass_hat: all / outputs,
        }
    }
}

/// The probability C(some, k)/C(count, k) that all of k repeats, drawn of `count`, are among `some` of these.
fn chosen_among(some: u64, count: u64, k: u64) -> f64 {
    let share = |drawn: u64| some.saturating_sub(drawn) as f64 / (count - drawn) as f64;
    (0..k).map(share).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_and_rates_are_those_of_the_definitions() {
        let mut tally = RepeatTally::default();
        for scores in [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]] {
            tally.add(&scores);
        }
        let found = tally.summary("a", "right").unwrap();
        assert_eq!((found.fewest, found.most), (3, 3));
        // Sums of squares 2/3, 2/3 and 0 with two degrees of freedom each; means 1/3, 2/3 and 1 have the variance 1/9.
        let close = |one: Option<f64>, other: f64| (one.unwrap() - other).abs() < 1e-12;
        assert!(close(found.within_variance, 4.0 / 18.0), "{found:?}");
        assert!(
            close(found.between_variance, 1.0 / 9.0 - 4.0 / 54.0),
            "{found:?}"
        );
        let rates: Vec<(f64, f64)> = found
            .pass
            .iter()
            .map(|one| (one.pass_at, one.pass_hat))
            .collect();
        let expected = [
            (2.0 / 3.0, 2.0 / 3.0),
            ((2.0 / 3.0 + 1.0 + 1.0) / 3.0, (0.0 + 1.0 / 3.0 + 1.0) / 3.0),
            (1.0, 1.0 / 3.0),
        ];
        for ((at, hat), (pass_at, pass_hat)) in rates.into_iter().zip(expected) {
            assert!(
                close(Some(at), pass_at) && close(Some(hat), pass_hat),
                "{found:?}"
            );
        }
    }

    #[test]
    fn uneven_repeats_have_rates_up_to_the_fewest_and_grades_have_none() {
        let mut tally = RepeatTally::default();
        tally.add(&[1.0]);
        assert_eq!(tally.summary("a", "right"), None);
        tally.add(&[1.0, 0.0]);
        let found = tally.summary("a", "right").unwrap();
        assert_eq!((found.fewest, found.most, found.pass.len()), (1, 2, 1));
        tally.add(&[0.5, 0.0]);
        assert!(tally.summary("a", "right").unwrap().pass.is_empty());
    }
}
