//! The answers that have arrived, kept by the whole request, so that none is paid for twice.
//!
//! A folder of append-only logs: `answers.jsonl` and, where several commands fill the folder at once, one more
//! for each. An answer is written before it is used, and what several threads or commands want at a time is asked once:
//! whoever asks holds a lock. A reply that cannot be an answer is written too, since it was paid for, but is none.

use super::http::{NAP, StopSignal};
use super::reply::{JudgeReply, ReplyOutline};
use crate::verdicts::{Completion, Usage};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use tiebreak_base::disk::{FileWriteLock, Log, LogEntrySpan};
use tiebreak_base::error::{Error, Location, Result, is_there};

/// The digest of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u8; 16]);

/// The most commands that fill a folder at once.
const LOGS: usize = 256;

impl Key {
    /// The key of a request by its path, its body, and which of several samples it is.
    pub(crate) fn new(path: &str, body: &str, sample: u32) -> Self {
        let hash = Sha256::new()
            .chain_update(path)
            .chain_update([0])
            .chain_update(body)
            .chain_update([0])
            .chain_update(sample.to_le_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hash.finalize()[..16]);
        Self(key)
    }

    /// The key in hexadecimal.
    pub(crate) fn hex(self) -> String {
        use std::fmt::Write;
        self.0.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// The first byte of the key.
    pub(super) fn first(self) -> u8 {
        self.0[0]
    }

    /// Parses a key in hexadecimal.
    pub(crate) fn parse(hex: &str) -> Option<Self> {
        let mut key = [0; 16];
        if hex.len() != 32 || !hex.is_ascii() {
            return None;
        }
        for (byte, place) in key.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&hex[place..place + 2], 16).ok()?;
        }
        Some(Self(key))
    }
}

/// A line of a log; it is written with nothing for the answer, in whose place the reply comes.
#[derive(Serialize, Deserialize)]
struct AnswerLogLine<T> {
    key: String,
    model: String,
    /// The tokens set aside for the request, read and written, where the answer does not say how many it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    assumed: Option<[u64; 2]>,
    answer: T,
}

/// The answers in a folder.
pub struct Answers {
    folder: PathBuf,
    model: String,
    state: Mutex<AnswerStoreState>,
    freed: Condvar,
}

#[derive(Default)]
struct AnswerStoreState {
    logs: Vec<Log>,
    known: BTreeMap<Key, (usize, LogEntrySpan)>,
    /// The requests that are being asked right now.
    asked: BTreeSet<Key>,
    /// The requests whose only replies kept are no answers.
    unreadable: BTreeSet<Key>,
    usage: Usage,
    warnings: Vec<String>,
}

/// The answer to a request, or the right to ask it.
pub(crate) enum AnswerLookup<'a> {
    /// The answer.
    Answer(Completion),
    /// No answer: the holder of this claim is to ask.
    Nothing(RequestClaim<'a>),
}

/// The right to ask a request.
pub(crate) struct RequestClaim<'a> {
    answers: &'a Answers,
    key: Key,
    /// What keeps other commands from asking it.
    lock: Option<FileWriteLock>,
}

/// What lines of a log add to what is known.
#[derive(Default)]
struct NewAnswers {
    found: Vec<(Key, LogEntrySpan)>,
    unreadable: Vec<Key>,
    usage: Usage,
}

impl Answers {
    /// Opens the folder, or begins it, for a model.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn open(folder: &Path, model: &str) -> Result<Self> {
        let mut state = AnswerStoreState::default();
        for number in 0..LOGS {
            let path = log_path(folder, number);
            // After its own log a command reads only those that are there.
            let mine = state.logs.iter().any(Log::writes);
            if mine && !is_there(&path) {
                break;
            }
            state.read(&path, model)?;
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            model: model.to_string(),
            state: Mutex::new(state),
            freed: Condvar::new(),
        })
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of answers.
    pub fn count(&self) -> usize {
        self.state().known.len()
    }

    /// The number of requests of the model whose only replies kept are no answers.
    pub fn unreadable(&self) -> usize {
        self.state().unreadable.len()
    }

    /// Takes what was found damaged.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.state().warnings)
    }

    /// The tokens of all answers of the model.
    pub(crate) fn usage(&self) -> Usage {
        self.state().usage
    }

    /// The answer to a request, or the right to ask it; waits while another thread is asking.
    pub(crate) fn lookup_or_claim(&self, key: Key) -> Result<AnswerLookup<'_>> {
        let mut state = self.state();
        loop {
            if let Some(answer) = state.answer(key)? {
                return Ok(AnswerLookup::Answer(answer));
            }
            if state.asked.insert(key) {
                return Ok(AnswerLookup::Nothing(RequestClaim {
                    answers: self,
                    key,
                    lock: None,
                }));
            }
            let waited = self.freed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Keeps a reply; one that is there already stays. What was set aside for the request is what it cost where it
    /// does not say that itself. Returns whether it is kept now.
    pub(super) fn keep(
        &self,
        key: Key,
        reply: &JudgeReply,
        reserved: Option<Usage>,
    ) -> Result<bool> {
        let mut state = self.state();
        if state.known.contains_key(&key) {
            return Ok(false);
        }
        let told = reply.usage;
        let assumed = reserved.filter(|_| told.is_none());
        let line = AnswerLogLine {
            key: key.hex(),
            model: self.model.clone(),
            assumed: assumed.map(|usage| [usage.prompt, usage.completion]),
            answer: (),
        };
        let line = serde_json::to_string(&line).map_err(Error::failed)?;
        let begin = line.strip_suffix("null}").unwrap_or(&line);
        let line = format!("{begin}{}}}", reply.text);
        let full = || Error::failed("too many commands fill one folder of answers");
        let writes = state.logs.iter().position(Log::writes);
        let log = writes.ok_or_else(full)?;
        let place = state.logs[log].add(&line)?;
        state.usage += told.or(assumed).unwrap_or_default();
        if reply.completion.is_ok() {
            state.known.insert(key, (log, place));
            state.unreadable.remove(&key);
        } else {
            state.unreadable.insert(key);
        }
        Ok(true)
    }

    fn state(&self) -> MutexGuard<'_, AnswerStoreState> {
        // A thread that panicked while holding it left whole lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnswerStoreState {
    fn read(&mut self, path: &Path, model: &str) -> Result<()> {
        let mut new = NewAnswers::default();
        let log = Log::open(path, |object, span| {
            new.read(object, span, (path, model), &self.known)
        })?;
        if let Some(number) = log.cut_off() {
            self.warnings.push(format!(
                "{}: the line is damaged, as when a command is ended while it writes it, and is cut off; what it \
                 answered is asked again",
                Location::line(path, number)
            ));
        }
        self.add(self.logs.len(), new);
        self.logs.push(log);
        Ok(())
    }

    /// Reads what other commands have added since; returns the tokens that it took.
    fn catch_up(&mut self, folder: &Path, model: &str) -> Result<Usage> {
        let before = self.usage;
        for at in 0..self.logs.len() {
            let (mut new, path) = (NewAnswers::default(), log_path(folder, at));
            let log = &mut self.logs[at];
            if !log.writes() {
                log.catch_up(|object, span| new.read(object, span, (&path, model), &self.known))?;
                self.add(at, new);
            }
        }
        while is_there(&log_path(folder, self.logs.len())) {
            self.read(&log_path(folder, self.logs.len()), model)?;
        }
        Ok(Usage {
            prompt: self.usage.prompt - before.prompt,
            completion: self.usage.completion - before.completion,
        })
    }

    fn add(&mut self, log: usize, new: NewAnswers) {
        let found = new.found.into_iter();
        self.known
            .extend(found.map(|(key, span)| (key, (log, span))));
        self.unreadable.extend(new.unreadable);
        self.unreadable.retain(|key| !self.known.contains_key(key));
        self.usage += new.usage;
    }

    /// The answer to a request, if it is known.
    fn answer(&mut self, key: Key) -> Result<Option<Completion>> {
        let Some(&(log, span)) = self.known.get(&key) else {
            return Ok(None);
        };
        let line = self.logs[log].read(span)?;
        let line: AnswerLogLine<ReplyOutline> =
            serde_json::from_slice(&line).map_err(Error::failed)?;
        Completion::read(&line.answer.0)
            .map(Some)
            .map_err(Error::failed)
    }
}

impl NewAnswers {
    /// Reads a line of the log at a path; of other models it counts only what is answered.
    fn read(
        &mut self,
        object: &[u8],
        span: LogEntrySpan,
        (path, model): (&Path, &str),
        known: &BTreeMap<Key, (usize, LogEntrySpan)>,
    ) -> Result<()> {
        let line: AnswerLogLine<ReplyOutline> = serde_json::from_slice(object)
            .map_err(|source| Error::input(path, format!("is not a log of answers: {source}")))?;
        let key = Key::parse(&line.key)
            .ok_or_else(|| Error::input(path, "is not a log of answers: a key is not a digest"))?;
        if line.model == model {
            if !known.contains_key(&key) {
                self.usage += line.usage();
            }
            if Completion::read(&line.answer.0).is_err() {
                self.unreadable.push(key);
                return Ok(());
            }
        }
        self.found.push((key, span));
        Ok(())
    }
}

/// The path of the log of a number.
fn log_path(folder: &Path, number: usize) -> PathBuf {
    folder.join(match number {
        0 => "answers.jsonl".to_string(),
        more => format!("answers-{}.jsonl", more + 1),
    })
}

impl AnswerLogLine<ReplyOutline> {
    /// The tokens that it took, as it says or as was set aside.
    fn usage(&self) -> Usage {
        let assumed = |[prompt, completion]: [u64; 2]| Usage { prompt, completion };
        let told = Usage::read(&self.answer.0);
        told.or(self.assumed.map(assumed)).unwrap_or_default()
    }
}

impl RequestClaim<'_> {
    /// Extends the claim to other commands, waiting while one of them asks. Returns the answer where it has come
    /// meanwhile, and the tokens that other commands' answers took since.
    pub(super) fn among_commands(
        &mut self,
        stop: &StopSignal,
    ) -> Result<(Option<Completion>, Usage)> {
        let path = self.answers.folder.join(self.key.hex());
        self.lock = loop {
            match FileWriteLock::try_take(&path) {
                Ok(None) => {
                    stop.check()?;
                    thread::sleep(NAP);
                }
                // It only saves money, so what cannot be locked is asked without.
                taken => break taken.ok().flatten(),
            }
        };
        let Answers { folder, model, .. } = self.answers;
        let mut state = self.answers.state();
        let usage = state.catch_up(folder, model)?;
        Ok((state.answer(self.key)?, usage))
    }
}

impl Drop for RequestClaim<'_> {
    fn drop(&mut self) {
        self.answers.state().asked.remove(&self.key);
        self.answers.freed.notify_all();
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        for log in self.state().logs.iter().filter(|log| log.writes()) {
            // They are in the file; only the machine's own end could still take them.
            let _ = log.sync();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    fn answer(logprob: f64) -> JudgeReply {
        let likely = json!([{"token": "A", "logprob": logprob}]);
        let choice = json!({"message": {}, "logprobs": {"content": [{"top_logprobs": likely}]}});
        let body = json!({"choices": [choice], "usage": {"prompt_tokens": -5}});
        JudgeReply::from_line(body.to_string())
    }

    fn is_known(answers: &Answers, key: Key) -> bool {
        let found = answers.lookup_or_claim(key).unwrap();
        matches!(found, AnswerLookup::Answer(_))
    }

    #[test]
    fn a_reply_that_is_no_answer_is_paid_for_but_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let [bad, good] = [0, 1].map(|sample| Key::new("path", "body", sample));
        let (prompt, completion) = (7, 2);
        let reserved = Some(Usage { prompt, completion });
        let answers = Answers::open(folder.path(), "m").unwrap();
        answers.keep(bad, &answer(710.0), reserved).unwrap();
        answers.keep(good, &answer(-0.5), reserved).unwrap();
        drop(answers);
        let answers = Answers::open(folder.path(), "m").unwrap();
        assert_eq!((answers.usage().prompt, answers.unreadable()), (14, 1));
        assert!(is_known(&answers, good) && !is_known(&answers, bad));
        answers
            .keep(bad, &JudgeReply::too_long(), reserved)
            .unwrap();
        assert!(!is_known(&answers, bad) && answers.unreadable() == 1);
        answers.keep(bad, &answer(-0.5), reserved).unwrap();
        assert!(is_known(&answers, bad));
        drop(answers);
        let answers = Answers::open(folder.path(), "m").unwrap();
        assert_eq!((answers.usage().prompt, answers.unreadable()), (28, 0));
        assert!(is_known(&answers, bad) && answers.take_warnings().is_empty());
    }

    #[test]
    fn what_another_command_asks_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::new("path", "body", 0);
        let stop = StopSignal::default();
        let [first, second] = [0, 1].map(|_| Answers::open(folder.path(), "m").unwrap());
        let claim = |answers| match Answers::lookup_or_claim(answers, key).unwrap() {
            AnswerLookup::Nothing(claim) => claim,
            AnswerLookup::Answer(_) => panic!("nobody has asked"),
        };
        let (mut asking, mut waiting) = (claim(&first), claim(&second));
        assert!(asking.among_commands(&stop).unwrap().0.is_none());
        thread::scope(|scope| {
            let waited = scope.spawn(|| waiting.among_commands(&stop).unwrap());
            thread::sleep(3 * NAP);
            assert!(!waited.is_finished());
            let (prompt, completion) = (7, 2);
            let reserved = Some(Usage { prompt, completion });
            first.keep(key, &answer(-0.5), reserved).unwrap();
            drop(asking);
            let (answer, usage) = waited.join().unwrap();
            assert!(answer.is_some() && usage.prompt == 7);
        });
        drop(waiting);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the logs");
    }

    #[test]
    fn a_damaged_end_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let answers = Answers::open(folder.path(), "m").unwrap();
        for sample in 0..3 {
            let key = Key::new("path", "body", sample);
            answers.keep(key, &answer(-0.5), None).unwrap();
        }
        drop(answers);
        let path = folder.path().join("answers.jsonl");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let answers = Answers::open(folder.path(), "m").unwrap();
        let told = answers.take_warnings();
        assert!(
            told.len() == 1 && told[0].contains("answers.jsonl:3"),
            "{told:?}"
        );
        assert_eq!(answers.count(), 2);
    }
}
