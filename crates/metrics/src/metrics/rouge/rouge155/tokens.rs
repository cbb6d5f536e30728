//! Texts as ROUGE-1.5.5 reads them: a sentence per line, bytes rather than characters.

use super::super::tokens::{LineReader, Meanings, TokenReader, UNSTEMMED};
use super::resources::Resources;
use crate::text::stem::{Mode, stem};
use std::borrow::Cow;

/// The limit of what is read of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LengthLimit {
    None,
    Words(usize),
    Bytes(usize),
}

/// Cuts texts into tokens: words of a-z and 0-9, or what they stand for.
#[derive(Debug)]
pub(in super::super) struct Rouge155Tokenizer<'a> {
    limit: LengthLimit,
    resources: &'a Resources,
    meanings: Meanings,
    word: String,
}

impl<'a> Rouge155Tokenizer<'a> {
    pub(super) fn new(limit: LengthLimit, resources: &'a Resources) -> Self {
        Self {
            limit,
            resources,
            meanings: Meanings::default(),
            word: String::new(),
        }
    }

    /// Appends the tokens of a line.
    fn read_line(&mut self, line: &[u8], symbols: &mut Vec<u32>) {
        let words = line.split(|byte| !byte.is_ascii_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            self.word.clear();
            let lower = word
                .iter()
                .map(|byte| char::from(byte.to_ascii_lowercase()));
            self.word.extend(lower);
            let meaning = |word| meaning(self.resources, word);
            symbols.extend(self.meanings.id(&self.word, meaning));
        }
    }
}

/// The meaning of a word: itself, its stem, or nothing if it is to be left out.
fn meaning<'a>(resources: &'a Resources, word: &'a str) -> Option<Cow<'a, str>> {
    let stop_words = resources.stop_words.as_ref();
    if stop_words.is_some_and(|stop_words| stop_words.table.contains(word)) {
        return None;
    }
    if !resources.stem || word.len() <= UNSTEMMED {
        return Some(word.into());
    }
    let exceptions = resources.exceptions.as_ref();
    let listed = exceptions.and_then(|exceptions| exceptions.table.get(word));
    Some(listed.map_or_else(|| stem(word, Mode::Original).into(), Cow::from))
}

impl TokenReader for Rouge155Tokenizer<'_> {
    fn read(&mut self, text: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        for line in self.limit.cut(text, true) {
            self.read_line(line, symbols);
        }
    }
}

/// A limit of bytes holds for every line by itself when lines are compared (ROUGE-L, ROUGE-W): the
/// program forgets to add them up, and reads none after one that was cut.
impl LineReader for Rouge155Tokenizer<'_> {
    fn lines(&mut self, text: &str) -> Vec<Vec<u32>> {
        let lines = self.limit.cut(text, false).into_iter();
        let read = |line| {
            let mut symbols = Vec::new();
            self.read_line(line, &mut symbols);
            symbols
        };
        lines.map(read).collect()
    }
}

impl LengthLimit {
    /// The lines of the beginning of a text. Bytes are counted over all lines if they are summed.
    fn cut(self, text: &str, summed: bool) -> Vec<&[u8]> {
        let lines = text.as_bytes().split(|&byte| byte == b'\n');
        let (mut kept, mut used) = (Vec::new(), 0);
        for line in lines {
            let (end, more, limit) = match self {
                Self::None => (line.len(), 0, usize::MAX),
                Self::Bytes(limit) => {
                    let end = line.len().min(limit - used);
                    (end, end, limit)
                }
                Self::Words(limit) => {
                    let (end, words) = words(line, limit - used);
                    (end, words, limit)
                }
            };
            kept.push(&line[..end]);
            if used + more >= limit {
                break;
            }
            if summed || matches!(self, Self::Words(_)) {
                used += more;
            }
        }
        kept
    }
}

/// The end of the first words of a line, at most `limit`, and their number. As Perl's `split(/\s+/)` counts, a line
/// that begins with white space has an empty word first, unless it has no other.
fn words(line: &[u8], limit: usize) -> (usize, usize) {
    let space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let (mut end, mut count) = (0, 0);
    if line.first().is_some_and(space) && !line.iter().all(space) {
        count = 1;
    }
    while count < limit {
        let rest = &line[end..];
        let Some(start) = rest.iter().position(|byte| !space(byte)) else {
            break;
        };
        let length = rest[start..].iter().position(space);
        end += start + length.unwrap_or(rest.len() - start);
        count += 1;
    }
    (end, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(limit: LengthLimit, text: &str) -> String {
        let lines = limit.cut(text, true);
        let lines: Vec<_> = lines.into_iter().map(String::from_utf8_lossy).collect();
        lines.join("|")
    }

    fn lines(limit: LengthLimit, stem: bool, text: &str) -> Vec<Vec<u32>> {
        let resources = Resources::load(stem, None, None).unwrap();
        Rouge155Tokenizer::new(limit, &resources).lines(text)
    }

    #[test]
    fn every_byte_but_ascii_letters_and_digits_separates() {
        let read = lines(LengthLimit::None, false, "Na-known naïve KNOWN\nve 3.5");
        assert_eq!(read, [vec![0, 1, 0, 2, 1], vec![2, 3, 4]]);
        assert_eq!(
            lines(LengthLimit::None, true, "houses HOUSE was"),
            [[0, 0, 1]]
        );
    }

    #[test]
    fn limits_are_counted_before_tokenising_and_over_lines() {
        assert_eq!(cut(LengthLimit::Words(3), "a-b c\nd e"), "a-b c|d");
        assert_eq!(cut(LengthLimit::Words(2), " a b"), " a");
        assert_eq!(cut(LengthLimit::Words(2), "  \na b c"), "|a b");
        assert_eq!(cut(LengthLimit::Bytes(4), "ab\ncde\nf"), "ab|cd");
    }

    #[test]
    fn lines_that_are_compared_are_cut_one_by_one() {
        assert_eq!(
            lines(LengthLimit::Bytes(4), false, "ab\ncd\nefghi\nj"),
            [[0], [1], [2]]
        );
    }
}
