//! A date as templates show it: the directives of C's `strftime` that they use.

use tiebreak_base::words::MONTHS;

const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// A date with its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    year: u32,
    month: u32,
    day: u32,
    time: [u32; 3],
}

impl Date {
    /// Parses `2026-07-05` or `2026-07-05T09:04:03`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
        let numbers = |text: &str, between: char| -> Option<[u32; 3]> {
            let all: Vec<u32> = text
                .split(between)
                .map_while(|one| one.parse().ok())
                .collect();
            all.try_into().ok()
        };
        let [year, month, day] = numbers(date, '-')?;
        let time = numbers(time, ':')?;
        let fits = (1..=12).contains(&month) && (1..=31).contains(&day) && time[0] < 24;
        fits.then_some(Self {
            year,
            month,
            day,
            time,
        })
    }

    /// Writes the date in a format; `None` for a directive that is not known.
    pub(super) fn format(self, format: &str) -> Option<String> {
        let mut text = String::new();
        let mut rest = format.chars();
        while let Some(one) = rest.next() {
            match one {
                '%' => text += &self.directive(rest.next()?)?,
                other => text.push(other),
            }
        }
        Some(text)
    }

    fn directive(self, directive: char) -> Option<String> {
        let Self {
            year,
            month,
            day,
            time,
        } = self;
        let month_name = MONTHS[month as usize - 1];
        let day_name = DAYS[self.weekday()];
        Some(match directive {
            'd' => format!("{day:02}"),
            'm' => format!("{month:02}"),
            'Y' => format!("{year:04}"),
            'y' => format!("{:02}", year % 100),
            'B' => month_name.to_string(),
            'b' => month_name[..3].to_string(),
            'A' => day_name.to_string(),
            'a' => day_name[..3].to_string(),
            'H' => format!("{:02}", time[0]),
            'I' => format!("{:02}", (time[0] + 11) % 12 + 1),
            'p' => if time[0] < 12 { "AM" } else { "PM" }.to_string(),
            'M' => format!("{:02}", time[1]),
            'S' => format!("{:02}", time[2]),
            'F' => format!("{year:04}-{month:02}-{day:02}"),
            'T' => format!("{:02}:{:02}:{:02}", time[0], time[1], time[2]),
            '%' => "%".to_string(),
            _ => return None,
        })
    }

    /// The day of the week, from Sunday; Sakamoto's rule.
    fn weekday(self) -> usize {
        const SHIFTS: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let year = if self.month < 3 {
            self.year - 1
        } else {
            self.year
        };
        let shift = SHIFTS[self.month as usize - 1];
        ((year + year / 4 - year / 100 + year / 400 + shift + self.day) % 7) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_shown_as_c_shows_them() {
        let date = Date::parse("2026-07-05T09:04:03").unwrap();
        let shown = date.format("%A %d %b %Y, %H:%M:%S %p, %F %%");
        assert_eq!(
            shown.unwrap(),
            "Sunday 05 Jul 2026, 09:04:03 AM, 2026-07-05 %"
        );
        assert_eq!(date.format("%Q"), None);
        assert_eq!(Date::parse("2026-13-01"), None);
        assert_eq!(Date::parse("yesterday"), None);
    }
}
