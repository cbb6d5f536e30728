//! The input of an estimator before the first judgment: all outputs of the system, the scale on which
//! people judge, and the seed.

use super::{Range, RatedOutput};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::ItemScope;
use tiebreak_base::stats::covariance::Covariance;

/// The scores of all outputs of a system, judged or not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Population {
    /// The number of outputs.
    pub n: u64,
    /// The mean score of each metric.
    pub mean: Vec<f64>,
    /// The metrics' population covariances (divided by n), row by row.
    pub covariance: Vec<f64>,
    /// The scores of the first metric, in the order counted; empty without a metric.
    pub scores: Vec<f64>,
    /// The number of outputs of each given stratum; empty where none are given.
    pub strata: Vec<u64>,
}

impl Population {
    /// The population of outputs with these scores of one metric.
    pub fn from_scores(scores: impl IntoIterator<Item = f64>) -> Self {
        let mut census = Census::new(1);
        scores
            .into_iter()
            .for_each(|score| census.push(&[score], None));
        census.finish()
    }

    /// A population of outputs that no metric has scored.
    pub fn unscored(n: u64) -> Self {
        Self {
            n,
            ..Self::default()
        }
    }

    /// The number of metrics.
    pub fn metrics(&self) -> usize {
        self.mean.len()
    }

    /// The mean of each metric and its standardising factor: the reciprocal of its deviation, or 0 for
    /// one that does not vary.
    pub(super) fn standard(&self) -> Vec<(f64, f64)> {
        let per_deviation = |metric: usize| match self.variance(metric) {
            variance if variance > 0.0 => variance.sqrt().recip(),
            _ => 0.0,
        };
        let means = self.mean.iter().enumerate();
        means
            .map(|(metric, &mean)| (mean, per_deviation(metric)))
            .collect()
    }

    /// The covariances of the standardised metrics, row by row.
    pub(super) fn standard_covariance(&self) -> Vec<f64> {
        let (standard, size) = (self.standard(), self.metrics());
        let entry = |(at, covariance): (usize, &f64)| {
            covariance * standard[at / size].1 * standard[at % size].1
        };
        self.covariance.iter().enumerate().map(entry).collect()
    }

    /// The lowest and the highest score of the first metric; 0 without outputs.
    pub(super) fn extremes(&self) -> [f64; 2] {
        let scores = self.scores.iter().copied();
        let lowest = scores.clone().reduce(f64::min);
        let highest = scores.reduce(f64::max);
        [lowest, highest].map(Option::unwrap_or_default)
    }

    /// The variance of one metric's scores.
    pub fn variance(&self, metric: usize) -> f64 {
        self.covariance[metric * self.metrics() + metric]
    }
}

/// A counter of outputs, one at a time.
#[derive(Debug, Clone)]
pub struct Census {
    moments: Covariance,
    scores: Vec<f64>,
    strata: Vec<u64>,
}

impl Census {
    /// An empty counter, for outputs with the scores of `metrics` metrics each.
    pub fn new(metrics: usize) -> Self {
        Self {
            moments: Covariance::new(metrics),
            scores: Vec::new(),
            strata: Vec::new(),
        }
    }

    /// Adds an output, in its stratum where there are strata.
    pub fn push(&mut self, scores: &[f64], stratum: Option<u32>) {
        self.moments.push(scores);
        self.scores.extend(scores.first());
        if let Some(stratum) = stratum {
            let least = stratum as usize + 1;
            self.strata.resize(self.strata.len().max(least), 0);
            self.strata[stratum as usize] += 1;
        }
    }

    /// The population of all outputs added.
    pub fn finish(self) -> Population {
        Population {
            n: self.moments.count(),
            mean: self.moments.mean().to_vec(),
            covariance: self.moments.population(),
            scores: self.scores,
            strata: self.strata,
        }
    }
}

/// The data that an estimator is built on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Survey {
    /// All outputs of the system.
    pub population: Population,
    /// The scale on which people judge, where it is known.
    pub range: Option<Range>,
    /// The seed of everything drawn.
    pub seed: Seed,
    /// The items that the mean is over.
    pub items: ItemScope,
    /// What one annotator said of an output when they judged it several times, by item; the estimator gets the mean. Only
    /// outputs without other judgments are here.
    pub repeats: BTreeMap<u32, RatedOutput>,
}

impl Survey {
    /// A survey with unknown scale and the default seed.
    pub fn new(population: Population) -> Self {
        Self {
            population,
            ..Self::default()
        }
    }

    /// A survey of outputs with one metric's scores, in order.
    pub fn scored(scores: impl IntoIterator<Item = f64>) -> Self {
        Self::new(Population::from_scores(scores))
    }

    /// A survey of `outputs` outputs that no metric has scored.
    pub fn unscored(outputs: u64) -> Self {
        Self::new(Population::unscored(outputs))
    }

    /// The survey with a scale from `lower` to `upper`, which makes intervals valid for any distribution.
    ///
    /// # Errors
    /// As [`Range::new`].
    pub fn with_range(self, lower: f64, upper: f64) -> Result<Self> {
        let range = Some(Range::new(lower, upper)?);
        Ok(Self { range, ..self })
    }

    /// The interval of a mean of numbers on a known scale, each with its item, as `estimate` has it; `None` with fewer
    /// than two items.
    ///
    /// # Errors
    /// As [`Range::new`]; a number outside the scale.
    pub fn mean_interval(
        judged: &[(usize, f64)],
        [low, high]: [f64; 2],
        confidence: f64,
    ) -> Result<Option<[f64; 2]>> {
        let items: BTreeSet<usize> = judged.iter().map(|&(item, _)| item).collect();
        let Some(&last) = items.last().filter(|_| items.len() > 1) else {
            return Ok(None);
        };
        let survey = Self::unscored(last as u64 + 1).with_range(low, high)?;
        let found = survey.estimate("mean", judged, confidence)?;
        Ok(found
            .lower
            .zip(found.upper)
            .map(|(lower, upper)| [lower, upper]))
    }

    /// Refuses a survey without a metric.
    pub(super) fn needs_metric(&self, estimator: &str) -> Result<()> {
        if self.population.metrics() > 0 {
            return Ok(());
        }
        Err(Error::usage(format!(
            "{estimator} needs a metric's scores of all outputs"
        ))
        .with_hint(message!(
            "give {} and {}, or use the estimator `mean`",
            Key("scores"),
            Key("metric")
        )))
    }
}
