//! What every stage needs from outside: the seed, the models, a way to show progress, and whether
//! the user asked to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::Env;

/// Told how far long work has come. The library never prints; the command line draws a bar.
pub trait ProgressReporter: Sync {
    /// Work of `total` units begins; 0 where nobody knows how many.
    fn begin(&self, what: &str, total: u64);
    /// That many units more are done.
    fn advance(&self, units: u64);
    /// How the work goes, in a few words.
    fn status(&self, _: &str) {}
    /// The work is over.
    fn end(&self);
    /// Something the user should know that is not an error.
    fn warn(&self, message: &str);
    /// What was done, or what to do next.
    fn done(&self, _: &str) {}
}

/// Shows nothing.
pub struct SilentProgress;

impl ProgressReporter for SilentProgress {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn warn(&self, _: &str) {}
}

/// What every stage needs from outside.
pub struct Context<'a> {
    /// The seed of everything random.
    pub seed: Seed,
    /// Models and devices.
    pub env: Env,
    /// Where progress goes.
    pub progress: &'a dyn ProgressReporter,
    /// Set when the user asked to stop.
    pub stop: &'a AtomicBool,
}

impl Context<'_> {
    /// The same, under another seed.
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

    /// The same for what is short and must be said even to whoever asked to stop.
    #[must_use]
    pub fn to_the_end(&self) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Self {
            env: self.env.clone(),
            stop: &NEVER,
            ..*self
        }
    }

    /// Between two units of work: stops if the user asked to.
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
