//! Output to people: progress bars on a terminal, aligned tables, notes.

use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tiebreak_base::error::Audience;
use tiebreak_base::layout::visible;
use tiebreak_stages::engine::ProgressReporter;

/// Progress on stderr when it is a terminal; warnings unless quiet.
pub(crate) struct Terminal {
    quiet: bool,
    audience: Audience,
    bar: Mutex<Option<ProgressBar>>,
    /// The notes that were printed: one that holds for several tables is printed once.
    noted: Mutex<BTreeSet<String>>,
}

impl Terminal {
    /// A terminal that, if `quiet`, prints only errors.
    pub(super) fn new(quiet: bool, audience: Audience) -> Self {
        Self {
            quiet,
            audience,
            bar: Mutex::new(None),
            noted: Mutex::default(),
        }
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        // A poisoned lock means that a worker panicked while drawing; the bar itself is fine.
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressReporter for Terminal {
    fn begin(&self, what: &str, total: u64) {
        if self.quiet || !std::io::stderr().is_terminal() {
            return;
        }
        // Work of unknown length gets a spinner. The first of few units may take long: the running time shows
        // that work goes on.
        let template = match total {
            0 => "{msg:16} {spinner} {elapsed}",
            _ => "{msg:16} {bar:40} {pos}/{len}  {elapsed}, {eta} left",
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total)
            .with_style(style)
            .with_message(visible(what));
        bar.enable_steady_tick(Duration::from_millis(100));
        *self.bar() = Some(bar);
    }

    fn advance(&self, units: u64) {
        if let Some(bar) = &*self.bar() {
            bar.inc(units);
        }
    }

    fn status(&self, words: &str) {
        if let Some(bar) = &*self.bar() {
            bar.set_message(visible(words));
        }
    }

    fn end(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn warn(&self, message: &str) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.insert(message.to_string()) {
            self.say(&format!("note: {message}"));
        }
    }

    fn audience(&self) -> Audience {
        self.audience
    }

    fn done(&self, message: &str) {
        self.say(message);
    }
}

impl Terminal {
    fn say(&self, line: &str) {
        if self.quiet {
            return;
        }
        let note = || {
            let _ = writeln!(std::io::stderr(), "{}", visible(line));
        };
        match &*self.bar() {
            Some(bar) => bar.suspend(note),
            None => note(),
        }
    }
}
