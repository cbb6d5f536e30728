//! `score`: outputs to metric scores, part by part.

use super::context::Context;
use super::named::Named;
use super::parts::{Parts, for_each_in_order, produce};
use super::source::Source;
use crate::error::{Error, Result};
use crate::metrics::{Draws, METRICS, Metric, Segment};
use crate::records::index::Group;
use crate::registry::find;
use crate::signature::Signature;
use crate::stats::moments::Moments;
use crate::tables::destination::Destination;
use crate::tables::meta::Meta;
use crate::tables::schema::{Cell, Rows, SCORES, SCORES_WITH_DRAWS};
use arrow::array::RecordBatch;
use serde::Serialize;
use std::ops::Range;

/// Items per part: large enough that writing costs nothing, small enough that a killed command
/// loses little.
const ITEMS_PER_PART: u64 = 256;

/// A metric that is ready to run on a data set.
pub struct Scorer {
    /// How tables call it: as the user named it, parameters included.
    pub label: String,
    slug: String,
    metric: Box<dyn Metric>,
    draws: Option<usize>,
    /// By part, how many items were observed before it.
    observed_before: Vec<u64>,
}

/// A system's score over the whole data set.
#[derive(Debug, Clone, Serialize)]
pub struct SystemScore {
    /// The system.
    pub system: String,
    /// The metric, as the user named it.
    pub metric: String,
    /// The mean of its segment scores, or its corpus score.
    pub score: f64,
    /// Over how many outputs.
    pub n: u64,
    /// What produced it.
    pub signature: String,
}

impl Scorer {
    /// Builds a metric and checks that it can be run on this data set.
    ///
    /// # Errors
    /// Unknown metrics and parameters; `--draws` for a metric without dropout; a metric that needs
    /// references on items without any.
    pub fn new(context: &Context<'_>, spec: &Named, draws: Option<usize>) -> Result<Self> {
        let entry = find("metric", METRICS, &spec.name)?;
        let metric = (entry.build)(&spec.params, &context.env)?;
        if draws.is_some() && !metric.has_dropout() {
            return Err(
                Error::usage(format!("{} has no dropout, so it has no draws", spec.name))
                    .with_hint("leave --draws out for this metric"),
            );
        }
        Ok(Self {
            label: spec.label(),
            slug: spec.slug(),
            metric,
            draws,
            observed_before: Vec::new(),
        })
    }

    /// Refuses a data set the metric is not defined on.
    ///
    /// # Errors
    /// [`Error::Input`] naming the first item without references.
    pub fn require_references(&self, source: &Source) -> Result<()> {
        if !self.metric.needs_references() || source.references.0 > 0 {
            return Ok(());
        }
        for group in source.index.all() {
            let group = group?;
            if group.references.is_empty() && !group.outputs.is_empty() {
                return Err(Error::input(
                    source.dataset.path(),
                    format!(
                        "item `{}` has no references, and {} needs them",
                        group.item, self.label
                    ),
                )
                .with_hint("give every item `references`, in `items` or in `outputs`"));
            }
        }
        Ok(())
    }

    /// Shows the whole data set to a metric that must see it before it scores any of it.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; if the data set or a text of it cannot be read.
    pub fn prepare(&mut self, context: &Context<'_>, source: &Source) -> Result<()> {
        if !self.metric.needs_corpus() {
            return Ok(());
        }
        self.require_references(source)?;
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let mut observed = 0;
        for part in parts.mine() {
            context.check()?;
            let groups = source.groups(parts.range(part))?;
            self.metric.observe(&segments(&groups))?;
            self.observed_before.push(observed);
            observed += groups
                .iter()
                .filter(|group| !group.outputs.is_empty())
                .count() as u64;
        }
        Ok(())
    }

    /// How many items with outputs a metric that sees the whole data set saw before a part; 0 for
    /// the others.
    fn observed_before(&self, part: &Range<u64>) -> u64 {
        let part = (part.start / ITEMS_PER_PART) as usize;
        self.observed_before.get(part).copied().unwrap_or(0)
    }

    /// The metric's signature with the number of references in this data set.
    pub fn signature(&self, source: &Source) -> Signature {
        with_references(self.metric.signature(), source)
    }
}

/// `nrefs` as sacrebleu writes it: a number, or `var` where items differ.
fn with_references(signature: Signature, source: &Source) -> Signature {
    match source.references {
        (low, high) if low == high => signature.with_first("nrefs", low),
        _ => signature.with_first("nrefs", "var"),
    }
}

/// Scores every output and writes the scores. A folder gets one folder per metric, so that adding a
/// metric never rewrites another's parts.
///
/// # Errors
/// As [`produce`].
pub fn run(
    context: &Context<'_>,
    source: &Source,
    scorers: &[Scorer],
    destination: &Destination,
) -> Result<()> {
    for scorer in scorers {
        scorer.require_references(source)?;
    }
    let columns = match scorers.iter().any(|scorer| scorer.draws.is_some()) {
        true => SCORES_WITH_DRAWS,
        false => SCORES,
    };
    let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
    let compute = |chosen: &[&Scorer], range: Range<u64>| score_part(source, chosen, range);
    match destination {
        Destination::Folder(_) => {
            for scorer in scorers {
                let meta = meta(context, source, &[scorer]);
                let inside = destination.inside(&scorer.slug);
                produce(context, &inside, columns, &meta, parts, |range| {
                    compute(&[scorer], range)
                })?;
            }
            Ok(())
        }
        Destination::File(..) => {
            let all: Vec<&Scorer> = scorers.iter().collect();
            let meta = meta(context, source, &all);
            produce(context, destination, columns, &meta, parts, |range| {
                compute(&all, range)
            })
        }
    }
}

fn meta(context: &Context<'_>, source: &Source, scorers: &[&Scorer]) -> Meta {
    let join = |texts: Vec<String>| texts.join(" ");
    let signatures = join(
        scorers
            .iter()
            .map(|scorer| scorer.signature(source).to_string())
            .collect(),
    );
    let meta = Meta::new("scores", signatures, context.seed.0, &source.digest)
        .with(
            "metric",
            join(scorers.iter().map(|scorer| scorer.label.clone()).collect()),
        )
        .with("items per part", ITEMS_PER_PART);
    match scorers.iter().find_map(|scorer| scorer.draws) {
        Some(draws) => meta.with("draws", draws),
        None => meta,
    }
}

/// Scores the outputs of some items: rows by item, then system, then metric.
fn score_part(source: &Source, scorers: &[&Scorer], range: Range<u64>) -> Result<RecordBatch> {
    let groups = source.groups(range)?;
    let segments = segments(&groups);
    let with_draws = scorers.iter().any(|scorer| scorer.draws.is_some());
    let mut columns: Vec<(Vec<f64>, Option<Draws>)> = Vec::with_capacity(scorers.len());
    for scorer in scorers {
        let scores = scorer.metric.score(&segments)?;
        let draws = match scorer.draws {
            Some(draws) => scorer.metric.draws(&segments, draws)?,
            None => None,
        };
        columns.push((scores, draws));
    }
    let mut rows = Rows::new(if with_draws {
        SCORES_WITH_DRAWS
    } else {
        SCORES
    });
    let outputs = groups
        .iter()
        .flat_map(|group| group.outputs.iter().map(move |output| (group, output)));
    for (i, (group, output)) in outputs.enumerate() {
        for (scorer, (scores, draws)) in scorers.iter().zip(&columns) {
            let system = &source.systems()[output.system.index()];
            let score = finite(scores[i], &scorer.label, &group.item, system)?;
            let text = [
                Cell::Text(&group.item),
                Cell::Text(system),
                Cell::Text(&scorer.label),
            ];
            let [item, system, metric] = text;
            if with_draws {
                let row = draws.as_ref().map(|draws| draws.row(i));
                let std = row.map(population_std);
                rows.push(&[
                    item,
                    system,
                    metric,
                    Cell::Number(Some(score)),
                    Cell::Number(std),
                    Cell::Numbers(row),
                ]);
            } else {
                rows.push(&[item, system, metric, Cell::Number(Some(score))]);
            }
        }
    }
    Ok(rows.finish())
}

fn segments(groups: &[Group]) -> Vec<Segment<'_>> {
    groups
        .iter()
        .flat_map(|group| {
            group.outputs.iter().map(move |output| Segment {
                hypothesis: &output.text,
                references: &group.references,
                context: group.source.as_deref(),
            })
        })
        .collect()
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

/// A metric that yields NaN or infinity is a fault that must not travel on.
fn finite(score: f64, metric: &str, item: &str, system: &str) -> Result<f64> {
    if score.is_finite() {
        return Ok(score);
    }
    Err(Error::failed(format!(
        "{metric} gave {score} on item `{item}`, system `{system}`"
    )))
}

/// Each system's mean segment score under each metric, in one streamed pass.
///
/// # Errors
/// As [`for_each_in_order`].
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
/// As [`for_each_in_order`].
pub fn corpus(
    context: &Context<'_>,
    source: &Source,
    scorers: &[Scorer],
) -> Result<Vec<SystemScore>> {
    let mut rows = Vec::new();
    for scorer in scorers {
        let Some(corpus) = scorer.metric.corpus() else {
            rows.extend(means(context, source, std::slice::from_ref(scorer))?);
            continue;
        };
        scorer.require_references(source)?;
        let k = source.systems().len();
        let mut totals: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); k];
        let compute = |range: Range<u64>| -> Result<Vec<(u64, Vec<f64>)>> {
            let mut totals: Vec<(u64, Vec<f64>)> = vec![(0, Vec::new()); k];
            let first = scorer.observed_before(&range);
            let groups = source.groups(range)?;
            let segments = segments(&groups);
            let with_outputs = groups.iter().filter(|group| !group.outputs.is_empty());
            let positions: Vec<u64> = (first..)
                .zip(with_outputs)
                .flat_map(|(position, group)| group.outputs.iter().map(move |_| position))
                .collect();
            let statistics = corpus.statistics_at(&segments, &positions)?;
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
        let signature = with_references(corpus.corpus_signature(), source).to_string();
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
            });
        }
    }
    Ok(rows)
}

/// Counts are added exactly, so the order of parts cannot matter.
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
