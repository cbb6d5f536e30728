//! The share of human judgments that a metric predicts, over both orders, with a bootstrap interval
//! that resamples items (judgments of one item are not independent).

use crate::error::Result;
use crate::pipeline::context::Context;
use crate::pipeline::fit;
use crate::pipeline::grid::materials::Model;
use crate::pipeline::grid::outcome::{Outcome, Value};
use crate::pipeline::grid::settings::CONFIDENCE;
use crate::pipeline::grid::spec::Quantity;
use crate::preference::links::Labelled;
use crate::preference::thresholds::Judged;
use crate::stats::bootstrap::{percentile_interval, replicates};
use std::collections::BTreeMap;

/// Resamples of the items.
const RESAMPLES: u64 = 1000;

pub(super) fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    let calibration = cell.calibration(context)?;
    let link = calibration.link()?;
    let labelled = fit::labelled(context, cell.data.source(context)?, &cell.scores(context)?)?;
    let judged = |pair: &Labelled| (link.preference(pair.first, pair.second), pair.outcome);
    // (judgments predicted, judgments) of every item that was judged.
    let counted = |pairs: &Vec<Labelled>| {
        let judged: Vec<Judged> = pairs.iter().map(judged).collect();
        let accuracy = calibration.thresholds.accuracy(&judged)?;
        Some((accuracy * judged.len() as f64, judged.len() as f64))
    };
    let counts: Vec<(f64, f64)> = labelled.iter().filter_map(counted).collect();
    let accuracy = |items: &mut dyn Iterator<Item = (f64, f64)>| {
        let (right, all) = items.fold((0.0, 0.0), |sum, item| (sum.0 + item.0, sum.1 + item.1));
        (all > 0.0).then(|| right / all)
    };
    let mut replicates = replicates(counts.len(), RESAMPLES, context.seed, |drawn| {
        accuracy(&mut drawn.iter().map(|&item| counts[item]))
    });
    let interval = percentile_interval(&mut replicates, CONFIDENCE);
    let value = Value {
        value: accuracy(&mut counts.iter().copied()),
        lower: interval.map(|(lower, _)| lower),
        upper: interval.map(|(_, upper)| upper),
    };
    Ok(Outcome {
        quantities: BTreeMap::from([(Quantity::SentenceAccuracy, value)]),
        ..Outcome::default()
    })
}
