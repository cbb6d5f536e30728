//! The log of a live run: what was asked and what was answered, each on disk before the next.
//!
//! A question is written and synced before it is shown, an answer before the next question is
//! drawn. Bandits are deterministic, so replaying the log through a fresh one *is* the state of the
//! run, and no algorithm needs to be stored. A run killed at any moment continues where it stood: a
//! last line torn by the kill is dropped, and a question without an answer is shown again, never
//! redrawn.
//!
//! The file is JSON lines: a header with the run's signature, then questions and answers in order.

use super::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::duel::Pair;
use crate::error::{Error, Location, Result};
use crate::rng::Rng;
use crate::signature::Signature;
use lines::{Exchange, Line, read_back};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

mod lines;

/// An open journal. The file is locked while it is open.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// What was logged before and has not been replayed yet.
    past: VecDeque<Exchange>,
}

impl Journal {
    /// Opens the journal at `path`, or begins it where there is none.
    ///
    /// # Errors
    /// [`Error::Changed`] if it was begun under another signature, [`Error::Record`] with the line
    /// if it is damaged elsewhere than at its end, [`Error::Input`] if another process has it open.
    pub fn open(path: &Path, signature: &Signature) -> Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(Error::writing(path))?;
        lock(&file, path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(Error::reading(path))?;
        // A line without its end was being written when the process died: it never took effect.
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(Error::writing(path))?;
        }
        text.truncate(whole);
        let mut journal = Self {
            path: path.to_path_buf(),
            file,
            past: VecDeque::new(),
        };
        if text.is_empty() {
            journal.begin(signature)?;
        } else {
            journal.past = read_back(path, &text, signature)?;
        }
        Ok(journal)
    }

    /// How many answers were logged and are still to be replayed.
    pub fn answered(&self) -> usize {
        let answers = self.past.iter().filter(|past| past.answer.is_some());
        answers.count()
    }

    fn begin(&mut self, signature: &Signature) -> Result<()> {
        self.append(&Line::header(signature))?;
        // The new name must survive a power cut too. Not every system can sync a folder; where it
        // cannot, there is nothing more to be done.
        if let Some(Ok(folder)) = self.path.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    fn append(&mut self, line: &Line) -> Result<()> {
        let mut text = serde_json::to_string(line).map_err(Error::failed)?;
        text.push('\n');
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_data())
            .map_err(Error::writing(&self.path))
    }
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let what = "another tiebreak is using this journal";
            Err(Error::input(path, what).with_hint("finish or stop it first"))
        }
        // Some network file systems have no locks; a journal without one still works.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// A source that answers at once (a person at the terminal), with its journal. Wrap delays and
/// models around it, not inside: what they do follows from the seed and need not be logged.
#[derive(Debug)]
pub struct Journalled<F> {
    inner: F,
    journal: Journal,
}

impl<F: FeedbackSource> Journalled<F> {
    /// Replays what `journal` holds, then passes questions to `inner` and logs them.
    pub fn new(inner: F, journal: Journal) -> Self {
        Self { inner, journal }
    }

    /// The logged answer to `question`, `None` if it is still open or new.
    fn replay(&mut self, question: Question) -> Result<Option<Answer>> {
        let Some(past) = self.journal.past.pop_front() else {
            self.journal.append(&Line::question(question))?;
            return Ok(None);
        };
        if past.question != question {
            let at = Location::line(&self.journal.path, past.line);
            let what = format!(
                "holds question {} on item {}, but the run now asks question {} on item {}",
                past.question.duel.id.0,
                past.question.sample.item,
                question.duel.id.0,
                question.sample.item
            );
            return Err(Error::record(at, what)
                .with_hint("the journal belongs to another run or another version of tiebreak"));
        }
        Ok(past.answer.map(|(outcome, origin)| Answer {
            question,
            outcome,
            origin,
        }))
    }
}

impl<F: FeedbackSource> FeedbackSource for Journalled<F> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.inner.draw(pair, rng)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        if let Some(answer) = self.replay(question)? {
            return Ok(Reply::Answer(answer));
        }
        let reply = self.inner.ask(question)?;
        match reply {
            Reply::Answer(answer) => self.journal.append(&Line::answer(answer))?,
            Reply::Later => {
                return Err(Error::failed(
                    "a journal takes answers as they are given, but this source answers later",
                ));
            }
            Reply::Ended => {}
        }
        Ok(reply)
    }
}
