//! `fit link`: link parameters and thresholds from the comparisons of a data set, all of them and without
//! each fold of its items.

mod keys;

pub use keys::FitLink;

use crate::engine::context::Context;
use crate::inputs::source::{Scores, Source};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::records::Kind;
use tiebreak_data::tables::file::write_result;
use tiebreak_data::tables::sealed_text::seal_toml;
use tiebreak_preference::preference::calibration::{Calibration, ItemScorePairs, Provenance};
use tiebreak_preference::preference::links::LabelledScorePair;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "fit";

/// Fits a link to all comparisons whose outputs have scores.
///
/// # Errors
/// A data set without comparisons; an unknown link; scores that do not cover the outputs; a
/// comparison of an output that is not there.
pub(crate) fn run(
    context: &Context<'_>,
    source: &Source,
    scores: &Scores,
    link: &str,
) -> Result<Calibration> {
    if source.index.rows(Kind::Comparisons) == 0 {
        return Err(source.lacks("fit link", "comparisons"));
    }
    let labelled = labelled(context, source, scores)?;
    let provenance = Provenance {
        metric: scores.metric().to_string(),
        signature: scores.signature.clone(),
        data: source.digest.clone(),
    };
    Calibration::fit(link, provenance, &labelled)
}

/// The scores of both outputs of every comparison, with its outcome, item by item. Links
/// prefer the larger score, so where lower is better the outputs' scores change places.
///
/// # Errors
/// Scores that do not cover the outputs; a comparison of an output that is not there.
pub(crate) fn labelled(
    context: &Context<'_>,
    source: &Source,
    scores: &Scores,
) -> Result<Vec<ItemScorePairs>> {
    let mut labelled = Vec::new();
    source.each_chunk(context, |groups| {
        let scores_of = scores.of_outputs(source, &groups)?;
        for (group, scores_of) in groups.iter().zip(&scores_of) {
            let mut of_item = Vec::with_capacity(group.comparisons.len());
            for comparison in &group.comparisons {
                let score = |arm| {
                    let place = group.outputs.iter().position(|output| output.system == arm);
                    let score = place.map(|place| scores_of[place].score);
                    score.ok_or_else(|| source.lacks_output(&group.item, arm))
                };
                let (first, second) = (score(comparison.a)?, score(comparison.b)?);
                let (first, second) = scores.direction().rising(first, second);
                of_item.push(LabelledScorePair {
                    first,
                    second,
                    outcome: comparison.outcome,
                });
            }
            labelled.push(ItemScorePairs {
                item: group.item.clone(),
                pairs: of_item,
            });
        }
        Ok(())
    })?;
    Ok(labelled)
}

/// Writes a calibration file.
///
/// # Errors
/// If it cannot be written.
pub fn write(calibration: &Calibration, path: &Path) -> Result<()> {
    write_result(path, seal_toml(&calibration.to_toml()?).as_bytes())
}
