//! Answers by protocol: as pages send them, as sheets hold them, as messages repeat them.

use super::answers::{EXPECTED, PairAnswer, parse};
use super::task::{Criterion, Protocol, Task};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;
use tiebreak_base::layout::{number, of_cell};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::reader::Row;
use tiebreak_stages::journal::{Assignment, OutputRating, Response};

/// The columns of an edited text and of the passage's words that support an answer.
const POST_EDIT: &str = "post_edit";
const EVIDENCE: &str = "evidence";

/// The entry, on a sheet or at a terminal, for a text that needs no edit.
pub(super) const AS_IT_IS: &str = "=";

/// Whether an entry says that a text needs no edit; keyboards of East Asia write a wide `＝`.
fn is_as_it_is(text: &str) -> bool {
    [AS_IT_IS, "＝"].contains(&text.trim())
}

/// The fewest words of a text of which an edit keeps some.
const KEPT_FROM: usize = 5;

/// Whether an edited text shares no word with a text of several: `none` or `-` may say that there is nothing to edit.
pub(super) fn is_another_text(given: &Response, shown: &str) -> bool {
    let edited = given.rated.as_ref().and_then(|rated| rated.text.as_ref());
    let words = |text: &str| -> BTreeSet<String> {
        text.to_lowercase()
            .split_whitespace()
            .map(str::to_string)
            .collect()
    };
    edited.is_some_and(|edited| {
        shown.split_whitespace().count() >= KEPT_FROM && words(shown).is_disjoint(&words(edited))
    })
}

/// The entry on a sheet for a skipped question.
const SKIP: &str = "skip";

/// An answer that a page sends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SubmittedAnswer<'a> {
    pub(super) answer: Option<&'a str>,
    pub(super) scores: Option<&'a BTreeMap<String, f64>>,
    pub(super) text: Option<&'a str>,
}

impl Task {
    /// Parses an answer that a page sent.
    ///
    /// # Errors
    /// A description of the mistake.
    pub(super) fn parse_submitted(
        &self,
        sent: SubmittedAnswer<'_>,
        seed: Seed,
        put: Assignment,
    ) -> Result<Response, String> {
        if self.protocol == Protocol::Pairwise {
            let written = sent.answer.and_then(parse);
            let written = written.ok_or_else(|| format!("answer: expected {EXPECTED}"))?;
            return Ok(written.to_response(seed, put));
        }
        match sent.answer {
            Some(SKIP) => return Ok(Response::default()),
            Some(other) => return Err(format!("answer is {other}, expected scores or {SKIP}")),
            None => {}
        }
        let none = BTreeMap::new();
        let scores = sent.scores.unwrap_or(&none);
        if let Some(name) = scores.keys().find(|name| self.criterion(name).is_none()) {
            return Err(format!("scores: {name} was not asked about"));
        }
        self.rated(scores.clone(), sent.text.map(str::to_string))
    }

    fn criterion(&self, name: &str) -> Option<&Criterion> {
        self.criteria.iter().find(|one| one.name == name)
    }

    /// Returns scores and a text as an answer.
    fn rated(
        &self,
        scores: BTreeMap<String, f64>,
        text: Option<String>,
    ) -> Result<Response, String> {
        for criterion in &self.criteria {
            match scores.get(&criterion.name) {
                Some(&score) => criterion.takes(score)?,
                None => return Err(format!("{} has no score", criterion.name)),
            }
        }
        let text = match self.protocol {
            Protocol::PostEdit => Some(text.ok_or("the edited text is missing")?),
            Protocol::QuestionAnswering => text.filter(|text| !text.trim().is_empty()),
            Protocol::Rating | Protocol::Pairwise => None,
        };
        Ok(Response {
            rated: Some(OutputRating { scores, text }),
            ..Response::default()
        })
    }

    /// The columns that a sheet must have.
    pub(super) fn needed(&self) -> Vec<&str> {
        let answer = match self.protocol {
            Protocol::Pairwise => vec!["answer"],
            Protocol::PostEdit => vec![POST_EDIT],
            Protocol::Rating | Protocol::QuestionAnswering => Vec::new(),
        };
        let criteria = self.criteria.iter().map(|one| one.name.as_str());
        let criteria = criteria.filter(|_| self.protocol != Protocol::Pairwise);
        std::iter::once("question")
            .chain(answer)
            .chain(criteria)
            .collect()
    }

    /// The column of a text that is written, if the protocol asks for one.
    pub(super) fn text_column(&self) -> Option<&'static str> {
        match self.protocol {
            Protocol::PostEdit => Some(POST_EDIT),
            Protocol::QuestionAnswering => Some(EVIDENCE),
            Protocol::Pairwise | Protocol::Rating => None,
        }
    }

    /// That column if it is for an edited text.
    pub(super) fn edited_column(&self) -> Option<&'static str> {
        self.text_column().filter(|one| *one == POST_EDIT)
    }

    /// The columns that people fill in.
    pub(super) fn columns(&self) -> Vec<&str> {
        let mut columns = self.needed().split_off(1);
        columns.extend(self.text_column().filter(|one| *one == EVIDENCE));
        columns
    }

    /// Returns how to fill in the columns, as a phrase.
    pub(super) fn filling(&self, sheet: &str) -> String {
        let columns: Vec<String> = self
            .columns()
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let columns = columns.join(", ");
        match self.protocol {
            Protocol::Pairwise => {
                format!("fill in column {columns} of {sheet}: {EXPECTED}")
            }
            Protocol::PostEdit => {
                format!(
                    "fill in {columns} of {sheet}: the corrected text, {AS_IT_IS} where nothing needs an edit, or skip"
                )
            }
            _ => format!("fill in {columns} of {sheet}, or write skip"),
        }
    }

    /// Reads the answer in a row of a sheet that has `shown` a text; `None` where there is none yet.
    ///
    /// # Errors
    /// An error for an invalid cell, with its place.
    pub(super) fn parse_row(
        &self,
        row: &Row,
        seed: Seed,
        put: Assignment,
        shown: Option<&str>,
    ) -> Result<Option<Response>> {
        let cell = |column: &str| -> Result<Option<String>> {
            // What was copied from a sheet has what keeps spreadsheets from computing it.
            let text = row.optional_text(column)?.map(|text| of_cell(&text));
            Ok(text.filter(|text| !text.trim().is_empty()))
        };
        if self.protocol == Protocol::Pairwise {
            let Some(answer) = cell("answer")? else {
                return Ok(None);
            };
            let answer = answer.trim();
            let written = parse(answer).ok_or_else(|| {
                row.error(format!("answer is `{answer}`, expected {EXPECTED}"))
                    .with_hint("leave the cell empty where there is no answer yet")
            })?;
            return Ok(Some(written.to_response(seed, put)));
        }
        let columns = self.columns();
        let mut filled = BTreeMap::new();
        for column in columns.iter().copied().chain(["answer"]) {
            if let Some(text) = cell(column)? {
                filled.insert(column, text);
            }
        }
        if filled.is_empty() {
            return Ok(None);
        }
        if filled
            .values()
            .any(|text| text.trim().eq_ignore_ascii_case(SKIP))
        {
            return Ok(Some(Response::default()));
        }
        let mut scores = BTreeMap::new();
        for criterion in &self.criteria {
            if let Some(cell) = filled.get(criterion.name.as_str()) {
                let score = match criterion.score_of_cell(cell) {
                    Some(score) => score,
                    None => row.number(&criterion.name)?,
                };
                scores.insert(criterion.name.clone(), score);
            }
        }
        let mut text = self.text_column().and_then(|column| filled.remove(column));
        if let (Some(text), Some(shown)) = (&mut text, shown)
            && self.edited_column().is_some()
            && is_as_it_is(text)
        {
            *text = shown.to_string();
        }
        let given = self.rated(scores, text).map_err(|what| {
            row.error(what)
                .with_hint("fill in the whole row, write skip, or leave it empty for now")
        })?;
        Ok(Some(given))
    }

    /// The button that gave a response; `None` where a form did.
    #[cfg(feature = "serve")]
    pub(super) fn chosen(
        &self,
        given: &Response,
        seed: Seed,
        put: Assignment,
    ) -> Option<&'static str> {
        match (self.protocol, given.is_answer()) {
            (Protocol::Pairwise, _) => Some(PairAnswer::unturned(given, seed, put).name()),
            (_, false) => Some(SKIP),
            (_, true) => None,
        }
    }

    /// Describes a response in a few words.
    pub(super) fn words(&self, given: &Response, seed: Seed, put: Assignment) -> String {
        let Some(rated) = &given.rated else {
            return match self.protocol {
                Protocol::Pairwise => PairAnswer::unturned(given, seed, put).name().to_string(),
                _ => SKIP.to_string(),
            };
        };
        let scores = rated.scores.iter();
        let scores = scores.map(|(name, &score)| format!("{name} {}", number(score)));
        let text = rated.text.iter().map(|text| format!("\"{text}\""));
        scores.chain(text).collect::<Vec<_>>().join(", ")
    }
}
