//! METEOR's normaliser for English: text of any tokenisation becomes words and punctuation marks
//! between single spaces.
//!
//! Source: the `-norm` flag of METEOR 1.5, which descends from the tokeniser of Moses: substitutions,
//! each made once over the whole line from left to right, whose context is used up by a match. That is
//! why the second comma of `a,b,c` survives; it is part of the scores.
//!
//! Deviation: the placeholders that the original puts into the text itself (`DOTMULTI`) are ordinary
//! words here.

use super::resources::Prefixes;

/// Returns `line` with its words and marks apart; without `punctuation`, only the words.
pub(super) fn normalize(line: &str, prefixes: &Prefixes, punctuation: bool) -> String {
    let mut text = ellipses_apart(separated(line));
    for (left, right) in [
        (not_digit as CharPredicate, not_digit as CharPredicate),
        (is_digit, not_digit),
        (not_digit, is_digit),
    ] {
        text = between(text, left, ',', right, " , ");
    }
    text = quotes_and_dashes(text);
    for (left, right, with) in [
        (
            not_letter as CharPredicate,
            not_letter as CharPredicate,
            " ' ",
        ),
        (not_word, is_letter, " ' "),
        (is_letter, not_letter, " ' "),
        (is_letter, is_letter, " '"),
        (is_digit, |c| c == 's', " '"),
    ] {
        text = between(text, left, '\'', right, with);
    }
    text = between(text, |c| is_word(c) || c == '.', '-', is_word, " ");
    let text: String = text.into_iter().collect();
    let text = dots_resolved(&text, prefixes);
    if punctuation {
        marks_and_words(&text)
    } else {
        words_only(&text)
    }
}

type CharPredicate = fn(char) -> bool;

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether `c` is a Latin or Cyrillic letter, as far as METEOR knows them.
fn is_letter(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z'
        | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{17e}'
        | '\u{400}'..='\u{527}' | '\u{1d00}'..='\u{1d7f}'
        | '\u{a640}'..='\u{a66e}' | '\u{a67e}'..='\u{a697}')
}

fn is_word(c: char) -> bool {
    is_letter(c) || is_digit(c)
}

fn not_digit(c: char) -> bool {
    !is_digit(c)
}

fn not_letter(c: char) -> bool {
    !is_letter(c)
}

fn not_word(c: char) -> bool {
    !is_word(c)
}

/// Whether `c` is white space from the start. The vertical tab is not: it is neither separated from words nor a space.
fn is_plain_space(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ')
}

/// Whether `c` is white space that is a mark like any other until the end, when it is removed.
fn is_wide_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Returns the line between spaces, with spaces around every character that no later rule is about. Two spaces stay
/// two, since each may be the context of a match.
fn separated(line: &str) -> Vec<char> {
    let mut text = vec![' '];
    for c in line.chars() {
        let kept = is_word(c) || matches!(c, '.' | '\'' | '`' | ',' | '-' | '\u{b}');
        if is_plain_space(c) {
            text.push(' ');
        } else if kept || matches!(c, '\u{2018}' | '\u{2019}') {
            text.push(c);
        } else {
            text.extend([' ', c, ' ']);
        }
    }
    text.push(' ');
    text
}

/// Puts spaces around two or more dots in a row.
fn ellipses_apart(text: Vec<char>) -> Vec<char> {
    if !text.windows(2).any(|pair| pair == ['.', '.']) {
        return text;
    }
    let mut apart = Vec::with_capacity(text.len());
    for run in text.chunk_by(|left, right| *left == '.' && *right == '.') {
        if run.len() > 1 {
            apart.push(' ');
            apart.extend(run);
            apart.push(' ');
        } else {
            apart.extend(run);
        }
    }
    apart
}

/// Replaces `mark` by `with` wherever it stands between the two classes. A character that was the
/// right side of one match is not the left side of the next.
fn between(
    text: Vec<char>,
    left: CharPredicate,
    mark: char,
    right: CharPredicate,
    with: &str,
) -> Vec<char> {
    // Most lines have few of the marks.
    if !text.contains(&mark) {
        return text;
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        replaced.push(text[at]);
        if let [before, found, after, ..] = text[at..]
            && found == mark
            && left(before)
            && right(after)
        {
            replaced.extend(with.chars());
            replaced.push(after);
            at += 3;
        } else {
            at += 1;
        }
    }
    replaced
}

/// Gives single quotes, double quotes and dashes one form each.
fn quotes_and_dashes(mut text: Vec<char>) -> Vec<char> {
    for c in &mut text {
        *c = match *c {
            '`' | '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            '\u{2013}' => '-',
            other => other,
        };
    }
    let double = |pair: &[char]| pair == ['\'', '\''] || pair == ['-', '-'];
    if !text.windows(2).any(double) {
        return text;
    }
    let mut unified = Vec::with_capacity(text.len());
    let mut rest = &text[..];
    while let Some((&first, tail)) = rest.split_first() {
        rest = match (first, tail.first()) {
            ('\'', Some('\'')) => {
                unified.extend([' ', '"', ' ']);
                &tail[1..]
            }
            ('-', Some('-')) => {
                unified.push('-');
                &tail[1..]
            }
            _ => {
                unified.push(first);
                tail
            }
        };
    }
    unified
}

/// Splits the full stops that end sentences from their words, and takes the dots out of
/// abbreviations like U.S.
fn dots_resolved(text: &str, prefixes: &Prefixes) -> String {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let mut resolved = String::with_capacity(text.len());
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            resolved.push(' ');
        }
        let stem = word.strip_suffix('.').unwrap_or("");
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        if stem.is_empty() || stem.ends_with('.') {
            resolved.push_str(word);
        } else if stem.contains('.') && stem.contains(is_letter) {
            resolved.extend(word.chars().filter(|&c| c != '.'));
        } else if prefixes.holds(stem, next) || next.is_some_and(|c| c.is_ascii_lowercase()) {
            resolved.push_str(word);
        } else {
            resolved.push_str(stem);
            resolved.push_str(" .");
        }
    }
    resolved
}

fn marks_and_words(text: &str) -> String {
    let marks = text.split(|c| c == ' ' || is_wide_space(c));
    let marks: Vec<&str> = marks.filter(|mark| !mark.is_empty()).collect();
    let line = marks.join(" ");
    // Java's trim takes every control character at the ends with the spaces.
    line.trim_matches(|c| c <= ' ').to_string()
}

fn words_only(text: &str) -> String {
    let words: Vec<&str> = text
        .split(not_word)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let prefixes = Prefixes::parse("# titles\nDr\n\nNo #NUMERIC_ONLY#\n");
        assert_eq!(normalize(line, &prefixes, true), expected, "of {line:?}");
    }

    #[test]
    fn full_stops_are_told_from_other_dots() {
        check("Dr. No. 5 left. He sat.", "Dr. No. 5 left . He sat .");
        check("No. Never. well.", "No . Never. well .");
        check(
            "the U.S. army... www.x.com 3.14",
            "the US army ... www.x.com 3.14",
        );
    }

    #[test]
    fn contractions_and_quotes_are_told_apart() {
        check("don't 1990's 'so' ``so''", "don 't 1990 's ' so ' \" so \"");
        check("a\u{2019}s \u{201c}b\u{201d}", "a 's \" b \"");
    }

    #[test]
    fn a_match_uses_up_its_context() {
        check("a,b,c 1,2,3 a-b-c", "a , b,c 1,2,3 a b-c");
    }

    #[test]
    fn without_punctuation_words_remain() {
        let prefixes = Prefixes::default();
        assert_eq!(
            normalize("It's, say, 3.5\u{a0}猫!", &prefixes, false),
            "It s say 3 5"
        );
    }
}
