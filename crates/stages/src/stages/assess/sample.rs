//! Cases that are resampled by item: comparisons of one item are not independent.

use super::cases::PredictionCase;
use super::rows::AssessmentMeasure;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::bootstrap::{percentile_interval, replicates};
use tiebreak_base::stats::wilson;

/// The number of resamples of the items.
const RESAMPLES: u64 = 1000;

/// The confidence of every interval.
const CONFIDENCE: f64 = 0.95;

/// Some cases, in clusters by item.
pub(super) struct ClusteredCases {
    pub cases: Vec<PredictionCase>,
    /// The cluster of every case.
    cluster: Vec<usize>,
    clusters: usize,
    seed: Seed,
}

impl ClusteredCases {
    /// Clusters cases that are in the order of items.
    pub(super) fn new(cases: impl Iterator<Item = PredictionCase>, seed: Seed) -> Self {
        let cases: Vec<PredictionCase> = cases.collect();
        let mut cluster = Vec::with_capacity(cases.len());
        for (i, case) in cases.iter().enumerate() {
            let next = match i.checked_sub(1) {
                None => 0,
                Some(before) => cluster[before] + usize::from(cases[before].item != case.item),
            };
            cluster.push(next);
        }
        Self {
            clusters: cluster.last().map_or(0, |last| last + 1),
            cases,
            cluster,
            seed,
        }
    }

    /// The number of items.
    pub(super) fn items(&self) -> u64 {
        self.clusters as u64
    }

    /// One value for each case.
    pub(super) fn each(&self, value: impl Fn(&PredictionCase) -> f64) -> Vec<f64> {
        self.cases.iter().map(value).collect()
    }

    /// `statistic` of the cases, each with weight 1.
    pub(super) fn value<T>(&self, mut statistic: impl FnMut(&[f64]) -> T) -> T {
        statistic(&vec![1.0; self.cases.len()])
    }

    /// The values of `statistic`, which is given the cases' weights, on resampled items.
    fn replicates(&self, mut statistic: impl FnMut(&[f64]) -> Option<f64>) -> Vec<f64> {
        let mut drawn = vec![0.0; self.clusters];
        let mut weights = vec![0.0; self.cases.len()];
        replicates(self.clusters, RESAMPLES, self.seed, |items| {
            drawn.fill(0.0);
            for &item in items {
                drawn[item] += 1.0;
            }
            for (weight, &cluster) in weights.iter_mut().zip(&self.cluster) {
                *weight = drawn[cluster];
            }
            statistic(&weights)
        })
    }

    /// A statistic of weights with its percentile interval.
    pub(super) fn measured(
        &self,
        mut statistic: impl FnMut(&[f64]) -> Option<f64>,
    ) -> AssessmentMeasure {
        let value = self.value(&mut statistic);
        let interval = percentile_interval(&mut self.replicates(statistic), CONFIDENCE);
        self.build_measure(value, interval)
    }

    /// A statistic with its basic interval, 2 value − quantiles. It must be at least 0 and grow by
    /// chance: a resample adds the same bias a second time.
    pub(super) fn measured_with_bias(
        &self,
        mut statistic: impl FnMut(&[f64]) -> Option<f64>,
    ) -> AssessmentMeasure {
        let value = self.value(&mut statistic);
        let interval = percentile_interval(&mut self.replicates(statistic), CONFIDENCE);
        let turned = interval.zip(value).map(|((lower, upper), value)| {
            let end = |quantile: f64| (2.0 * value - quantile).max(0.0);
            (end(upper), end(lower))
        });
        self.build_measure(value, turned)
    }

    /// The weighted mean of one value for each case, with its interval. A share's interval contains Wilson's
    /// for as many answers as items: where nearly all are right, resamples know nothing of the rest.
    pub(super) fn mean(&self, values: &[f64]) -> AssessmentMeasure {
        let mut found = self.measured(|weights| mean(values, weights));
        let is_share = values.iter().all(|value| [0.0, 0.5, 1.0].contains(value));
        if let Some(share) = found.value.filter(|_| is_share && self.clusters > 1) {
            let (lower, upper) = wilson::interval(share, self.items(), CONFIDENCE);
            found.lower = Some(found.lower.map_or(lower, |end| end.min(lower)));
            found.upper = Some(found.upper.map_or(upper, |end| end.max(upper)));
        }
        found
    }

    /// Leaves out the interval of one item, or of resamples all alike: those say nothing of chance.
    fn build_measure(&self, value: Option<f64>, interval: Option<(f64, f64)>) -> AssessmentMeasure {
        let interval = interval.filter(|(lower, upper)| self.clusters > 1 && lower < upper);
        AssessmentMeasure {
            value,
            lower: interval.map(|(lower, _)| lower),
            upper: interval.map(|(_, upper)| upper),
            comparisons: self.cases.len() as u64,
            items: self.items(),
        }
    }
}

/// The weighted mean; `None` without weight.
pub(super) fn mean(values: &[f64], weights: &[f64]) -> Option<f64> {
    let all: f64 = weights.iter().sum();
    let sum: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
    (all > 0.0).then(|| sum / all)
}
