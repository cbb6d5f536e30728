//! A batch of questions as a sheet that people fill in.
//!
//! Beside the columns of all sheets ([`sheets`](tiebreak_data::sheets)), a row has `text_1`, `text_2` and `answer`, or
//! of one output `text` and a column for each criterion; also `annotator` and `seconds`. Answers are empty, and
//! `annotator` unless a question is dealt. Nothing reveals systems: texts are on random sides, rows in random order.

use super::context::CampaignContext;
use super::forms::QuestionFile;
use tiebreak_base::error::Result;
use tiebreak_data::sheets::{Codes, SheetRow};
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::AnnotatorAssignment;
use tiebreak_decide::feedback::texts::{ComparisonTexts, Texts};
use tiebreak_stages::journal::Assignment;
use tiebreak_stages::journal::swapped;

/// Writes the questions, in an order drawn from the seed.
pub(super) fn write(
    blank: &QuestionFile,
    campaign_context: &CampaignContext<'_>,
    mut questions: Vec<(Assignment, PairQuestion)>,
    dealing: &AnnotatorAssignment,
    codes: &Codes,
) -> Result<()> {
    let newest = questions.iter().map(|(put, _)| put.id.0).max();
    let mut rng = campaign_context.seed().stream("sheet", newest.unwrap_or(0));
    rng.shuffle(&mut questions);
    let rows: Vec<SheetRow<'_>> = questions
        .iter()
        .map(|(put, question)| {
            let annotator = dealing.name(put.second.unwrap_or(question.sample.person));
            let row = row(campaign_context, *put, question, codes)?;
            Ok(SheetRow { annotator, ..row })
        })
        .collect::<Result<_>>()?;
    blank.write(&campaign_context.task, &rows)
}

/// Returns the row of a question, on the sides drawn for its annotator.
pub(super) fn row<'a>(
    campaign_context: &'a CampaignContext<'_>,
    put: Assignment,
    question: &PairQuestion,
    codes: &'a Codes,
) -> Result<SheetRow<'a>> {
    let ComparisonTexts {
        source,
        references,
        first,
        second,
    } = campaign_context
        .texts
        .texts(question.sample.item, question.duel.pair)?;
    let texts = match (
        question.duel.pair.is_self(),
        swapped(campaign_context.seed(), put),
    ) {
        (true, _) => vec![("text", first)],
        (false, true) => vec![("text_1", second), ("text_2", first)],
        (false, false) => vec![("text_1", first), ("text_2", second)],
    };
    let references = match campaign_context.task.shows_references() {
        true => references,
        false => &[],
    };
    Ok(SheetRow {
        code: codes.code(put.id.0),
        source,
        references,
        texts,
        annotator: None,
    })
}
