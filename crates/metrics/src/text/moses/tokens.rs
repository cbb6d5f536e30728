//! Spaces between words and marks.

use super::super::rewrite::{Rewrite, run};
use super::super::whitespace::is_space;
use super::letters::{is_letter, is_lowercase, is_number, is_word};
use super::{abbreviations, letters};

/// Sets marks, commas outside numbers and English apostrophes apart; full stops are left for
/// [`joined`].
pub(super) fn set_apart(line: &mut Rewrite) {
    line.squeeze(is_space);
    line.replace(|text, at, _| usize::from(text[at] < ' '));
    trim(line);
    line.set_apart(|c| !is_word(c) && !is_space(c) && !matches!(c, '.' | '\'' | '`' | ',' | '-'));
    line.set_runs_apart('.', 2);
    commas(line);
    let not_letter = |c| !is_letter(c);
    let not_word = |c| !is_letter(c) && !is_number(c);
    between(line, not_letter, not_letter, " ' ");
    between(line, not_word, is_letter, " ' ");
    between(line, is_letter, not_letter, " ' ");
    between(line, is_letter, is_letter, " '");
    between(line, is_number, |c| c == 's', " '");
}

/// Takes the spaces at both ends away.
fn trim(line: &mut Rewrite) {
    let text = line.text();
    let start = run(text, is_space);
    let end = text
        .iter()
        .rposition(|&c| !is_space(c))
        .map_or(start, |last| last + 1);
    line.replace(|_, at, _| usize::from(!(start..end).contains(&at)));
}

/// Puts spaces round a comma unless digits stand on both of its sides. A character that one match
/// used up is not the left side of the next.
fn commas(line: &mut Rewrite) {
    line.replace(|text, at, put| match text[at..] {
        [left, ',', ..] if !is_number(left) => {
            put.extend([left, ' ', ',', ' ']);
            2
        }
        _ => 0,
    });
    line.replace(|text, at, put| match text[at..] {
        [',', right, ..] if !is_number(right) => {
            put.extend([' ', ',', ' ', right]);
            2
        }
        _ => 0,
    });
    line.replace(|text, at, put| match text[at..] {
        [left, ','] if is_number(left) => {
            put.extend([left, ' ', ',', ' ']);
            2
        }
        _ => 0,
    });
}

/// Puts `with` in place of an apostrophe between two classes.
fn between(
    line: &mut Rewrite,
    left: impl Fn(char) -> bool,
    right: impl Fn(char) -> bool,
    with: &str,
) {
    line.replace(|text, at, put| match text[at..] {
        [before, '\'', after, ..] if left(before) && right(after) => {
            put.push(before);
            put.extend(with.chars());
            put.push(after);
            3
        }
        _ => 0,
    });
}

/// The words of the line between single spaces, with full stops that end sentences apart.
pub(super) fn joined(line: &Rewrite) -> String {
    let mut words = Vec::new();
    line.words(|word| words.push(word.to_string()));
    let mut joined = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            joined.push(' ');
        }
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        match word.strip_suffix('.') {
            Some(stem) if !stem.is_empty() && ends_here(stem, next) => {
                joined.push_str(stem);
                joined.push_str(" .");
            }
            _ => joined.push_str(word),
        }
    }
    if let Some(before) = joined.strip_suffix(".'") {
        joined = format!("{} . '", before.trim_end())
            .trim_start()
            .to_string();
    }
    joined
}

/// Whether a full stop behind `stem`, before a word that begins with `next`, ends a sentence.
fn ends_here(stem: &str, next: Option<char>) -> bool {
    let several_dots = stem.bytes().all(|byte| byte == b'.');
    let initials = stem.contains('.') && stem.contains(letters::is_letter);
    let numbered = abbreviations::before_numbers(stem) && next.is_some_and(|c| c.is_ascii_digit());
    let goes_on = next.is_some_and(is_lowercase);
    !(several_dots || initials || numbered || goes_on || abbreviations::always(stem))
}
