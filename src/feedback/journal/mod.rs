//! The log of a live run: what was asked and what was answered, each on disk before the next.
//!
//! Questions are written and synced before anybody sees them, answers before the next question is
//! drawn. Bandits are deterministic, so replaying the log through a fresh one *is* the state of the
//! run, and no algorithm needs to be stored. A run killed at any moment continues where it stood: a
//! last line torn by the kill is dropped, and a question without an answer is shown again, never
//! redrawn. A line that was changed, or that is missing, is noticed (`chain`).
//!
//! The file is JSON lines: a header with the run's signature, then questions, the sheets they went out on, and
//! answers in the order in which they were posed and came in. A person at the terminal ([`Journalled`]) and people
//! with a sheet ([`super::batch`]) keep the same journal, so a run may change between the two.

use super::dealing::Dealing;
use super::{Answer, Decorator, FeedbackSource, Question, Reply};
use crate::duel::{DuelId, Outcome};
use crate::error::{Error, Location, Result};
use crate::signature::Signature;
use chain::Chain;
use lines::{Line, Past};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

mod chain;
mod lines;

pub use lines::Sheet;

/// What a person gave back for a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Given {
    /// How the question's first system fared; `None` where the question was skipped.
    pub outcome: Option<Outcome>,
    /// Who answered, where known.
    pub annotator: Option<String>,
    /// How long it took, where known.
    pub seconds: Option<f64>,
}

/// A question that was posed.
#[derive(Debug, Clone, PartialEq)]
pub struct Posed {
    /// The question.
    pub question: Question,
    /// What came back; `None` while it is open.
    pub given: Option<Given>,
}

impl Posed {
    /// Whether it was answered. A skipped question may still be.
    pub fn is_settled(&self) -> bool {
        self.given
            .as_ref()
            .is_some_and(|given| given.outcome.is_some())
    }

    /// Whether nothing came back yet.
    pub fn is_open(&self) -> bool {
        self.given.is_none()
    }
}

/// A step of the past, to be replayed.
#[derive(Debug, Clone)]
enum Logged {
    /// Who is asked from here on.
    People(Vec<String>),
    /// With its line.
    Question(Question, u64),
    /// What came back; `None` where the question was skipped.
    Given(DuelId, Option<Outcome>),
}

/// How many bytes of a journal are whole lines.
fn whole_lines(text: &[u8]) -> usize {
    let end = text.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |end| end + 1)
}

/// An open journal. The file is locked while it is open.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Locked,
    posed: BTreeMap<DuelId, Posed>,
    /// The last list of people; empty where none was given.
    list: Vec<String>,
    /// The sheets on which questions went out.
    sheets: Vec<Sheet>,
    chain: Chain,
    /// Bytes of a last line that was torn.
    torn: usize,
    /// What has not been replayed yet.
    past: VecDeque<Logged>,
}

impl Journal {
    /// Opens the journal at `path`, or begins it where there is none.
    ///
    /// # Errors
    /// [`Error::Changed`] if it was begun under another signature, [`Error::Record`] with the line
    /// if it is damaged elsewhere than at its end, [`Error::Input`] if another process has it open, or if it is
    /// shorter than it was.
    pub fn open(path: &Path, signature: &Signature) -> Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(Error::writing(path))?;
        let mut file = Locked::new(file, path)?;
        let mut text = Vec::new();
        file.0
            .read_to_end(&mut text)
            .map_err(Error::reading(path))?;
        // A line without its end was being written when the process died: it never took effect.
        let whole = whole_lines(&text);
        let torn = text.len() - whole;
        text.truncate(whole);
        let kept = Chain::kept(path)?;
        let past = Past::read(path, &text, &kept, |header| header.check(path, signature))?;
        if torn > 0 {
            file.0.set_len(whole as u64).map_err(Error::writing(path))?;
        }
        let mut journal = Self {
            path: path.to_path_buf(),
            file,
            posed: past.posed,
            list: past.list,
            sheets: past.sheets,
            chain: past.chain,
            torn,
            past: past.logged,
        };
        if text.is_empty() {
            journal.append(&Line::header(signature))?;
        } else if journal.chain != kept {
            journal.chain.keep(path)?;
        }
        Ok(journal)
    }

    /// The questions and answers in a journal, which is only read: the campaign may go on meanwhile. `texts`
    /// are the digests of what is asked about, by the names under which the journal has them.
    ///
    /// # Errors
    /// As [`open`](Self::open), for these digests in the place of a signature.
    pub fn look(path: &Path, texts: &[(&str, String)]) -> Result<Vec<Posed>> {
        // Read first: what is written meanwhile only makes the journal longer.
        let kept = Chain::kept(path)?;
        let mut text = std::fs::read(path).map_err(Error::reading(path))?;
        text.truncate(whole_lines(&text));
        let past = Past::read(path, &text, &kept, |header| header.require(path, texts))?;
        Ok(past.posed.into_values().collect())
    }

    fn append(&mut self, line: &Line) -> Result<()> {
        let mut chain = self.chain.clone();
        let text = chain.link(&serde_json::to_string(line).map_err(Error::failed)?) + "\n";
        let written = self.file.0.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.0.sync_data())
            .map_err(Error::writing(&self.path))?;
        self.chain = chain;
        self.chain.keep(&self.path)
    }

    /// How many bytes of a torn last line were dropped when it was opened.
    pub fn torn(&self) -> usize {
        self.torn
    }

    /// The sheets on which questions went out, in that order.
    pub fn sheets(&self) -> &[Sheet] {
        &self.sheets
    }

    /// The people listed last.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// Logs who is asked from here on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn relist(&mut self, list: &[String]) -> Result<()> {
        self.append(&Line::people(list))?;
        self.past.push_back(Logged::People(list.to_vec()));
        self.list = list.to_vec();
        Ok(())
    }

    /// Every question posed, in the order asked.
    pub fn posed(&self) -> impl Iterator<Item = &Posed> {
        self.posed.values()
    }

    /// A question posed.
    pub fn question(&self, id: DuelId) -> Option<&Posed> {
        self.posed.get(&id)
    }

    /// Logs new questions, and the sheet they are to go out on where there is one.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn pose(&mut self, questions: &[Question], sheet: Option<Sheet>) -> Result<()> {
        if questions.is_empty() && sheet.is_none() {
            return Ok(());
        }
        self.append(&Line::questions(questions, sheet.clone()))?;
        self.sheets.extend(sheet);
        for &question in questions {
            let given = None;
            self.posed
                .insert(question.duel.id, Posed { question, given });
        }
        Ok(())
    }

    /// Logs what came back for questions that are not settled: all of it or, if the machine dies,
    /// nothing.
    ///
    /// # Errors
    /// If it cannot be written; for a question that was not posed or is settled.
    pub fn answer(&mut self, given: Vec<(DuelId, Given)>) -> Result<()> {
        let settled = |id: &DuelId| self.posed.get(id).is_none_or(Posed::is_settled);
        if let Some((id, _)) = given.iter().find(|(id, _)| settled(id)) {
            return Err(Error::failed(format!("question {} is not open", id.0)));
        }
        if !given.is_empty() {
            self.append(&Line::answers(&given))?;
        }
        for (id, given) in given {
            self.past.push_back(Logged::Given(id, given.outcome));
            self.posed
                .entry(id)
                .and_modify(|posed| posed.given = Some(given));
        }
        Ok(())
    }

    /// Takes `question` from what is to be replayed; false if everything is, and it is new.
    ///
    /// # Errors
    /// [`Error::Record`] if another question was logged here.
    pub(super) fn replay(&mut self, question: Question) -> Result<bool> {
        match self.past.pop_front() {
            None => Ok(false),
            Some(Logged::Question(logged, _)) if logged == question => Ok(true),
            Some(Logged::Question(logged, line)) => {
                let at = Location::line(&self.path, line);
                let what = format!(
                    "holds question {} on item {}, but the run now asks question {} on item {}",
                    logged.duel.id.0, logged.sample.item, question.duel.id.0, question.sample.item
                );
                Err(Error::record(at, what).with_hint(OTHER_RUN))
            }
            Some(Logged::Given(id, _)) => Err(Error::input(
                &self.path,
                format!("the answer to question {} comes too early", id.0),
            )),
            Some(Logged::People(_)) => Err(Error::input(
                &self.path,
                "a list of annotators where none was expected",
            )),
        }
    }

    /// The next list of people, if it was given before the next question was posed.
    pub(super) fn listed(&mut self) -> Option<Vec<String>> {
        let Logged::People(list) = self.past.front()? else {
            return None;
        };
        let list = list.clone();
        self.past.pop_front();
        Some(list)
    }

    /// To whom the next logged question was dealt; `None` once everything is replayed.
    pub(super) fn next_person(&self) -> Option<u32> {
        self.past.iter().find_map(|logged| match logged {
            Logged::Question(question, _) => Some(question.sample.person),
            Logged::People(_) | Logged::Given(..) => None,
        })
    }

    /// The next logged answer, if it came in before the next question was posed; as whose it counts is
    /// for `dealing` to say.
    pub(super) fn arrival(&mut self, dealing: &mut Dealing) -> Option<Answer> {
        let &Logged::Given(id, Some(outcome)) = self.past.front()? else {
            return None;
        };
        self.past.pop_front();
        let posed = self.posed.get(&id)?;
        let annotator = posed
            .given
            .as_ref()
            .and_then(|given| given.annotator.as_deref());
        Some(Answer {
            question: posed.question,
            outcome,
            origin: dealing.origin(posed.question.sample.person, annotator),
        })
    }

    /// The next question logged as skipped, if that was before the next question was posed.
    pub(super) fn skip(&mut self) -> Option<DuelId> {
        let &Logged::Given(id, None) = self.past.front()? else {
            return None;
        };
        self.past.pop_front();
        Some(id)
    }

    /// The oldest open question, once everything logged is replayed.
    fn oldest_open(&self) -> Option<Question> {
        let mut open = self.posed().filter(|posed| posed.is_open());
        open.next()
            .filter(|_| self.past.is_empty())
            .map(|posed| posed.question)
    }

    /// Checks, when the run is over, that it went as far as the journal goes.
    ///
    /// # Errors
    /// [`Error::Record`] with the line from which on it did not.
    pub fn replayed(&self) -> Result<()> {
        let unplayed = self.past.iter().find_map(|logged| match logged {
            Logged::Question(question, line) => Some((question, line)),
            Logged::People(_) | Logged::Given(..) => None,
        });
        let Some((question, &line)) = unplayed else {
            return Ok(());
        };
        let at = Location::line(&self.path, line);
        let what = format!(
            "holds question {}, but the run now ends before it",
            question.duel.id.0
        );
        Err(Error::record(at, what).with_hint(OTHER_RUN))
    }
}

const OTHER_RUN: &str = "the journal belongs to another run or another version of tiebreak";

/// A file that no other process writes to.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Locked {
    /// Locks an open file; `path` is what it stands for.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has locked it.
    pub(crate) fn new(file: File, path: &Path) -> Result<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let what = "another tiebreak is using it";
                Err(Error::input(path, what).with_hint("finish or stop it first"))
            }
            // Some network file systems have no locks; a file without one still works.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self(file)),
        }
    }
}

/// Closing the file would unlock it too, but not before every process just being started has let go
/// of the copy it is born with.
impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// A source that answers at once (a person at the terminal), with its journal. Questions that were
/// left open are posed again before new ones. Wrap delays and models around it, not inside: what
/// they do follows from the seed and need not be logged.
#[derive(Debug)]
pub struct Journalled<F> {
    inner: F,
    journal: Journal,
    /// Whoever is there is the person asked.
    dealing: Dealing,
    ended: bool,
}

impl<F: FeedbackSource> Journalled<F> {
    /// Replays what `journal` holds, then passes questions to `inner` and logs them.
    pub fn new(inner: F, journal: Journal) -> Self {
        Self {
            inner,
            journal,
            dealing: Dealing::default(),
            ended: false,
        }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Poses a logged question.
    fn put(&mut self, question: Question) -> Result<()> {
        match self.inner.ask(question)? {
            Reply::Answer(answer) | Reply::Known(answer) => {
                let given = Given {
                    outcome: Some(answer.outcome),
                    ..Given::default()
                };
                self.journal.answer(vec![(question.duel.id, given)])
            }
            Reply::Ended => {
                self.ended = true;
                Ok(())
            }
            Reply::Later | Reply::Repeated => Err(Error::failed(
                "a journal takes answers as they are given, but this source answers later",
            )),
        }
    }
}

impl<F: FeedbackSource> Decorator for Journalled<F> {
    type Inner = F;

    fn inner(&mut self) -> &mut F {
        &mut self.inner
    }

    /// Every answer arrives by [`FeedbackSource::arrived`], replayed or fresh.
    fn ask(&mut self, question: Question) -> Result<Reply> {
        if self.journal.replay(question)? {
            return Ok(Reply::Later);
        }
        if self.ended {
            return Ok(Reply::Ended);
        }
        self.journal.pose(&[question], None)?;
        self.put(question)?;
        Ok(Reply::Later)
    }

    fn arrived(&mut self) -> Result<Option<Answer>> {
        loop {
            if let Some(answer) = self.journal.arrival(&mut self.dealing) {
                return Ok(Some(answer));
            }
            match self.journal.oldest_open().filter(|_| !self.ended) {
                Some(open) => self.put(open)?,
                None => return Ok(None),
            }
        }
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(self.journal.skip())
    }
}
