//! `rank`: what collected comparisons say of all systems, each used once and in no order.

mod claim;
mod collected;
mod strengths;

pub(in crate::pipeline) use collected::Collection;
pub(in crate::pipeline) use strengths::table;

use super::context::Context;
use super::source::Source;
use crate::error::{Error, Result};
use crate::estimators::bradley_terry::Strengths;
use crate::evaluation::standing::Collected;
use crate::records::Kind;
use crate::signature::Signature;
use crate::tables::file::write_atomically;
use crate::tables::ranking::{Clusters, Evidence, Ranking, Scale};
use std::path::Path;

/// Where a ranking lies in its folder.
pub const FILE: &str = "ranking.json";

/// Ranks all systems by the comparisons of a data set, at a confidence between 0 and 1; pairs may be
/// missing. With `out` the ranking is stored there.
///
/// # Errors
/// A data set without a table of comparisons or with one system; a folder that cannot be written.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    confidence: f64,
    out: Option<&Path>,
) -> Result<Ranking> {
    systems(source)?;
    if !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("rank", "comparisons"));
    }
    let collection = Collection::read(source)?;
    let strengths = collection.strengths(source.systems().len());
    let evidence = Evidence {
        answers: collection.comparisons.len() as u64,
        identical: 0,
        predictions: 0,
        scale: Scale::LogOdds,
        confidence,
        clusters: match collection.annotators() {
            Some(_) => Clusters::ItemsAndAnnotators,
            None => Clusters::Items,
        },
        adaptive: false,
        unlinked: strengths.groups() as u64,
    };
    let signature = Signature::new("bradley-terry")
        .with("ties", "davidson")
        .with("clusters", clusters(evidence.clusters))
        .with("confidence", confidence)
        .with("version", 2);
    let (strengths, ranks, groups) = table(source, &strengths, Collected::AsPlanned, confidence);
    let claim = claim::of(source, &collection, &ranks, confidence);
    let ranking = Ranking {
        systems: source.systems().to_vec(),
        strengths,
        ranks,
        groups,
        claim,
        evidence,
        campaign: None,
        seed: context.seed.0,
        signature: signature.to_string(),
    };
    write(&ranking, out)?;
    Ok(ranking)
}

/// There is nothing to rank with one system.
///
/// # Errors
/// Then.
pub(in crate::pipeline) fn systems(source: &Source) -> Result<()> {
    match source.systems().len() {
        0 | 1 => Err(source.lacks("rank", "a second system")),
        _ => Ok(()),
    }
}

fn clusters(clusters: Clusters) -> &'static str {
    match clusters {
        Clusters::Items => "items",
        Clusters::ItemsAndAnnotators => "items and annotators",
    }
}

/// Stores a ranking where a folder is named.
pub(in crate::pipeline) fn write(ranking: &Ranking, out: Option<&Path>) -> Result<()> {
    let Some(out) = out else {
        return Ok(());
    };
    let text = serde_json::to_string_pretty(ranking).map_err(Error::failed)? + "\n";
    write_atomically(&out.join(FILE), text.as_bytes())
}

impl Collection {
    /// How strong `k` systems are.
    pub(in crate::pipeline) fn strengths(&self, k: usize) -> Strengths {
        match self.annotators() {
            Some(annotators) => Strengths::fit_crossed(k, &self.comparisons, annotators),
            None => Strengths::fit(k, &self.comparisons),
        }
    }
}
