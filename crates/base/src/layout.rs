//! Plain text as people see it: aligned tables, numbers, and the escaping of foreign texts.

use std::borrow::Cow;
use std::path::Path;

/// Replaces all control characters but line ends and tabs. So no name or output moves a cursor, hides a text, or
/// breaks a document.
///
/// ```
/// use tiebreak_base::layout::visible;
/// assert_eq!(visible("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\n");
/// ```
pub fn visible(text: &str) -> String {
    let seen = |c: char| match c.is_control() && c != '\n' && c != '\t' {
        true => '\u{fffd}',
        false => c,
    };
    text.chars().map(seen).collect()
}

/// Makes a text safe as [`visible`] does, in one line: a line end or a tab becomes a visible sign.
pub fn in_line(text: &str) -> String {
    visible(&text.replace("\r\n", "\n"))
        .replace('\n', "␤")
        .replace('\t', "␉")
}

/// The word joiner: invisible, and not the beginning of a formula to any spreadsheet.
const JOINER: char = '\u{2060}';

/// The characters that begin formulas, in Latin and in full width.
const FORMULA: [char; 9] = ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'];

/// The characters after which a spreadsheet may begin another cell, whatever its delimiter.
const BOUNDARIES: [char; 5] = ['\n', '\r', ';', ',', '\t'];

/// Escapes a text as a cell of a delimited file, so that no spreadsheet takes it for a formula. It reads as before: a
/// word joiner, which has no width, stands before what would begin one.
///
/// ```
/// use tiebreak_base::layout::{as_cell, of_cell};
/// assert_eq!(as_cell("- a list;=1+1"), "\u{2060}- a list;\u{2060}=1+1");
/// assert_eq!(of_cell("\u{2060}- a list;\u{2060}=1+1"), "- a list;=1+1");
/// assert_eq!(as_cell("\r@a"), "\r\u{2060}@a");
/// assert_eq!(as_cell("1 + 1"), "1 + 1");
/// ```
pub fn as_cell(text: &str) -> Cow<'_, str> {
    let (mut cell, mut copied, mut begins) = (String::new(), 0, true);
    for (at, c) in text.char_indices() {
        if begins && FORMULA.contains(&c) {
            cell.push_str(&text[copied..at]);
            cell.push(JOINER);
            copied = at;
        }
        // Some readers strip quotation marks before they read a cell.
        begins = BOUNDARIES.contains(&c) || begins && ['"', '\''].contains(&c);
    }
    match cell.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(cell + &text[copied..]),
    }
}

/// Returns the text of a cell that [`as_cell`] made.
pub fn of_cell(cell: &str) -> String {
    let mut chars = cell.chars().peekable();
    let mut text = String::with_capacity(cell.len());
    while let Some(c) = chars.next() {
        if c != JOINER || !chars.peek().is_some_and(|next| FORMULA.contains(next)) {
            text.push(c);
        }
    }
    text
}

/// Quotes an argument of a command, such as a path, for a shell.
///
/// ```
/// use tiebreak_base::layout::argument;
/// assert_eq!(argument("out/s.csv"), "out/s.csv");
/// assert_eq!(argument("Ana's sheet.csv"), r"'Ana'\''s sheet.csv'");
/// ```
pub fn argument(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./+:=,%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Quotes a path as an [`argument`], which no command takes for a flag.
pub fn path_argument(path: &Path) -> String {
    let path = path.to_string_lossy();
    match path.starts_with('-') {
        true => argument(&format!("./{path}")),
        false => argument(&path),
    }
}

/// Lays rows out in columns: the first column to the left, numbers to the right.
///
/// ```
/// use tiebreak_base::layout::table;
/// let rows = vec![vec!["atlas".to_string(), "61.2".to_string()]];
/// assert_eq!(table(&["system", "chrf"], &rows), "system  chrf\natlas   61.2\n");
/// ```
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| in_line(cell)).collect())
        .collect();
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(header[column].chars().count())
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let is_number = |column: usize| {
        column > 0
            && rows.iter().filter_map(|row| row.get(column)).all(|cell| {
                cell.is_empty()
                    || cell.starts_with(|c: char| c.is_ascii_digit() || "-–+>[(".contains(c))
            })
    };
    let numeric: Vec<bool> = (0..header.len()).map(is_number).collect();
    let mut text = String::new();
    let header = header.iter().map(ToString::to_string).collect::<Vec<_>>();
    for row in std::iter::once(&header).chain(&rows) {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let padding = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let separator = if column == 0 { "" } else { "  " };
            let cell = if numeric[column] {
                padding + cell
            } else {
                cell.clone() + &padding
            };
            line += &format!("{separator}{cell}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Formats a number with `digits` decimals. A half is rounded away from zero, as in spreadsheets, even where the
/// nearest binary number lies just below it; zero has no sign. All displayed numbers are rounded here.
///
/// ```
/// use tiebreak_base::layout::decimals;
/// assert_eq!([0.5, 1.5, -2.5].map(|x| decimals(x, 0)), ["1", "2", "-3"]);
/// assert_eq!([0.145, 0.125, -0.001].map(|x| decimals(x, 2)), ["0.15", "0.13", "0.00"]);
/// ```
pub fn decimals(value: f64, digits: usize) -> String {
    // More than the last bit of a few operations, and less than any digit that is shown.
    let text = format!("{:.digits$}", value * (1.0 + 8.0 * f64::EPSILON));
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| c == '0' || c == '.') => zero.to_string(),
        _ => text,
    }
}

/// Formats a count with commas between thousands, for sentences; columns of tables have none.
///
/// ```
/// use tiebreak_base::layout::thousands;
/// assert_eq!([65, 1751, 1_000_000].map(thousands), ["65", "1,751", "1,000,000"]);
/// ```
pub fn thousands(n: u64) -> String {
    match n / 1000 {
        0 => n.to_string(),
        above => format!("{},{:03}", thousands(above), n % 1000),
    }
}

/// Rounds an estimate to two significant digits.
///
/// ```
/// use tiebreak_base::layout::two_digits;
/// assert_eq!([7.2, 123.0, 5296.0].map(two_digits), [7.0, 120.0, 5300.0]);
/// ```
pub fn two_digits(guess: f64) -> f64 {
    let unit = 10_f64.powf((guess.max(1.0).log10().floor() - 1.0).max(0.0));
    (guess / unit).round() * unit
}

/// Formats a difference with `digits` decimals and its sign.
pub fn signed(difference: f64, digits: usize) -> String {
    let sign = if difference < 0.0 { "-" } else { "+" };
    format!("{sign}{}", decimals(difference.abs(), digits))
}

/// Formats a number with four significant digits, without an exponent; whole numbers (counts) as they are.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{:.0}", value + 0.0);
    }
    decimals(value, digits(value))
}

/// The decimals of a number with four significant digits.
fn digits(value: f64) -> usize {
    // Of zero the logarithm is no integer.
    let places = 3_i32.saturating_sub(value.abs().log10().floor() as i32);
    places.clamp(0, 6) as usize
}

/// Formats the numbers of a column with the same decimals: four significant digits of the largest, none where all are
/// whole; a dash where there is none.
///
/// ```
/// use tiebreak_base::layout::column;
/// assert_eq!(column(&[Some(6.0), None, Some(5.43219)]), ["6.000", "–", "5.432"]);
/// assert_eq!(column(&[Some(6.0), Some(60.0)]), ["6", "60"]);
/// ```
pub fn column(values: &[Option<f64>]) -> Vec<String> {
    let known = || values.iter().flatten().copied();
    let largest = known().map(f64::abs).fold(0.0, f64::max);
    let (are_whole, digits) = (known().all(|value| value.fract() == 0.0), digits(largest));
    let format = |value: f64| match are_whole {
        true => number(value),
        false => decimals(value, digits),
    };
    let cells = values.iter();
    cells.map(|value| or_dash(*value, format)).collect()
}

/// Returns a format that gives measured values and their intervals the same decimals, whole or not: four significant
/// digits of the largest value.
///
/// ```
/// use tiebreak_base::layout::same_decimals;
/// let write = same_decimals([1.3, 0.0].into_iter());
/// assert_eq!([1.3, 0.0, -0.05].map(write), ["1.300", "0.000", "-0.050"]);
/// ```
pub fn same_decimals(values: impl Iterator<Item = f64>) -> impl Fn(f64) -> String + Copy {
    let largest = values.map(f64::abs).fold(0.0, f64::max);
    let digits = if largest > 0.0 { digits(largest) } else { 3 };
    move |value| decimals(value, digits)
}

/// Formats a value with `write`, or a dash where there is none.
pub fn or_dash<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".to_string(), write)
}

/// Formats a number, or a dash where there is none.
pub fn optional(value: Option<f64>) -> String {
    or_dash(value, number)
}

/// Formats a p-value, which is never written as 0.
///
/// ```
/// use tiebreak_base::layout::p_value;
/// assert_eq!([0.0123, 3e-9].map(p_value), ["p = 0.01230", "p < 0.0001"]);
/// ```
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 1e-4 => "p < 0.0001".to_string(),
        p => format!("p = {}", number(p)),
    }
}

/// Formats a time in the unit that people would choose.
///
/// ```
/// use tiebreak_base::layout::duration;
/// assert_eq!([40.0, 1500.0, 9000.0, 90_000.0].map(duration), ["40 seconds", "25 minutes", "2.5 hours", "25 hours"]);
/// ```
pub fn duration(seconds: f64) -> String {
    match seconds / 3600.0 {
        hours if hours < 0.025 => decimals(seconds, 0) + " seconds",
        hours if hours < 1.0 => decimals(seconds / 60.0, 0) + " minutes",
        hours if hours < 10.0 => decimals(hours, 1) + " hours",
        hours => decimals(hours, 0) + " hours",
    }
}

/// Formats an amount of money, in whatever currency.
///
/// ```
/// use tiebreak_base::layout::money;
/// assert_eq!([0.0123, 12.5, 1234.0].map(money), ["0.01230", "12.50", "1234.00"]);
/// ```
pub fn money(amount: f64) -> String {
    match amount {
        small if small < 0.1 => number(small),
        amount => decimals(amount, 2),
    }
}

/// A bar for a share from 0 to 1, `width` characters long at 1, in steps of an eighth of one.
///
/// ```
/// use tiebreak_base::layout::bar;
/// assert_eq!(bar(0.5, 5), "██▌");
/// ```
pub fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * 8.0 * width as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    decimals(100.0 * share, 1) + " %"
}

/// The shares of one whole as percentages that add up: what rounding down leaves goes to the largest remainders.
///
/// ```
/// use tiebreak_base::layout::percentages;
/// assert_eq!(percentages(&[1.0 / 3.0; 3]), ["33.4 %", "33.3 %", "33.3 %"]);
/// ```
pub fn percentages(shares: &[f64]) -> Vec<String> {
    let exact: Vec<f64> = shares.iter().map(|share| 1000.0 * share).collect();
    let mut tenths: Vec<f64> = exact.iter().map(|tenths| (tenths + 1e-9).floor()).collect();
    let left = exact.iter().sum::<f64>() - tenths.iter().sum::<f64>();
    let mut places: Vec<usize> = (0..shares.len()).collect();
    places.sort_by(|&a, &b| (exact[b] - tenths[b]).total_cmp(&(exact[a] - tenths[a])));
    for &place in places.iter().take(left.round() as usize) {
        tenths[place] += 1.0;
    }
    let written = tenths.iter().map(|tenths| percent(tenths / 1000.0));
    written.collect()
}

/// Formats a confidence or another chosen share as people write it: 95 %, 99.9 %.
pub fn share(share: f64) -> String {
    format!("{} %", (1e8 * share).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_tabs_are_seen_in_one_line() {
        assert_eq!(in_line("a\nb\t\r\n"), "a␤b␉␤");
    }

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(number(61.234_56), "61.23");
        assert_eq!(number(0.012_341), "0.01234");
        assert_eq!(number(12_345.6), "12346");
        assert_eq!(number(-0.5), "-0.5000");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(4653.0), "4653");
        assert_eq!(column(&[Some(f64::NAN), None]), ["NaN", "–"]);
    }

    #[test]
    fn halves_are_rounded_away_from_zero_everywhere() {
        for (half, written) in [
            (0.5, "1"),
            (1.5, "2"),
            (2.5, "3"),
            (-0.5, "-1"),
            (-0.4, "0"),
        ] {
            assert_eq!(decimals(half, 0), written);
        }
        for digits in 0..4 {
            for whole in 0..200 {
                let half = (f64::from(whole) + 0.5) / 10_f64.powi(digits);
                let up = f64::from(whole + 1) / 10_f64.powi(digits);
                let digits = digits as usize;
                assert_eq!(decimals(half, digits), format!("{up:.digits$}"), "{half}");
            }
        }
        assert_eq!(percent(0.0625), "6.3 %");
        assert_eq!(percent(0.1235), "12.4 %", "100 × 0.1235 lies below");
        assert_eq!(number(12_344.5), "12345");
        assert_eq!(duration(8.5 * 60.0), "9 minutes");
        assert_eq!(
            [f64::NAN, f64::INFINITY].map(|x| decimals(x, 2)),
            ["NaN", "inf"]
        );
    }

    #[test]
    fn percentages_of_one_whole_add_up() {
        for n in 1..60_u32 {
            for first in 0..=n {
                let rest = n - first;
                let counts = [first, rest / 2, rest - rest / 2];
                let shares = counts.map(|count| f64::from(count) / f64::from(n));
                let tenths = |text: &String| {
                    let digits = text.trim_end_matches(" %").replace('.', "");
                    digits.parse::<u32>().unwrap()
                };
                let all: u32 = percentages(&shares).iter().map(tenths).sum();
                assert_eq!(all, 1000, "{counts:?}");
            }
        }
        assert!(percentages(&[]).is_empty());
    }
}
