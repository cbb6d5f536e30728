//! The mean judgment from the means of strata of outputs, each weighted by its share of
//! all outputs.
//!
//! Source: Cochran, "Sampling Techniques", 1977, chapters 5 and 5A: μ̂ = Σ_h W_h ȳ_h with W_h = N_h/N
//! and variance Σ_h W_h² s_h²/n_h, robust to clusters by item within a stratum. It serves judgments
//! that were drawn stratum by stratum, at whatever rates, and, with strata by the metric,
//! judgments drawn at random (post-stratification). `allocate` says how many judgments each stratum
//! should get.
//!
//! Strata are given (`--strata`), or made of equally many outputs each by the quantiles of the metric.
//! Of these, neighbours are joined until each has five judged items. A given stratum that has outputs
//! must have a judgment, for its mean cannot be guessed, and two for an interval.
//!
//! Parameters: `strata`, how many by the metric; `population=infinite|finite`, as for `mean`, within
//! each stratum; `interval=safe|corrected`, as for `mean`.
//!
//! Deviations: degrees of freedom by Satterthwaite's formula. Joining strata of judgments that were not
//! drawn at random can bias the estimate. Measured coverage of 95 % intervals with strata by a metric: as
//! `mean` from 30 judgments on.

use super::contributions::Contributions;
use super::finite::{Extent, FiniteCorrection};
use super::interval::IntervalParameters;
use super::people::{ItemJudgmentMeans, UnseenOutputs};
use super::rule::IntervalCase;
use super::{
    AdjustedJudgment, Adjuster, Estimator, EstimatorConstructor, InferenceScope, MeanEstimate,
    Metrics, Range, ScoredJudgment, Survey,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::{Entry, Params, parameters_of_both};

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "stratified",
    summary: "mean judgment from strata of outputs: from a file, or by quantiles of a metric",
    cite: "Cochran, Sampling Techniques, 1977, chapters 5 and 5A",
    parameters: parameters_of_both::<Parameters, IntervalParameters>,
    build: EstimatorConstructor::new(Metrics::Unused, build),
};

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    strata: usize,
    population: Extent,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            strata: 5,
            population: Extent::Infinite,
        }
    }
}

/// The most strata, each of which has its sums.
const MOST_STRATA: usize = 10_000;

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let (read, telling): (Parameters, IntervalParameters) = params.read_both(ENTRY.name)?;
    if !(1..=MOST_STRATA).contains(&read.strata) {
        let strata = read.strata;
        let what = format!("stratified: strata is {strata}, expected 1 to {MOST_STRATA}");
        return Err(Error::usage(what));
    }
    let population = &survey.population;
    let (cuts, sizes) = if population.strata.is_empty() {
        survey.needs_metric(ENTRY.name).map_err(|error| {
            error.with_hint(message!(
                "give {}, or {} and {}",
                Key("strata"),
                Key("scores"),
                Key("metric")
            ))
        })?;
        by_quantiles(&population.scores, read.strata)
    } else {
        (None, population.strata.clone())
    };
    Ok(Box::new(StratifiedEstimator {
        strata: vec![StratumSums::default(); sizes.len()],
        sizes,
        cuts,
        extent: read.population,
        offset: 0.0,
        items: BTreeMap::new(),
        telling,
        range: survey.range,
    }))
}

/// The scores at which strata of equally many begin, but for the lowest, and the number of scores of each;
/// equal scores stay together.
fn by_quantiles(scores: &[f64], strata: usize) -> (Option<Vec<f64>>, Vec<u64>) {
    let mut scores = scores.to_vec();
    scores.sort_unstable_by(f64::total_cmp);
    let mut cuts: Vec<f64> = (1..strata)
        .filter_map(|cut| scores.get(cut * scores.len() / strata).copied())
        .collect();
    cuts.dedup();
    let mut ends: Vec<usize> = cuts
        .iter()
        .map(|&cut| scores.partition_point(|&g| g < cut))
        .collect();
    ends.push(scores.len());
    let starts = std::iter::once(0).chain(ends.clone());
    let sizes = starts
        .zip(ends)
        .map(|(start, end)| (end - start) as u64)
        .collect();
    (Some(cuts), sizes)
}

/// The number of judged items below which strata by the metric are joined: a variance of fewer, often
/// all alike, would say little.
const FEWEST: u64 = 5;

/// Judgments of one stratum.
#[derive(Debug, Clone, Copy, Default)]
struct StratumSums {
    n: f64,
    y: f64,
    items: u64,
}

struct StratumItemSums {
    stratum: usize,
    n: f64,
    y: f64,
}

struct StratifiedEstimator {
    /// The number of outputs of each stratum.
    sizes: Vec<u64>,
    strata: Vec<StratumSums>,
    /// The metric's values at which strata begin; `None` for given strata.
    cuts: Option<Vec<f64>>,
    extent: Extent,
    offset: f64,
    items: BTreeMap<u32, StratumItemSums>,
    telling: IntervalParameters,
    range: Option<Range>,
}

/// Strata treated as one: their outputs and judgments.
#[derive(Debug, Clone, Copy, Default)]
struct StratumGroup {
    outputs: u64,
    judged: StratumSums,
}

impl StratifiedEstimator {
    fn stratum(&self, judged: &ScoredJudgment<'_>) -> usize {
        match &self.cuts {
            None => judged.stratum as usize,
            Some(cuts) => cuts.partition_point(|&cut| cut <= judged.g[0]),
        }
    }

    /// The groups of strata, and the group of each stratum.
    fn groups(&self) -> (Vec<StratumGroup>, Vec<usize>) {
        let mut groups: Vec<StratumGroup> = Vec::new();
        let mut group_of = Vec::with_capacity(self.strata.len());
        let given = self.cuts.is_none();
        for (judged, outputs) in self.strata.iter().zip(&self.sizes) {
            let full = groups
                .last()
                .is_none_or(|group| given || group.judged.items >= FEWEST);
            if full {
                groups.push(StratumGroup::default());
            }
            if let Some(group) = groups.last_mut() {
                group.add(*outputs, judged);
            }
            group_of.push(groups.len() - 1);
        }
        // The last group may be short of judgments: it joins the one before.
        if !given && groups.len() > 1 && groups[groups.len() - 1].judged.items < FEWEST {
            let Some(short) = groups.pop() else {
                return (groups, group_of);
            };
            let last = groups.len() - 1;
            groups[last].add(short.outputs, &short.judged);
            for group in &mut group_of {
                *group = last.min(*group);
            }
        }
        (groups, group_of)
    }

    fn value_of(&self, groups: &[StratumGroup]) -> Option<f64> {
        let all: u64 = groups.iter().map(|group| group.outputs).sum();
        let mut value = self.offset;
        for group in groups.iter().filter(|group| group.outputs > 0) {
            value += group.outputs as f64 / all as f64 * group.mean()?;
        }
        (!self.items.is_empty()).then_some(value)
    }

    fn contributions_of(
        &self,
        groups: &[StratumGroup],
        group_of: &[usize],
    ) -> Option<Contributions> {
        let all: u64 = groups.iter().map(|group| group.outputs).sum();
        let factors: Vec<f64> = groups
            .iter()
            .map(|group| group.factor(all, self.extent))
            .collect::<Option<_>>()?;
        let means: Vec<f64> = groups
            .iter()
            .map(|group| group.mean().unwrap_or_default())
            .collect();
        let mut by_item = BTreeMap::new();
        let mut variances = vec![0.0; groups.len()];
        for (&at, item) in &self.items {
            let place = group_of[item.stratum];
            let share = factors[place] * (item.y - item.n * means[place]);
            variances[place] += share * share;
            by_item.insert(at, share);
        }
        Some(Contributions {
            by_item,
            df: satterthwaite(groups, &variances),
        })
    }

    /// The judged items with their shares of the estimate.
    fn people(&self, groups: &[StratumGroup], group_of: &[usize]) -> ItemJudgmentMeans {
        let all: u64 = groups.iter().map(|group| group.outputs).sum();
        ItemJudgmentMeans::of_strata(self.items.values().map(|item| {
            let group = &groups[group_of[item.stratum]];
            let share = group.outputs as f64 / all as f64 / group.judged.n;
            (self.offset + item.y / item.n, share * item.n)
        }))
    }

    /// The share of the outputs at hand that is not judged; 1 where they are not all that matter.
    fn left(&self, groups: &[StratumGroup]) -> f64 {
        let all: u64 = groups.iter().map(|group| group.outputs).sum();
        let left = |group: &StratumGroup| {
            let left =
                FiniteCorrection::new(self.extent, group.outputs).left(group.judged.items as usize);
            group.outputs as f64 / all as f64 * left
        };
        let strata = groups.iter().filter(|group| group.outputs > 0);
        strata.map(left).sum()
    }
}

impl StratumGroup {
    fn add(&mut self, outputs: u64, judged: &StratumSums) {
        self.outputs += outputs;
        self.judged.n += judged.n;
        self.judged.y += judged.y;
        self.judged.items += judged.items;
    }

    fn mean(&self) -> Option<f64> {
        (self.judged.n > 0.0).then(|| self.judged.y / self.judged.n)
    }

    /// The factor of the group's residuals; `None` with fewer than two items.
    fn factor(&self, all: u64, extent: Extent) -> Option<f64> {
        let items = self.judged.items;
        if self.outputs == 0 {
            return Some(0.0);
        }
        let correction = (items as f64 / items.checked_sub(1).filter(|&df| df > 0)? as f64).sqrt();
        let left = FiniteCorrection::new(extent, self.outputs).factor(items as usize);
        Some(left * correction * self.outputs as f64 / all as f64 / self.judged.n)
    }
}

/// Degrees of freedom of a sum of independent estimated variances, at least 1.
fn satterthwaite(groups: &[StratumGroup], variances: &[f64]) -> u64 {
    let total: f64 = variances.iter().sum();
    let spread: f64 = groups
        .iter()
        .zip(variances)
        .filter(|(_, variance)| **variance > 0.0)
        .map(|(group, variance)| variance * variance / (group.judged.items - 1) as f64)
        .sum();
    let most: u64 = groups
        .iter()
        .map(|group| group.judged.items.saturating_sub(1))
        .sum();
    let df = total * total / spread;
    // Without any spread, each group has given its mean.
    if df.is_finite() {
        (df as u64).clamp(1, most.max(1))
    } else {
        most.max(1)
    }
}

impl Estimator for StratifiedEstimator {
    fn push(&mut self, judged: &ScoredJudgment<'_>) {
        if self.items.is_empty() {
            self.offset = judged.y;
        }
        let stratum = self.stratum(judged);
        if stratum >= self.strata.len() {
            self.strata.resize(stratum + 1, StratumSums::default());
            self.sizes.resize(stratum + 1, 0);
        }
        let y = judged.y - self.offset;
        let item = self.items.entry(judged.item).or_insert(StratumItemSums {
            stratum,
            n: 0.0,
            y: 0.0,
        });
        let sums = &mut self.strata[item.stratum];
        sums.items += u64::from(item.n == 0.0);
        item.n += 1.0;
        item.y += y;
        sums.n += 1.0;
        sums.y += y;
    }

    fn value(&self) -> Option<f64> {
        self.value_of(&self.groups().0)
    }

    fn estimate(&self, confidence: f64) -> Option<MeanEstimate> {
        let (groups, group_of) = self.groups();
        let value = self.value_of(&groups)?;
        let case = IntervalCase {
            value,
            people: &self.people(&groups, &group_of),
            error: self.contributions_of(&groups, &group_of),
            standard_error: None,
            range: self.range,
            plain: false,
            left: self.left(&groups),
        };
        let (interval, method) = case.asked_for(self.telling.interval, confidence);
        Some(MeanEstimate {
            value,
            n: self.strata.iter().map(|sums| sums.n).sum::<f64>() as u64,
            alpha: None,
            interval,
            method,
            over: InferenceScope::OutputsAtHand,
        })
    }

    fn check(&self) -> Result<()> {
        for (stratum, (sums, outputs)) in self.strata.iter().zip(&self.sizes).enumerate() {
            let empty = self.cuts.is_none() && !self.items.is_empty() && sums.items == 0;
            if empty && *outputs > 0 {
                return Err(Error::usage(format!(
                    "stratum {} of {} has {outputs} outputs and no judgment",
                    stratum + 1,
                    self.sizes.len()
                ))
                .with_hint("judge some of its outputs, or join it to another stratum"));
            }
            if self.extent == Extent::Finite {
                FiniteCorrection::new(self.extent, *outputs).check(sums.items as usize)?;
            }
        }
        Ok(())
    }

    fn unjudged(&self) -> f64 {
        self.left(&self.groups().0)
    }

    fn unseen_by_design(&self) -> Option<UnseenOutputs> {
        let (groups, group_of) = self.groups();
        Some(self.people(&groups, &group_of).unseen())
    }

    fn is_weighable(&self) -> bool {
        false
    }

    fn adjuster(&self) -> Adjuster<'_> {
        let (groups, group_of) = self.groups();
        Box::new(move |judged| {
            let group = &groups[group_of[self.items.get(&judged.item)?.stratum]];
            (group.outputs > 0).then(|| AdjustedJudgment {
                value: judged.y,
                weight: group.outputs as f64 / group.judged.n,
            })
        })
    }

    fn contributions(&self) -> Option<Contributions> {
        let (groups, group_of) = self.groups();
        self.contributions_of(&groups, &group_of)
    }
}
