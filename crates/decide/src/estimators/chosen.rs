//! Tests whether the judged outputs were chosen by a metric's scores.
//!
//! An estimator that takes a metric's mean over all outputs corrects it by the judged ones, as if chance had chosen these.
//! Where people judged the 508 of 3,000 outputs that the metric liked best, the default's interval of ±.5 was 1.4 off
//! the true mean.
//!
//! The mean score of the judged outputs against that of all, in its error under sampling without replacement (Cochran
//! 1977, theorem 2.2).

use super::{Judgments, Population};
use std::collections::BTreeMap;
use tiebreak_base::stats::quantiles::normal;

/// The probability that any of the tests of one criterion finds a choice where there is none.
const LEVEL: f64 = 0.01;

/// The fewest judged outputs that are tested.
const LEAST: usize = 20;

impl Judgments {
    /// Whether the judged outputs of a system have scores by some metric that chance would not give them, in one of `tests`
    /// systems; never where it is known how they were chosen.
    pub fn were_chosen_by_scores(&self, all: &Population, tests: usize) -> bool {
        let metrics = all.mean.len();
        let is_designed = self
            .rows()
            .any(|one| one.probability.is_some() || one.stratum > 0);
        // Several people judge the same output.
        let outputs: BTreeMap<u32, &[f64]> = self.rows().map(|one| (one.item, one.g)).collect();
        let (count, n) = (outputs.len() as f64, all.n as f64);
        if is_designed || outputs.len() < LEAST || count >= n {
            return false;
        }
        let reach = normal(1.0 - LEVEL / (2 * metrics.max(1) * tests.max(1)) as f64);
        (0..metrics).any(|at| {
            let mean = outputs.values().map(|scores| scores[at]).sum::<f64>() / count;
            let variance = all.covariance[at * metrics + at] * n / (n - 1.0);
            let error = (variance / count * (1.0 - count / n)).sqrt();
            reach.is_some_and(|reach| (mean - all.mean[at]).abs() > reach * error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::ScoredJudgment;
    use tiebreak_base::rng::Seed;

    /// The outputs that `choose` takes of 1,000, by their scores.
    fn is_found(run: u64, choose: impl Fn(f64, f64) -> bool) -> bool {
        let mut rng = Seed(77).stream("chosen", run);
        let scores: Vec<f64> = (0..1000).map(|_| rng.normal()).collect();
        let mut judged = Judgments::new(1);
        for (item, score) in scores.iter().enumerate() {
            if choose(*score, rng.uniform()) {
                let scores = [*score];
                let one = ScoredJudgment::new(item as u32, rng.normal(), &scores);
                judged.push(one);
                judged.push(one);
            }
        }
        judged.were_chosen_by_scores(&Population::from_scores(scores), 1)
    }

    #[test]
    fn what_a_metric_chose_is_found_and_what_chance_chose_is_not() {
        let count =
            |choose: fn(f64, f64) -> bool| (0..1000).filter(|&run| is_found(run, choose)).count();
        assert!(count(|_, drawn| drawn < 0.6) <= 20);
        assert!(count(|score, drawn| drawn < if score > 0.0 { 0.3 } else { 0.1 }) >= 990);
        assert!(!is_found(0, |score, _| score > 3.0), "too few to tell");
        assert!(!is_found(0, |_, _| true), "all are judged");
    }
}
