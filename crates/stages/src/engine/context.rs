//! The context of every stage: the seed, the models, a way to show progress, and whether
//! the user asked to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use tiebreak_base::error::{Audience, Error, Message, Result};
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::Env;

/// A reporter of how far long work has come. The library never prints; the command line draws a bar.
pub trait ProgressReporter: Sync {
    /// Begins work of `total` units; 0 where the number is unknown.
    fn begin(&self, what: &str, total: u64);
    /// Reports that this many units more are done.
    fn advance(&self, units: u64);
    /// Shows how the work goes, in a few words.
    fn status(&self, _: &str) {}
    /// Ends the work.
    fn end(&self);
    /// Shows something the user should know that is not an error.
    fn warn(&self, message: &str);
    /// Who reads what is shown.
    fn audience(&self) -> Audience {
        Audience::Terminal
    }
    /// Shows a warning that names keys.
    fn advise(&self, message: &Message) {
        self.warn(message.shown_to(self.audience()));
    }
    /// Shows what was done, or what to do next.
    fn done(&self, _: &str) {}
}

/// A reporter that shows nothing.
pub struct SilentProgress;

impl ProgressReporter for SilentProgress {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn warn(&self, _: &str) {}
}

/// The context of every stage.
pub struct Context<'a> {
    /// The seed of everything random.
    pub seed: Seed,
    /// Models and devices.
    pub env: Env,
    /// The reporter of progress.
    pub progress: &'a dyn ProgressReporter,
    /// The flag that is set when the user asked to stop.
    pub stop: &'a AtomicBool,
}

impl Context<'_> {
    /// The same context under another seed.
    #[must_use]
    pub fn seeded(&self, seed: Seed) -> Self {
        Self {
            seed,
            env: Env {
                seed,
                ..self.env.clone()
            },
            progress: self.progress,
            stop: self.stop,
        }
    }

    /// The same context for short work that must finish even after the user asked to stop.
    #[must_use]
    pub fn to_the_end(&self) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self {
            env: self.env.clone(),
            stop: &NEVER,
            ..*self
        }
    }

    /// Stops between two units of work if the user asked to.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            Err(Error::Interrupted)
        } else {
            Ok(())
        }
    }
}
