//! Checks, before the first run, that choices fit the data set and the predictions.

use super::{Choices, Feedback, Models};
use crate::inputs::source::Source;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::Kind;

/// Checks that the choices fit the data set and the predictions.
pub(super) fn fits(
    source: &Source,
    models: &Models<'_>,
    choices: &Choices,
    feedback: Feedback,
) -> Result<()> {
    let recorded = feedback == Feedback::Recorded;
    if recorded && !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("simulate", "comparisons"));
    }
    match models.number() {
        0 => Ok(()),
        _ => uncertainty(models, choices),
    }
}

/// Checks that the uncertainty that is used is there.
fn uncertainty(models: &Models<'_>, choices: &Choices) -> Result<()> {
    if models.have_uncertainty() || !choices.needs_uncertainty() {
        return Ok(());
    }
    let used = match choices.select {
        Some(select) if select.by.needs_draws() => "selection by BALD or STD needs draws",
        _ => "elimination with alpha above 0 needs STD",
    };
    let what = format!(
        "{used}, but these predictions have no uncertainty ({})",
        models.signatures().concat()
    );
    Err(Error::key("predictions", what)
        .with_hint("predict with a model that has dropout, or do without its spread: select by margin:T, answer at random (mix), eliminate with alpha=0"))
}
