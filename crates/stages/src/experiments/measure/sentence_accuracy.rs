//! The share of human judgments that a metric predicts, over both orders, with a bootstrap interval
//! that resamples items (judgments of one item are not independent). Without another data set for the link, each item
//! is predicted by a link fitted without it. The sentence accuracy of a model is part of its assessment.

use super::{MeasureEntry, MeasureSubject, assessment};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use crate::stages::fit;
use std::collections::BTreeMap;
use tiebreak_base::error::Result;
use tiebreak_base::stats::bootstrap::{percentile_interval, replicates};
use tiebreak_preference::preference::calibration::ItemScorePairs;

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "sentence-accuracy",
    MeasureSubject::Predictions,
    &[Quantity::SentenceAccuracy],
    measure,
)
.taking(&["confidence"]);

/// Resamples of the items.
const RESAMPLES: u64 = 1000;

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    if cell.keys.model().is_some() {
        return assessment::measure(context, cell);
    }
    let (calibration, scores) = cell.fitted(context)?;
    let source = cell.data.source(context)?;
    let applied = calibration.on(&source.digest)?;
    let labelled = fit::labelled(context, source, &scores)?;
    // (judgments predicted, judgments) of every item that was judged.
    let counted = |one: &ItemScorePairs| {
        let accuracy = applied.accuracy(std::slice::from_ref(one))?;
        Some((accuracy * one.pairs.len() as f64, one.pairs.len() as f64))
    };
    let counts: Vec<(f64, f64)> = labelled.iter().filter_map(counted).collect();
    let accuracy = |items: &mut dyn Iterator<Item = (f64, f64)>| {
        let (right, all) = items.fold((0.0, 0.0), |sum, item| (sum.0 + item.0, sum.1 + item.1));
        (all > 0.0).then(|| right / all)
    };
    let mut replicates = replicates(counts.len(), RESAMPLES, context.seed, |drawn| {
        accuracy(&mut drawn.iter().map(|&item| counts[item]))
    });
    let interval = percentile_interval(&mut replicates, cell.keys.confidence());
    let value = QuantityEstimate {
        value: accuracy(&mut counts.iter().copied()),
        lower: interval.map(|(lower, _)| lower),
        upper: interval.map(|(_, upper)| upper),
    };
    Ok(CellOutcome {
        quantities: BTreeMap::from([(Quantity::SentenceAccuracy, value)]),
        ..CellOutcome::default()
    })
}
