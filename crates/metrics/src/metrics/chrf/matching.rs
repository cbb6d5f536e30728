//! The n-grams of characters and of words that a text shares with its best reference.

use super::ChrfParams;
use super::formula::f_score;
use crate::metrics::by_item::ReferenceComparison;
use crate::text::ngrams::{self, NgramCounts};
use crate::text::vocabulary::Vocabulary;
use crate::text::whitespace::{is_space, words};

/// A text as symbols: its characters, and its words where those are needed.
#[derive(Debug, Default)]
struct Symbols {
    chars: Vec<u32>,
    words: Vec<u32>,
}

/// The n-grams of one reference.
#[derive(Debug, Default)]
struct ChrfReference {
    symbols: Symbols,
    chars: NgramCounts,
    words: NgramCounts,
}

/// Counts what a text shares with each reference of its item, and keeps the best.
pub(super) struct ChrfMatcher<'a> {
    params: &'a ChrfParams,
    vocabulary: Vocabulary,
    /// The references: the first `used` are the item's, the others are kept for their memory.
    references: Vec<ChrfReference>,
    used: usize,
    hypothesis: Symbols,
    matches: Vec<u64>,
    row: Vec<f64>,
}

impl<'a> ChrfMatcher<'a> {
    pub(super) fn new(params: &'a ChrfParams) -> Self {
        Self {
            params,
            vocabulary: Vocabulary::default(),
            references: Vec::new(),
            used: 0,
            hypothesis: Symbols::default(),
            matches: vec![0; params.char_order + params.word_order],
            row: Vec::new(),
        }
    }
}

impl ReferenceComparison for ChrfMatcher<'_> {
    fn set_references(&mut self, references: &[String]) {
        let params = self.params;
        let references = params.multi_reference.considered(references);
        self.used = references.len();
        if self.references.len() < self.used {
            self.references
                .resize_with(self.used, ChrfReference::default);
        }
        for (reference, text) in self.references.iter_mut().zip(references) {
            let symbols = &mut reference.symbols;
            read(params, &mut self.vocabulary, text, symbols);
            let counts = [
                (&mut reference.chars, params.char_order, &symbols.chars),
                (&mut reference.words, params.word_order, &symbols.words),
            ];
            for (counts, order, symbols) in counts {
                counts.set(order, std::iter::once(&symbols[..]));
            }
        }
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let params = self.params;
        read(
            params,
            &mut self.vocabulary,
            hypothesis,
            &mut self.hypothesis,
        );
        let best_row = values.len();
        let mut best = f64::NEG_INFINITY;
        for reference in &mut self.references[..self.used] {
            self.matches.fill(0);
            let (chars, words) = self.matches.split_at_mut(params.char_order);
            reference.chars.overlap(&self.hypothesis.chars, chars);
            reference.words.overlap(&self.hypothesis.words, words);
            self.row.clear();
            let (text, other) = (&self.hypothesis, &reference.symbols);
            push_row(&mut self.row, chars, text.chars.len(), other.chars.len());
            push_row(&mut self.row, words, text.words.len(), other.words.len());
            // The only reference needs no score to be the best.
            let score = match self.used {
                1 => 0.0,
                _ => f_score(params, &self.row),
            };
            if score > best {
                best = score;
                values.truncate(best_row);
                values.extend_from_slice(&self.row);
            }
        }
    }
}

/// Appends (text, reference, matches) for each order.
fn push_row(row: &mut Vec<f64>, matches: &[u64], text: usize, reference: usize) {
    for (n, &matches) in (1..).zip(matches) {
        let reference = ngrams::count(reference, n);
        // An order that the reference does not have cannot count against the text.
        let text = if reference > 0 {
            ngrams::count(text, n)
        } else {
            0
        };
        row.extend([text as f64, reference as f64, matches as f64]);
    }
}

fn read(params: &ChrfParams, vocabulary: &mut Vocabulary, text: &str, symbols: &mut Symbols) {
    let lower = params.lowercase.then(|| text.to_lowercase());
    let text = lower.as_deref().unwrap_or(text);
    read_chars(text, params.whitespace, &mut symbols.chars);
    symbols.words.clear();
    if params.word_order > 0 {
        for word in words(text) {
            let (first, second) = peel(word);
            symbols.words.push(vocabulary.id(first));
            symbols.words.extend(second.map(|rest| vocabulary.id(rest)));
        }
    }
}

/// Replaces `chars` by the characters of a text, with or without white space.
///
/// Every character is written, and white space is then written over: no branch to guess wrong at the end of each word.
fn read_chars(text: &str, whitespace: bool, chars: &mut Vec<u32>) {
    chars.resize(text.len(), 0);
    let mut kept = 0;
    let mut put = |c: u32, space: bool| {
        chars[kept] = c;
        kept += usize::from(whitespace) | usize::from(!space);
    };
    if text.is_ascii() {
        let space =
            |byte: u8| (byte == b' ') | (byte.wrapping_sub(9) < 5) | (byte.wrapping_sub(28) < 4);
        text.bytes()
            .for_each(|byte| put(u32::from(byte), space(byte)));
    } else {
        text.chars().for_each(|c| put(u32::from(c), is_space(c)));
    }
    chars.truncate(kept);
}

/// Takes one ASCII punctuation mark off the end of a word, or else off its beginning: never both.
fn peel(word: &str) -> (&str, Option<&str>) {
    let mark = |c: char| c.is_ascii_punctuation();
    let (last, first) = (word.strip_suffix(mark), word.strip_prefix(mark));
    match (last, first) {
        (Some(stem), _) if !stem.is_empty() => (stem, Some(&word[stem.len()..])),
        (_, Some(stem)) if !stem.is_empty() => (&word[..1], Some(stem)),
        _ => (word, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_white_space_is_left_out() {
        let ascii: String = ('\0'..='\x7f').collect();
        for text in [&ascii, &format!("\u{3000}é{ascii}")] {
            let mut chars = vec![7];
            read_chars(text, false, &mut chars);
            let kept = text.chars().filter(|&c| !is_space(c));
            assert_eq!(chars, kept.map(u32::from).collect::<Vec<u32>>());
            read_chars(text, true, &mut chars);
            assert_eq!(chars, text.chars().map(u32::from).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn one_mark_is_peeled_off_the_end_or_else_the_beginning() {
        assert_eq!(peel("(hi)"), ("(hi", Some(")")));
        assert_eq!(peel("(hi"), ("(", Some("hi")));
        assert_eq!(peel("!!"), ("!", Some("!")));
        assert_eq!(peel("!"), ("!", None));
        assert_eq!(peel("é."), ("é", Some(".")));
        assert_eq!(peel("«é»"), ("«é»", None));
    }
}
