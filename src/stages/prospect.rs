//! `plan` from a pilot: the variance components of the judgments that are there, pooled over systems.

use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::estimators::{Outputs, Prospect, RatedOutput, pooled_components};
use crate::inputs::judging::Judging;
use crate::inputs::source::{Scores, Source};
use crate::records::Kind;
use crate::stages::estimate::{Marked, gather};

/// What judgments under a criterion vary by, and how the metric goes with them, if one is given.
///
/// # Errors
/// A data set without judgments under the criterion, or with no output that was judged twice; scores
/// that do not cover the outputs.
pub fn pilot(
    context: &Context<'_>,
    source: &Source,
    criterion: &str,
    scores: Option<Scores>,
) -> Result<Prospect> {
    if !source.index.has(Kind::Judgments) {
        return Err(source.lacks("plan", "judgments"));
    }
    let judging = Judging::new(source, Some(criterion), None)?;
    let scores: Vec<Scores> = scores.into_iter().collect();
    let gathered = gather(context, source, &scores, &Marked::default(), &judging, None)?;
    let systems = gathered.judgments.values();
    let systems: Vec<Outputs> = systems
        .map(|judged| RatedOutput::all(judged).values().collect())
        .collect();
    let found = pooled_components(&systems).ok_or_else(|| {
        let what = format!("no output was judged twice under `{criterion}`, so noise is unknown");
        Error::input(source.dataset.path(), what)
            .with_hint("have some outputs judged twice, or give --range LO,HI for the worst case")
    })?;
    Prospect::pilot(&found)
}
