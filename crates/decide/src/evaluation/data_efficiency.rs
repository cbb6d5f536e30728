//! Savings of an estimator in judgments: the width of its interval against that of another, by the
//! number of judgments, over many resampled campaigns.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, figure 6: trajectories of estimates from
//! bootstrapped judgments. A campaign draws items uniformly with replacement and one judgment of
//! each; an item drawn twice stands for two independent outputs, as the paper assumes. All methods
//! see the same draws.
//!
//! Deviation: the paper does not say how it averages the ratios of widths; here the mean of the
//! squared ratio over all checkpoints but those below a tenth of the last, where widths are noisy.

use crate::estimators::{Estimator, Judgments, ScoredJudgment};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_base::stats::bootstrap::{percentile_interval, replicates};
use tiebreak_base::stats::moments::Moments;

/// The spread of an estimate between campaigns.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// The variance of the estimates.
    pub variance: f64,
    /// The width of their central interval.
    pub width: f64,
}

/// A constructor of a fresh estimator for a campaign.
pub type EstimatorFactory<'a> = dyn Fn() -> Result<Box<dyn Estimator>> + Sync + 'a;

/// An estimator and its judgments.
pub struct ComparedEstimator<'a> {
    /// All judgments of one system. Those of all methods stand for the same draws: equally many, of
    /// the same items in the same order.
    pub judged: &'a Judgments,
    /// Its estimator.
    pub make: &'a EstimatorFactory<'a>,
}

/// The settings of the resampled campaigns.
pub struct Campaigns<'a> {
    /// The estimators; the others are compared with the first.
    pub methods: &'a [ComparedEstimator<'a>],
    /// The numbers of judgments to look at; sorted, without 0.
    pub checkpoints: &'a [u32],
    /// The number of campaigns, at least 2.
    pub runs: u64,
    /// The share of campaigns that a width covers.
    pub confidence: f64,
    /// The seed of the campaigns.
    pub seed: Seed,
}

/// The estimates of all methods in all campaigns.
pub struct Trajectories {
    checkpoints: Vec<u32>,
    confidence: f64,
    /// The estimates by run, checkpoint and method.
    values: Vec<Vec<Vec<f64>>>,
}

impl Campaigns<'_> {
    /// Runs the campaigns in parallel; the numbers do not depend on the number of threads.
    ///
    /// # Errors
    /// If there are no judgments or not the same of every method, fewer than two runs, no
    /// checkpoint, a confidence outside (0, 1), or an estimator cannot be made.
    pub fn run(&self) -> Result<Trajectories> {
        let mut checkpoints = self.checkpoints.to_vec();
        checkpoints.retain(|&n| n > 0);
        checkpoints.sort_unstable();
        checkpoints.dedup();
        self.check(&checkpoints)?;
        let items = self.items();
        let values = (0..self.runs)
            .into_par_iter()
            .map(|run| {
                let mut rng = self.seed.stream("campaign", run);
                self.trajectory(&items, &checkpoints, &mut rng)
            })
            .collect::<Result<_>>()?;
        Ok(Trajectories {
            checkpoints,
            confidence: self.confidence,
            values,
        })
    }

    fn check(&self, checkpoints: &[u32]) -> Result<()> {
        let items = |method: &ComparedEstimator<'_>| -> Vec<u32> {
            method.judged.rows().map(|one| one.item).collect()
        };
        let alike = |pair: &[ComparedEstimator<'_>]| items(&pair[0]) == items(&pair[1]);
        let what = if self.methods.iter().all(|method| method.judged.is_empty()) {
            "no judgments to resample".to_string()
        } else if !self.methods.windows(2).all(alike) {
            "methods with judgments of different items".to_string()
        } else if checkpoints.is_empty() {
            "no numbers of judgments to look at".to_string()
        } else if self.runs < 2 {
            format!("{} runs, expected at least 2", self.runs)
        } else if !(self.confidence > 0.0 && self.confidence < 1.0) {
            let found = self.confidence;
            format!("confidence is {found}, expected a number between 0 and 1")
        } else {
            return Ok(());
        };
        Err(Error::usage(what))
    }

    /// The places of each item's judgments.
    fn items(&self) -> Vec<Vec<usize>> {
        let mut items: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (place, one) in self.methods[0].judged.rows().enumerate() {
            items.entry(one.item).or_default().push(place);
        }
        items.into_values().collect()
    }

    /// The values of all methods at each checkpoint of one campaign.
    fn trajectory(
        &self,
        items: &[Vec<usize>],
        checkpoints: &[u32],
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f64>>> {
        let made = self.methods.iter().map(|method| (method.make)());
        let mut estimators = made.collect::<Result<Vec<_>>>()?;
        let mut pushed = 0;
        let mut values = Vec::with_capacity(checkpoints.len());
        for &n in checkpoints {
            while pushed < n {
                let item = rng.choose(items);
                let drawn = *rng.choose(item);
                for (estimator, method) in estimators.iter_mut().zip(self.methods) {
                    estimator.push(&ScoredJudgment {
                        item: pushed,
                        ..method.judged.get(drawn)
                    });
                }
                pushed += 1;
            }
            let all = estimators.iter().map(|estimator| estimator.value());
            let all: Option<Vec<f64>> = all.collect();
            values.push(all.ok_or_else(|| Error::failed("an estimator has no value"))?);
        }
        Ok(values)
    }
}

impl Trajectories {
    /// The spread of a method's estimates at each checkpoint.
    pub fn spreads(&self, method: usize) -> Vec<(u32, Spread)> {
        let runs: Vec<usize> = (0..self.values.len()).collect();
        let spread = |(place, &n): (usize, &u32)| {
            let variance = runs.iter().map(|&run| self.values[run][place][method]);
            let variance = variance.collect::<Moments>().sample_variance()?;
            let width = self.width(method, place, &runs)?;
            Some((n, Spread { variance, width }))
        };
        let spreads = self.checkpoints.iter().enumerate().map(spread);
        spreads.flatten().collect()
    }

    /// The mean squared ratio of the first method's width to this one's: judgments of the one per
    /// judgment of the other. `None` when this one does not vary.
    pub fn efficiency(&self, method: usize) -> Option<f64> {
        let runs: Vec<usize> = (0..self.values.len()).collect();
        self.efficiency_in(method, &runs)
    }

    /// The interval of the efficiency over resampled campaigns. It tells how well it is
    /// computed, not how it would be on other items.
    pub fn efficiency_interval(
        &self,
        method: usize,
        resamples: u64,
        confidence: f64,
        seed: Seed,
    ) -> Option<(f64, f64)> {
        let mut values = replicates(self.values.len(), resamples, seed, |runs| {
            self.efficiency_in(method, runs)
        });
        percentile_interval(&mut values, confidence)
    }

    fn efficiency_in(&self, method: usize, runs: &[usize]) -> Option<f64> {
        let last = self.checkpoints.last()?;
        let ratio = |(place, &n): (usize, &u32)| -> Option<Option<f64>> {
            let ratio = || Some(self.width(0, place, runs)? / self.width(method, place, runs)?);
            (10 * u64::from(n) >= u64::from(*last)).then(|| Some(ratio()?.powi(2)))
        };
        let ratios = self.checkpoints.iter().enumerate().filter_map(ratio);
        let mean = ratios.collect::<Option<Moments>>()?.mean()?;
        mean.is_finite().then_some(mean)
    }

    fn width(&self, method: usize, place: usize, runs: &[usize]) -> Option<f64> {
        let of = |&run: &usize| self.values[run][place][method];
        let mut values: Vec<f64> = runs.iter().map(of).collect();
        let (lower, upper) = percentile_interval(&mut values, self.confidence)?;
        Some(upper - lower)
    }
}
