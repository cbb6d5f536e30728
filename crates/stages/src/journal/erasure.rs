//! What a journal holds about one person: shown to them, or erased for good.
//!
//! Erased are names, remarks (comments, and reasons for a skip) and the names of sheets that hold the person's name.
//! Answers stay and count as before.

use super::chain::Chain;
use super::lines::{JournalEntry, PrivateField, check_version};
use super::past::JournalState;
use super::pseudonyms::{NameKeys, is_pseudonym, split};
use super::{Assignment, CheckResult, Journal, LockedFile, read_growing};
use crate::engine::names::file_name;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use tiebreak_base::disk::Draft;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::{folded, is_same_person, person_key};

/// The name of the annotator in a campaign of one unnamed person.
pub const SOMEBODY: &str = "annotator";

/// The texts that were erased from a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ErasedTexts {
    /// The names that answers have from now on: one for each spelling of the person's name.
    pub pseudonyms: BTreeSet<String>,
    /// The places of their name.
    pub names: u64,
    /// Comments and reasons.
    pub remarks: u64,
    /// Names of sheets.
    pub sheets: u64,
    /// Whether something had been erased before: nobody can tell whether it was this person's.
    #[serde(skip)]
    pub earlier: bool,
}

/// What a journal holds about one person.
#[derive(Debug, Default)]
pub struct PersonRecord {
    /// The names in the journal: of all who were listed, and of all who answered.
    pub people: BTreeSet<String>,
    /// Whether they are on the list of annotators.
    pub listed: bool,
    /// Every answer that they gave, also those taken back or given again.
    pub answers: Vec<PersonalAnswer>,
    /// The tasks with known answers that they did.
    pub checks: Vec<CheckResult>,
}

/// An answer of one person, as its line has it.
#[derive(Debug)]
#[non_exhaustive]
pub struct PersonalAnswer {
    /// The line.
    pub line: u64,
    /// The question.
    pub question: PairQuestion,
    /// The assignment that it answers.
    pub put: Assignment,
    /// The answer with all that stands beside it.
    pub answer: Value,
    /// Whether it is the answer on record.
    pub holds: bool,
}

impl ErasedTexts {
    fn count(&mut self, field: PrivateField, pseudonym: String) {
        match field {
            PrivateField::Name => {
                self.names += 1;
                self.pseudonyms.insert(pseudonym);
            }
            PrivateField::Remark(_) => self.remarks += 1,
            PrivateField::Sheet => self.sheets += 1,
        }
    }

    /// Whether nothing was there to be erased.
    pub fn is_empty(&self) -> bool {
        self.names + self.remarks + self.sheets == 0
    }
}

impl Journal {
    /// Erases the name and the remarks of a person from the journal at `path`: all of them or, if it is interrupted,
    /// none. `beside` erases what lies elsewhere, while nobody else can open the journal and before its name is gone.
    ///
    /// # Errors
    /// As [`open`](Self::open), whatever run it belongs to; if it cannot be written; those of `beside`.
    pub fn erase(
        path: &Path,
        person: &str,
        beside: impl FnOnce() -> Result<()>,
    ) -> Result<ErasedTexts> {
        let file = OpenOptions::new().read(true).append(true).open(path);
        let file = LockedFile::in_place(file.map_err(Error::writing(path))?, path)?;
        let (past, text) = read(path)?;
        let (erased, written, chain) = without(person, &past, &text)?;
        if chain != past.chain {
            return Err(Error::failed("a journal that would be another afterwards"));
        }
        beside()?;
        if !erased.is_empty() {
            replace(path, &file, &written)?;
        }
        Ok(erased)
    }

    /// Reads what a journal, which may still grow, holds about a person.
    ///
    /// # Errors
    /// As `look`, whatever it asks about.
    pub fn about(path: &Path, person: &str) -> Result<PersonRecord> {
        let (past, text) = read(path)?;
        let theirs = answers_of(person, &past, &text);
        // Where nobody is listed, all checks are of the one who answers.
        let is_only = past.names.is_empty() && !theirs.is_empty();
        let place = past.place_of(person).or(is_only.then_some(0));
        let checks = place.and_then(|place| past.checked.get(&place));
        let mut answers: Vec<PersonalAnswer> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let Some((JournalEntry::Answers(given), _)) = split(text) else {
                continue;
            };
            let given = given.iter().enumerate();
            for (_, one) in given.filter(|(place, _)| theirs.contains(&(line, *place))) {
                let (put, response) = (one.put(), one.response().map_err(Error::failed)?);
                let on_record = past.response(put).and_then(Option::as_ref);
                answers.extend(past.posed.get(put.id).map(|posed| PersonalAnswer {
                    line,
                    question: posed.question,
                    put,
                    answer: serde_json::to_value(one).unwrap_or_default(),
                    holds:
                        on_record.is_some_and(|was| {
                            was.at == response.at && was.says_the_same(&response)
                        }),
                }));
            }
        }
        // An answer that was taken back may have been given again, the same and within a second.
        let latest: BTreeMap<Assignment, u64> =
            answers.iter().map(|one| (one.put, one.line)).collect();
        for one in &mut answers {
            one.holds &= latest[&one.put] == one.line;
        }
        Ok(PersonRecord {
            people: names_in(&text),
            listed: past.list.iter().any(|name| is_same_person(name, person)),
            checks: checks.cloned().unwrap_or_default(),
            answers,
        })
    }

    /// The names in a journal, which may still grow: of all who were listed, and of all who answered.
    ///
    /// # Errors
    /// As `look`, whatever it asks about.
    pub fn people(path: &Path) -> Result<BTreeSet<String>> {
        let (_, text) = read(path)?;
        Ok(names_in(&text))
    }
}

/// Reads a journal, whatever run it belongs to: its state, and its whole lines.
fn read(path: &Path) -> Result<(JournalState, String)> {
    let (past, text) = read_growing(path, |header| check_version(path, header))?;
    Ok((past, String::from_utf8(text).map_err(Error::failed)?))
}

fn names_in(text: &str) -> BTreeSet<String> {
    let mut people = BTreeSet::new();
    for (mut entry, _) in text.lines().filter_map(split) {
        let texts = entry.private_texts().into_iter();
        let names = texts.filter(|(field, _)| *field == PrivateField::Name);
        people.extend(names.map(|(_, name)| name.clone()));
    }
    people
}

/// The lines of a journal without a person's name and remarks, with what was erased and the chain that they have.
fn without(person: &str, past: &JournalState, text: &str) -> Result<(ErasedTexts, String, Chain)> {
    let theirs = answers_of(person, past, text);
    let is_erased = |line, field, text: &str| match field {
        PrivateField::Name => is_same_person(text, person),
        PrivateField::Remark(place) => theirs.contains(&(line, place)),
        PrivateField::Sheet => mentions_in_path(text, person),
    };
    let (mut keys, mut chain) = (NameKeys::default(), Chain::default());
    let (mut erased, mut written) = (ErasedTexts::default(), String::new());
    for (number, line) in (1..).zip(text.lines()) {
        match split(line).filter(|(entry, _)| entry.is_private()) {
            Some((mut entry, known)) => {
                let mut texts = entry.private_texts().into_iter();
                erased.earlier |= texts.any(|(_, text)| is_pseudonym(text));
                let is_erased = |field, text: &str| is_erased(number, field, text);
                let (line, pseudonyms) = keys.erase((entry, known), &mut chain, is_erased)?;
                written += &line;
                for (field, pseudonym) in pseudonyms {
                    erased.count(field, pseudonym);
                }
            }
            None => {
                chain.follow(line.as_bytes());
                written += line;
            }
        }
        written.push('\n');
    }
    Ok((erased, written, chain))
}

/// Puts another text into the place of a journal, with the permissions that its file has. A link to it stays one.
fn replace(path: &Path, file: &LockedFile, text: &str) -> Result<()> {
    let own = fs::canonicalize(path).map_err(Error::writing(path))?;
    let mut draft = Draft::create(&own)?;
    let metadata = file.0.metadata();
    let permitted = metadata.and_then(|meta| draft.file().set_permissions(meta.permissions()));
    let written = permitted.and_then(|()| draft.write_all(text.as_bytes()));
    written.map_err(Error::writing(path))?;
    draft.finish()
}

/// The answers that a person gave, by line and place in it. What nobody signed is of whoever was named later, or else
/// of the annotator to whom it was dealt.
fn answers_of(person: &str, past: &JournalState, text: &str) -> BTreeSet<(u64, usize)> {
    let place = past.place_of(person);
    let is_somebody = past.names.is_empty() && is_same_person(person, SOMEBODY);
    let (mut theirs, mut unsigned) = (BTreeSet::new(), BTreeMap::new());
    for (line, text) in (1..).zip(text.lines()) {
        let Some((entry, _)) = split(text) else {
            continue;
        };
        let is_naming = matches!(entry, JournalEntry::Named(_));
        for (number, (put, name)) in entry.signed().into_iter().enumerate() {
            let answer = match is_naming {
                true => unsigned.get(&put).copied(),
                false => Some((line, number)),
            };
            let is_theirs = match name {
                Some(name) => is_same_person(name, person),
                None => is_somebody || Some(past.person(put)) == place,
            };
            if name.is_none() {
                unsigned.insert(put, (line, number));
            }
            match is_theirs {
                true => theirs.extend(answer),
                false => theirs.retain(|one| Some(*one) != answer),
            }
        }
    }
    theirs
}

/// Whether a path has a name as a word of its own, or the name that a person's file has.
pub fn mentions_in_path(path: &str, name: &str) -> bool {
    mentions(path, name) + mentions(path, &file_name(name.trim())) > 0
}

/// The number of times that a text has a name as a word of its own, in whatever case and form.
pub fn mentions(text: &str, name: &str) -> usize {
    let (text, name) = (folded(text), person_key(name));
    if name.is_empty() {
        return 0;
    }
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let found = text.match_indices(&name).filter(|(at, found)| {
        let after = text[at + found.len()..].chars().next();
        !is_word(text[..*at].chars().next_back()) && !is_word(after)
    });
    found.count()
}

#[cfg(test)]
mod tests;
