//! The difference of two systems' corpus scores, resampled over the items that both have outputs for.

use super::super::{ITEMS_PER_PART, Scorer};
use super::Corpus;
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::{ItemClusters, Source};
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_decide::evaluation::significance::{ReplicateSums, ResampledSpread};
use tiebreak_metrics::metrics::{Direction, direction};

/// The fewest items whose resamples are trusted.
pub(crate) const FEWEST_ITEMS: u64 = 20;

/// Resamples beyond an end of the interval, and as many beyond the other.
const BEYOND: f64 = 50.0;

/// The fewest and the most resamples.
const RESAMPLES: [u64; 2] = [2000, 100_000];

/// An item's position, and the statistics of its outputs by system.
type ItemStatistics = (u32, Vec<(Arm, Vec<f64>)>);

/// The statistics of some systems' outputs under a metric, read once for all comparisons.
pub(in crate::stages) struct CorpusStatistics<'a> {
    corpus: Corpus<'a>,
    better: Direction,
    seed: Seed,
    items: Vec<ItemStatistics>,
    clusters: Option<&'a ItemClusters>,
}

impl<'a> CorpusStatistics<'a> {
    /// Computes the statistics of the outputs of these systems; items of a cluster are drawn together.
    ///
    /// # Errors
    /// A metric that needs references on items without any; [`Error::Interrupted`](tiebreak_base::Error::Interrupted).
    pub(in crate::stages) fn read(
        context: &Context<'_>,
        source: &Source,
        scorer: &'a Scorer,
        systems: &[Arm],
        clusters: Option<&'a ItemClusters>,
    ) -> Result<Self> {
        scorer.require_references(source)?;
        let corpus = Corpus::new(scorer);
        let mut items = Vec::new();
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let compute = |range| item_statistics(corpus, source, range, systems);
        for_each_in_order(context, "resampling", parts, compute, |block| {
            items.extend(block);
            Ok(())
        })?;
        Ok(Self {
            corpus,
            better: direction(&scorer.label),
            seed: context.seed,
            items,
            clusters,
        })
    }

    /// The scores of a system's outputs, by item; a score for each cluster.
    pub(in crate::stages) fn scores(
        &self,
        system: Arm,
        is_inside: &impl Fn(u32) -> bool,
    ) -> BTreeMap<u32, f64> {
        let rows = self.rows(is_inside, |of| Some(row_of(of, system)?.to_vec()));
        rows.into_iter()
            .map(|(item, sums)| (item, self.corpus.aggregate(&sums)))
            .collect()
    }

    /// Sums of statistics by cluster, over the items of which `row` returns some.
    fn rows(
        &self,
        is_inside: &impl Fn(u32) -> bool,
        row: impl Fn(&[(Arm, Vec<f64>)]) -> Option<Vec<f64>>,
    ) -> BTreeMap<u32, Vec<f64>> {
        let mut rows: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (at, of) in self.items.iter().filter(|(at, _)| is_inside(*at)) {
            let Some(row) = row(of) else { continue };
            let cluster = self.clusters.map_or(*at, |clusters| clusters.cluster(*at));
            let sums = rows.entry(cluster).or_insert_with(|| vec![0.0; row.len()]);
            add(sums, &row);
        }
        rows
    }
}

/// Adds a row of statistics.
fn add(sums: &mut [f64], row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
}

/// The statistics of a system among those of an item.
fn row_of(of: &[(Arm, Vec<f64>)], arm: Arm) -> Option<&[f64]> {
    let own = of.iter().find(|(system, _)| *system == arm);
    own.map(|(_, row)| &row[..])
}

fn item_statistics(
    corpus: Corpus<'_>,
    source: &Source,
    range: std::ops::Range<u64>,
    systems: &[Arm],
) -> Result<Vec<ItemStatistics>> {
    let (groups, statistics) = corpus.statistics(source, range)?;
    let mut rows = statistics.chunks_exact(corpus.width());
    let mut items = Vec::new();
    for group in &groups {
        let own = group.outputs.iter().map(|output| output.system);
        let own: Vec<(Arm, &[f64])> = own.zip(rows.by_ref().take(group.outputs.len())).collect();
        let asked = own.iter().filter(|(system, _)| systems.contains(system));
        let asked = asked.map(|(system, row)| (*system, row.to_vec()));
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        items.push((item, asked.collect()));
    }
    Ok(items)
}

/// The difference of two corpus scores, better above 0, with those of resamples.
pub(in crate::stages) struct ResampledDifference {
    /// The number of items that both systems have outputs for; those of a cluster are one.
    pub items: u64,
    observed: f64,
    /// How far resamples are from their mean; `None` with too few items.
    spread: Option<ResampledSpread>,
}

impl ResampledDifference {
    /// Compares the first system with the second, on some items; with as many resamples as a level of one end needs.
    pub(in crate::stages) fn new(
        statistics: &CorpusStatistics<'_>,
        pair: [Arm; 2],
        level: f64,
        is_inside: &impl Fn(u32) -> bool,
    ) -> Self {
        let CorpusStatistics {
            corpus,
            better,
            seed,
            ..
        } = statistics;
        let width = corpus.width();
        let of_both = |of: &[(Arm, Vec<f64>)]| {
            let [one, other] = pair.map(|arm| row_of(of, arm));
            Some([one?, other?].concat())
        };
        let rows = statistics.rows(is_inside, of_both);
        let rows: Vec<f64> = rows.into_values().flatten().collect();
        let items = (rows.len() / (2 * width)) as u64;
        let difference = |sums: &[f64]| {
            let scores = [&sums[..width], &sums[width..]].map(|sums| corpus.aggregate(sums));
            let (one, other) = better.rising(scores[0], scores[1]);
            one - other
        };
        let mut sums = vec![0.0; 2 * width];
        for row in rows.chunks_exact(2 * width) {
            add(&mut sums, row);
        }
        let resampled = (items >= FEWEST_ITEMS).then(|| {
            let [fewest, most] = RESAMPLES;
            let enough = ((BEYOND / level).ceil() as u64).clamp(fewest, most);
            let mut replicates = ReplicateSums::bootstrap(enough, items, 2 * width, *seed);
            replicates.add(&rows);
            replicates.sums().map(difference).collect::<Vec<f64>>()
        });
        Self {
            items,
            observed: difference(&sums),
            spread: resampled.map(|all| ResampledSpread::new(&all, items)),
        }
    }

    /// The difference of the scores.
    pub(in crate::stages) fn difference(&self) -> f64 {
        self.observed
    }

    /// Whether all resamples score both systems the same, as where their outputs are.
    pub(in crate::stages) fn is_same(&self) -> bool {
        self.observed == 0.0 && self.standard_error() == Some(0.0)
    }

    /// The standard deviation of the resamples; `None` with too few items.
    pub(in crate::stages) fn standard_error(&self) -> Option<f64> {
        self.spread.as_ref().map(ResampledSpread::deviation)
    }

    /// The interval, each end of which is missed with probability `level`; `None` with too few items. As in
    /// [`PairedTest`](super::PairedTest), resamples count by their distance from their mean, and that of few items is
    /// too small by as much as a normal quantile is beside Student's t.
    pub(in crate::stages) fn ends(&self, level: f64) -> Option<(f64, f64)> {
        let reach = self.spread.as_ref()?.reach(2.0 * level)?;
        Some((self.observed - reach, self.observed + reach))
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or less.
    pub(in crate::stages) fn p_above(&self, x: f64) -> f64 {
        self.p_beyond(self.observed - x)
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or more.
    pub(in crate::stages) fn p_below(&self, x: f64) -> f64 {
        self.p_beyond(x - self.observed)
    }

    /// The probability to be so far off in one direction; 1 with too few items.
    fn p_beyond(&self, distance: f64) -> f64 {
        let Some(spread) = &self.spread else {
            return 1.0;
        };
        let tail = 0.5 * spread.chance(distance.abs());
        match distance > 0.0 {
            true => tail,
            false => 1.0 - tail,
        }
    }
}
