//! Libraries that panic on what strangers send are contained where they are called.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is expected, and nothing to be told.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The hook that is there is asked only for what nobody contains.
static HOOK: Once = Once::new();

/// Runs a step that may panic; `None` if it does. What it worked on is not to be used again.
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
