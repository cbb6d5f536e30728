//! `rank`: what collected comparisons say of all systems, each used once and in no order.

mod claim;
mod collected;
mod keys;
mod strengths;

pub use keys::Rank;

pub(crate) use collected::Collection;
pub(crate) use strengths::{Table, table};

use crate::claims::About;
use crate::duel::Pair;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::estimators::bradley_terry::Strengths;
use crate::estimators::margins::{Powered, Predicted, powered};
use crate::evaluation::standing::Collected;
use crate::inputs::source::{Predictions, Source};
use crate::records::Kind;
use crate::signature::Signature;
use crate::tables::file::write_atomically;
use crate::tables::ranking::{Clusters, Evidence, Ranking, Scale};
use std::path::Path;

/// Where a ranking lies in its folder.
pub const FILE: &str = "ranking.json";

/// Ranks all systems by the comparisons of a data set, at a confidence between 0 and 1; pairs may be
/// missing. With `predictions` of all items the few comparisons of people correct the many of the model.
/// With `out` the ranking is stored there.
///
/// # Errors
/// A data set without a table of comparisons or with one system; a folder that cannot be written.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    predictions: Option<&Predictions>,
    confidence: f64,
    out: Option<&Path>,
) -> Result<Ranking> {
    systems(source)?;
    if !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("rank", "comparisons"));
    }
    let collection = Collection::read(source)?;
    let ranking = match predictions {
        None => by_comparisons(context, source, &collection, confidence),
        Some(table) => with_predictions(context, source, &collection, table, confidence)?,
    };
    write(&ranking, out)?;
    Ok(ranking)
}

fn by_comparisons(
    context: &Context<'_>,
    source: &Source,
    collection: &Collection,
    confidence: f64,
) -> Ranking {
    let strengths = collection.strengths(source.systems().len());
    let clusters = clusters(collection);
    let evidence = Evidence {
        answers: collection.comparisons.len() as u64,
        identical: 0,
        predictions: 0,
        scale: Scale::LogOdds,
        confidence,
        clusters,
        adaptive: false,
        unlinked: strengths.groups() as u64,
    };
    let signature = Signature::new("bradley-terry")
        .with("ties", "davidson")
        .with("clusters", clusters.name())
        .with("confidence", confidence)
        .with("version", 2);
    let compared = |system| strengths.comparisons(system);
    let table = table(
        source,
        &strengths,
        compared,
        Collected::AsPlanned,
        confidence,
    );
    let about = collection.about();
    ranking(
        context, source, collection, about, table, evidence, &signature,
    )
}

/// What answers may have in common.
fn clusters(collection: &Collection) -> Clusters {
    match collection.annotators() {
        Some(_) => Clusters::ItemsAndAnnotators,
        None => Clusters::Items,
    }
}

fn with_predictions(
    context: &Context<'_>,
    source: &Source,
    collection: &Collection,
    predictions: &Predictions,
    confidence: f64,
) -> Result<Ranking> {
    let predicted = predicted(source, predictions)?;
    let k = source.systems().len();
    let answers = &collection.comparisons;
    let annotators = collection.annotators();
    let Powered { margins, .. } = powered(k, answers, annotators, &predicted, context.seed);
    let clusters = clusters(collection);
    let evidence = Evidence {
        answers: collection.comparisons.len() as u64,
        identical: 0,
        predictions: predicted.len() as u64,
        scale: Scale::Margin,
        confidence,
        clusters,
        adaptive: false,
        unlinked: margins.groups() as u64,
    };
    let signature = Signature::new("prediction-powered margins")
        .with("predictions", format!("[{}]", predictions.signature))
        .with("clusters", clusters.name())
        .with("confidence", confidence)
        .with("version", 1);
    let compared = |system| margins.readings(system);
    let table = table(source, &margins, compared, Collected::AsPlanned, confidence);
    let about = collection.about();
    Ok(ranking(
        context, source, collection, about, table, evidence, &signature,
    ))
}

/// What a model expects of every pair of outputs.
fn predicted(source: &Source, predictions: &Predictions) -> Result<Vec<Predicted>> {
    let mut rows = Vec::new();
    for position in 0..source.index.items() {
        let item = u32::try_from(position).map_err(Error::failed)?;
        let of_item = predictions.of(position)?.into_iter();
        rows.extend(of_item.map(|(a, b, prediction)| Predicted {
            item,
            pair: Pair::new(a, b),
            score: 2.0 * prediction.p - 1.0,
        }));
    }
    Ok(rows)
}

fn ranking(
    context: &Context<'_>,
    source: &Source,
    collection: &Collection,
    about: About,
    (strengths, ranks, groups): Table,
    evidence: Evidence,
    signature: &Signature,
) -> Ranking {
    let claim = claim::of(source, collection, about, &ranks, evidence.confidence);
    Ranking {
        systems: source.systems().to_vec(),
        strengths,
        ranks,
        groups,
        claim,
        evidence,
        campaign: None,
        seed: context.seed.0,
        signature: signature.to_string(),
    }
}

/// There is nothing to rank with one system.
///
/// # Errors
/// Then.
pub(crate) fn systems(source: &Source) -> Result<()> {
    match source.systems().len() {
        0 | 1 => Err(source.lacks("rank", "a second system")),
        _ => Ok(()),
    }
}

/// Stores a ranking where a folder is named.
pub(crate) fn write(ranking: &Ranking, out: Option<&Path>) -> Result<()> {
    let Some(out) = out else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(ranking).map_err(Error::failed)? + "\n";
    write_atomically(&out.join(FILE), text.as_bytes())
}

impl Collection {
    /// How strong `k` systems are.
    pub(crate) fn strengths(&self, k: usize) -> Strengths {
        match self.annotators() {
            Some(annotators) => Strengths::fit_crossed(k, &self.comparisons, annotators),
            None => Strengths::fit(k, &self.comparisons),
        }
    }
}
