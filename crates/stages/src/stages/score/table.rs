//! The scores of every output, written part by part.

use super::{ITEMS_PER_PART, Scorer, finite, segments};
use crate::columns::SCORES_WITH_DRAWS;
use crate::engine::context::Context;
use crate::engine::parts::{Parts, Shard, collect, produce};
use crate::inputs::source::Source;
use arrow_array::RecordBatch;
use std::ops::Range;
use tiebreak_base::error::Result;
use tiebreak_base::stats::moments::Moments;
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::ComputedTable;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::{Meta, signature_of};
use tiebreak_data::tables::schema::{SCORES, TableBuilder, TableCell, TableColumns};
use tiebreak_metrics::metrics::DrawMatrix;

/// Scores every output of the parts that `shard` has and writes the scores. A folder gets one folder per metric,
/// so that adding a metric never rewrites another's parts.
///
/// # Errors
/// As [`produce`].
pub fn run(
    context: &Context<'_>,
    source: &Source,
    scorers: &[Scorer],
    shard: Shard,
    destination: &Destination,
) -> Result<()> {
    for scorer in scorers {
        scorer.require_references(source)?;
    }
    let parts = Parts::new(source.index.items(), ITEMS_PER_PART).shard(shard);
    match destination {
        Destination::Folder(_) => {
            let inside = |scorer: &Scorer| destination.inside(&scorer.slug);
            let mut all = scorers.iter();
            all.try_for_each(|scorer| run_one(context, source, scorer, shard, &inside(scorer)))
        }
        Destination::File(..) => {
            let all: Vec<&Scorer> = scorers.iter().collect();
            let (columns, meta) = (columns(&all), meta(context, source, &all));
            produce(context, destination, columns, &meta, parts, |range| {
                score_part(source, &all, range)
            })
        }
    }
}

/// Scores every output into memory.
///
/// # Errors
/// As [`run`].
pub fn table(context: &Context<'_>, source: &Source, scorers: &[Scorer]) -> Result<ComputedTable> {
    for scorer in scorers {
        scorer.require_references(source)?;
    }
    let all: Vec<&Scorer> = scorers.iter().collect();
    let meta = meta(context, source, &all);
    let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
    collect(context, columns(&all), meta, parts, |range| {
        score_part(source, &all, range)
    })
}

/// The columns of the scores.
pub(crate) fn columns(scorers: &[&Scorer]) -> TableColumns {
    match scorers.iter().any(|scorer| scorer.draws.is_some()) {
        true => SCORES_WITH_DRAWS,
        false => SCORES,
    }
}

/// Scores every output with one metric, into a folder.
pub(super) fn run_one(
    context: &Context<'_>,
    source: &Source,
    scorer: &Scorer,
    shard: Shard,
    folder: &Destination,
) -> Result<()> {
    scorer.require_references(source)?;
    let parts = Parts::new(source.index.items(), ITEMS_PER_PART).shard(shard);
    let (columns, meta) = (columns(&[scorer]), meta(context, source, &[scorer]));
    produce(context, folder, columns, &meta, parts, |range| {
        score_part(source, &[scorer], range)
    })
}

fn meta(context: &Context<'_>, source: &Source, scorers: &[&Scorer]) -> Meta {
    let of_each = scorers.iter().map(|scorer| {
        let signature = scorer.signature(source).to_string();
        (scorer.label.as_str(), signature)
    });
    let (labels, signatures): (Vec<&str>, Vec<String>) = of_each.unzip();
    let (data, joined) = (&source.digest, signatures.join(" "));
    let mut meta = Meta::new("scores", joined, context.seed.0, data)
        .with(Meta::TEXTS, &source.texts)
        .with("metric", labels.join(" "))
        .with("items per part", ITEMS_PER_PART);
    // Where there are several signatures, each is stored with its label.
    for (label, signature) in labels.iter().zip(&signatures).filter(|_| labels.len() > 1) {
        meta = meta.with(&signature_of(label), signature);
    }
    match scorers.iter().find_map(|scorer| scorer.draws) {
        Some(draws) => meta.with("draws", draws),
        None => meta,
    }
}

fn score_part(source: &Source, scorers: &[&Scorer], range: Range<u64>) -> Result<RecordBatch> {
    score_groups(source.systems(), scorers, &source.groups(range)?)
}

/// Scores the outputs of some items: rows by item, then system, then metric.
///
/// # Errors
/// Those of the metrics; a score that is no number.
pub(crate) fn score_groups(
    systems: &[String],
    scorers: &[&Scorer],
    groups: &[Group],
) -> Result<RecordBatch> {
    let segments = segments(groups);
    let with_draws = scorers.iter().any(|scorer| scorer.draws.is_some());
    let mut found: Vec<(Vec<f64>, Option<DrawMatrix>)> = Vec::with_capacity(scorers.len());
    for scorer in scorers {
        let scores = scorer.metric.score(&segments)?;
        let draws = match scorer.draws {
            Some(draws) => scorer.metric.draws(&segments, draws)?,
            None => None,
        };
        found.push((scores, draws));
    }
    let mut rows = TableBuilder::new(columns(scorers));
    let outputs = groups
        .iter()
        .flat_map(|group| group.outputs.iter().map(move |output| (group, output)));
    for (i, (group, output)) in outputs.enumerate() {
        for (scorer, (scores, draws)) in scorers.iter().zip(&found) {
            let system = &systems[output.system.index()];
            let score = finite(scores[i], &scorer.label, &group.item, system)?;
            let text = [
                TableCell::Text(&group.item),
                TableCell::Text(system),
                TableCell::Text(&scorer.label),
            ];
            let [item, system, metric] = text;
            if with_draws {
                let row = draws.as_ref().map(|draws| draws.row(i));
                let std = row.map(population_std);
                rows.push(&[
                    item,
                    system,
                    metric,
                    TableCell::Number(Some(score)),
                    TableCell::Number(std),
                    TableCell::Numbers(row),
                ]);
            } else {
                rows.push(&[item, system, metric, TableCell::Number(Some(score))]);
            }
        }
    }
    Ok(rows.finish())
}

fn population_std(draws: &[f64]) -> f64 {
    draws
        .iter()
        .copied()
        .collect::<Moments>()
        .population_variance()
        .unwrap_or(0.0)
        .sqrt()
}
