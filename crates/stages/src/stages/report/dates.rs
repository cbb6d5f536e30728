//! The days on which a campaign was answered, from its journal: never from the clock, so that a report made again has
//! the same bytes.

use crate::inputs::source::campaign::JOURNAL;
use crate::journal::Journal;
use chrono::DateTime;
use std::path::Path;

/// The days of the first and the last answer, in a phrase; `None` where no answer has a time, or nothing can be read.
pub(super) fn answered(dir: &Path) -> Option<String> {
    let (first, last) = Journal::answered_between(&dir.join(JOURNAL)).ok()??;
    phrase(first, last)
}

fn phrase(first: u64, last: u64) -> Option<String> {
    let (first, last) = (day(first)?, day(last)?);
    Some(match first == last {
        true => format!("answered on {first} (UTC)"),
        false => format!("answered from {first} to {last} (UTC)"),
    })
}

/// The day of a time in seconds since 1970, in the Gregorian calendar.
fn day(seconds: u64) -> Option<String> {
    let time = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(time.format("%-d %B %Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1 January 1970"),
            (951_782_399, "28 February 2000"),
            (951_782_400, "29 February 2000"),
            (951_868_800, "1 March 2000"),
            (1_798_761_599, "31 December 2026"),
            (4_107_542_400, "1 March 2100"),
        ] {
            assert_eq!(day(seconds).unwrap(), expected);
        }
        assert_eq!(
            phrase(0, 86_399).unwrap(),
            "answered on 1 January 1970 (UTC)"
        );
        let several = "answered from 1 January 1970 to 2 January 1970 (UTC)";
        assert_eq!(phrase(0, 86_400).unwrap(), several);
        assert_eq!(day(u64::MAX), None);
    }
}
