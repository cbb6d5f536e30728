//! The log of a live run: what was asked and what was answered, each on disk before the next.
//!
//! A question is written and synced before it is shown, an answer before the next question is drawn.
//! Bandits are deterministic, so replaying the log through a fresh one *is* the state of the run, and
//! no algorithm needs to be stored. A run killed at any moment continues where it stood: a last line
//! torn by the kill is dropped, and a question without an answer is shown again, never redrawn.
//!
//! The file is JSON lines: a header with the run's signature, then questions and answers in order.

use super::{Answer, FeedbackSource, Question, Reply, Sample};
use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use crate::error::{Error, Location, Result};
use crate::rng::Rng;
use crate::signature::Signature;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    Journal(Header),
    Question(Asked),
    Answer(Answered),
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    run: String,
    settings: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: u64,
    first: u16,
    second: u16,
    item: u32,
    judgment: u32,
    bet: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    id: u64,
    outcome: f64,
    human: bool,
}

/// An answer as read back, beside its question.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    question: Question,
    answer: Option<(Outcome, Origin)>,
    line: u64,
}

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
        self.append(&Line::Journal(Header {
            version: VERSION,
            run: signature.name().to_string(),
            settings: signature.fields().to_vec(),
        }))?;
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
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(Error::input(path, "another tiebreak is using this journal")
                .with_hint("finish or stop it first"))
        }
        // Some network file systems have no locks; a journal without one still works.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn read_back(path: &Path, text: &[u8], signature: &Signature) -> Result<VecDeque<Exchange>> {
    let mut past: VecDeque<Exchange> = VecDeque::new();
    let lines = text.split(|&byte| byte == b'\n');
    for (line, bytes) in (1_u64..).zip(lines).filter(|(_, bytes)| !bytes.is_empty()) {
        let bad = |what: String| Error::record(Location::line(path, line), what);
        let parsed: Line = serde_json::from_slice(bytes)
            .map_err(|source| bad(format!("not a line of a journal: {source}")))?;
        match (line, parsed) {
            (1, Line::Journal(header)) => check_header(path, &header, signature)?,
            (1, _) => return Err(bad("a journal begins with its header".to_string())),
            (_, Line::Journal(_)) => return Err(bad("a second header".to_string())),
            (_, Line::Question(asked)) => {
                if let Some(open) = past.back().filter(|last| last.answer.is_none()) {
                    let id = open.question.duel.id.0;
                    return Err(bad(format!(
                        "question {id} has no answer, expected it here"
                    )));
                }
                past.push_back(Exchange {
                    question: asked.into(),
                    answer: None,
                    line,
                });
            }
            (_, Line::Answer(answered)) => {
                let outcome = Outcome::from_value(answered.outcome).ok_or_else(|| {
                    bad(format!(
                        "outcome is {}, expected 0, 0.5 or 1",
                        answered.outcome
                    ))
                })?;
                let open = past
                    .back_mut()
                    .filter(|last| last.answer.is_none() && last.question.duel.id.0 == answered.id);
                let origin = if answered.human {
                    Origin::Human
                } else {
                    Origin::Model
                };
                open.ok_or_else(|| {
                    bad(format!("an answer to {}, which is not open", answered.id))
                })?
                .answer = Some((outcome, origin));
            }
        }
    }
    Ok(past)
}

fn check_header(path: &Path, header: &Header, signature: &Signature) -> Result<()> {
    if header.version != VERSION {
        let what = format!(
            "a journal of version {}, expected {VERSION}",
            header.version
        );
        return Err(Error::record(Location::line(path, 1), what));
    }
    let changed = |key: &str, was: Option<&str>, now: Option<&str>| {
        Err(Error::Changed {
            path: path.to_path_buf(),
            key: key.to_string(),
            was: was.unwrap_or("(none)").to_string(),
            now: now.unwrap_or("(none)").to_string(),
        })
    };
    if header.run != signature.name() {
        return changed("run", Some(&header.run), Some(signature.name()));
    }
    let value = |fields: &[(String, String)], key: &str| -> Option<String> {
        let field = fields.iter().find(|(name, _)| name == key);
        field.map(|(_, value)| value.clone())
    };
    for (key, _) in header.settings.iter().chain(signature.fields()) {
        let (was, now) = (value(&header.settings, key), value(signature.fields(), key));
        if was != now {
            return changed(key, was.as_deref(), now.as_deref());
        }
    }
    Ok(())
}

impl From<Question> for Asked {
    fn from(question: Question) -> Self {
        Self {
            id: question.duel.id.0,
            first: question.duel.pair.first.0,
            second: question.duel.pair.second.0,
            item: question.sample.item,
            judgment: question.sample.judgment,
            bet: question.duel.bet,
        }
    }
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Self {
        Self {
            duel: Duel {
                id: DuelId(asked.id),
                pair: Pair::new(Arm(asked.first), Arm(asked.second)),
                bet: asked.bet,
            },
            sample: Sample {
                item: asked.item,
                judgment: asked.judgment,
            },
        }
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
            self.journal.append(&Line::Question(question.into()))?;
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
            Reply::Answer(answer) => self.journal.append(&Line::Answer(Answered {
                id: answer.question.duel.id.0,
                outcome: answer.outcome.value(),
                human: answer.origin == Origin::Human,
            }))?,
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
