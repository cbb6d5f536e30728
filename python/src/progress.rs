//! How far long work has come, told to a bar that is drawn in Python: in terminals and in notebooks.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tiebreak::engine::ProgressReporter;
use tiebreak::error::Audience;

/// Where it is drawn.
const MODULE: &str = "tiebreak._progress";

/// A bar, where somebody looks at one; and the notes, which go to Python's warnings.
pub(crate) struct Bar {
    /// `tiebreak._progress.Bar`; `None` where nobody looks.
    drawn: Option<Py<PyAny>>,
    quiet: bool,
    /// Units done, of which the bar is told now and then.
    done: AtomicU64,
    total: AtomicU64,
}

/// A bar has so many steps: more calls into Python would show nothing.
const STEPS: u64 = 200;

impl Bar {
    /// # Errors
    /// If the Python part of the package is not there.
    pub(crate) fn new(py: Python<'_>, quiet: bool) -> PyResult<Self> {
        let drawn = match quiet {
            true => None,
            false => py
                .import(MODULE)?
                .call_method0("bar")?
                .extract::<Option<Py<PyAny>>>()?,
        };
        Ok(Self {
            drawn,
            quiet,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        })
    }

    /// Calls the bar, which cannot fail the work that it shows.
    fn tell(&self, call: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<Py<PyAny>>) {
        if let Some(bar) = &self.drawn {
            let _ = Python::attach(|py| call(py, bar));
        }
    }
}

/// The notes of work in another thread, kept until Python can show them.
pub(crate) struct Notes {
    quiet: bool,
    kept: Mutex<Vec<String>>,
}

impl Notes {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            kept: Mutex::default(),
        }
    }

    /// Shows them; a warning that cannot be shown fails nothing.
    pub(crate) fn show(&self, py: Python<'_>) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        for message in kept {
            note(py, &message);
        }
    }
}

impl ProgressReporter for Notes {
    fn begin(&self, _: &str, _: u64) {}

    fn advance(&self, _: u64) {}

    fn end(&self) {}

    fn audience(&self) -> Audience {
        Audience::Python
    }

    fn warn(&self, message: &str) {
        if !self.quiet {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(message.to_string());
        }
    }
}

/// A reporter whose notes call files what Python calls them.
pub(crate) struct Renamed<'a, F>(pub &'a dyn ProgressReporter, pub F);

impl<F: Fn(&str) -> String + Sync> ProgressReporter for Renamed<'_, F> {
    fn begin(&self, what: &str, total: u64) {
        self.0.begin(what, total);
    }

    fn advance(&self, units: u64) {
        self.0.advance(units);
    }

    fn status(&self, words: &str) {
        self.0.status(words);
    }

    fn end(&self) {
        self.0.end();
    }

    fn audience(&self) -> Audience {
        self.0.audience()
    }

    fn warn(&self, message: &str) {
        self.0.warn(&(self.1)(message));
    }

    fn done(&self, words: &str) {
        self.0.done(words);
    }
}

fn note(py: Python<'_>, message: &str) {
    let shown = py
        .import(MODULE)
        .and_then(|module| module.call_method1("note", (message,)));
    drop(shown);
}

impl ProgressReporter for Bar {
    fn begin(&self, what: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.tell(|py, bar| bar.call_method1(py, "begin", (what, total)));
    }

    fn advance(&self, units: u64) {
        let before = self.done.fetch_add(units, Ordering::Relaxed);
        let total = self.total.load(Ordering::Relaxed).max(1);
        let step = |done: u64| done * STEPS / total;
        if step(before) != step(before + units) {
            self.tell(|py, bar| bar.call_method1(py, "advance", (before + units,)));
        }
    }

    fn status(&self, words: &str) {
        self.tell(|py, bar| bar.call_method1(py, "status", (words,)));
    }

    fn end(&self) {
        self.tell(|py, bar| bar.call_method0(py, "end"));
    }

    fn audience(&self) -> Audience {
        Audience::Python
    }

    fn warn(&self, message: &str) {
        if !self.quiet {
            Python::attach(|py| note(py, message));
        }
    }
}
