//! What does not fit together is refused before anything is read.

use super::{Feedback, Models, Options};
use crate::bandits::Uses;
use crate::error::{Error, Result};
use crate::inputs::source::Source;
use crate::records::Kind;

/// Whether the options go with each other, the data set, the predictions and what the bandit uses.
pub(super) fn options(
    source: &Source,
    models: &Models<'_>,
    options: &Options,
    uses: Uses,
) -> Result<()> {
    let recorded = options.feedback == Feedback::Recorded;
    if recorded && !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("simulate", "comparisons"));
    }
    audit(options)?;
    let answers = options.mix.is_some() || options.select.is_some() || options.eliminate.is_some();
    match (models.number(), answers) {
        (0, true) => Err(Error::usage(
            "a model can answer or eliminate only with --predictions or --model",
        )),
        (number @ 2.., true) => Err(several(number)),
        (1.., false) if !uses.margins => Err(Error::usage(
            "predictions are given, but nothing says what the model may do with them",
        )
        .with_hint(
            "let it answer (--mix P or --select bald:T), drop systems first (--eliminate), or use \
             a bandit that starts from predictions (adaptive)",
        )),
        (1, true) => uncertainty(models, options),
        _ => Ok(()),
    }
}

/// Whether there is anything to audit, and how much of it.
fn audit(options: &Options) -> Result<()> {
    let answers = options.mix.is_some() || options.select.is_some();
    match options.audit {
        Some(_) if !answers => Err(Error::usage(
            "an audit is of what a model answers, and no model is to answer",
        )
        .with_hint("let it answer (--mix P or --select bald:T), or leave --audit out")),
        _ => Ok(()),
    }
}

/// One model answers or eliminates; several are a place to start from.
pub(crate) fn several(number: usize) -> Error {
    let what = format!("{number} predictions to answer or eliminate by, expected 1");
    Error::usage(what).with_hint(
        "the mean of several is only where a bandit starts from: leave out mix, select and \
         eliminate",
    )
}

/// Whether the uncertainty that the options use is there.
fn uncertainty(models: &Models<'_>, options: &Options) -> Result<()> {
    if models.have_uncertainty() {
        return Ok(());
    }
    let used = match (&options.select, &options.eliminate) {
        (Some(_), _) => "uncertainty-aware selection needs BALD or STD",
        (None, Some(how)) if how.options().alpha > 0.0 => {
            "elimination with alpha above 0 needs STD"
        }
        _ => return Ok(()),
    };
    let what = format!(
        "{used}, but these predictions have no uncertainty ({})",
        models.signatures().concat()
    );
    Err(Error::usage(what)
        .with_hint("predict with a model that has dropout, or use --mix P, or --eliminate alpha=0"))
}
