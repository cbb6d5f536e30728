//! Rate limits of links: far above any person, far below an abusive machine.

use crate::campaign::clock::now;
use std::time::Instant;

/// The requests that are allowed at once.
const BURST: f64 = 500.0;

/// The requests allowed a second after that.
const RATE: f64 = 100.0;

/// The allowance left to one link.
#[derive(Debug, Clone, Copy)]
pub(super) struct RateLimiter {
    left: f64,
    at: Instant,
}

impl RateLimiter {
    pub(super) fn new() -> Self {
        Self {
            left: BURST,
            at: now(),
        }
    }

    /// Whether one more request may come now.
    pub(super) fn allows(&mut self) -> bool {
        self.allows_at(now())
    }

    fn allows_at(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + passed * RATE).min(BURST);
        let allowed = self.left >= 1.0;
        if allowed {
            self.left -= 1.0;
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_passes_and_then_so_many_a_second() {
        let mut pace = RateLimiter::new();
        let begun = pace.at;
        let passed = (0..1000).filter(|_| pace.allows_at(begun)).count();
        assert_eq!(passed, BURST as usize);
        let later = begun + Duration::from_secs(1);
        let passed = (0..1000).filter(|_| pace.allows_at(later)).count();
        assert_eq!(passed, RATE as usize);
    }
}
