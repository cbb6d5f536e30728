//! Which systems differ from a baseline by more than chance: corpus scores, their spread, p-values.
//!
//! One pass over the data per metric; what is kept are sums of statistics per replicate and system. Items of a cluster are
//! drawn, or exchanged, together: their statistics are added up first.
//! Systems are compared on the items that all of them have outputs for.

mod clustered;
mod paired;
mod resampled;
mod spread;
mod table;

pub use paired::PairedTest;
pub(crate) use resampled::FEWEST_ITEMS;
pub(in crate::stages) use resampled::{CorpusStatistics, ResampledDifference};
pub(super) use spread::spreads;

use super::corpus::Corpus;
use super::{ITEMS_PER_PART, Scorer, finite};
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::ItemClusters;
use clustered::ClusteredRows;
use serde::Serialize;
use std::ops::Range;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::Signature;
use tiebreak_base::stats::holm;
use tiebreak_decide::evaluation::significance::{
    ReplicateSums, SignificanceResult, exchanges, mean_and_margin,
};

/// A significance test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// The paired bootstrap.
    Bootstrap {
        /// The number of resamples.
        resamples: u64,
    },
    /// Paired approximate randomisation.
    Randomisation {
        /// The number of trials.
        trials: u64,
        /// The number of resamples for the spread of scores, if it is wanted.
        resamples: Option<u64>,
    },
}

impl Test {
    fn resamples(self) -> Option<u64> {
        match self {
            Self::Bootstrap { resamples } => Some(resamples),
            Self::Randomisation { resamples, .. } => resamples,
        }
    }

    fn trials(self) -> Option<u64> {
        match self {
            Self::Bootstrap { .. } => None,
            Self::Randomisation { trials, .. } => Some(trials),
        }
    }

    /// Adds the test and its seed to the signature of a score, named as in sacrebleu's.
    fn sign(self, mut signature: Signature, context: &Context<'_>) -> Signature {
        if let Some(trials) = self.trials() {
            signature = signature.with("ar", trials);
        }
        if let Some(resamples) = self.resamples() {
            signature = signature.with("bs", resamples);
        }
        signature.with("seed", context.seed.0)
    }
}

/// One system under one metric.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SystemSignificance {
    /// The system.
    pub system: String,
    /// The metric, as the user named it.
    pub metric: String,
    /// Its corpus score; for metrics without one the mean of its scores.
    pub score: f64,
    /// The mean of the bootstrapped scores; `None` without resamples.
    pub mean: Option<f64>,
    /// Half the width of their central 95 %; `None` without resamples, or with too few items.
    pub ci: Option<f64>,
    /// sacrebleu's p-value of the difference from the baseline; `None` for the baseline.
    pub p_value: Option<f64>,
    /// The two-sided p-value of the difference, corrected by Holm among all tests made together; `None`
    /// for the baseline, and with too few items: [`Self::FEWEST_EXCHANGED`]. Below `FEWEST_ITEMS` it is exact, by all
    /// exchanges of outputs.
    pub p_corrected: Option<f64>,
    /// Whether `p_corrected` is below 0.05: by chance any system differs so in one of twenty tables.
    pub significant: Option<bool>,
    /// The number of items; those of a cluster are one.
    pub n: u64,
    /// The signature of the score.
    pub signature: String,
}

impl SystemSignificance {
    /// The fewest items whose exchanges can show a difference: of equal systems one in 2^(n − 1) looks as different.
    pub const FEWEST_EXCHANGED: u64 = 6;

    /// The significance level: the chance of any difference among systems that do not differ.
    pub const LEVEL: f64 = 0.05;
}

impl PairedTest<'_> {
    /// Tests every system against the baseline under each metric: rows by metric, the baseline
    /// first.
    ///
    /// # Errors
    /// As `for_each_in_order`; a metric that needs references on items without any.
    pub fn compare(
        &self,
        context: &Context<'_>,
        scorers: &[Scorer],
    ) -> Result<Vec<SystemSignificance>> {
        let mut rows = Vec::new();
        for scorer in scorers {
            scorer.require_references(self.source)?;
            let comparison = MetricComparison {
                paired: self,
                corpus: Corpus::new(scorer),
                label: &scorer.label,
            };
            let sums = comparison.sums(context)?;
            rows.extend(comparison.rows(&sums, &self.signature(context, scorer))?);
        }
        correct(&mut rows);
        self.warn_of_few(context, &rows);
        Ok(rows)
    }

    /// Whether there are so few items that all exchanges of their outputs are tried.
    pub fn is_exact(&self) -> bool {
        self.items < FEWEST_ITEMS
    }

    /// Whether there are so few items that nothing is decided.
    pub fn is_undecided(&self) -> bool {
        self.items < SystemSignificance::FEWEST_EXCHANGED
    }

    /// Warns where the least p, 1/(replicates + 1), is too large to survive the correction.
    fn warn_of_few(&self, context: &Context<'_>, rows: &[SystemSignificance]) {
        let tests = rows.iter().filter(|row| row.p_corrected.is_some()).count() as u64;
        let needed = (tests as f64 / SystemSignificance::LEVEL) as u64;
        let (replicates, flag) = match self.test {
            Test::Bootstrap { resamples } => (resamples, "resamples"),
            Test::Randomisation { trials, .. } => (trials, "trials"),
        };
        if replicates < needed && !self.is_exact() {
            context.progress.warn(&format!(
                "{replicates} {flag} are too few for any of {tests} tests to be significant; use at least --{flag} {needed}"
            ));
        }
    }

    fn signature(&self, context: &Context<'_>, scorer: &Scorer) -> String {
        let signature = Corpus::new(scorer).signature(self.source);
        sign_clusters(self.test.sign(signature, context), self.clusters.as_ref())
    }
}

/// The signature, with what items of a cluster share.
fn sign_clusters(signature: Signature, clusters: Option<&ItemClusters>) -> String {
    let shared = clusters.and_then(ItemClusters::shared);
    let signature = match shared {
        Some(shared) => signature.with("clusters", shared),
        None => signature,
    };
    signature.to_string()
}

/// Corrects the p-values of all rows by Holm's method.
fn correct(rows: &mut [SystemSignificance]) {
    let chances: Vec<f64> = rows.iter().filter_map(|row| row.p_corrected).collect();
    let tested = rows.iter_mut().filter(|row| row.p_corrected.is_some());
    for (row, corrected) in tested.zip(holm::adjusted(&chances)) {
        row.p_corrected = Some(corrected);
        row.significant = Some(corrected < SystemSignificance::LEVEL);
    }
}

/// A metric on the systems that are compared.
struct MetricComparison<'a> {
    paired: &'a PairedTest<'a>,
    corpus: Corpus<'a>,
    label: &'a str,
}

/// Sums of statistics, system after system: of the data and of its replicates.
struct StatisticSums {
    observed: Vec<f64>,
    resampled: Option<ReplicateSums>,
    chosen: Option<ReplicateSums>,
    /// The statistics themselves, item by item, where items are few.
    few: Vec<f64>,
}

impl StatisticSums {
    /// Adds rows, one for each item, or for each cluster of items.
    fn add(&mut self, rows: &[f64], are_few: bool) {
        for row in rows.chunks_exact(self.observed.len()) {
            let sums = self.observed.iter_mut().zip(row);
            sums.for_each(|(sum, value)| *sum += value);
        }
        let replicates = [&mut self.resampled, &mut self.chosen];
        let replicates = replicates.into_iter().flatten();
        replicates.for_each(|replicates| replicates.add(rows));
        if are_few {
            self.few.extend_from_slice(rows);
        }
    }
}

impl MetricComparison<'_> {
    fn sums(&self, context: &Context<'_>) -> Result<StatisticSums> {
        let width = self.paired.systems.len() * self.corpus.width();
        let PairedTest { test, items, .. } = *self.paired;
        let seed = context.seed;
        let mut sums = StatisticSums {
            observed: vec![0.0; width],
            resampled: test
                .resamples()
                .map(|resamples| ReplicateSums::bootstrap(resamples, items, width, seed)),
            chosen: test
                .trials()
                .map(|trials| ReplicateSums::randomisation(trials, width, seed)),
            few: Vec::new(),
        };
        let parts = Parts::new(self.paired.source.index.items(), ITEMS_PER_PART);
        let compute = |range| self.paired_statistics(range);
        let clusters = self.paired.clusters.as_ref();
        let mut clustered = clusters.map(|clusters| ClusteredRows::new(clusters, width));
        for_each_in_order(context, "significance", parts, compute, |(items, block)| {
            match &mut clustered {
                Some(clustered) => clustered.add(&items, &block),
                None => sums.add(&block, self.paired.is_exact()),
            }
            Ok(())
        })?;
        if let Some(clustered) = clustered {
            sums.add(&clustered.finish(), self.paired.is_exact());
        }
        Ok(sums)
    }

    /// A row for each item that all systems have outputs for, after the items' positions: the statistics of all of them.
    fn paired_statistics(&self, range: Range<u64>) -> Result<(Vec<u32>, Vec<f64>)> {
        let (groups, statistics) = self.corpus.statistics(self.paired.source, range)?;
        let mut rest = &statistics[..];
        let (mut items, mut rows) = (Vec::new(), Vec::with_capacity(statistics.len()));
        for group in &groups {
            let (row, after) = rest.split_at(group.outputs.len() * self.corpus.width());
            if group.outputs.len() == self.paired.systems.len() {
                items.push(u32::try_from(group.position).map_err(Error::failed)?);
                rows.extend_from_slice(row);
            }
            rest = after;
        }
        Ok((items, rows))
    }

    /// A row for each system; p-values are not corrected yet.
    fn rows(&self, sums: &StatisticSums, signature: &str) -> Result<Vec<SystemSignificance>> {
        let baseline = self.paired.baseline;
        let systems = 0..self.paired.systems.len();
        let order = std::iter::once(baseline).chain(systems.filter(|&system| system != baseline));
        let baseline_score = self.score(baseline, &sums.observed)?;
        let baseline_resampled = self.resampled(baseline, sums)?;
        order
            .map(|system| {
                let score = self.score(system, &sums.observed)?;
                let resampled = self.resampled(system, sums)?;
                let spread = mean_and_margin(&resampled);
                let margin = spread.filter(|_| self.paired.items >= FEWEST_ITEMS);
                let verdict = if system == baseline {
                    None
                } else if let Some(chosen) = &sums.chosen {
                    let shuffled = self.shuffled(system, &sums.observed, chosen)?;
                    Some(SignificanceResult::randomisation(
                        [baseline_score, score],
                        &shuffled,
                    ))
                } else {
                    let scores = [baseline_score, score];
                    Some(SignificanceResult::bootstrap(
                        scores,
                        &baseline_resampled,
                        &resampled,
                        self.paired.items,
                    ))
                };
                let verdict = match verdict.filter(|_| self.paired.is_exact()) {
                    Some(verdict) => {
                        let exchanged = self.exchanged(system, &sums.few)?;
                        Some(verdict.exactly([baseline_score, score], exchanged.into_iter()))
                    }
                    None => verdict,
                };
                Ok(SystemSignificance {
                    system: self.name(system).to_string(),
                    metric: self.label.to_string(),
                    score,
                    mean: spread.map(|(mean, _)| mean),
                    ci: margin.map(|(_, margin)| margin),
                    p_value: verdict.map(|verdict| verdict.p),
                    p_corrected: verdict
                        .filter(|_| !self.paired.is_undecided())
                        .map(|verdict| verdict.chance),
                    significant: None,
                    n: self.paired.items,
                    signature: signature.to_string(),
                })
            })
            .collect()
    }

    fn name(&self, system: usize) -> &str {
        self.paired.source.system(self.paired.systems[system])
    }

    /// A system's statistics among those of all systems.
    fn statistics<'s>(&self, system: usize, sums: &'s [f64]) -> &'s [f64] {
        let width = self.corpus.width();
        &sums[system * width..(system + 1) * width]
    }

    fn aggregate(&self, system: usize, sums: &[f64]) -> Result<f64> {
        let score = self.corpus.aggregate(sums);
        finite(score, self.label, "(all)", self.name(system))
    }

    fn score(&self, system: usize, sums: &[f64]) -> Result<f64> {
        self.aggregate(system, self.statistics(system, sums))
    }

    /// A system's scores on the resamples, if there are any.
    fn resampled(&self, system: usize, sums: &StatisticSums) -> Result<Vec<f64>> {
        let replicates = sums.resampled.iter().flat_map(ReplicateSums::sums);
        replicates.map(|sums| self.score(system, sums)).collect()
    }

    /// The scores of the baseline and a system in all exchanges of their outputs of few items.
    fn exchanged(&self, system: usize, few: &[f64]) -> Result<Vec<[f64; 2]>> {
        let all = self.paired.systems.len() * self.corpus.width();
        let places = [self.paired.baseline, system];
        let rows = few.chunks_exact(all).flat_map(|row| {
            let of_both = places.map(|place| self.statistics(place, row));
            of_both.concat()
        });
        let rows: Vec<f64> = rows.collect();
        let score = |sums: &[f64]| self.aggregate(system, sums);
        exchanges(&rows, self.corpus.width())
            .map(|[one, other]| Ok([score(&one)?, score(&other)?]))
            .collect()
    }

    /// By trial, the scores of two systems between which outputs were exchanged: the first has the
    /// baseline's outputs of the chosen items and the system's of the others.
    fn shuffled(
        &self,
        system: usize,
        observed: &[f64],
        chosen: &ReplicateSums,
    ) -> Result<Vec<[f64; 2]>> {
        let all = [self.paired.baseline, system].map(|place| self.statistics(place, observed));
        let exchange = |sums: &[f64]| {
            let part = [self.paired.baseline, system].map(|place| self.statistics(place, sums));
            let cells = 0..self.corpus.width();
            let one: Vec<f64> = cells
                .map(|i| part[0][i] + (all[1][i] - part[1][i]))
                .collect();
            let cells = 0..self.corpus.width();
            let other: Vec<f64> = cells
                .map(|i| (all[0][i] - part[0][i]) + part[1][i])
                .collect();
            Ok([
                self.aggregate(system, &one)?,
                self.aggregate(system, &other)?,
            ])
        };
        chosen.sums().map(exchange).collect()
    }
}
