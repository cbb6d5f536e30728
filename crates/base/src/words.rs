//! Words and numbers that reports share, whatever their format.

use crate::layout::number;

/// Returns how many more answers a verdict may take.
pub fn still_needed(answers: u64) -> String {
    format!("if evidence goes on to come as it came, about {answers} more answers (no promise)")
}

/// Formats an interval: `[0.12, 0.34]`; a dash where there is none.
pub fn interval(lower: Option<f64>, upper: Option<f64>) -> String {
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("[{}, {}]", number(lower), number(upper)),
        _ => "–".to_string(),
    }
}

/// Turns a phrase into a sentence.
pub fn capitalised(phrase: &str) -> String {
    let mut letters = phrase.chars();
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
        many if many.len() > MOST => {
            format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Capitalises the first letter of a sentence; names keep theirs.
pub(crate) fn sentence_case(text: &str) -> String {
    let begins = ["if ", "the "];
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
