//! A batch of questions as a sheet that people fill in.
//!
//! Beside what all sheets have ([`sheets`](crate::pipeline::sheets)), a row has `text_1`, `text_2` and
//! the empty columns `answer`, `annotator` and `seconds`. Nothing on it tells systems apart: texts are
//! on random sides, rows in random order.

use crate::error::Result;
use crate::feedback::Question;
use crate::feedback::texts::{Shown, Texts, swapped};
use crate::pipeline::sheets::{Codes, Row, Sheet};
use crate::rng::Seed;

/// Writes the questions, in an order drawn from the seed.
///
/// # Errors
/// If a text cannot be had or the file not be written.
pub(super) fn write(
    sheet: &Sheet,
    mut questions: Vec<Question>,
    texts: &impl Texts,
    codes: &Codes,
    seed: Seed,
) -> Result<()> {
    let newest = questions.iter().map(|question| question.duel.id.0).max();
    seed.stream("sheet", newest.unwrap_or(0))
        .shuffle(&mut questions);
    let rows: Vec<Row<'_>> = questions
        .iter()
        .map(|question| row(question, texts, codes, seed))
        .collect::<Result<_>>()?;
    sheet.write(&rows, &["answer", "annotator", "seconds"])
}

fn row<'a>(
    question: &Question,
    texts: &'a impl Texts,
    codes: &'a Codes,
    seed: Seed,
) -> Result<Row<'a>> {
    let id = question.duel.id;
    let Shown {
        source,
        references,
        first,
        second,
    } = texts.texts(question.sample.item, question.duel.pair)?;
    let [one, two] = match swapped(seed, id) {
        true => [second, first],
        false => [first, second],
    };
    Ok(Row {
        code: codes.of(id.0),
        source,
        references,
        texts: vec![("text_1", one), ("text_2", two)],
    })
}
