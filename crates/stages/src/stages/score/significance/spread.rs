//! The spread of corpus scores: each system by itself, on all items that it has outputs for.

use super::super::{ITEMS_PER_PART, Scorer, finite};
use super::paired::OutputCounts;
use super::{Corpus, FEWEST_ITEMS, Test};
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::Source;
use std::ops::Range;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
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
) -> Result<Vec<CorpusSpread>> {
    let items = OutputCounts::new(context, source)?.outputs;
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
        let compute = |range: Range<u64>| -> Result<Vec<Vec<f64>>> {
            let (groups, statistics) = corpus.statistics(source, range)?;
            let mut own = vec![Vec::new(); items.len()];
            let outputs = groups.iter().flat_map(|group| &group.outputs);
            for (output, row) in outputs.zip(statistics.chunks_exact(width)) {
                own[output.system.index()].extend_from_slice(row);
            }
            Ok(own)
        };
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        for_each_in_order(context, "resampling", parts, compute, |block| {
            let of_systems = resampled.iter_mut().zip(&block);
            for (sums, rows) in of_systems {
                for sums in sums.iter_mut() {
                    sums.add(rows);
                }
            }
            Ok(())
        })?;
        let signature = Test::Bootstrap { resamples }.sign(corpus.signature(source), context);
        for (arm, sums) in Arm::all(items.len()).zip(&resampled) {
            let system = source.system(arm);
            let score = |sums| finite(corpus.aggregate(sums), &scorer.label, "(all)", system);
            let scores = sums.iter().flat_map(ReplicateSums::sums).map(score);
            rows.push(CorpusSpread {
                system: system.to_string(),
                metric: scorer.label.clone(),
                mean_and_margin: mean_and_margin(&scores.collect::<Result<Vec<f64>>>()?),
                signature: signature.to_string(),
            });
        }
    }
    Ok(rows)
}
