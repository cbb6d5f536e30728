//! Retries: which statuses are tried again, and when.

use std::time::Duration;

/// The most tries of a request: with the waits between that is about two minutes.
pub(crate) const TRIES: u32 = 9;

/// The first wait, in seconds.
const FIRST: f64 = 0.5;

/// The longest wait that is not asked for, in seconds.
const LONGEST: f64 = 30.0;

/// The longest wait that an endpoint may ask for.
const MOST: Duration = Duration::from_mins(5);

/// The requests in a row that may be refused before the endpoint is taken to refuse all.
pub(super) const REFUSALS: u32 = 10;

/// Whether a status may pass by itself.
pub(crate) fn is_worth_it(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429) || status >= 500
}

/// The wait after a try, from 0: what the endpoint asks for, else twice as long each time. `jitter` in [0, 1) spreads
/// requests that wait together.
pub(crate) fn delay(attempt: u32, asked: Option<Duration>, jitter: f64) -> Duration {
    let own = (FIRST * 2_f64.powi(attempt as i32)).min(LONGEST);
    match asked {
        // A little later than asked for, so that not all come at once.
        Some(asked) => asked.min(MOST) + Duration::from_secs_f64(0.25 * FIRST * jitter),
        None => Duration::from_secs_f64(own * (0.5 + 0.5 * jitter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_follow_what_is_asked_for() {
        let seconds = |attempt| delay(attempt, None, 1.0).as_secs_f64();
        assert_eq!([0, 1, 2, 20].map(seconds), [0.5, 1.0, 2.0, 30.0]);
        assert_eq!(delay(3, None, 0.0).as_secs_f64(), 2.0);
        let asked = delay(0, Some(Duration::from_secs(7)), 0.0);
        assert_eq!(asked, Duration::from_secs(7));
        assert_eq!(delay(0, Some(Duration::from_secs(9999)), 0.0), MOST);
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        for status in [408, 409, 425, 429, 500, 502, 503, 529] {
            assert!(is_worth_it(status), "{status}");
        }
        for status in [400, 401, 403, 404, 413, 422] {
            assert!(!is_worth_it(status), "{status}");
        }
    }
}
