//! Words and punctuation marks as nltk's `word_tokenize` sees them.
//!
//! Source: `NLTKWordTokenizer` of nltk 3.10.4, a descendant of the Penn Treebank's `tokenizer.sed`.
//! Quotes are opened and closed, contractions and marks set apart by substitutions in a fixed order,
//! then the line is split on white space.
//!
//! Deviation: nltk first splits text into sentences by a trained model (Punkt), which is not at
//! hand; here a line is one sentence, as with nltk's `preserve_line`. A full stop inside the line
//! stays attached to its word.

use super::rewrite::{Rewrite, is_digit, prefix, run};
use super::whitespace::is_space;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The tokeniser with room to work in; use one for many lines.
#[derive(Debug, Default)]
pub struct WordTokenizer {
    line: Rewrite,
}

impl WordTokenizer {
    /// Calls `emit` with each token of `line`, in order. Double quotes become ` `` ` and `''`.
    pub fn tokens(&mut self, line: &str, emit: impl FnMut(&str)) {
        let text = &mut self.line;
        text.begin(line);
        open_quotes(text);
        final_stop(text);
        punctuation(text);
        text.replace_text("--", " -- ");
        text.replace(surround);
        close_quotes(text);
        contractions(text);
        text.words(emit);
    }
}

fn open_quotes(line: &mut Rewrite) {
    line.replace(|text, at, put| {
        let ticks = run(&text[at..], |c| c == '`');
        let matched = match text[at] {
            '«' | '“' | '‘' | '„' => 1,
            _ => ticks,
        };
        if matched > 0 {
            put.push(' ');
            put.extend(&text[at..at + matched]);
            put.push(' ');
        }
        matched
    });
    line.replace(|text, at, put| {
        let opening = at == 0 && text[0] == '"';
        if opening {
            put.extend(['`', '`']);
        }
        usize::from(opening)
    });
    line.replace_text("``", " `` ");
    line.replace(|text, at, put| {
        let matched = match text[at..] {
            [' ' | '(' | '[' | '{' | '<', '"', ..] => 2,
            [' ' | '(' | '[' | '{' | '<', '\'', '\'', ..] => 3,
            _ => return 0,
        };
        put.extend([text[at], ' ', '`', '`', ' ']);
        matched
    });
    line.replace(|text, at, put| {
        let before = at > 0 && is_word(text[at - 1]);
        let after = text.get(at + 1).is_some_and(|&c| is_word(c));
        let opening = text[at] == '\'' && !before && after && !is_clitic(&text[at + 1..]);
        if opening {
            put.extend(['\'', ' ']);
        }
        usize::from(opening)
    });
}

/// Whether a text begins with what may follow an apostrophe, as a whole word.
fn is_clitic(text: &[char]) -> bool {
    let length = run(text, is_word);
    let word: String = text[..length].iter().collect();
    let clitics = ["re", "ve", "ll", "m", "t", "s", "d", "n"];
    clitics
        .iter()
        .any(|clitic| word.eq_ignore_ascii_case(clitic))
}

/// Sets the full stop that ends the line apart, closing brackets and quotes after it
/// notwithstanding.
///
/// nltk does it again, more narrowly, after the other marks; nothing is left to find then.
fn final_stop(line: &mut Rewrite) {
    let text = line.text();
    let Some(stop) = text.iter().rposition(|&c| c == '.') else {
        return;
    };
    let closing = |c| {
        matches!(
            c,
            ']' | ')' | '}' | '>' | '"' | '\'' | '»' | '”' | '’' | ' '
        )
    };
    let after = stop + 1 + run(&text[stop + 1..], closing);
    let ends = text[after..].iter().all(|c| c.is_whitespace());
    if ends && stop > 0 && text[stop - 1] != '.' {
        line.replace(|_, at, put| {
            let found = at == stop;
            if found {
                put.extend([' ', '.', ' ']);
            }
            usize::from(found)
        });
    }
}

fn punctuation(line: &mut Rewrite) {
    line.replace(|text, at, put| match text[at..] {
        [mark @ (':' | ','), after, ..] if !is_digit(after) => {
            put.extend([' ', mark, ' ', after]);
            2
        }
        _ => 0,
    });
    line.replace(|text, at, put| match text[at..] {
        [mark @ (':' | ',')] | [mark @ (':' | ','), '\n'] => {
            put.extend([' ', mark, ' ']);
            1
        }
        _ => 0,
    });
    line.set_runs_apart('.', 2);
    line.set_apart(|c| {
        matches!(
            c,
            ';' | '@' | '#' | '$' | '%' | '&' | '\u{2012}'..='\u{2015}' | '?' | '!'
        )
    });
    line.replace(|text, at, put| match text[at..] {
        [before, '\'', ' ', ..] if before != '\'' => {
            put.extend([before, ' ', '\'', ' ']);
            3
        }
        _ => 0,
    });
    line.set_apart(|c| matches!(c, '*' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>'));
}

/// Puts a space before the line and one behind it.
fn surround(text: &[char], at: usize, put: &mut Vec<char>) -> usize {
    if at == 0 {
        put.push(' ');
    }
    put.push(text[at]);
    if at + 1 == text.len() {
        put.push(' ');
    }
    1
}

fn close_quotes(line: &mut Rewrite) {
    line.set_apart(|c| matches!(c, '»' | '”' | '’'));
    line.replace_text("''", " '' ");
    line.replace_text("\"", " '' ");
    line.squeeze(char::is_whitespace);
    line.replace(|text, at, put| match text[at..] {
        [' ' | '\'', ..] => 0,
        [
            before,
            '\'',
            end @ ('s' | 'S' | 'm' | 'M' | 'd' | 'D'),
            ' ',
            ..,
        ] => {
            put.extend([before, ' ', '\'', end, ' ']);
            4
        }
        [before, '\'', ' ', ..] => {
            put.extend([before, ' ', '\'', ' ']);
            3
        }
        _ => 0,
    });
    line.replace(|text, at, put| {
        let endings = [
            "'ll ", "'LL ", "'re ", "'RE ", "'ve ", "'VE ", "n't ", "N'T ",
        ];
        let lengths = endings.map(|ending| prefix(&text[at + 1..], ending));
        let length = lengths.into_iter().max().unwrap_or(0);
        if length == 0 || matches!(text[at], ' ' | '\'') {
            return 0;
        }
        put.extend([text[at], ' ']);
        put.extend(&text[at + 1..=at + length]);
        1 + length
    });
}

/// Splits words such as `cannot`, `gonna` and, where one of those precedes it, `'tis`.
fn contractions(line: &mut Rewrite) {
    let pairs = [
        ("can", "not"),
        ("d", "'ye"),
        ("gim", "me"),
        ("gon", "na"),
        ("got", "ta"),
        ("lem", "me"),
        ("more", "'n"),
        ("wan", "na"),
    ];
    line.replace(|text, at, put| {
        if at > 0 && is_alphanumeric(text[at - 1]) {
            return 0;
        }
        split_pair(&text[at..], &pairs, put)
    });
    for pair in [(" 't", "is"), (" 't", "was")] {
        line.replace(|text, at, put| split_pair(&text[at..], &[pair], put));
    }
}

/// Puts a space round each half of the pair that the text begins with, in either case, if nothing
/// of a word follows it.
fn split_pair(text: &[char], pairs: &[(&str, &str)], put: &mut Vec<char>) -> usize {
    let begins = |(first, second): &&(&str, &str)| {
        let expected = first.chars().chain(second.chars());
        let same = |(c, expected): (&char, char)| c.eq_ignore_ascii_case(&expected);
        text.len() >= first.len() + second.len() && text.iter().zip(expected).all(same)
    };
    let Some((first, second)) = pairs.iter().find(begins) else {
        return 0;
    };
    let length = first.len() + second.len();
    let after = text.get(length).copied();
    let ends = match *first {
        "wan" => after.is_some_and(is_space),
        _ => !after.is_some_and(is_alphanumeric),
    };
    if !ends {
        return 0;
    }
    put.push(' ');
    put.extend(&text[..first.len()]);
    put.push(' ');
    put.extend(&text[first.len()..length]);
    put.push(' ');
    length
}

/// Whether `\w` of the package regex matches: letters, marks, digits, connectors and joiners.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let marked = c.general_category_group() == GeneralCategoryGroup::Mark;
    let connects = c.general_category() == GeneralCategory::ConnectorPunctuation;
    let joins = matches!(c, '\u{200c}' | '\u{200d}');
    c.is_alphabetic() || marked || is_digit(c) || connects || joins
}

/// Whether `\w` of Python's own `re` matches.
fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let group = c.general_category_group();
    matches!(
        group,
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let mut tokens = Vec::new();
        WordTokenizer::default().tokens(line, |token| tokens.push(token.to_string()));
        assert_eq!(tokens.join(" "), expected, "of {line:?}");
    }

    #[test]
    fn quotes_are_opened_and_closed() {
        check(
            "\"a\" (\"b\") 'c' ``d''",
            "`` a '' ( `` b '' ) ' c ' `` d ''",
        );
        check("'s 'em “e” «f»", "'s ' em “ e ” « f »");
    }

    #[test]
    fn contractions_are_split() {
        check("I can't, you'll CANNOT", "I ca n't , you 'll CAN NOT");
        check("gimme more'n we wanna", "gim me more 'n we wan na");
        check(
            "cannots wannabe the dogs' it's",
            "cannots wannabe the dogs ' it 's",
        );
    }

    #[test]
    fn only_the_last_full_stop_is_set_apart() {
        check("Mr. A. said so.", "Mr. A. said so .");
        check("He left.)\" ", "He left . ) ''");
        check("wait... 3.14, 2,5: no..", "wait ... 3.14 , 2,5 : no ..");
        check(".", ".");
    }

    #[test]
    fn nothing_has_no_tokens() {
        check("", "");
        check(" \t\u{3000}", "");
    }
}
