//! A fault of tiebreak itself must not reach people as a panic: it becomes an error like any other,
//! with what is needed to report it.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::{Mutex, PoisonError};
use tiebreak_base::error::{Error, Result};

/// The message and place of the last panic.
static LAST: Mutex<String> = Mutex::new(String::new());

/// Silences panics: those of libraries on damaged files are contained where they are called, and
/// [`contain`] reports all others.
pub(super) fn silence() {
    set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
}

/// Runs `work`; a panic inside becomes an error.
pub(super) fn contain<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let last = LAST
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace('\n', ": ");
        Err(Error::failed(format!(
            "a fault of tiebreak itself; please report it with the command that caused it ({last})"
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let error = contain(|| -> Result<()> { panic!("as it should") }).unwrap_err();
        assert!(error.to_string().contains("please report it"), "{error}");
        assert_eq!(error.exit_code(), 1);
    }
}
