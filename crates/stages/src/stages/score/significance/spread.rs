//! The spread of corpus scores: each system by itself, on all items that it has outputs for.

use super::super::{ITEMS_PER_PART, Scorer, finite};
use super::clustered::ClusteredRows;
use super::paired::OutputCounts;
use super::{Corpus, FEWEST_ITEMS, Test, sign_clusters};
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::{ItemClusters, Source};
use std::ops::Range;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::words::counted;
use tiebreak_decide::evaluation::significance::{ReplicateSums, mean_and_margin};

/// The spread of one system's corpus score under one metric.
#[derive(Debug, Clone)]
pub(in super::super) struct CorpusSpread {
    pub system: String,
    pub metric: String,
    /// The mean of the bootstrapped scores, and half the width of their central 95 %.
    pub mean_and_margin: Option<(f64, f64)>,
    /// The signature of the score and its spread.
    pub signature: String,
}

/// Resamples the items of every system under each metric: rows by metric.
///
/// # Errors
/// As `for_each_in_order`; a metric that needs references on items without any.
pub(in super::super) fn spreads(
    context: &Context<'_>,
    source: &Source,
    scorers: &[Scorer],
    resamples: u64,
    clusters: Option<&ItemClusters>,
) -> Result<Vec<CorpusSpread>> {
    let items = match clusters {
        Some(clusters) => clusters.of_systems(source)?,
        None => OutputCounts::new(context, source)?.outputs,
    };
    let fewest = items.iter().copied().filter(|items| *items > 0).min();
    if let Some(few) = fewest.filter(|few| *few < FEWEST_ITEMS) {
        context.progress.warn(&format!(
            "± is too small for {}: a bootstrap needs at least {FEWEST_ITEMS}",
            counted(few, "item")
        ));
    }
    let mut rows = Vec::new();
    for scorer in scorers {
        scorer.require_references(source)?;
        let corpus = Corpus::new(scorer);
        let width = corpus.width();
        let resampled = |items: &u64| {
            let sums = || ReplicateSums::bootstrap(resamples, *items, width, context.seed);
            (*items > 0).then(sums)
        };
        let mut resampled: Vec<Option<ReplicateSums>> = items.iter().map(resampled).collect();
        let compute = |range: Range<u64>| of_systems(corpus, source, range, items.len());
        let rows_of = |clusters| ClusteredRows::new(clusters, width);
        let mut clustered: Vec<Option<ClusteredRows<'_>>> =
            items.iter().map(|_| clusters.map(rows_of)).collect();
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        for_each_in_order(context, "resampling", parts, compute, |block| {
            let each = resampled.iter_mut().zip(&mut clustered).zip(&block);
            for ((sums, clustered), (items, rows)) in each {
                match (clustered, sums) {
                    (Some(clustered), _) => clustered.add(items, rows),
                    (None, Some(sums)) => sums.add(rows),
                    (None, None) => {}
                }
            }
            Ok(())
        })?;
        for (sums, clustered) in resampled.iter_mut().zip(clustered) {
            if let Some((sums, clustered)) = sums.as_mut().zip(clustered) {
                sums.add(&clustered.finish());
            }
        }
        let signature = Test::Bootstrap { resamples }.sign(corpus.signature(source), context);
        let signature = sign_clusters(signature, clusters);
        for (arm, sums) in Arm::all(items.len()).zip(&resampled) {
            let system = source.system(arm);
            let score = |sums| finite(corpus.aggregate(sums), &scorer.label, "(all)", system);
            let scores = sums.iter().flat_map(ReplicateSums::sums).map(score);
            rows.push(CorpusSpread {
                system: system.to_string(),
                metric: scorer.label.clone(),
                mean_and_margin: mean_and_margin(&scores.collect::<Result<Vec<f64>>>()?),
                signature: signature.clone(),
            });
        }
    }
    Ok(rows)
}

/// The items of each system's outputs, with their rows of statistics.
fn of_systems(
    corpus: Corpus<'_>,
    source: &Source,
    range: Range<u64>,
    systems: usize,
) -> Result<Vec<(Vec<u32>, Vec<f64>)>> {
    let (groups, statistics) = corpus.statistics(source, range)?;
    let mut own = vec![(Vec::new(), Vec::new()); systems];
    let outputs = groups.iter().flat_map(|group| {
        let outputs = group.outputs.iter();
        outputs.map(|output| (group.position, output.system))
    });
    for ((item, system), row) in outputs.zip(statistics.chunks_exact(corpus.width())) {
        let (items, rows) = &mut own[system.index()];
        items.push(u32::try_from(item).map_err(Error::failed)?);
        rows.extend_from_slice(row);
    }
    Ok(own)
}
