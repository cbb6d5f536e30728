//! A campaign that stays open between questions: a thread owns it, and does what Python asks.

use crate::errors::{is_correctable, raise};
use crate::progress::Notes;
use crate::work::{awaited, fault_of};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use std::cell::Cell;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tiebreak::campaign::questions::{GivenAnswer, QuestionExchange};
use tiebreak::{Error, Result, cli};

/// What Python asks of the campaign; the result is JSON.
type Job = Box<dyn FnOnce(&mut QuestionExchange<'_, '_>) -> Result<String> + Send>;

/// A campaign with its data and its run.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Session {
    /// One call at a time.
    line: Mutex<(Sender<Job>, Receiver<Result<String>>)>,
    stop: Arc<AtomicBool>,
    notes: Arc<Notes>,
}

#[pymethods]
impl Session {
    /// The campaign of a command `ask` with these arguments. It is opened, or begun, by the first call.
    #[new]
    fn new(arguments: Vec<OsString>, quiet: bool) -> Self {
        let (jobs, asked) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let notes = Arc::new(Notes::new(quiet));
        let held = (Arc::clone(&stop), Arc::clone(&notes));
        thread::spawn(move || hold(&arguments, &held.0, &held.1, &asked, &answer));
        Self {
            line: Mutex::new((jobs, answers)),
            stop,
            notes,
        }
    }

    /// The open questions, among them so many new ones, as JSON.
    fn ask(&self, py: Python<'_>, new: usize) -> PyResult<String> {
        self.call(py, Box::new(move |campaign| json(&campaign.ask(new)?)))
    }

    /// Takes an answer, given as JSON.
    fn tell(&self, py: Python<'_>, answer: &str) -> PyResult<()> {
        let given = serde_json::from_str::<GivenAnswer>(answer);
        let given = given.map_err(|error| raise(py)(Error::usage(error.to_string())))?;
        let job: Job = Box::new(move |campaign| campaign.answer(&given).map(|()| String::new()));
        self.call(py, job).map(drop)
    }

    /// The status, as JSON; results are stored.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, Box::new(|campaign| json(&campaign.status()?)))
    }
}

impl Session {
    fn call(&self, py: Python<'_>, job: Job) -> PyResult<String> {
        let done = awaited(py, &self.stop, |wait| {
            let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
            self.stop.store(false, Ordering::Relaxed);
            // Without the thread there is no reply either.
            let _ = line.0.send(job);
            wait(&line.1)
        });
        self.notes.show(py);
        done
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::failed)
}

/// Holds the campaign for as long as there may be jobs. It is opened anew where another process has written to it, and
/// after a failure that may have left its run behind its journal.
fn hold(
    arguments: &[OsString],
    stop: &AtomicBool,
    notes: &Notes,
    jobs: &Receiver<Job>,
    replies: &Sender<Result<String>>,
) {
    // A process that was forked has none of the threads of its parent, so they are not shared.
    let threads = ThreadPoolBuilder::new().use_current_thread().build();
    let (mut next, is_awaited) = (None, Cell::new(false));
    let ask = || {
        let job = jobs.recv().ok();
        is_awaited.set(job.is_some());
        job
    };
    let reply = |done| {
        is_awaited.set(false);
        // Who does not wait any more needs no reply.
        let _ = replies.send(done);
    };
    loop {
        let Some(job) = next.take().or_else(ask) else {
            drop(threads);
            return;
        };
        next = Some(job);
        let held = catch_unwind(AssertUnwindSafe(|| {
            cli::with_campaign(arguments, notes, stop, |session| {
                let mut campaign = QuestionExchange::new(session)?;
                while let Some(job) = next.take() {
                    let done = job(&mut campaign);
                    let is_whole = done.as_ref().map_or_else(is_correctable, |_| true);
                    // Before the reply, so that others may use the folder from then on.
                    let released = campaign.release();
                    reply(released.and(done));
                    next = is_whole.then(ask).flatten();
                    if next.is_some() && !campaign.retake()? {
                        break;
                    }
                }
                Ok(())
            })
        }));
        let failed = match held {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error,
            Err(panic) => fault_of(panic.as_ref()),
        };
        next = None;
        if is_awaited.get() {
            reply(Err(failed));
        }
    }
}
