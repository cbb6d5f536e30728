//! What a journal holds about one person: shown to them, or erased for good.
//!
//! Erased are names, remarks (comments, and reasons for a skip) and the names of sheets that hold the person's name.
//! Answers stay and count as before.

use super::chain::Chain;
use super::lines::{JournalEntry, PrivateField, check_version};
use super::past::JournalState;
use super::pseudonyms::{NameKeys, is_pseudonym, split};
use super::{Assignment, CheckResult, Journal, LockedFile, whole_lines};
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
use tiebreak_decide::feedback::dealing::{is_same_person, person_key};

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
    /// Whether they are on the list of annotators.
    pub listed: bool,
    /// Every answer that they gave, also those taken back or given again.
    pub answers: Vec<PersonalAnswer>,
    /// The tasks with known answers that they did.
    pub checks: Vec<CheckResult>,
}

/// An answer of one person, as its line has it.
#[derive(Debug)]
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
    /// As [`look`](Self::look), whatever it asks about.
    pub fn about(path: &Path, person: &str) -> Result<PersonRecord> {
        let (past, text) = read(path)?;
        let theirs = answers_of(person, &past, &text);
        // Where nobody is listed, all checks are of the one who answers.
        let is_only = past.names.is_empty() && !theirs.is_empty();
        let place = past.place_of(person).or(is_only.then_some(0));
        let checks = place.and_then(|place| past.checked.get(&place));
        let mut answers = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let Some((JournalEntry::Answers(given), _)) = split(text) else {
                continue;
            };
            let given = given.iter().enumerate();
            for (_, one) in given.filter(|(place, _)| theirs.contains(&(line, *place))) {
                let (put, response) = (one.put(), one.response().map_err(Error::failed)?);
                let on_record = past.response(put).and_then(Option::as_ref);
                answers.extend(past.posed.get(&put.id).map(|posed| PersonalAnswer {
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
        Ok(PersonRecord {
            listed: past.list.iter().any(|name| is_same_person(name, person)),
            checks: checks.cloned().unwrap_or_default(),
            answers,
        })
    }

    /// The names in a journal, which may still grow: of all who were listed, and of all who answered.
    ///
    /// # Errors
    /// As [`look`](Self::look), whatever it asks about.
    pub fn people(path: &Path) -> Result<BTreeSet<String>> {
        let (_, text) = read(path)?;
        let mut people = BTreeSet::new();
        for (mut entry, _) in text.lines().filter_map(split) {
            let texts = entry.private_texts().into_iter();
            let names = texts.filter(|(field, _)| *field == PrivateField::Name);
            people.extend(names.map(|(_, name)| name.clone()));
        }
        Ok(people)
    }
}

/// Reads a journal, whatever run it belongs to: its state, and its whole lines.
fn read(path: &Path) -> Result<(JournalState, String)> {
    let kept = Chain::kept(path)?;
    let mut text = fs::read(path).map_err(Error::reading(path))?;
    text.truncate(whole_lines(&text));
    let past = JournalState::read(path, &text, kept.as_ref(), |header| {
        check_version(path, header)
    })?;
    let text = String::from_utf8(text).map_err(Error::failed)?;
    Ok((past, text))
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

/// The number of times that a text has a name as a word of its own, in whatever case.
pub fn mentions(text: &str, name: &str) -> usize {
    let (text, name) = (text.to_lowercase(), person_key(name));
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
mod tests {
    use super::super::{DealtQuestion, OutputRating, Response, SheetRecord};
    use super::*;
    use tiebreak_base::duel::{Arm, Duel, DuelId, Outcome, Pair};
    use tiebreak_base::signature::Signature;
    use tiebreak_decide::feedback::Sample;

    const PEOPLE: [&str; 2] = ["ana", "ben"];

    /// Nothing is erased beside the journal.
    #[allow(clippy::unnecessary_wraps)] // what an erasure calls
    fn alone() -> Result<()> {
        Ok(())
    }

    fn signature() -> Signature {
        Signature::new("rank").with("seed", 42)
    }

    fn question(id: u64) -> PairQuestion {
        let sample = Sample::item(u32::try_from(id).unwrap());
        PairQuestion {
            duel: Duel {
                id: DuelId(id),
                pair: Pair::new(Arm(0), Arm(1)),
                bet: 0.0,
            },
            sample: Sample {
                person: u32::try_from(id % 2).unwrap(),
                ..sample
            },
        }
    }

    /// A journal in which ana and ben say the same beside their answers; returns its folder.
    fn campaign() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut journal =
            Journal::open(&folder.path().join("journal.jsonl"), &signature()).unwrap();
        journal.relist(&PEOPLE.map(str::to_string)).unwrap();
        let questions: Vec<DealtQuestion> = (0..6)
            .map(|id| DealtQuestion::to_one(question(id)))
            .collect();
        let sheet = SheetRecord {
            name: "../sheets/Ben.csv".to_string(),
            questions: (0..6).collect(),
        };
        journal.pose(&questions, Some(sheet)).unwrap();
        for id in 0..5 {
            let put = Assignment::dealt(DuelId(id));
            let given = Response {
                outcome: (id != 3).then_some(Outcome::Win),
                annotator: Some(PEOPLE[(id % 2) as usize].to_string()),
                comment: Some("ok, says Benedict".to_string()),
                reason: (id == 3).then(|| "a \"private\" matter".to_string()),
                ..Response::default()
            };
            journal.answer(&[(put, given)], true).unwrap();
            if id == 1 {
                journal.undo(1).unwrap();
            }
        }
        journal.settle(|_| true).unwrap();
        folder
    }

    fn text(folder: &Path) -> String {
        fs::read_to_string(folder.join("journal.jsonl")).unwrap()
    }

    #[test]
    fn what_is_erased_is_gone_and_all_else_is_as_it_was() {
        let folder = campaign();
        let path = folder.path().join("journal.jsonl");
        let before = format!("{:?}", Journal::open(&path, &signature()).unwrap().past());
        let length = fs::read(path.with_extension("length.json")).unwrap();
        let record = Journal::about(&path, "BEN").unwrap();
        assert_eq!(record.answers.len(), 2);
        assert!(record.listed && !record.answers[0].holds && record.answers[1].holds);
        assert_eq!(record.answers[1].answer["reason"], "a \"private\" matter");
        let erased = Journal::erase(&path, "Ben ", alone).unwrap();
        assert_eq!((erased.names, erased.remarks, erased.sheets), (3, 3, 1));
        assert!(!erased.earlier);
        let left = text(folder.path());
        let pseudonym = erased.pseudonyms.into_iter().next().unwrap();
        assert!(
            left.contains(&format!("\"people\":[\"ana\",\"{pseudonym}\"]")),
            "{left}"
        );
        assert!(
            !left.to_lowercase().contains("ben.csv")
                && !left.contains("\"ben\"")
                && !left.contains("private")
        );
        assert_eq!(left.matches("ok, says Benedict").count(), 3, "ana's stay");
        assert_eq!(
            fs::read(path.with_extension("length.json")).unwrap(),
            length
        );
        let journal = Journal::open(&path, &signature()).unwrap();
        let sheet = left.split("\"sheet\":{\"name\":\"").nth(1).unwrap();
        let sheet = sheet.split('"').next().unwrap();
        // Ana's remarks stay; both are left out, to compare all else.
        let comparable = |state: &str| {
            let state = state.split("keys: NameKeys").next().unwrap();
            let state = state.replace("Some(\"ok, says Benedict\")", "None");
            let state = state.replace("Some(\"a \\\"private\\\" matter\")", "None");
            state
                .replace("\"ben\"", &format!("\"{pseudonym}\""))
                .replace("../sheets/Ben.csv", sheet)
        };
        assert!(before.contains("matter"));
        assert_eq!(
            comparable(&before),
            comparable(&format!("{:?}", journal.past()))
        );
        // Again nothing is found, and the campaign goes on under the pseudonym.
        drop(journal);
        let again = Journal::erase(&path, "ben", alone).unwrap();
        assert!(again.is_empty() && again.earlier);
        assert_eq!(text(folder.path()), left);
        let mut journal = Journal::open(&path, &signature()).unwrap();
        assert_eq!(journal.list(), ["ana".to_string(), pseudonym.clone()]);
        let given = Response {
            outcome: Some(Outcome::Loss),
            annotator: Some(pseudonym.clone()),
            comment: Some("late".to_string()),
            ..Response::default()
        };
        journal
            .answer(&[(Assignment::dealt(DuelId(5)), given)], false)
            .unwrap();
        drop(journal);
        let people = Journal::people(&path).unwrap();
        assert_eq!(
            people,
            BTreeSet::from(["ana".to_string(), pseudonym.clone()])
        );
        assert_eq!(Journal::about(&path, &pseudonym).unwrap().answers.len(), 3);
        assert_eq!(Journal::erase(&path, "ana", alone).unwrap().remarks, 3);
        assert!(!text(folder.path()).contains("ana") && !text(folder.path()).contains("Benedict"));
        Journal::open(&path, &signature()).unwrap();
    }

    #[test]
    fn no_bit_of_a_journal_changes_unnoticed_before_or_after() {
        for erased in [false, true] {
            let folder = campaign();
            let path = folder.path().join("journal.jsonl");
            if erased {
                Journal::erase(&path, "ben", alone).unwrap();
            }
            let bytes = fs::read(&path).unwrap();
            for bit in (0..8 * bytes.len()).step_by(3) {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, &flipped).unwrap();
                assert!(Journal::people(&path).is_err(), "bit {bit}");
            }
        }
    }

    #[test]
    fn criteria_may_be_called_as_the_parts_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::open(&path, &signature()).unwrap();
        journal
            .pose(&[DealtQuestion::to_one(question(0))], None)
            .unwrap();
        let scores = [("accuracy", 3.0), ("chain", 1.0), ("keys", 2.0)];
        let rated = OutputRating {
            scores: scores.map(|(name, score)| (name.to_string(), score)).into(),
            text: Some(",\"keys\":[\"0\"],\"chain\":\"0\"}".to_string()),
        };
        let put = Assignment::dealt(DuelId(0));
        let given = Response {
            rated: Some(rated.clone()),
            annotator: Some("ben".to_string()),
            ..Response::default()
        };
        journal.answer(&[(put, given)], false).unwrap();
        drop(journal);
        let kept = || {
            let journal = Journal::open(&path, &signature()).unwrap();
            journal.response(put).unwrap().clone()
        };
        assert_eq!(kept().rated, Some(rated.clone()));
        assert_eq!(Journal::erase(&path, "ben", alone).unwrap().names, 1);
        assert_eq!(kept().rated, Some(rated));
        assert_ne!(kept().annotator.as_deref(), Some("ben"));
    }

    /// A journal that was written while ana and ben both answered what was dealt to ana, and what nobody signed.
    fn shared(path: &Path) {
        let mut journal = Journal::open(path, &signature()).unwrap();
        journal.relist(&PEOPLE.map(str::to_string)).unwrap();
        let dealt: Vec<DealtQuestion> = (0..4)
            .map(|id| DealtQuestion::to_one(question(id)))
            .collect();
        journal.pose(&dealt, None).unwrap();
        let mut answer = |id, name: Option<&str>, outcome, comment: &str| {
            let given = Response {
                outcome,
                annotator: name.map(str::to_string),
                comment: Some(comment.to_string()),
                ..Response::default()
            };
            let put = Assignment::dealt(DuelId(id));
            journal.answer(&[(put, given)], false).unwrap();
        };
        answer(0, Some("ben"), None, "ben skips");
        answer(0, Some("ana"), Some(Outcome::Win), "ana answers");
        // Dealt to ben; who answered is said later.
        answer(1, None, Some(Outcome::Tie), "of ana, named");
        answer(3, None, Some(Outcome::Tie), "of ben, dealt");
        let put = Assignment::dealt(DuelId(1));
        journal.name(&[put], "ana").unwrap();
    }

    #[test]
    fn only_their_own_remarks_are_erased_and_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        shared(&path);
        let record = Journal::about(&path, "ben").unwrap();
        let said: Vec<&Value> = record
            .answers
            .iter()
            .map(|one| &one.answer["comment"])
            .collect();
        assert_eq!(said, ["ben skips", "of ben, dealt"]);
        assert_eq!(Journal::about(&path, "ana").unwrap().answers.len(), 2);
        assert_eq!(Journal::erase(&path, "ben", alone).unwrap().remarks, 2);
        let left = text(folder.path());
        for (remark, is_left) in [
            ("ben skips", false),
            ("ana answers", true),
            ("of ana, named", true),
            ("of ben, dealt", false),
        ] {
            assert_eq!(left.contains(remark), is_left, "{remark}");
        }
    }

    #[test]
    fn a_pseudonym_says_nothing_without_its_key() {
        let pseudonyms: BTreeSet<String> = (0..3)
            .map(|_| {
                let folder = campaign();
                let path = folder.path().join("journal.jsonl");
                let erased = Journal::erase(&path, "ben", alone).unwrap();
                let keys = text(folder.path()).matches("\"keys\":[").count();
                assert_eq!(keys, 4, "of ana's name and remarks");
                erased.pseudonyms.into_iter().next().unwrap()
            })
            .collect();
        assert_eq!(pseudonyms.len(), 3);
    }

    #[test]
    fn an_interrupted_erasure_leaves_the_journal_as_it_was() {
        let folder = campaign();
        let path = folder.path().join("journal.jsonl");
        let before = text(folder.path());
        let open = Journal::open(&path, &signature()).unwrap();
        let error = Journal::erase(&path, "ben", alone).unwrap_err();
        assert!(error.to_string().contains("another tiebreak is using it"));
        drop(open);
        assert_eq!(text(folder.path()), before);
    }

    #[test]
    fn what_lies_beside_is_erased_while_nobody_can_open_the_journal() {
        let folder = campaign();
        let path = folder.path().join("journal.jsonl");
        let before = text(folder.path());
        let refused = || Err(Error::failed("not erased"));
        assert!(Journal::erase(&path, "ben", refused).is_err());
        assert_eq!(text(folder.path()), before);
        let mut is_locked = false;
        let beside = || {
            is_locked = Journal::open(&path, &signature()).is_err();
            Ok(())
        };
        Journal::erase(&path, "ben", beside).unwrap();
        assert!(is_locked);
        Journal::open(&path, &signature()).unwrap();
    }

    #[test]
    fn every_spelling_has_a_pseudonym_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::open(&path, &signature()).unwrap();
        journal.relist(&["Ben".to_string()]).unwrap();
        journal.relist(&["ben".to_string()]).unwrap();
        drop(journal);
        let erased = Journal::erase(&path, "BEN", alone).unwrap();
        assert_eq!(erased.pseudonyms, Journal::people(&path).unwrap());
        assert_eq!(erased.pseudonyms.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_journal_behind_a_link_is_replaced_where_it_lies() {
        let folder = campaign();
        let [path, own] = ["journal.jsonl", "own.jsonl"].map(|name| folder.path().join(name));
        fs::rename(&path, &own).unwrap();
        std::os::unix::fs::symlink(&own, &path).unwrap();
        Journal::erase(&path, "ben", alone).unwrap();
        assert!(path.is_symlink() && !own.is_symlink());
        assert!(!fs::read_to_string(&own).unwrap().contains("\"ben\""));
        Journal::open(&path, &signature()).unwrap();
    }

    #[test]
    fn the_checks_of_the_only_person_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::open(&path, &signature()).unwrap();
        journal
            .pose(&[DealtQuestion::to_one(question(0))], None)
            .unwrap();
        let given = Response {
            outcome: Some(Outcome::Win),
            ..Response::default()
        };
        let put = Assignment::dealt(DuelId(0));
        journal.answer(&[(put, given)], false).unwrap();
        let done = CheckResult {
            person: 0,
            served: 1,
            answer: "1".to_string(),
            right: true,
            seconds: None,
        };
        journal.check(done.clone()).unwrap();
        let shown = Journal::about(&path, SOMEBODY).unwrap();
        assert_eq!(shown.answers.len(), 1);
        assert_eq!(shown.checks, [done]);
        assert!(Journal::about(&path, "ben").unwrap().checks.is_empty());
    }

    #[test]
    fn names_are_found_as_words() {
        for (said, times) in [
            ("Ben.csv", 1),
            ("benedict", 0),
            ("ask ben, Ben!", 2),
            ("über-ben_2", 1),
            ("", 0),
        ] {
            assert_eq!(mentions(said, "ben"), times, "{said}");
        }
        assert_eq!(mentions("all", " "), 0);
        assert!(mentions_in_path("sheets/Ana-Maria.csv", "ana maria"));
        assert!(!mentions_in_path("sheets/Ana-Mariana.csv", "ana maria"));
    }
}
