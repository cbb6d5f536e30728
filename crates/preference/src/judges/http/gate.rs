//! A limit to the requests on their way: as many as were asked for, and fewer where the endpoint is crowded.
//!
//! Additive increase, multiplicative decrease, as TCP has it (Chiu and Jain, 1989): a crowded endpoint halves the
//! number, and as many good answers as there are requests on their way add one.

use super::NAP;
use super::stop::StopSignal;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use tiebreak_base::error::Result;

/// A limiter that every request passes.
pub(crate) struct ConcurrencyLimiter {
    most: usize,
    state: Mutex<LimiterState>,
    left: Condvar,
}

struct LimiterState {
    inside: usize,
    allowed: f64,
}

/// The right to send a request; it ends when this is dropped.
pub(crate) struct RequestPermit<'a>(&'a ConcurrencyLimiter);

impl ConcurrencyLimiter {
    /// A limiter for so many requests at a time.
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1);
        let allowed = most as f64;
        Self {
            most,
            state: Mutex::new(LimiterState { inside: 0, allowed }),
            left: Condvar::new(),
        }
    }

    /// The most requests at a time.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// [`tiebreak_base::error::Error::Interrupted`].
    pub(super) fn enter(&self, stop: &StopSignal) -> Result<RequestPermit<'_>> {
        let mut state = self.state();
        while state.inside as f64 + 1.0 > state.allowed {
            stop.check()?;
            let waited = self.left.wait_timeout(state, NAP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.inside += 1;
        Ok(RequestPermit(self))
    }

    /// Halves the number of requests, since the endpoint is crowded.
    pub(super) fn crowded(&self) {
        let mut state = self.state();
        state.allowed = (state.allowed / 2.0).max(1.0);
    }

    /// Counts a good answer, which may allow more requests.
    pub(super) fn went_well(&self) {
        let mut state = self.state();
        if state.allowed < self.most as f64 {
            state.allowed = (state.allowed + 1.0 / state.allowed).min(self.most as f64);
            self.left.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestPermit<'_> {
    fn drop(&mut self) {
        self.0.state().inside -= 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_enter_than_are_allowed() {
        let (gate, stop) = (ConcurrencyLimiter::new(4), StopSignal::default());
        let all: Vec<_> = (0..4).map(|_| gate.enter(&stop).unwrap()).collect();
        stop.stop();
        assert!(gate.enter(&stop).is_err(), "a fifth would wait");
        drop(all);
        gate.crowded();
        let two: Vec<_> = (0..2).map(|_| gate.enter(&stop).unwrap()).collect();
        assert!(gate.enter(&stop).is_err());
        drop(two);
        for _ in 0..20 {
            gate.went_well();
        }
        let four: Vec<_> = (0..4).map(|_| gate.enter(&stop).unwrap()).collect();
        assert_eq!(four.len(), 4, "it recovers");
    }
}
