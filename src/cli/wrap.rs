//! Texts fitted to the width of the terminal: sentences are wrapped, tables keep their columns. Files and pipes get
//! texts as they are.
//!
//! Texts arrive laid out ([`tiebreak_base::layout`]), so that everything that is printed is fitted in one place.
//! The columns of a table are found by the blanks that all its lines share.

use std::io::IsTerminal;

/// The least width of a column of words; longer words are broken.
const NARROW: usize = 16;

/// The blanks between two columns.
const GAP: usize = 2;

/// The width of the terminal in characters; `None` where standard output is none.
pub(super) fn width() -> Option<usize> {
    let terminal = std::io::stdout().is_terminal();
    let size = terminal.then(terminal_size::terminal_size).flatten();
    size.map(|(width, _)| usize::from(width.0))
}

/// Fits a text to the terminal on which people are asked, which is standard error.
pub(super) fn on_terminal(text: &str) -> String {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    match size {
        Some((width, _)) => fitted(text, usize::from(width.0)),
        None => text.to_string(),
    }
}

/// Fits a text to lines of at most `width` characters, as far as its words and numbers allow.
pub(super) fn fitted(text: &str, width: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut fitted = Vec::new();
    for run in lines.chunk_by(|a, b| is_row(a) && is_row(b)) {
        let fits = run.iter().all(|line| letters(line) <= width);
        match (fits, is_row(run[0])) {
            (true, _) => fitted.extend(run.iter().map(ToString::to_string)),
            (false, true) => fitted.extend(TextTable::read(run).fitted(width)),
            (false, false) => fitted.extend(sentence(run[0], width)),
        }
    }
    let end = if text.ends_with('\n') { "\n" } else { "" };
    fitted.join("\n") + end
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Whether a line has columns.
fn is_row(line: &str) -> bool {
    line.trim().contains("  ")
}

/// Wraps a line outside of tables; words that are too long stand alone, and rules end where the line does.
fn sentence(line: &str, width: usize) -> Vec<String> {
    if line.chars().all(|c| c == '─' || c == '═') {
        return vec![line.chars().take(width).collect()];
    }
    let indent = line.len() - line.trim_start().len();
    let room = width.saturating_sub(indent).max(NARROW);
    let lines = wrapped(line.trim(), room, usize::MAX).into_iter();
    lines.map(|one| " ".repeat(indent) + &one).collect()
}

/// Wraps a text to lines of at most `width` characters; words of more than `longest` are broken.
fn wrapped(text: &str, width: usize, longest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(longest.max(1)) {
            let last = lines.len() - 1;
            let used = lines[last].chars().count();
            if used > 0 && used + 1 + piece.len() > width {
                lines.push(piece.iter().collect());
            } else {
                let blank = if used > 0 { " " } else { "" };
                lines[last] += blank;
                lines[last].extend(piece);
            }
        }
    }
    lines
}

/// A table that was laid out as text.
struct TextTable {
    columns: Vec<TextColumn>,
}

/// A column, its header first.
struct TextColumn {
    cells: Vec<String>,
    /// Whether its cells are aligned at the right, as numbers are.
    right: bool,
    /// Whether its cells are drawn, so that each blank counts.
    drawn: bool,
}

impl TextTable {
    fn read(lines: &[&str]) -> Self {
        let rows: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
        let columns = spans(&rows).into_iter();
        let columns = columns.map(|(from, to)| TextColumn::read(&rows, from, to));
        Self {
            columns: columns.collect(),
        }
    }

    /// Splits into as many tables below each other as needed, each beginning with the first column.
    fn fitted(&self, width: usize) -> Vec<String> {
        let Some((first, rest)) = self.columns.split_first() else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        let mut part = vec![first];
        let mut used = first.narrowest();
        for column in rest {
            let needed = GAP + column.narrowest();
            if part.len() > 1 && used + needed > width {
                lines.extend(side_by_side(&part, width));
                lines.push(String::new());
                part.truncate(1);
                used = first.narrowest();
            }
            part.push(column);
            used += needed;
        }
        lines.extend(side_by_side(&part, width));
        lines
    }
}

/// The start and end of columns: between them all lines have blanks.
fn spans(rows: &[Vec<char>]) -> Vec<(usize, usize)> {
    let length = rows.iter().map(Vec::len).max().unwrap_or(0);
    let written = |at: usize| {
        rows.iter()
            .any(|row| row.get(at).is_some_and(|c| *c != ' '))
    };
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for at in (0..length).filter(|&at| written(at)) {
        match spans.last_mut() {
            Some((_, to)) if at < *to + GAP => *to = at + 1,
            _ => spans.push((at, at + 1)),
        }
    }
    spans
}

impl TextColumn {
    fn read(rows: &[Vec<char>], from: usize, to: usize) -> Self {
        let cut = |row: &Vec<char>| -> String {
            let cell = row.iter().take(to).skip(from);
            cell.collect::<String>().trim_end().to_string()
        };
        let cells: Vec<String> = rows.iter().map(cut).collect();
        let drawn = |cell: &String| cell.contains(['●', '█', '▏', '▎', '▍', '▌', '▋', '▊', '▉']);
        let drawn = cells.iter().any(drawn);
        let there = || cells.iter().filter(|cell| !cell.is_empty());
        let right = !drawn
            && there().all(|cell| letters(cell) == to - from)
            && there().any(|cell| cell.starts_with(' '));
        let cells = match drawn {
            true => cells,
            false => cells.iter().map(|cell| cell.trim().to_string()).collect(),
        };
        Self {
            cells,
            right,
            drawn,
        }
    }

    fn widest(&self) -> usize {
        self.cells
            .iter()
            .map(|cell| letters(cell))
            .max()
            .unwrap_or(0)
    }

    /// The least width of the column: numbers are never broken, and of words only long ones are.
    fn narrowest(&self) -> usize {
        let longest = |cell: &String| cell.split(' ').map(letters).max().unwrap_or(0);
        let words = || self.cells.iter().map(longest).max().unwrap_or(0);
        match (self.drawn, self.right) {
            (true, _) => self.widest(),
            (false, true) => {
                let numbers = self.cells.iter().skip(1).map(|cell| letters(cell)).max();
                numbers
                    .unwrap_or(0)
                    .max(self.cells.first().map_or(0, longest))
            }
            (false, false) => words().min(NARROW),
        }
    }

    fn lines(&self, row: usize, width: usize) -> Vec<String> {
        match self.drawn {
            true => vec![self.cells[row].clone()],
            false => wrapped(&self.cells[row], width, width),
        }
    }
}

/// Lays columns beside each other, the widest made narrower until all fit.
fn side_by_side(columns: &[&TextColumn], width: usize) -> Vec<String> {
    let mut widths: Vec<usize> = columns.iter().map(|one| one.widest()).collect();
    let gaps = GAP * (columns.len() - 1);
    while widths.iter().sum::<usize>() + gaps > width {
        let loose = (0..widths.len()).filter(|&at| widths[at] > columns[at].narrowest());
        let Some(widest) = loose.max_by_key(|&at| widths[at]) else {
            break;
        };
        widths[widest] -= 1;
    }
    let mut lines = Vec::new();
    for row in 0..columns[0].cells.len() {
        let cells = columns.iter().zip(&widths);
        let cells: Vec<Vec<String>> = cells.map(|(one, &width)| one.lines(row, width)).collect();
        for at in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            for (place, cell) in cells.iter().enumerate() {
                let text = cell.get(at).map_or("", String::as_str);
                let blanks = " ".repeat(widths[place].saturating_sub(letters(text)));
                let gap = if place == 0 { "" } else { "  " };
                line += gap;
                match columns[place].right {
                    true => line += &(blanks + text),
                    false => line += &(text.to_string() + &blanks),
                }
            }
            lines.push(line.trim_end().to_string());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::layout::table;

    fn widest(text: &str) -> usize {
        text.lines().map(letters).max().unwrap_or(0)
    }

    #[test]
    fn sentences_go_on_in_the_next_line() {
        let text = "Title of it\n───────────\none two three four five six\n";
        let expected = "Title of it\n───────────\none two three\nfour five six\n";
        assert_eq!(fitted(text, 13), expected);
        assert_eq!(fitted(text, 80), text, "what fits stays as it is");
        let facts = "best  one two three four\nsure  five\n";
        let expected = "best  one two\n      three\n      four\nsure  five\n";
        assert_eq!(fitted(facts, 14), expected);
    }

    #[test]
    fn tables_keep_their_columns_and_all_their_numbers() {
        let header = ["system", "what it is", "strength", "interval"];
        let row = |name: &str, what: &str| {
            [name, what, "0.5", "[-0.1234, 0.5678]"]
                .map(String::from)
                .to_vec()
        };
        let rows = [
            row("a", "the first of the systems"),
            row("birch", "another one"),
        ];
        let text = table(&header, &rows);
        for width in [60, 50, 40] {
            let narrow = fitted(&text, width);
            assert!(widest(&narrow) <= width, "{narrow}");
            for whole in ["0.5", "[-0.1234, 0.5678]", "birch", "strength"] {
                assert!(narrow.contains(whole), "{whole} at {width}:\n{narrow}");
            }
            let words = |text: &str| {
                let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
                words.sort();
                words.dedup();
                words
            };
            assert_eq!(words(&narrow), words(&text), "nothing is lost at {width}");
        }
    }

    #[test]
    fn many_columns_become_tables_below_each_other() {
        let header: Vec<String> = (0..12).map(|n| format!("metric-{n}")).collect();
        let header: Vec<&str> = std::iter::once("system")
            .chain(header.iter().map(String::as_str))
            .collect();
        let rows: Vec<Vec<String>> = ["atlas", "birch"]
            .map(|name| {
                std::iter::once(name.to_string())
                    .chain((0..12).map(|n| format!("{n}.25")))
                    .collect()
            })
            .to_vec();
        let narrow = fitted(&table(&header, &rows), 40);
        assert!(widest(&narrow) <= 40, "{narrow}");
        assert_eq!(
            narrow.matches("atlas").count(),
            narrow.matches("system").count()
        );
        assert!(
            narrow.matches("atlas").count() > 2 && narrow.contains("11.25"),
            "{narrow}"
        );
    }

    #[test]
    fn plots_stay_whole() {
        let text = "system  interval  \na           ├──●──┤ and more\nb  1.5   ├●┤\n";
        assert!(fitted(text, 24).contains("├──●──┤"));
    }
}
