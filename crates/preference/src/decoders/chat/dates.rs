//! A date as templates show it, by the directives of C's `strftime`.

use chrono::NaiveDateTime;
use std::fmt::Write;

/// Parses `2026-07-05` or `2026-07-05T09:04:03`.
pub(super) fn parse(text: &str) -> Option<NaiveDateTime> {
    let midnight = format!("{text}T00:00:00");
    let text = if text.contains('T') { text } else { &midnight };
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S").ok()
}

/// Writes a date in a format; `None` for a directive that is not known.
pub(super) fn format(date: NaiveDateTime, format: &str) -> Option<String> {
    let mut text = String::new();
    write!(text, "{}", date.format(format)).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_as_c_shows_them() {
        let date = parse("2026-07-05T09:04:03").unwrap();
        let shown = format(date, "%A %d %b %Y, %H:%M:%S %p, %F %%");
        assert_eq!(
            shown.unwrap(),
            "Sunday 05 Jul 2026, 09:04:03 AM, 2026-07-05 %"
        );
        assert_eq!([format(date, "%!"), format(date, "%Z")], [None, None]);
        assert_eq!(parse("2026-07-05"), parse("2026-07-05T00:00:00"));
        assert_eq!(parse("2026-13-01"), None);
        assert_eq!(parse("yesterday"), None);
    }
}
