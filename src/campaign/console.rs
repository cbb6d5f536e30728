//! `ask` at a terminal: the loop with one person there, every answer journalled.

use super::folder::{Call, with_run};
use super::play;
use super::standing::answered;
use super::status::{Status, Told};
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::feedback::console::Console;
use crate::feedback::dealing::People;
use crate::feedback::journal::Journalled;
use std::io::{BufReader, stderr, stdin};

/// Asks the person at the terminal until they stop or the run ends, beginning the run where there is
/// none. Questions go to standard error, so that standard output holds the result alone.
///
/// # Errors
/// Settings or data other than the run was begun with; a data set without outputs; those of the journal.
pub fn ask_here(context: &Context<'_>, call: &Call<'_>) -> Result<Status> {
    with_run(context, call, |run, journal| {
        if run.people() != People::One {
            let what = "one person is asked at a terminal, and this campaign is for several";
            return Err(Error::usage(what).with_hint("write their sheets: --out questions.csv"));
        }
        let before = answered(&journal);
        let console = Console::new(run.texts(), BufReader::new(stdin()), stderr(), run.seed());
        let mut people = Journalled::new(console, journal);
        let played = play(run.context(), run.prepared(), run.texts(), &mut people)?;
        people.journal().replayed()?;
        let told = Told {
            new: answered(people.journal()) - before,
            ..Told::default()
        };
        run.status(people.journal(), &played, Some(told), None)
    })
}
