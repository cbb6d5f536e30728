//! A line rewritten by one substitution after another, each as a regular expression makes it: over
//! the whole line, from left to right, without overlap.
//!
//! Tokenisers that are defined by such substitutions are reproduced exactly only by making them in
//! their order, since each sees the spaces that earlier ones put in.

use super::whitespace::is_space;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A line and room for its next version.
#[derive(Debug, Default)]
pub(super) struct Rewrite {
    text: Vec<char>,
    next: Vec<char>,
}

impl Rewrite {
    /// Begins with a line.
    pub(super) fn begin(&mut self, line: &str) {
        self.text.clear();
        self.text.extend(line.chars());
    }

    /// The line as it is now.
    pub(super) fn text(&self) -> &[char] {
        &self.text
    }

    /// Makes one substitution. The rule is shown the line and a place in it; where it matches, it
    /// appends what is put instead and returns how many characters it matched, otherwise 0.
    pub(super) fn replace(&mut self, rule: impl Fn(&[char], usize, &mut Vec<char>) -> usize) {
        self.next.clear();
        let mut at = 0;
        while at < self.text.len() {
            match rule(&self.text, at, &mut self.next) {
                0 => {
                    self.next.push(self.text[at]);
                    at += 1;
                }
                matched => at += matched,
            }
        }
        std::mem::swap(&mut self.text, &mut self.next);
    }

    /// Puts a space on either side of every character of a class.
    pub(super) fn set_apart(&mut self, class: impl Fn(char) -> bool) {
        self.replace(|text, at, put| {
            let apart = class(text[at]);
            if apart {
                put.extend([' ', text[at], ' ']);
            }
            usize::from(apart)
        });
    }

    /// Puts a space on either side of every run of at least `shortest` times `mark`.
    pub(super) fn set_runs_apart(&mut self, mark: char, shortest: usize) {
        self.replace(|text, at, put| {
            let run = run(&text[at..], |c| c == mark);
            if run < shortest {
                return 0;
            }
            put.push(' ');
            put.extend(&text[at..at + run]);
            put.push(' ');
            run
        });
    }

    /// Puts `with` in place of `what` wherever that stands.
    pub(super) fn replace_text(&mut self, what: &str, with: &str) {
        self.replace(|text, at, put| {
            let matched = prefix(&text[at..], what);
            if matched > 0 {
                put.extend(with.chars());
            }
            matched
        });
    }

    /// Puts one space in place of every run of a class.
    pub(super) fn squeeze(&mut self, class: impl Fn(char) -> bool) {
        self.replace(|text, at, put| {
            let run = run(&text[at..], &class);
            if run > 0 {
                put.push(' ');
            }
            run
        });
    }

    /// Calls `emit` with each word between white space.
    pub(super) fn words(&self, mut emit: impl FnMut(&str)) {
        let mut word = String::new();
        for part in self.text.split(|&c| is_space(c)) {
            if !part.is_empty() {
                word.clear();
                word.extend(part);
                emit(&word);
            }
        }
    }
}

/// The number of characters of a class that the text begins with.
pub(super) fn run(text: &[char], class: impl Fn(char) -> bool) -> usize {
    let end = text.iter().position(|&c| !class(c));
    end.unwrap_or(text.len())
}

/// The length of `what` in characters if the text begins with it, else 0.
pub(super) fn prefix(text: &[char], what: &str) -> usize {
    let mut length = 0;
    for c in what.chars() {
        if text.get(length) != Some(&c) {
            return 0;
        }
        length += 1;
    }
    length
}

/// Whether Python's `\d` matches: the decimal digits of every script.
pub(super) fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(line: &str, by: impl Fn(&mut Rewrite)) -> String {
        let mut rewrite = Rewrite::default();
        rewrite.begin(line);
        by(&mut rewrite);
        rewrite.text().iter().collect()
    }

    #[test]
    fn a_match_uses_up_what_it_matched() {
        let found = rewritten("aaaa", |line| line.replace_text("aaa", "b"));
        assert_eq!(found, "ba");
        let found = rewritten("a..b.c...", |line| line.set_runs_apart('.', 2));
        assert_eq!(found, "a .. b.c ... ");
        let found = rewritten("a \t  b ", |line| line.squeeze(char::is_whitespace));
        assert_eq!(found, "a b ");
    }

    #[test]
    fn words_are_between_white_space() {
        let mut rewrite = Rewrite::default();
        rewrite.begin(" a,b\u{a0}c ");
        rewrite.set_apart(|c| c == ',');
        let mut words = Vec::new();
        rewrite.words(|word| words.push(word.to_string()));
        assert_eq!(words, ["a", ",", "b", "c"]);
    }
}
