//! Words and numbers that reports share, whatever their format.

use crate::layout::{number, or_dash, thousands};

/// Returns how many more answers a verdict may take.
pub fn still_needed(answers: u64) -> String {
    let answers = counted(answers, "more answer");
    format!("about {answers} if results go on like this (an estimate)")
}

/// Formats a number of things: `1 comparison`, `1,751 comparisons`.
///
/// ```
/// use tiebreak_base::words::counted;
/// assert_eq!(counted(1, "comparison"), "1 comparison");
/// assert_eq!(counted(1_234_567, "comparison"), "1,234,567 comparisons");
/// ```
pub fn counted(n: u64, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        n => format!("{} {thing}s", thousands(n)),
    }
}

/// Formats an interval: `[0.12, 0.34]`; a dash where there is none.
pub fn interval(lower: Option<f64>, upper: Option<f64>) -> String {
    interval_in(lower, upper, number)
}

/// Formats an [`interval`] whose ends are formatted with `write`.
pub fn interval_in(
    lower: Option<f64>,
    upper: Option<f64>,
    write: impl Fn(f64) -> String,
) -> String {
    or_dash(lower.zip(upper), |(lower, upper)| {
        format!("[{}, {}]", write(lower), write(upper))
    })
}

/// Names the groups of systems without a significant difference, of many only the first; `None` where there are none of
/// several systems.
pub fn not_told_apart<'a>(groups: impl Iterator<Item = &'a Vec<String>>) -> Option<String> {
    const MOST: usize = 12;
    let groups: Vec<String> = groups
        .filter(|group| group.len() > 1)
        .map(|group| group.join(", "))
        .collect();
    let (first, more) = groups.split_at(groups.len().min(MOST));
    let more = match more.len() {
        0 => String::new(),
        more => format!("; and {}", counted(more as u64, "more group")),
    };
    let first = first.join("; ");
    (!groups.is_empty()).then(|| format!("No significant difference within: {first}{more}."))
}

/// Turns a phrase into a sentence: with a capital, and a full stop. A command at its end is quoted, since the full stop is
/// no part of it.
pub fn as_sentence(phrase: &str) -> String {
    let quoted = match phrase.rsplit_once(": tiebreak ") {
        Some((before, command)) if !command.contains([';', '`']) && !command.contains(". ") => {
            format!("{before}: `tiebreak {command}`")
        }
        _ => phrase.to_string(),
    };
    let mut letters = quoted.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .collect::<String>()
        + "."
}

/// Joins names: `a`, `a and b`, `a, b and c`; of many only the first few.
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 5;
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        // "One more" takes the room of its name.
        many if many.len() > MOST + 1 => {
            format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Capitalises the first letter of a sentence; names keep theirs.
pub(crate) fn sentence_case(text: &str) -> String {
    let begins = ["the "];
    match begins.iter().any(|word| text.starts_with(word)) {
        true => text[..1].to_uppercase() + &text[1..],
        false => text.to_string(),
    }
}

/// Formats a section of a text: its title, underlined, and its body.
pub fn section(title: &str, body: &str) -> String {
    format!("\n{title}\n{}\n{body}", "─".repeat(title.chars().count()))
}

/// Formats facts, a line each.
pub fn labelled(facts: Vec<(&'static str, String)>) -> String {
    let line = |(label, value)| format!("{label:24}{value}\n");
    facts.into_iter().map(line).collect()
}

/// Returns each value once, in the order of first appearance.
pub fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_at_the_end_of_a_sentence_is_quoted() {
        let sentence = as_sentence("ask the next questions: tiebreak ask run --out q.csv");
        assert_eq!(
            sentence,
            "Ask the next questions: `tiebreak ask run --out q.csv`."
        );
        assert_eq!(as_sentence("no more"), "No more.");
    }

    #[test]
    fn one_name_more_is_named() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!(listed(&names[..6]), "a, b, c, d, e and f");
        assert_eq!(listed(&names), "a, b, c, d, e and 2 more");
    }

    #[test]
    fn runs_of_one_system_are_left_out() {
        let run = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let runs = [run(&["a", "b"]), run(&["c"]), run(&["d", "e"])];
        let told = not_told_apart(runs.iter()).unwrap();
        assert_eq!(told, "No significant difference within: a, b; d, e.");
        assert_eq!(not_told_apart(runs[1..2].iter()), None);
        let many: Vec<_> = (0..14).map(|_| run(&["x", "y"])).collect();
        let told = not_told_apart(many.iter()).unwrap();
        assert!(told.ends_with("x, y; x, y; and 2 more groups."), "{told}");
    }
}
