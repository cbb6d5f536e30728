//! One score per system: the mean over its outputs, or the metric's own score of the whole corpus.

use super::corpus::Corpus;
use super::significance::spreads;
use super::{ITEMS_PER_PART, Scorer, finite, segments};
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::{ClusterKeys, Source};
use serde::Serialize;
use std::ops::Range;
use tiebreak_base::error::Result;
use tiebreak_base::stats::moments::Moments;

/// A system's score over the whole data set.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SystemScore {
    /// The system.
    pub system: String,
    /// The metric, as the user named it.
    pub metric: String,
    /// The mean of its segment scores, or its corpus score.
    pub score: f64,
    /// The number of outputs.
    pub n: u64,
    /// The signature of the score.
    pub signature: String,
    /// What a corpus score is made of, as its reference implementation writes it.
    #[serde(skip)]
    pub verbose_score: Option<String>,
    /// The mean of bootstrapped corpus scores, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_mean: Option<f64>,
    /// Half the width of their central 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_var: Option<f64>,
}

impl SystemScore {
    /// Each system's mean segment score under each metric, in one streamed pass.
    ///
    /// # Errors
    /// As `for_each_in_order`.
    pub fn means(
        context: &Context<'_>,
        source: &Source,
        scorers: &[Scorer],
    ) -> Result<Vec<SystemScore>> {
        for scorer in scorers {
            scorer.require_references(source)?;
        }
        let k = source.systems().len();
        let mut moments = vec![Moments::default(); k * scorers.len()];
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let compute = |range: Range<u64>| -> Result<Vec<(usize, f64)>> {
            let groups = source.groups(range)?;
            let segments = segments(&groups);
            let systems: Vec<usize> = groups
                .iter()
                .flat_map(|group| group.outputs.iter().map(|output| output.system.index()))
                .collect();
            let mut cells = Vec::with_capacity(segments.len() * scorers.len());
            for (m, scorer) in scorers.iter().enumerate() {
                let scores = scorer.metric.score(&segments)?;
                cells.extend(
                    systems
                        .iter()
                        .zip(scores)
                        .map(|(system, score)| (m * k + system, score)),
                );
            }
            Ok(cells)
        };
        for_each_in_order(context, "scores", parts, compute, |cells| {
            for (cell, score) in cells {
                moments[cell].push(score);
            }
            Ok(())
        })?;
        let row = |(cell, moments): (usize, &Moments)| {
            let scorer = &scorers[cell / k];
            let system = source.systems()[cell % k].clone();
            let mean = finite(
                moments.mean().unwrap_or(f64::NAN),
                &scorer.label,
                "(all)",
                &system,
            )?;
            let signature = scorer.signature(source).to_string();
            Ok(SystemScore {
                system,
                metric: scorer.label.clone(),
                score: mean,
                n: moments.count(),
                signature,
                verbose_score: None,
                confidence_mean: None,
                confidence_var: None,
            })
        };
        moments
            .iter()
            .enumerate()
            .filter(|(_, moments)| moments.count() > 0)
            .map(row)
            .collect()
    }

    /// Each system's corpus score under each metric that has sufficient statistics; for the others, the
    /// mean of segment scores, which is what their reference implementations report for a corpus.
    ///
    /// # Errors
    /// As `for_each_in_order`.
    pub fn corpus(
        context: &Context<'_>,
        source: &Source,
        scorers: &[Scorer],
    ) -> Result<Vec<SystemScore>> {
        let mut rows = Vec::new();
        for scorer in scorers {
            if scorer.metric.corpus().is_none() {
                rows.extend(SystemScore::means(
                    context,
                    source,
                    std::slice::from_ref(scorer),
                )?);
                continue;
            }
            scorer.require_references(source)?;
            let corpus = Corpus::new(scorer);
            let k = source.systems().len();
            let mut totals: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); k];
            let compute = |range: Range<u64>| -> Result<Vec<(u64, Vec<f64>)>> {
                let mut totals: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); k];
                let (groups, statistics) = corpus.statistics(source, range)?;
                let systems = groups
                    .iter()
                    .flat_map(|group| group.outputs.iter().map(|output| output.system.index()));
                for (system, statistics) in systems.zip(statistics.chunks_exact(corpus.width())) {
                    add(&mut totals[system], (1, statistics));
                }
                Ok(totals)
            };
            let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
            for_each_in_order(context, "corpus scores", parts, compute, |part| {
                totals
                    .iter_mut()
                    .zip(&part)
                    .for_each(|(total, (n, part))| add(total, (*n, part)));
                Ok(())
            })?;
            let signature = corpus.signature(source).to_string();
            for (system, (n, total)) in source
                .systems()
                .iter()
                .zip(totals)
                .filter(|(_, (n, _))| *n > 0)
            {
                rows.push(SystemScore {
                    system: system.clone(),
                    metric: scorer.label.clone(),
                    score: finite(corpus.aggregate(&total), &scorer.label, "(all)", system)?,
                    n,
                    signature: signature.clone(),
                    verbose_score: corpus.details(&total),
                    confidence_mean: None,
                    confidence_var: None,
                });
            }
        }
        Ok(rows)
    }

    /// Warns where scores of systems are over different items.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn warn_of_different_items(
        context: &Context<'_>,
        source: &Source,
        rows: &[SystemScore],
    ) -> Result<()> {
        let counts = rows.iter().map(|row| row.n);
        let mut items = source.index.items();
        if counts.clone().any(|n| n < items) {
            let has_outputs = source
                .index
                .all()
                .map(|group| Ok(!group?.outputs.is_empty()));
            let has_outputs: Vec<bool> = has_outputs.collect::<Result<_>>()?;
            items = has_outputs.into_iter().filter(|has| *has).count() as u64;
        }
        if let Some(clause) = different_items(counts, items) {
            context.progress.warn(&clause);
        }
        Ok(())
    }
}

/// A clause on systems with other items than others, by the numbers of their items and of all; `None` where all have all.
pub(super) fn different_items(
    counts: impl Iterator<Item = u64> + Clone,
    items: u64,
) -> Option<String> {
    let (fewest, most) = (counts.clone().min()?, counts.max()?);
    let which = match fewest < most {
        _ if fewest == items => return None,
        true => format!("{fewest} to {most} items"),
        false => format!("{most} of {items} items, not all the same ones"),
    };
    Some(format!(
        "systems have outputs for {which}, and each score is over its own: a paired test compares them on the same"
    ))
}

impl SystemScore {
    /// Adds the spread of each corpus score over bootstrap resamples of the items, each system by itself. Returns sentences on
    /// items of a cluster, or that may be of one.
    ///
    /// # Errors
    /// As `for_each_in_order`; clusters that the data set does not have.
    pub fn add_confidence(
        context: &Context<'_>,
        source: &Source,
        scorers: &[Scorer],
        resamples: u64,
        keys: &ClusterKeys,
        rows: &mut [SystemScore],
    ) -> Result<Vec<String>> {
        let (clusters, sentences) = keys.among_scored(source, |group| !group.outputs.is_empty())?;
        for spread in spreads(context, source, scorers, resamples, clusters.as_ref())? {
            let of_it = |row: &&mut SystemScore| {
                (&row.system, &row.metric) == (&spread.system, &spread.metric)
            };
            if let Some(row) = rows.iter_mut().find(of_it) {
                (row.confidence_mean, row.confidence_var) = spread.mean_and_margin.unzip();
                row.signature = spread.signature;
            }
        }
        Ok(sentences)
    }

    /// The score of every output, in the order of items, as the corpus score of one segment.
    ///
    /// # Errors
    /// As `for_each_in_order`.
    pub fn sentences(
        context: &Context<'_>,
        source: &Source,
        scorer: &Scorer,
    ) -> Result<Vec<SystemScore>> {
        scorer.require_references(source)?;
        let corpus = Corpus::new(scorer);
        let signature = corpus.signature(source).to_string();
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let compute = |range: Range<u64>| -> Result<Vec<SystemScore>> {
            let (groups, statistics) = corpus.statistics(source, range)?;
            let outputs = groups
                .iter()
                .flat_map(|group| group.outputs.iter().map(move |output| (group, output)));
            let rows = outputs.zip(statistics.chunks_exact(corpus.width()));
            rows.map(|((group, output), row)| {
                let system = source.system(output.system);
                Ok(SystemScore {
                    system: system.to_string(),
                    metric: scorer.label.clone(),
                    score: finite(corpus.aggregate(row), &scorer.label, &group.item, system)?,
                    n: 1,
                    signature: signature.clone(),
                    verbose_score: corpus.details(row),
                    confidence_mean: None,
                    confidence_var: None,
                })
            })
            .collect()
        };
        let mut all = Vec::new();
        for_each_in_order(context, "scores", parts, compute, |rows| {
            all.extend(rows);
            Ok(())
        })?;
        Ok(all)
    }
}

/// Adds counts exactly, so that the order of parts cannot matter.
fn add(total: &mut (u64, Vec<f64>), (n, statistics): (u64, &[f64])) {
    total.0 += n;
    if total.1.is_empty() {
        total.1 = statistics.to_vec();
    } else {
        total
            .1
            .iter_mut()
            .zip(statistics)
            .for_each(|(total, value)| *total += value);
    }
}
