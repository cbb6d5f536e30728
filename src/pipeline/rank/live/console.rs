//! `rank --feedback console`: the loop with a person at the terminal, every answer journalled.

use super::super::prepare::Prepared;
use super::super::strengths::Judgments;
use super::settings::Settings;
use super::texts::Outputs;
use super::{answered, begin, play, record};
use crate::error::{Error, Result};
use crate::feedback::console::Console;
use crate::feedback::journal::Journalled;
use crate::pipeline::context::Context;
use crate::tables::ranking::Ranking;
use std::io::{BufReader, stderr, stdin};
use std::path::Path;

/// Asks the person at the terminal until they stop or the run ends. Questions go to standard error,
/// so that standard output holds the result alone.
///
/// # Errors
/// A run without a folder for its journal; a data set without outputs; those of the journal.
pub(in super::super) fn run(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    out: Option<&Path>,
) -> Result<Ranking> {
    let out = out.ok_or_else(|| {
        Error::usage("a live run needs a folder for its journal, so that no answer is lost")
            .with_hint("name one with --out DIR")
    })?;
    let texts = Outputs::read(prepared)?;
    let settings = Settings::of(prepared, context.seed);
    let journal = begin(context, prepared, &settings, out)?;
    let console = Console::new(&texts, BufReader::new(stdin()), stderr(), context.seed);
    let mut people = Journalled::new(console, journal);
    let mut end = None;
    let judgments = Judgments::of_run(|note| {
        end = Some(play(context, prepared, &texts, &mut people, note)?);
        Ok(answered(people.journal()))
    })?;
    people.journal().replayed()?;
    let (trace, _) = end.expect("played above");
    record(context, prepared, &trace, &judgments, out)
}
