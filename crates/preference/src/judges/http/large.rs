//! Large replies, of which a few are held at a time, however many requests are on their way.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use tiebreak_base::limits::Part;

/// The fewest bytes above which a reply is large.
const LARGE: u64 = 1 << 16;

/// The memory that a large reply takes while it is parsed and kept, as a multiple of its bytes.
const COPIES: u64 = 4;

/// The large replies that are held.
pub(super) struct LargeReplies {
    /// The bytes above which a reply is large: while one waits, half read, its time passes, so none does that all requests
    /// at once may have.
    pub threshold: u64,
    held: Mutex<u64>,
    left: Condvar,
}

/// The right to hold a large reply; it ends when this is dropped.
pub(crate) struct LargeReplyPermit(Arc<LargeReplies>);

impl LargeReplies {
    /// Holds none, with this many requests on their way.
    pub(super) fn new(concurrency: usize) -> Self {
        let fair = Part::Replies.most() / (COPIES * concurrency.max(1) as u64);
        Self {
            threshold: fair.clamp(LARGE, Part::Reply.most()),
            held: Mutex::default(),
            left: Condvar::default(),
        }
    }

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
    fn few_requests_at_once_have_no_reply_that_waits() {
        let threshold = |concurrency| LargeReplies::new(concurrency).threshold;
        assert_eq!([1, 8].map(threshold), [Part::Reply.most(); 2]);
        assert_eq!(threshold(64), Part::Replies.most() / (COPIES * 64));
        assert_eq!(threshold(1 << 20), LARGE);
    }

    #[test]
    fn no_more_are_held_at_once_than_memory_allows() {
        let (now, peak) = <(AtomicU64, AtomicU64)>::default();
        let replies = Arc::new(LargeReplies::new(8));
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
