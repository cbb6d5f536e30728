//! Savings that people without disagreement, or a perfect metric, would give: idealised judgments
//! from the recorded ones.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, figure 6. *Noiseless humans* give the mean of an
//! output's judgments; a *perfect metric* gives it as its score. Both are optimistic when few people
//! judged an output: its mean still holds `σ_a²/k` of noise, and the perfect metric has seen the very
//! judgment that it is to predict. The *leave-one-out* metric has not: it gives the mean of the other
//! judgments of the output, as k − 1 more people would. Its covariance with a judgment is `σ_f²`
//! without bias.
//!
//! Lists keep their order and length, so that one draw stands for the same judgment in all of them.

use crate::estimators::{Judgments, Population, ScoredJudgment};
use std::collections::BTreeMap;
use tiebreak_base::stats::moments::Moments;

impl Judgments {
    /// Every judgment replaced by the mean of its output.
    #[must_use]
    pub fn noiseless_humans(&self) -> Judgments {
        let means = means(self);
        let mean = |one: ScoredJudgment<'_>| means[&one.item].0;
        let mut noiseless = Judgments::new(self.metrics());
        for one in self.rows() {
            let y = mean(one);
            noiseless.push(ScoredJudgment { y, ..one });
        }
        noiseless
    }

    /// The metrics replaced by one: the mean of the output's judgments. The population has its moments
    /// when an output is drawn.
    pub fn perfect_metric(&self) -> (Judgments, Population) {
        let means = means(self);
        shown(self, &means, |one| means[&one.item].0)
    }

    /// The metrics replaced by one: the mean of the *other* judgments of the output. Of an output judged
    /// once it knows nothing and gives the mean of all outputs.
    pub fn leave_one_out(&self) -> (Judgments, Population) {
        let means = means(self);
        let all: Moments = means.values().map(|&(mean, _)| mean).collect();
        let unknown = all.mean().unwrap_or_default();
        shown(self, &means, |one| match means[&one.item] {
            (_, 1) => unknown,
            (mean, n) => mean + (mean - one.y) / (n - 1) as f64,
        })
    }
}

/// The mean and the number of each item's judgments.
type ItemMeans = BTreeMap<u32, (f64, u64)>;

fn means(judged: &Judgments) -> ItemMeans {
    let mut items: BTreeMap<u32, Moments> = BTreeMap::new();
    for one in judged.rows() {
        items.entry(one.item).or_default().push(one.y);
    }
    let mean = |(item, of): (u32, Moments)| Some((item, (of.mean()?, of.count())));
    items.into_iter().filter_map(mean).collect()
}

/// The judgments with another metric, and its moments when an output is drawn, and then one of
/// its judgments.
fn shown(
    judged: &Judgments,
    means: &ItemMeans,
    metric: impl Fn(&ScoredJudgment<'_>) -> f64,
) -> (Judgments, Population) {
    let mut shown = Judgments::new(1);
    let mut scores = Vec::new();
    for one in judged.rows() {
        let score = metric(&one);
        scores.push(score);
        shown.push(ScoredJudgment { g: &[score], ..one });
    }
    let items = means.len() as f64;
    let expected = |value: &dyn Fn(f64) -> f64| -> f64 {
        let weigh = |one: ScoredJudgment<'_>| value(one.g[0]) / (means[&one.item].1 as f64 * items);
        shown.rows().map(weigh).sum()
    };
    let mean = expected(&|g| g);
    let variance = expected(&|g| (g - mean).powi(2));
    scores.sort_unstable_by(f64::total_cmp);
    let population = Population {
        n: means.len() as u64,
        mean: vec![mean],
        covariance: vec![variance],
        scores,
        ..Population::default()
    };
    (shown, population)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(rows: &[(u32, f64)]) -> Judgments {
        rows.iter()
            .map(|&(item, y)| ScoredJudgment::new(item, y, &[-1.0]))
            .collect()
    }

    const ROWS: [(u32, f64); 6] = [(0, 1.0), (1, 8.0), (0, 3.0), (2, 4.0), (0, 5.0), (1, 6.0)];

    #[test]
    fn by_hand() {
        let judged = judged(&ROWS);
        let ys: Vec<f64> = judged.noiseless_humans().rows().map(|one| one.y).collect();
        assert_eq!(ys, [3.0, 7.0, 3.0, 4.0, 3.0, 7.0]);
        let scores = |found: &Judgments| found.rows().map(|one| one.g[0]).collect::<Vec<_>>();
        let (perfect, population) = judged.perfect_metric();
        assert_eq!(scores(&perfect), ys);
        let mean = 14.0 / 3.0;
        let variance = (1.0 / 3.0) * (9.0 + 49.0 + 16.0) - mean * mean;
        assert!((population.mean[0] - mean).abs() < 1e-12);
        assert!((population.variance(0) - variance).abs() < 1e-9);
        let (others, population) = judged.leave_one_out();
        assert_eq!(scores(&others), [4.0, 6.0, 3.0, mean, 2.0, 8.0]);
        let known = (3.0 + 7.0 + mean) / 3.0;
        assert!((population.mean[0] - known).abs() < 1e-12);
        assert_eq!(others.get(3).y, 4.0);
    }

    #[test]
    fn without_repeats_the_others_say_nothing() {
        let (others, population) = judged(&ROWS[..2]).leave_one_out();
        assert_eq!((others.get(0).g, others.get(1).g), (&[4.5][..], &[4.5][..]));
        assert_eq!(population.variance(0), 0.0);
        assert!(judged(&[]).perfect_metric().0.is_empty());
    }
}
