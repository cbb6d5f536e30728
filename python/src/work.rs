//! Long work: without Python's lock, with a progress bar, and ended by Ctrl-C.

use crate::errors::raised;
use crate::progress::Bar;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tiebreak::engine::Context;
use tiebreak::env::Device;
use tiebreak::rng::Seed;
use tiebreak::{Env, Error, Result};

/// How often Python is asked whether somebody wants an end.
const LISTEN: Duration = Duration::from_millis(50);

/// What decides numbers beside data and keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The seed of everything random.
    pub seed: Seed,
    /// Where models are looked for first.
    pub models: Option<PathBuf>,
    /// Where neural models run.
    pub device: Device,
    /// No progress and no notes.
    pub quiet: bool,
}

impl Settings {
    /// As they are given.
    ///
    /// # Errors
    /// For a device that is none.
    pub(crate) fn new(
        py: Python<'_>,
        seed: Option<u64>,
        device: Option<&str>,
        quiet: bool,
    ) -> PyResult<Self> {
        let device = device.map(str::parse).transpose();
        Ok(Self {
            seed: seed.map_or_else(Seed::default, Seed),
            models: std::env::var_os("TIEBREAK_MODELS").map(PathBuf::from),
            device: device
                .map_err(|what: String| raised(py, &Error::usage(what)))?
                .unwrap_or_default(),
            quiet,
        })
    }

    fn env(&self) -> Env {
        let usual = Env::default();
        Env {
            models: self.models.clone().unwrap_or(usual.models),
            device: self.device,
            seed: self.seed,
            ..usual
        }
    }
}

/// Does `job` in a thread of its own while this one listens for Ctrl-C.
///
/// # Errors
/// Those of the job as exceptions; `KeyboardInterrupt`, or what else a handler of signals raises.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    settings: &Settings,
    job: impl FnOnce(&Context<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let bar = Bar::new(py, settings.quiet)?;
    let (stop, env, seed) = (AtomicBool::new(false), settings.env(), settings.seed);
    let (stop, bar) = (&stop, &bar);
    awaited(py, stop, |wait| {
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            scope.spawn(move || {
                let context = Context {
                    seed,
                    env,
                    progress: bar,
                    stop,
                };
                // Somebody who does not listen any more is no fault.
                let _ = tell.send(contained(|| job(&context)));
            });
            wait(&told)
        })
    })
}

/// What another thread comes to, for which `begin` waits. Meanwhile Python goes on, and its signals set `stop`.
///
/// # Errors
/// Those of the other thread as exceptions; `KeyboardInterrupt`, or what else a handler of signals raises.
pub(crate) fn awaited<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    begin: impl FnOnce(&mut dyn FnMut(&Receiver<Result<T>>) -> Result<T>) -> Result<T> + Send,
) -> PyResult<T> {
    let (done, raised_meanwhile) = py.detach(|| {
        let mut raised = None;
        let done = begin(&mut |told| {
            loop {
                match told.recv_timeout(LISTEN) {
                    Ok(done) => break done,
                    Err(RecvTimeoutError::Disconnected) => break Err(fault("a thread")),
                    Err(RecvTimeoutError::Timeout) => {
                        // The method itself is not general enough in its lifetime.
                        #[allow(clippy::redundant_closure_for_method_calls)]
                        let heard = Python::attach(|py| py.check_signals());
                        if let Err(signal) = heard {
                            stop.store(true, Ordering::Relaxed);
                            raised.get_or_insert(signal);
                        }
                    }
                }
            }
        });
        (done, raised)
    });
    match (done, raised_meanwhile) {
        // What was finished all the same does not undo the wish for an end.
        (Ok(_) | Err(Error::Interrupted), Some(signal)) => Err(signal),
        (Err(error), _) => Err(raised(py, &error)),
        (Ok(done), None) => Ok(done),
    }
}

/// Does what takes no time worth a thread.
///
/// # Errors
/// Those of the job as exceptions.
pub(crate) fn quickly<T: Send>(
    py: Python<'_>,
    job: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| contained(job))
        .map_err(|error| raised(py, &error))
}

/// Does in this thread what takes microseconds and no other thread: handing it over would take longer.
///
/// # Errors
/// Those of the job as exceptions.
pub(crate) fn here<T>(py: Python<'_>, job: impl FnOnce() -> Result<T>) -> PyResult<T> {
    without_panic(job).map_err(|error| raised(py, &error))
}

fn contained<T: Send>(job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let threads = threads()?;
    without_panic(|| threads.install(job))
}

/// A fault of tiebreak itself is an error like any other.
fn without_panic<T>(job: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| Err(fault_of(panic.as_ref())))
}

/// The error of a panic.
pub(crate) fn fault_of(panic: &(dyn Any + Send)) -> Error {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
    fault(said.unwrap_or("no message"))
}

/// Threads, and whose.
static THREADS: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The threads of this process: one that Python forked has none of its parent's, and would wait for them forever.
fn threads() -> Result<Arc<ThreadPool>> {
    let mut kept = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, threads)) = &*kept
        && *of == process
    {
        return Ok(Arc::clone(threads));
    }
    let threads = ThreadPoolBuilder::new().build().map_err(Error::failed)?;
    let threads = Arc::new(threads);
    // Nobody ends the threads of a parent from here.
    std::mem::forget(kept.replace((process, Arc::clone(&threads))));
    Ok(threads)
}

fn fault(what: &str) -> Error {
    Error::failed(format!(
        "a fault of tiebreak itself; please report it with what caused it ({what})"
    ))
}
