//! Colour for texts on a terminal: bold headings, and plots set off from the numbers beside them.
//!
//! The texts themselves hold none, so that files and pipes get the same characters as people.

use std::io::IsTerminal;

const BOLD: &str = "\x1b[1m";
const FAINT: &str = "\x1b[2m";
const BLUE: &str = "\x1b[34m";
const PLAIN: &str = "\x1b[0m";

/// Whether standard output is a terminal that wants colour (<https://no-color.org>).
pub(super) fn wanted() -> bool {
    let set = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && set("NO_COLOR").is_none()
        && set("TERM").is_none_or(|terminal| terminal != "dumb")
}

/// Returns the text with headings bold, the lines below them faint, and plots and bars blue.
pub(super) fn painted(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut painted = String::with_capacity(text.len());
    for (place, line) in lines.iter().enumerate() {
        let below = lines.get(place + 1);
        let (words, end) = line.split_at(line.trim_end().len());
        if is_rule(line) {
            painted += &format!("{FAINT}{words}{PLAIN}{end}");
        } else if below.is_some_and(|below| is_rule(below)) && !words.is_empty() {
            painted += &format!("{BOLD}{words}{PLAIN}{end}");
        } else {
            painted += &plots(words);
            painted += end;
        }
    }
    painted
}

fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && line.chars().all(|c| c == '─' || c == '═')
}

/// Paints runs of the characters that plots are made of blue.
fn plots(line: &str) -> String {
    let mut painted = String::with_capacity(line.len());
    let mut within = false;
    for c in line.chars() {
        let drawn = "├─●┤█▏▎▍▌▋▊▉".contains(c);
        if drawn != within {
            painted += if drawn { BLUE } else { PLAIN };
            within = drawn;
        }
        painted.push(c);
    }
    if within {
        painted += PLAIN;
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_rules_and_plots_are_painted_and_nothing_else() {
        let text = "Title\n─────\na  1.5  ├─●┤\nb  2\n";
        let expected =
            "\x1b[1mTitle\x1b[0m\n\x1b[2m─────\x1b[0m\na  1.5  \x1b[34m├─●┤\x1b[0m\nb  2\n";
        assert_eq!(painted(text), expected);
        assert_eq!(painted("no plot – at all\n"), "no plot – at all\n");
        let plain: String = painted(text)
            .split('\x1b')
            .enumerate()
            .map(|(i, part)| match i {
                0 => part,
                _ => &part[part.find('m').unwrap() + 1..],
            })
            .collect();
        assert_eq!(plain, text);
    }
}
