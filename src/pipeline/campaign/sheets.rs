//! `ask` and `tell`: the loop by file. `ask` writes the next questions of a run as a sheet, `tell`
//! reads filled sheets back.

use super::answers::Reader;
use super::folder::{Call, with_run};
use super::settings::Settings;
use super::sheet;
use crate::error::{Error, Result};
use crate::feedback::Question;
use crate::pipeline::context::Context;
use crate::pipeline::sheets::Sheet;
use crate::tables::status::{Status, Written};
use std::path::{Path, PathBuf};

/// What `ask` is to write.
pub struct Asking<'a> {
    /// New questions; 50 where nothing is said, and then none with `again`.
    pub n: Option<usize>,
    /// Whether the questions still open are written again.
    pub again: bool,
    /// The sheet.
    pub out: &'a Path,
}

/// What `tell` is to read.
pub struct Telling<'a> {
    /// Filled sheets.
    pub sheets: &'a [PathBuf],
    /// Who filled them in, where they do not say so themselves.
    pub annotator: Option<&'a str>,
}

/// New questions on a sheet unless told otherwise.
const QUESTIONS: usize = 50;

/// Writes the next questions of a run as a sheet, beginning the run where there is none. Of a run
/// that is over nothing is asked, and no sheet is written.
///
/// # Errors
/// Settings or data other than the run was begun with; a sheet that is already there; those of the
/// journal.
pub fn ask(context: &Context<'_>, call: &Call<'_>, asking: &Asking<'_>) -> Result<Status> {
    let out = Sheet::new(asking.out)?;
    let new = asking.n.unwrap_or(if asking.again { 0 } else { QUESTIONS });
    with_run(context, call, |run, journal| {
        let (mut journal, played, drawn) = run.play(journal, new)?;
        let mut questions: Vec<Question> = Vec::new();
        if asking.again && !played.is_decided() {
            let open = journal.posed().filter(|posed| posed.is_open());
            questions.extend(open.map(|posed| posed.question));
        }
        let again = questions.len() as u64;
        questions.extend(&drawn);
        if questions.is_empty() {
            return run.status(&journal, &played, None, None);
        }
        // On disk before anybody sees them: a lost sheet can be written again.
        journal.pose(&drawn)?;
        let written = Written {
            path: asking.out.to_path_buf(),
            questions: questions.len() as u64,
            again,
        };
        let codes = run.codes(&journal)?;
        sheet::write(&out, questions, run.texts(), &codes, run.seed())?;
        run.status(&journal, &played, None, Some(written))
    })
}

/// Reads filled sheets of a run back: all of them or, where anything is wrong, nothing.
///
/// # Errors
/// Mistakes on the sheets; a run that was not begun; data that changed; those of the journal.
pub fn tell(context: &Context<'_>, call: &Call<'_>, telling: &Telling<'_>) -> Result<Status> {
    if Settings::read(call.run)?.is_none() {
        let begin = format!(
            "begin one: tiebreak ask {} DATA --out questions.csv",
            call.run.display()
        );
        return Err(Error::input(call.run, "no run was begun here").with_hint(begin));
    }
    with_run(context, call, |run, mut journal| {
        let reader = Reader {
            annotator: telling.annotator,
            codes: &run.codes(&journal)?,
            journal: &journal,
            seed: run.seed(),
        };
        let answers = reader.read(telling.sheets)?;
        journal.answer(answers.new)?;
        let (journal, played, _) = run.play(journal, 0)?;
        run.status(&journal, &played, Some(answers.told), None)
    })
}
