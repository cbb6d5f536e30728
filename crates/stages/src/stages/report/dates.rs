//! The days on which a campaign was answered, from its journal: never from the clock, so that a report made again has
//! the same bytes.

use crate::inputs::source::campaign::JOURNAL;
use crate::journal::Journal;
use std::path::Path;
use tiebreak_base::words::MONTHS;

/// The days of the first and the last answer, in a phrase; `None` where no answer has a time, or nothing can be read.
pub(super) fn answered(dir: &Path) -> Option<String> {
    let (first, last) = Journal::answered_between(&dir.join(JOURNAL)).ok()??;
    Some(phrase(first, last))
}

fn phrase(first: u64, last: u64) -> String {
    let (first, last) = (day(first), day(last));
    match first == last {
        true => format!("answered on {first} (UTC)"),
        false => format!("answered from {first} to {last} (UTC)"),
    }
}

/// The day of a time in seconds since 1970, in the Gregorian calendar. Years begin in March here, so that the leap day is
/// a year's last, and 400 of them have 146,097 days.
fn day(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = 400 * era + year + u64::from(month >= 10);
    format!("{day} {} {year}", MONTHS[((month + 2) % 12) as usize])
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
            assert_eq!(day(seconds), expected);
        }
        assert_eq!(phrase(0, 86_399), "answered on 1 January 1970 (UTC)");
        let several = "answered from 1 January 1970 to 2 January 1970 (UTC)";
        assert_eq!(phrase(0, 86_400), several);
    }
}
