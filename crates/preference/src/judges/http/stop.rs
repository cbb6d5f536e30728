//! Whether to go on.

use std::sync::atomic::{AtomicBool, Ordering};
use tiebreak_base::error::{Error, Result};

/// A sign to stop: first to send nothing more, then to wait for nothing more.
#[derive(Default)]
pub(in crate::judges) struct StopSignal {
    stopped: AtomicBool,
    interrupted: AtomicBool,
}

impl StopSignal {
    /// Has nothing more sent; what is on its way is paid for, and may arrive.
    pub(in crate::judges) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Has nothing more waited for, either.
    pub(in crate::judges) fn interrupt(&self) {
        self.stop();
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether nothing more is to be sent.
    pub(in crate::judges) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether nothing more is to be waited for.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Returns only where to go on.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(in crate::judges) fn check(&self) -> Result<()> {
        match self.is_stopped() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}
