//! Filled-in sheets read back: all of it or, where anything is wrong, nothing.
//!
//! Only the columns `question` and `answer` are needed; `annotator` and `seconds` are kept, all
//! others ignored. Rows may be missing, in any order, or without an answer yet.

use super::status::Told;
use super::{filled, sheet};
use crate::duel::{DuelId, Outcome};
use crate::error::{Error, Location, Result};
use crate::feedback::journal::{Given, Journal};
use crate::feedback::texts::{Texts, swapped};
use crate::records::reader::Row;
use crate::rng::Seed;
use crate::sheets::{self, Codes};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What may stand in the column `answer`, for messages.
const EXPECTED: &str = "1, 2, tie or skip";

/// Said where a file is another.
pub(super) const WHICH: &str = "tell the sheet that `ask` wrote, with its first row as it was";

/// What a person wrote: `None` for a question they skip, else how the first text fared.
type Written = Option<Outcome>;

/// What is read from sheets: what is new, and how much of everything there was.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) new: Vec<(DuelId, Given)>,
    pub(super) told: Told,
}

/// Whom sheets are read for.
pub(super) struct Reader<'a, T> {
    /// Who filled them in, where they do not say so themselves.
    pub(super) annotator: Option<&'a str>,
    pub(super) journal: &'a Journal,
    pub(super) codes: &'a Codes,
    /// What the questions showed.
    pub(super) texts: &'a T,
    pub(super) seed: Seed,
}

impl<T: Texts> Reader<'_, T> {
    /// Reads sheets.
    ///
    /// # Errors
    /// The first mistake with its place: a question that was not posed, an answer that is none, two
    /// different answers to one question.
    pub(super) fn read(&self, paths: &[PathBuf]) -> Result<Answers> {
        let mut answers = Answers::default();
        let mut places: BTreeMap<DuelId, (Written, Location)> = BTreeMap::new();
        for path in paths {
            let mut strange = Vec::new();
            for row in filled::open(path, self.annotator)? {
                let row = row.map_err(sheets::saved_otherwise)?;
                let Some((id, written)) = question_and_answer(&row, self.codes)? else {
                    continue;
                };
                if !self.shows(&row, id)? {
                    strange.push(row.at());
                }
                let Some(written) = written else {
                    answers.told.blank += 1;
                    continue;
                };
                match places.insert(id, (written, row.at())) {
                    Some((earlier, place)) => agree(&row, written, earlier, &place.to_string())?,
                    None => self.take(&row, id, written, &mut answers)?,
                }
            }
            as_asked(&strange)?;
        }
        // In the order asked, so that nothing depends on how a sheet was sorted.
        answers.new.sort_by_key(|&(id, _)| id);
        Ok(answers)
    }

    /// Whether the texts of a row, where it has any, are those of its question: a sheet sorted in one
    /// column has answers beside the wrong questions.
    fn shows(&self, row: &Row, id: DuelId) -> Result<bool> {
        let Some(posed) = self.journal.question(id) else {
            return Ok(true);
        };
        let question = &posed.question;
        let asked = sheet::row(question, self.texts, self.codes, self.seed)?;
        let texts = asked.texts.iter().copied();
        let source = asked.source.map(|source| ("source", source));
        for (column, shown) in texts.chain(source) {
            let read = row.optional_text(column)?;
            if read.is_some_and(|read| !sheets::is_same_text(shown, &read)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An answer to a question that these sheets have not answered yet.
    fn take(&self, row: &Row, id: DuelId, written: Written, answers: &mut Answers) -> Result<()> {
        let turned = |outcome: Outcome| match swapped(self.seed, id) {
            true => outcome.flipped(),
            false => outcome,
        };
        let given = Given {
            outcome: written.map(turned),
            annotator: sheets::annotator(row)?.or_else(|| self.annotator.map(ToString::to_string)),
            seconds: sheets::seconds(row)?,
        };
        let known = self
            .journal
            .question(id)
            .and_then(|posed| posed.given.as_ref());
        let settled = |was: &&Given| was.outcome.is_some() || written.is_none();
        if let Some(was) = known.filter(settled) {
            let of = was.annotator.as_ref();
            let who = of.map_or_else(String::new, |name| format!(" by {name}"));
            agree(
                row,
                written,
                was.outcome.map(turned),
                &format!("an earlier sheet{who}"),
            )?;
            answers.told.known += 1;
            return Ok(());
        }
        match written {
            Some(_) => answers.told.new += 1,
            None => answers.told.skipped += 1,
        }
        answers.new.push((id, given));
        Ok(())
    }
}

/// So many lines are named.
const NAMED: usize = 5;

/// Refuses rows that show other texts than their questions did.
fn as_asked(strange: &[Location]) -> Result<()> {
    let Some(first) = strange.first() else {
        return Ok(());
    };
    let line = |at: &Location| at.line.map_or_else(String::new, |line| line.to_string());
    let lines: Vec<String> = strange.iter().map(line).collect();
    let more = match lines.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = format!(
        "the texts here are not those of the question (lines {}{more}): the sheet was sorted in some columns \
         only, or its texts were edited",
        lines[..lines.len().min(NAMED)].join(", ")
    );
    Err(Error::record(first.clone(), what).with_hint(
        "sort whole rows and write into the columns for answers only; the sheet as it was: `ask --again`",
    ))
}

/// The question of a row and what is written there, if anything; `None` for an empty row.
fn question_and_answer(row: &Row, codes: &Codes) -> Result<Option<(DuelId, Option<Written>)>> {
    let code = row.optional_text("question")?.unwrap_or_default();
    let answer = row.optional_text("answer")?.unwrap_or_default();
    let (code, answer) = (code.trim(), answer.trim());
    if code.is_empty() && answer.is_empty() {
        return Ok(None);
    }
    let id = codes.question(code).map(DuelId).ok_or_else(|| {
        let what = format!("question `{code}` was not posed in this run");
        row.error(what)
            .with_hint("answers belong to the run whose `ask` wrote the sheet")
    })?;
    if answer.is_empty() {
        return Ok(Some((id, None)));
    }
    let written = parse(answer).ok_or_else(|| {
        row.error(format!("answer is `{answer}`, expected {EXPECTED}"))
            .with_hint("leave the cell empty where there is no answer yet")
    })?;
    Ok(Some((id, Some(written))))
}

/// What is meant by an answer; `None` for nothing that could be.
fn parse(answer: &str) -> Option<Written> {
    let answer = answer.to_lowercase().replace([' ', '_'], "");
    Some(match answer.as_str() {
        "1" | "1.0" | "text1" | "a" | "left" | "l" | "first" => Some(Outcome::Win),
        "2" | "2.0" | "text2" | "b" | "right" | "r" | "second" => Some(Outcome::Loss),
        "tie" | "t" | "tied" | "equal" | "same" | "both" | "neither" | "=" => Some(Outcome::Tie),
        "skip" | "s" | "skipped" => None,
        _ => return None,
    })
}

fn name(written: Written) -> &'static str {
    match written {
        Some(Outcome::Win) => "1",
        Some(Outcome::Loss) => "2",
        Some(Outcome::Tie) => "tie",
        None => "skip",
    }
}

/// Refuses a second answer unless it is the same.
fn agree(row: &Row, now: Written, was: Written, place: &str) -> Result<()> {
    if now == was {
        return Ok(());
    }
    let what = format!(
        "answer is {}, but it is {} in {place}",
        name(now),
        name(was)
    );
    Err(row
        .error(what)
        .with_hint("one question takes one answer; give each annotator questions of their own"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_people_write_them() {
        for text in ["1", " 1.0", "A", "Left", "first", "text_1", "Text 1"] {
            assert_eq!(parse(text.trim()), Some(Some(Outcome::Win)), "{text}");
        }
        for text in ["tie", "T", "=", "Equal"] {
            assert_eq!(parse(text), Some(Some(Outcome::Tie)), "{text}");
        }
        assert_eq!(parse("right"), Some(Some(Outcome::Loss)));
        assert_eq!(parse("Skip"), Some(None));
        // 0 and ½ are outcomes in a table of comparisons: too easily meant otherwise.
        for text in ["0", "0.5", "3", "12", "yes", "better", "1,2"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
