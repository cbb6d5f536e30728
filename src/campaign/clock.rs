//! The one clock of campaigns. The time of an answer is recorded and changes no number; a clock set back
//! changes nothing but displayed times.

use std::time::{Instant, SystemTime};

/// The present instant of a monotonic clock.
#[allow(clippy::disallowed_methods)] // how long an answer may be taken back, and how fast a link may ask
pub(in crate::campaign) fn now() -> Instant {
    Instant::now()
}

/// Seconds since 1970, by the system's clock.
#[allow(clippy::disallowed_methods)] // when people answered is what the journal is to say
pub(in crate::campaign) fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
