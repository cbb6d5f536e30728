//! The difference of two systems' corpus scores, resampled over the items that both have outputs for.

use super::super::{ITEMS_PER_PART, Scorer};
use super::Corpus;
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::Source;
use std::cmp::Ordering;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::evaluation::significance::ReplicateSums;
use tiebreak_metrics::metrics::direction;

/// The fewest items whose resamples are trusted.
const FEWEST_ITEMS: u64 = 20;

/// Resamples beyond an end of the interval.
const BEYOND: f64 = 50.0;

/// The fewest and the most resamples.
const RESAMPLES: [u64; 2] = [2000, 100_000];

/// The difference of two corpus scores, better above 0, with those of resamples.
pub(in crate::stages) struct ResampledDifference {
    /// The number of items that both systems have outputs for.
    pub items: u64,
    observed: f64,
    /// The differences of the resamples, ascending; none with too few items.
    resampled: Vec<f64>,
}

impl ResampledDifference {
    /// Compares the first system with the second, on some items; with as many resamples as a level of one end needs.
    ///
    /// # Errors
    /// A metric that needs references on items without any; [`Error::Interrupted`](tiebreak_base::Error::Interrupted).
    pub(in crate::stages) fn new(
        context: &Context<'_>,
        source: &Source,
        scorer: &Scorer,
        pair: [Arm; 2],
        level: f64,
        is_inside: &(impl Fn(u64) -> bool + Sync),
    ) -> Result<Self> {
        scorer.require_references(source)?;
        let corpus = Corpus::new(scorer);
        let width = corpus.width();
        let mut rows: Vec<f64> = Vec::new();
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let compute = |range| paired_rows(corpus, source, range, pair, is_inside);
        for_each_in_order(context, "resampling", parts, compute, |block| {
            rows.extend_from_slice(&block);
            Ok(())
        })?;
        let items = (rows.len() / (2 * width)) as u64;
        let better = direction(&scorer.label);
        let difference = |sums: &[f64]| {
            let scores = [&sums[..width], &sums[width..]].map(|sums| corpus.aggregate(sums));
            let (one, other) = better.rising(scores[0], scores[1]);
            one - other
        };
        let sums = rows
            .chunks_exact(2 * width)
            .fold(vec![0.0; 2 * width], |sums, row| {
                sums.iter().zip(row).map(|(sum, x)| sum + x).collect()
            });
        let mut resampled = Vec::new();
        if items >= FEWEST_ITEMS {
            let [fewest, most] = RESAMPLES;
            let enough = ((BEYOND / level).ceil() as u64).clamp(fewest, most);
            let mut replicates = ReplicateSums::bootstrap(enough, items, 2 * width, context.seed);
            replicates.add(&rows);
            resampled.extend(replicates.sums().map(difference));
            resampled.sort_unstable_by(f64::total_cmp);
        }
        Ok(Self {
            items,
            observed: difference(&sums),
            resampled,
        })
    }

    /// The difference of the scores.
    pub(in crate::stages) fn difference(&self) -> f64 {
        self.observed
    }

    /// The standard deviation of the resamples; `None` with too few items.
    pub(in crate::stages) fn standard_error(&self) -> Option<f64> {
        let moments: Moments = self.resampled.iter().copied().collect();
        moments.sample_variance().map(f64::sqrt)
    }

    /// The interval by percentiles, each end beyond which a share `level` of resamples lies; `None` with too few items.
    pub(in crate::stages) fn ends(&self, level: f64) -> Option<(f64, f64)> {
        let last = self.resampled.len().checked_sub(1)?;
        // The p-value below is at most the level exactly where the end excludes a value.
        let beyond = (level * (last + 2) as f64 - 1.0).max(0.0) as usize;
        Some((self.resampled[beyond], self.resampled[last - beyond]))
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or less.
    pub(in crate::stages) fn p_above(&self, x: f64) -> f64 {
        self.p_value(|difference| difference.total_cmp(&x) != Ordering::Greater)
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or more.
    pub(in crate::stages) fn p_below(&self, x: f64) -> f64 {
        self.p_value(|difference| difference.total_cmp(&x) != Ordering::Less)
    }

    fn p_value(&self, contrary: impl Fn(&f64) -> bool) -> f64 {
        let contrary = self.resampled.iter().filter(|one| contrary(one)).count();
        (contrary + 1) as f64 / (self.resampled.len() + 1) as f64
    }
}

/// A row for each item that both systems have outputs for: the statistics of the first, then of the second.
fn paired_rows(
    corpus: Corpus<'_>,
    source: &Source,
    range: std::ops::Range<u64>,
    pair: [Arm; 2],
    is_inside: &impl Fn(u64) -> bool,
) -> Result<Vec<f64>> {
    let width = corpus.width();
    let (groups, statistics) = corpus.statistics(source, range)?;
    let mut outputs = statistics.chunks_exact(width);
    let mut rows = Vec::new();
    for group in &groups {
        let own: Vec<&[f64]> = outputs.by_ref().take(group.outputs.len()).collect();
        let place = |arm: Arm| group.outputs.iter().position(|one| one.system == arm);
        let places = pair.map(place);
        if let [Some(one), Some(other)] = places
            && is_inside(group.position)
        {
            rows.extend_from_slice(own[one]);
            rows.extend_from_slice(own[other]);
        }
    }
    Ok(rows)
}
