//! Savings of an estimator at a given number of judgments: the error of its estimates, and the coverage
//! of its intervals, over many simulated campaigns.
//!
//! A campaign draws outputs with replacement and one judgment of each, as in `data_efficiency`: each
//! recorded output stands for `COPIES` like it, so that many more outputs are known than are judged,
//! and the truth is the mean over outputs of their mean judgments. Estimators are shown the same
//! draws, unless outputs are drawn by *shares*: then each judgment carries the probability that its
//! output had of being chosen.

use super::data_efficiency::EstimatorFactory;
use crate::estimators::{Census, Estimator, Judgments, Population, ScoredJudgment};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::moments::{JointMoments, Moments};

/// The number of outputs that each recorded one stands for.
pub(crate) const COPIES: u64 = 1000;

/// The judgments of one system, output by output.
pub struct RecordedJudgments<'a> {
    judged: &'a Judgments,
    /// The judged items, each with the places of its judgments.
    items: Vec<(u32, Vec<usize>)>,
}

/// Campaigns of one size with one estimator.
pub struct SavingsSimulation<'a> {
    /// The judgments that are drawn from.
    pub recorded: &'a RecordedJudgments<'a>,
    /// The constructor of the estimator, on [`RecordedJudgments::population`].
    pub make: &'a EstimatorFactory<'a>,
    /// The frequency of each item, in the order of items; `None` for equal ones.
    pub shares: Option<&'a [f64]>,
    /// The number of judgments in a campaign.
    pub n: u64,
    /// The number of campaigns.
    pub runs: u64,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The seed of the campaigns.
    pub seed: Seed,
}

/// The result of one campaign.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SimulatedCampaign {
    /// The estimate minus the truth.
    pub error: f64,
    /// Whether there was an interval that holds the truth.
    pub covered: bool,
}

impl<'a> RecordedJudgments<'a> {
    /// All judgments of a system.
    pub fn new(judged: &'a Judgments) -> Self {
        let mut items: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, one) in judged.rows().enumerate() {
            items.entry(one.item).or_default().push(place);
        }
        let items = items.into_iter().collect();
        Self { judged, items }
    }

    /// The outputs that campaigns draw from.
    pub fn population(&self) -> Population {
        let mut census = Census::new(self.judged.metrics());
        for (_, places) in &self.items {
            census.push(self.judged.get(places[0]).g, None);
        }
        let recorded = census.finish();
        Population {
            n: recorded.n * COPIES,
            ..recorded
        }
    }

    /// The mean over outputs of their mean judgments; `None` without judgments.
    pub fn truth(&self) -> Option<f64> {
        let mean = |(_, places): &(u32, Vec<usize>)| {
            let judgments = places.iter().map(|&place| self.judged.get(place).y);
            judgments.collect::<Moments>().mean()
        };
        let means: Option<Moments> = self.items.iter().map(mean).collect();
        means?.mean()
    }

    /// The root mean square distance of each judged item's judgments from the line through the first metric. Without
    /// a metric that varies, from the mean.
    pub fn residuals(&self) -> BTreeMap<u32, f64> {
        let rows = self.judged.rows();
        let first = |one: &ScoredJudgment<'_>| one.g.first().copied().unwrap_or_default();
        let joint: JointMoments = rows.map(|one| (first(&one), one.y)).collect();
        let slope = joint
            .population_covariance()
            .zip(joint.x().population_variance());
        let slope = slope.map_or(0.0, |(covariance, variance)| covariance / variance);
        let slope = if slope.is_finite() { slope } else { 0.0 };
        let [x, y] = [joint.x(), joint.y()].map(|of| of.mean().unwrap_or_default());
        let residual = |(item, places): &(u32, Vec<usize>)| {
            let judgments = places.iter().map(|&place| self.judged.get(place));
            let squares = judgments.map(|one| (one.y - y - slope * (first(&one) - x)).powi(2));
            let mean = squares.collect::<Moments>().mean().unwrap_or_default();
            (*item, mean.sqrt())
        };
        self.items.iter().map(residual).collect()
    }

    /// The judged items, ascending.
    pub fn items(&self) -> impl ExactSizeIterator<Item = u32> {
        self.items.iter().map(|(item, _)| *item)
    }
}

impl SavingsSimulation<'_> {
    /// Runs the campaigns in parallel; the numbers do not depend on the number of threads.
    ///
    /// # Errors
    /// Without judgments, or if the estimator cannot be made or has no estimate.
    pub fn run(&self) -> Result<Vec<SimulatedCampaign>> {
        let truth = self.recorded.truth();
        let truth = truth.ok_or_else(|| Error::usage("no judgments to draw from"))?;
        let runs = (0..self.runs).into_par_iter();
        runs.map(|run| {
            let mut rng = self.seed.stream("campaign", run);
            let mut estimator = (self.make)()?;
            self.judge(estimator.as_mut(), &mut rng);
            let found = estimator.estimate(self.confidence);
            let found = found.ok_or_else(|| Error::failed("an estimator has no value"))?;
            let holds =
                |ends: crate::estimators::Interval| ends.lower <= truth && truth <= ends.upper;
            Ok(SimulatedCampaign {
                error: found.value - truth,
                covered: found.interval.is_some_and(holds),
            })
        })
        .collect()
    }

    fn judge(&self, estimator: &mut dyn Estimator, rng: &mut Rng) {
        let items = &self.recorded.items;
        let even = 1.0 / items.len() as f64;
        let sums = self.shares.map(running_sums);
        for number in 0..self.n {
            let at = match &sums {
                None => rng.below(items.len()),
                Some(sums) => drawn(sums, rng),
            };
            let share = self.shares.map_or(even, |shares| shares[at]);
            let judgment = self.recorded.judged.get(*rng.choose(&items[at].1));
            estimator.push(&ScoredJudgment {
                // An output drawn twice stands for two, and so does its annotator.
                item: number as u32,
                annotator: None,
                probability: Some((self.n as f64 * share / COPIES as f64).min(1.0)),
                ..judgment
            });
        }
    }
}

fn running_sums(shares: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = shares.iter().map(|share| {
        sum += share;
        sum
    });
    sums.collect()
}

/// Draws a place with a probability proportional to its share.
fn drawn(sums: &[f64], rng: &mut Rng) -> usize {
    let all = sums.last().copied().unwrap_or_default();
    let at = rng.uniform() * all;
    sums.partition_point(|&sum| sum <= at).min(sums.len() - 1)
}

impl SimulatedCampaign {
    /// The mean squared error of the first campaigns over that of the others: judgments of the one for
    /// each of the other. `None` where the others have no error.
    pub fn variance_ratio(
        first: &[SimulatedCampaign],
        others: &[SimulatedCampaign],
    ) -> Option<f64> {
        let squares = |campaigns: &[SimulatedCampaign]| {
            let squares = campaigns.iter().map(|one| one.error * one.error);
            squares.collect::<Moments>().mean()
        };
        let ratio = squares(first)? / squares(others)?;
        ratio.is_finite().then_some(ratio)
    }

    /// The share of campaigns whose interval holds the truth; `None` without campaigns.
    pub fn coverage(campaigns: &[SimulatedCampaign]) -> Option<f64> {
        let covered = campaigns.iter().map(|one| f64::from(u8::from(one.covered)));
        covered.collect::<Moments>().mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::{ESTIMATORS, Survey};
    use tiebreak_base::registry::{Params, find_entry};

    /// Forty items judged twice: the metric explains half, and noise is larger on some items.
    fn judgments() -> Judgments {
        let mut rng = Seed(5).stream("test", 0);
        let mut judgments = Judgments::new(1);
        for item in 0..40 {
            let g = rng.normal();
            let spread = if item % 8 == 0 { 4.0 } else { 0.5 };
            for _ in 0..2 {
                judgments.push(ScoredJudgment::new(
                    item,
                    3.0 + g + spread * rng.normal(),
                    &[g],
                ));
            }
        }
        judgments
    }

    fn campaigns(estimator: &str, shares: Option<&[f64]>) -> Vec<SimulatedCampaign> {
        let judgments = judgments();
        let recorded = RecordedJudgments::new(&judgments);
        let survey = Survey::new(recorded.population());
        let entry = find_entry("estimator", ESTIMATORS, estimator).unwrap();
        let campaigns = SavingsSimulation {
            recorded: &recorded,
            make: &|| (entry.build.build)(&Params::default(), &survey),
            shares,
            n: 100,
            runs: 2000,
            confidence: 0.95,
            seed: Seed(1),
        };
        campaigns.run().unwrap()
    }

    fn bias(campaigns: &[SimulatedCampaign]) -> f64 {
        let errors: Moments = campaigns.iter().map(|one| one.error).collect();
        let error = (errors.sample_variance().unwrap() / errors.count() as f64).sqrt();
        errors.mean().unwrap() / error
    }

    #[test]
    fn the_mean_is_unbiased_and_covers_and_a_metric_saves_what_it_should() {
        let mean = campaigns("mean", None);
        assert!(bias(&mean).abs() < 4.0);
        let covered = SimulatedCampaign::coverage(&mean).unwrap();
        assert!((covered - 0.95).abs() < 0.025, "{covered}");
        let helped = campaigns("control-variates", None);
        let judgments = judgments();
        let joint: JointMoments = judgments.rows().map(|one| (one.g[0], one.y)).collect();
        let expected = 1.0 / (1.0 - joint.correlation().unwrap().powi(2));
        let found = SimulatedCampaign::variance_ratio(&mean, &helped).unwrap();
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    }

    #[test]
    fn drawing_where_the_metric_is_wrong_saves_more_without_a_bias() {
        let judgments = judgments();
        let recorded = RecordedJudgments::new(&judgments);
        let residuals: Vec<f64> = recorded.residuals().into_values().collect();
        let all: f64 = residuals.iter().sum();
        let shares: Vec<f64> = residuals
            .iter()
            .map(|one| 0.8 * one / all + 0.2 / 40.0)
            .collect();
        let active = campaigns("active", Some(&shares));
        assert!(bias(&active).abs() < 4.0);
        let covered = SimulatedCampaign::coverage(&active).unwrap();
        assert!((covered - 0.95).abs() < 0.03, "{covered}");
        let at_random = campaigns("active", None);
        assert!(SimulatedCampaign::variance_ratio(&at_random, &active).unwrap() > 1.2);
    }

    #[test]
    fn places_are_drawn_in_proportion() {
        let sums = running_sums(&[1.0, 0.0, 3.0]);
        let mut rng = Seed(1).stream("test", 0);
        let mut counts = [0_u32; 3];
        (0..8000).for_each(|_| counts[drawn(&sums, &mut rng)] += 1);
        assert_eq!(counts[1], 0);
        assert!(
            (f64::from(counts[0]) / 8000.0 - 0.25).abs() < 0.02,
            "{counts:?}"
        );
    }
}
