//! How many judgments an estimator saves: its spread against that of another, by the number of
//! judgments, over many resampled campaigns.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018: trajectories of estimates from
//! bootstrapped judgments. A campaign draws items uniformly with replacement and one judgment of
//! each; an item drawn twice stands for two independent outputs, as the paper assumes.

use crate::error::{Error, Result};
use crate::estimators::{Estimator, Judged, Judgments};
use crate::rng::{Rng, Seed};
use crate::stats::bootstrap::percentile_interval;
use crate::stats::moments::Moments;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How widely an estimate varies between campaigns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The variance of the estimates.
    pub variance: f64,
    /// The width of their central interval.
    pub width: f64,
}

/// Two estimators after the same number of judgments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Judgments per campaign.
    pub n: u32,
    /// The estimator compared with.
    pub baseline: Spread,
    /// The estimator of interest.
    pub estimator: Spread,
    /// The baseline's variance over the estimator's: judgments of the one per judgment of the
    /// other. `None` when the estimator does not vary.
    pub data_efficiency: Option<f64>,
}

/// What is resampled, and how.
#[derive(Debug, Clone)]
pub struct Campaigns<'a> {
    /// All judgments of one system.
    pub judged: &'a Judgments,
    /// After how many judgments to look; sorted, and 0 left out.
    pub checkpoints: &'a [u32],
    /// How many campaigns, at least 2.
    pub runs: u64,
    /// The share of campaigns that the width covers.
    pub confidence: f64,
    /// The seed of the campaigns.
    pub seed: Seed,
}

/// Makes a fresh estimator for a campaign.
pub type Make<'a> = dyn Fn() -> Result<Box<dyn Estimator>> + Sync + 'a;

/// Runs both estimators on the same campaigns, in parallel; the numbers do not depend on how many
/// threads there are.
///
/// # Errors
/// If there are no judgments, fewer than two runs, a confidence outside (0, 1), or an estimator
/// cannot be made.
pub fn compare(
    campaigns: &Campaigns<'_>,
    baseline: &Make<'_>,
    estimator: &Make<'_>,
) -> Result<Vec<Comparison>> {
    campaigns.check()?;
    let items = by_item(campaigns.judged);
    let mut checkpoints = campaigns.checkpoints.to_vec();
    checkpoints.retain(|&n| n > 0);
    checkpoints.sort_unstable();
    checkpoints.dedup();
    let runs: Vec<Vec<[f64; 2]>> = (0..campaigns.runs)
        .into_par_iter()
        .map(|run| {
            let mut rng = campaigns.seed.stream("campaign", run);
            let estimators = [baseline()?, estimator()?];
            trajectory(campaigns.judged, &items, &checkpoints, estimators, &mut rng)
        })
        .collect::<Result<_>>()?;
    checkpoints
        .iter()
        .enumerate()
        .map(|(place, &n)| {
            let spread = |which: usize| {
                let values = runs.iter().map(|run| run[place][which]).collect();
                spread(values, campaigns.confidence)
            };
            let (baseline, estimator) = (spread(0)?, spread(1)?);
            let ratio = baseline.variance / estimator.variance;
            Ok(Comparison {
                n,
                baseline,
                estimator,
                data_efficiency: ratio.is_finite().then_some(ratio),
            })
        })
        .collect()
}

impl Campaigns<'_> {
    fn check(&self) -> Result<()> {
        let what = if self.judged.is_empty() {
            "no judgments to resample".to_string()
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
}

/// The places of each item's judgments.
fn by_item(judged: &Judgments) -> Vec<Vec<usize>> {
    let mut items: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, one) in judged.rows().enumerate() {
        items.entry(one.item).or_default().push(place);
    }
    items.into_values().collect()
}

/// The values of both estimators at each checkpoint of one campaign.
fn trajectory(
    judged: &Judgments,
    items: &[Vec<usize>],
    checkpoints: &[u32],
    mut estimators: [Box<dyn Estimator>; 2],
    rng: &mut Rng,
) -> Result<Vec<[f64; 2]>> {
    let mut values = Vec::with_capacity(checkpoints.len());
    let mut pushed = 0;
    for &n in checkpoints {
        while pushed < n {
            let item = rng.choose(items);
            let drawn = judged.get(*rng.choose(item));
            for estimator in &mut estimators {
                let item = pushed;
                estimator.push(&Judged { item, ..drawn });
            }
            pushed += 1;
        }
        let [baseline, estimator] = &estimators;
        let both = baseline.value().zip(estimator.value());
        let (one, other) = both.ok_or_else(|| Error::failed("an estimator has no value"))?;
        values.push([one, other]);
    }
    Ok(values)
}

fn spread(mut values: Vec<f64>, confidence: f64) -> Result<Spread> {
    let moments: Moments = values.iter().copied().collect();
    let interval = percentile_interval(&mut values, confidence);
    match (moments.sample_variance(), interval) {
        (Some(variance), Some((lower, upper))) => Ok(Spread {
            variance,
            width: upper - lower,
        }),
        _ => Err(Error::failed("too few campaigns to tell a spread")),
    }
}
