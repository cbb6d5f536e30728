//! One form for every quote, dash and space of punctuation.

use super::super::rewrite::{Rewrite, is_digit, run};

/// Normalises the punctuation of a line of English.
pub(super) fn normalize(line: &mut Rewrite) {
    replace_all(line, &[("\r", ""), ("(", " ("), (")", ") ")]);
    line.squeeze(|c| c == ' ');
    line.replace(|text, at, put| match text[at..] {
        [')', ' ', mark @ ('.' | '!' | ':' | '?' | ';' | ','), ..] => {
            put.extend([')', mark]);
            3
        }
        _ => 0,
    });
    replace_all(line, &[("( ", "("), (" )", ")")]);
    line.replace(|text, at, put| match text[at..] {
        [digit, ' ', '%', ..] if is_digit(digit) => {
            put.extend([digit, '%']);
            3
        }
        _ => 0,
    });
    replace_all(
        line,
        &[(" :", ":"), (" ;", ";"), ("`", "'"), ("''", " \" ")],
    );
    replace_all(line, &[("„", "\""), ("“", "\""), ("”", "\"")]);
    replace_all(line, &[("–", "-"), ("—", " - ")]);
    line.squeeze(|c| c == ' ');
    replace_all(line, &[("´", "'")]);
    apostrophes(line, '‘');
    apostrophes(line, '’');
    replace_all(line, &[("‘", "'"), ("‚", "'"), ("’", "'"), ("''", "\"")]);
    replace_all(line, &[("´´", "\""), ("…", "...")]);
    replace_all(
        line,
        &[("\u{a0}«\u{a0}", "\""), ("«\u{a0}", "\""), ("«", "\"")],
    );
    replace_all(
        line,
        &[("\u{a0}»\u{a0}", "\""), ("\u{a0}»", "\""), ("»", "\"")],
    );
    replace_all(
        line,
        &[
            ("\u{a0}%", "%"),
            ("nº\u{a0}", "nº "),
            ("\u{a0}:", ":"),
            ("\u{a0}ºC", " ºC"),
            ("\u{a0}cm", " cm"),
            ("\u{a0}?", "?"),
            ("\u{a0}!", "!"),
            ("\u{a0};", ";"),
            (",\u{a0}", ", "),
        ],
    );
    line.squeeze(|c| c == ' ');
    quotes_last(line);
    line.replace(|text, at, put| match text[at..] {
        [left, '\u{a0}', right, ..] if is_digit(left) && is_digit(right) => {
            put.extend([left, '.', right]);
            3
        }
        _ => 0,
    });
}

/// Makes each replacement over the whole line, one after the other.
fn replace_all(line: &mut Rewrite, pairs: &[(&str, &str)]) {
    for (what, with) in pairs {
        line.replace_text(what, with);
    }
}

/// Makes a quote between letters an apostrophe.
fn apostrophes(line: &mut Rewrite, quote: char) {
    line.replace(|text, at, put| match text[at..] {
        [left, mark, right, ..]
            if mark == quote && left.is_ascii_alphabetic() && right.is_ascii_alphabetic() =>
        {
            put.extend([left, '\'', right]);
            3
        }
        _ => 0,
    });
}

/// Moves a double quote behind the commas and full stops that follow it.
fn quotes_last(line: &mut Rewrite) {
    line.replace(|text, at, put| {
        let marks = run(&text[at + 1..], |c| matches!(c, ',' | '.'));
        if text[at] != '"' || marks == 0 {
            return 0;
        }
        put.extend(&text[at + 1..=at + marks]);
        put.push('"');
        1 + marks
    });
}
