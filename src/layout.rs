//! Plain text as people see it: aligned tables, numbers, and the gate through which foreign texts go.

/// A text that is shown and commands nothing: of control characters only line ends and tabs stay, so that no
/// name or output moves a cursor, hides a text, or makes a document that is none.
///
/// ```
/// use tiebreak::layout::visible;
/// assert_eq!(visible("a\u{1b}[2Jb\n"), "a\u{fffd}[2Jb\n");
/// ```
pub fn visible(text: &str) -> String {
    let seen = |c: char| match c.is_control() && c != '\n' && c != '\t' {
        true => '\u{fffd}',
        false => c,
    };
    text.chars().map(seen).collect()
}

/// The same in one line, as names and messages are: a line end or a tab becomes a sign of itself.
///
/// ```
/// use tiebreak::layout::in_line;
/// assert_eq!(in_line("a\nb\t"), "a␤b␉");
/// ```
pub fn in_line(text: &str) -> String {
    visible(&text.replace("\r\n", "\n"))
        .replace('\n', "␤")
        .replace('\t', "␉")
}

/// Lays rows out in columns: the first column to the left, numbers to the right.
///
/// ```
/// use tiebreak::layout::table;
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

/// A number with as many digits as a reader wants: four significant ones, no exponent; whole numbers
/// (counts) as they are.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 6);
    format!("{value:.*}", digits as usize)
}

/// A number, or a dash where there is none.
pub fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_string(), number)
}

/// A bar for a share from 0 to 1, `width` characters long at 1, in steps of an eighth of one.
///
/// ```
/// use tiebreak::layout::bar;
/// assert_eq!(bar(0.5, 5), "██▌");
/// ```
pub fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * 8.0 * width as f64).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A confidence or another share that people chose, as they write it: 95 %, 99.9 %.
pub fn share(share: f64) -> String {
    format!("{} %", (1e8 * share).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(number(61.234_56), "61.23");
        assert_eq!(number(0.012_341), "0.01234");
        assert_eq!(number(12_345.6), "12346");
        assert_eq!(number(-0.5), "-0.5000");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(4653.0), "4653");
    }
}
