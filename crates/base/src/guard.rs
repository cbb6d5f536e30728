//! Containment of panics in libraries that read untrusted input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is expected, and not to be reported.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Installs the hook once; the one before it only sees panics that are not contained.
static HOOK: Once = Once::new();

/// Runs a step that may panic; `None` if it does. Its data must not be used again then.
pub fn contained<T>(step: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let told = take_hook();
        set_hook(Box::new(move |info| {
            if !QUIET.get() {
                told(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = catch_unwind(AssertUnwindSafe(step));
    QUIET.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_contained() {
        assert_eq!(contained(|| 3), Some(3));
        assert_eq!(contained(|| -> u8 { panic!("as it should") }), None);
        assert!(!QUIET.get());
    }
}
