//! `tiebreak correlate`: metrics held against people, as tables for people.

use super::args::Correlate;
use super::verbs::{open, to_json};
use crate::error::Result;
use crate::pipeline::Context;
use crate::pipeline::correlate::{self, Options};
use crate::pipeline::source::Scores;
use crate::report;
use crate::tables::Destination;

/// Correlates and returns what goes to standard output.
pub(super) fn correlate(context: &Context<'_>, args: &Correlate, json: bool) -> Result<String> {
    let destination = args.out.as_deref().map(Destination::of).transpose()?;
    let source = open(context, &args.data)?;
    let scores = args.metric.iter();
    let scores = scores
        .map(|metric| Scores::open(&source, &args.scores, metric))
        .collect::<Result<Vec<_>>>()?;
    let options = Options {
        criterion: args.criterion.as_deref(),
        level: args.level.into(),
        resample: args.resample.into(),
        confidence: args.confidence,
        resamples: args.resamples,
    };
    let correlated = correlate::run(context, &source, &scores, &options)?;
    if let Some(destination) = &destination {
        correlate::write(&correlated, destination)?;
    }
    if json {
        return to_json(&correlated.found);
    }
    let text = report::render_correlations(&correlated.found);
    let signature = &correlated.meta.signature;
    Ok(format!("{}\n{signature}\n", text.trim_start()))
}
