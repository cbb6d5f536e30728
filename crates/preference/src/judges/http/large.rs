//! Large replies, of which a few are held at a time, however many requests are on their way.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tiebreak_base::limits::Part;

/// The bytes above which a reply is large.
pub(super) const LARGE: u64 = 1 << 16;

/// The memory that a large reply takes while it is parsed and kept, as a multiple of its bytes.
const COPIES: u64 = 4;

/// The large replies that are held.
#[derive(Default)]
pub(super) struct LargeReplies {
    held: Mutex<u64>,
    left: Condvar,
}

/// The right to hold a large reply; it ends when this is dropped.
pub(crate) struct LargeReplyPermit(Arc<LargeReplies>);

impl LargeReplies {
    /// Waits until there is room for one more.
    pub(super) fn enter(self: &Arc<Self>) -> LargeReplyPermit {
        let most = (Part::Replies.most() / (COPIES * Part::Reply.most())).max(1);
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let held = self.left.wait_while(held, |held| *held >= most);
        *held.unwrap_or_else(PoisonError::into_inner) += 1;
        LargeReplyPermit(Arc::clone(self))
    }
}

impl Drop for LargeReplyPermit {
    fn drop(&mut self) {
        *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    #[test]
    fn no_more_are_held_at_once_than_memory_allows() {
        let (replies, now, peak) = <(Arc<LargeReplies>, AtomicU64, AtomicU64)>::default();
        let most = Part::Replies.most() / (COPIES * Part::Reply.most());
        thread::scope(|scope| {
            for _ in 0..8 * most {
                scope.spawn(|| {
                    let _permit = replies.enter();
                    let held = now.fetch_add(1, Ordering::SeqCst) + 1;
                    peak.fetch_max(held, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=most).contains(&peak.into_inner()));
        assert_eq!(*replies.held.lock().unwrap(), 0);
    }
}
