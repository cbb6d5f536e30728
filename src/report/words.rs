//! What reports say in words and numbers, whatever they are written in.

use crate::layout::{number, percent};
use crate::tables::simulation::Predicted;

/// How many answers a verdict may still take.
pub(crate) fn still_needed(answers: u64) -> String {
    format!("if evidence goes on to come as it came, about {answers} more answers (no promise)")
}

/// Systems that predictions dropped.
pub(crate) fn dropped(systems: &[String]) -> String {
    format!("{} (dropped by predictions)", systems.join(", "))
}

/// An interval: `[0.12, 0.34]`; a dash where there is none.
pub(crate) fn interval(lower: Option<f64>, upper: Option<f64>) -> String {
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("[{}, {}]", number(lower), number(upper)),
        _ => "–".to_string(),
    }
}

/// What people's judgments said of the predictions.
pub(crate) fn predictions(predicted: &Predicted, experiment: bool) -> String {
    let Some(accuracy) = predicted.accuracy else {
        return "no judgment has shown yet whether they are better than chance".to_string();
    };
    let shown = match (predicted.after, experiment) {
        (None, _) => "not shown to be better than chance".to_string(),
        (Some(after), false) => format!("better than chance after {} of them", number(after)),
        (Some(after), true) => format!(
            "better than chance in {} of runs, half of them within {} judgments",
            percent(predicted.better_than_chance),
            number(after)
        ),
    };
    let among = match predicted.survivors {
        true => " of the systems they kept",
        false => "",
    };
    format!(
        "right in {} of people's judgments{among}; {shown}",
        percent(accuracy)
    )
}

/// A phrase as a sentence of its own.
pub(crate) fn capitalised(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .collect::<String>()
        + "."
}

/// `a`, `a and b`, `a, b and c`; of many the first few.
pub(crate) fn listed(names: &[&str]) -> String {
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

/// A sentence begun with a capital letter; names keep theirs.
pub(crate) fn sentence_case(text: &str) -> String {
    let begins = ["if ", "the "];
    match begins.iter().any(|word| text.starts_with(word)) {
        true => text[..1].to_uppercase() + &text[1..],
        false => text.to_string(),
    }
}

/// A section of a text: its title, underlined, and its body.
pub(crate) fn section(title: &str, body: &str) -> String {
    format!("\n{title}\n{}\n{body}", "─".repeat(title.chars().count()))
}

/// Facts, a line each.
pub(crate) fn labelled(facts: Vec<(&'static str, String)>) -> String {
    let line = |(label, value)| format!("{label:24}{value}\n");
    facts.into_iter().map(line).collect()
}

/// Each value once, in the order of their first appearance.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}
