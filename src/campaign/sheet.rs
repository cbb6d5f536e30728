//! A batch of questions as a sheet that people fill in.
//!
//! Beside what all sheets have ([`sheets`](crate::sheets)), a row has `text_1`, `text_2` and
//! the columns `answer`, `annotator` and `seconds`, empty but for the annotator a question is dealt to. Nothing on it tells systems apart: texts are
//! on random sides, rows in random order.

use super::forms::Blank;
use super::task::Task;
use crate::error::Result;
use crate::feedback::Question;
use crate::feedback::dealing::Dealing;
use crate::feedback::journal::Put;
use crate::feedback::texts::{Shown, Texts, swapped};
use crate::rng::Seed;
use crate::sheets::{Codes, Row};

/// Writes the questions, in an order drawn from the seed.
///
/// # Errors
/// If a text cannot be had or the file not be written.
pub(super) fn write(
    blank: &Blank,
    task: &Task,
    mut questions: Vec<(Put, Question)>,
    texts: &impl Texts,
    dealing: &Dealing,
    codes: &Codes,
    seed: Seed,
) -> Result<()> {
    let newest = questions.iter().map(|(put, _)| put.id.0).max();
    seed.stream("sheet", newest.unwrap_or(0))
        .shuffle(&mut questions);
    let rows: Vec<Row<'_>> = questions
        .iter()
        .map(|(put, question)| {
            let annotator = dealing.name(put.second.unwrap_or(question.sample.person));
            let row = row(*put, question, texts, codes, seed)?;
            Ok(Row { annotator, ..row })
        })
        .collect::<Result<_>>()?;
    blank.write(task, &rows)
}

/// A question as its row shows it.
///
/// # Errors
/// If a text cannot be had.
pub(super) fn row<'a>(
    put: Put,
    question: &Question,
    texts: &'a impl Texts,
    codes: &'a Codes,
    seed: Seed,
) -> Result<Row<'a>> {
    let Shown {
        source,
        references,
        first,
        second,
    } = texts.texts(question.sample.item, question.duel.pair)?;
    let [one, two] = match swapped(seed, put) {
        true => [second, first],
        false => [first, second],
    };
    Ok(Row {
        code: codes.of(put.id.0),
        source,
        references,
        texts: vec![("text_1", one), ("text_2", two)],
        annotator: None,
    })
}
