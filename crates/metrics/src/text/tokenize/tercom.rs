//! Tercom's tokeniser, as sacrebleu 2.6.0's TER has it: by default it only ignores case.
//!
//! Normalising does what 13a does to punctuation and numbers, and sets a final `'s` apart as well.
//! Joining words broken over lines looks for the dash behind the line break (`x\n-y`), where 13a
//! looks before it. The reference's rules for runs of kana can never match, so there are none.

use super::classes::{self, is_asian_punctuation, is_western_symbol};
use super::scan::scan;
use super::without_entities;
use crate::text::whitespace::{trim_end, words};
use std::borrow::Cow;

/// Tercom's tokeniser with its four settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tercom {
    /// Whether punctuation is separated and entities are replaced.
    pub normalized: bool,
    /// Whether punctuation is deleted.
    pub no_punct: bool,
    /// Whether the two above apply to Chinese and Japanese too.
    pub asian_support: bool,
    /// Whether case counts.
    pub case_sensitive: bool,
}

impl Tercom {
    /// Calls `emit` with each token of `line`, in order. Tokens are never empty.
    pub fn tokens(self, line: &str, mut emit: impl FnMut(&str)) {
        let mut line = Cow::Borrowed(trim_end(line));
        if !self.case_sensitive {
            line = Cow::Owned(line.to_lowercase());
        }
        let mut kept = String::new();
        let emit = |token: &str| {
            if !self.no_punct {
                return emit(token);
            }
            kept.clear();
            kept.extend(token.chars().filter(|&c| !self.deletes(c)));
            if !kept.is_empty() {
                emit(&kept);
            }
        };
        if self.normalized {
            let line = apart_from_possessives(&without_markup(&line));
            let classes = match self.asian_support {
                true => &classes::WESTERN_AND_ASIAN,
                false => &classes::WESTERN,
            };
            scan(&line, true, classes, emit);
        } else {
            words(&line).for_each(emit);
        }
    }

    fn deletes(self, c: char) -> bool {
        matches!(c, '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')')
            || (self.asian_support && is_asian_punctuation(c))
    }
}

fn without_markup(line: &str) -> String {
    without_entities(&line.replace("\n-", "").replace('\n', " "))
}

/// Puts a space before each `'s` that ends a word: that is, before a space, a symbol that will
/// stand alone, or the end, but not before a full stop, a comma or other white space.
fn apart_from_possessives(line: &str) -> String {
    let mut result = String::with_capacity(line.len() + 8);
    let mut rest = line;
    while let Some(at) = rest.find("'s") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        result.push_str(before);
        if after.chars().next().is_none_or(is_western_symbol) {
            result.push(' ');
        }
        result.push_str("'s");
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tercom: Tercom, line: &str, expected: &str) {
        let mut tokens = Vec::new();
        tercom.tokens(line, |token| tokens.push(token.to_string()));
        assert_eq!(tokens.join(" "), expected, "of {line:?}");
    }

    const NORMALIZED: Tercom = Tercom {
        normalized: true,
        no_punct: false,
        asian_support: false,
        case_sensitive: false,
    };

    #[test]
    fn by_default_case_alone_is_ignored() {
        check(Tercom::default(), " A cat's  3.5. ", "a cat's 3.5.");
    }

    #[test]
    fn a_possessive_is_set_apart_unless_a_point_follows() {
        check(
            NORMALIZED,
            "Cat's (dog's) owl's. it's",
            "cat 's ( dog 's ) owl's . it 's",
        );
        check(NORMALIZED, "a's\tb x\n-y z\nw", "a's b xy z w");
    }

    #[test]
    fn punctuation_is_deleted_inside_tokens_too() {
        let tercom = Tercom {
            no_punct: true,
            ..Tercom::default()
        };
        check(tercom, "3.5 (a,b) ... 。c", "35 ab 。c");
        let asian = Tercom {
            asian_support: true,
            ..tercom
        };
        check(asian, "。c ！", "c");
    }

    #[test]
    fn characters_stand_alone_but_kana_do_not() {
        let asian = Tercom {
            asian_support: true,
            ..NORMALIZED
        };
        check(asian, "私は猫。", "私 は 猫 。");
        check(asian, "かわいい！3.5", "かわいい ！ 3.5");
        check(NORMALIZED, "私は猫。", "私は猫。");
    }
}
