//! ROUGE-S and ROUGE-SU: shared pairs of words in order, with not too many words between.
//!
//! A word counts by itself only where a pair begins with it, so the last one never does.
//!
//! Pairs are never listed: for each word that both texts have, the words that follow its occurrences
//! in the reference are counted, and those that follow it in the text are taken from these counts. So
//! memory grows with the length of a text, time with its number of pairs.

use super::overlap::{Overlaps, RougeOverlap};
use super::tokens::TokenReader;
use std::cmp::Ordering;

pub(super) struct SkipBigrams<R> {
    /// The number of words after a word that make a pair with it; `None` for all.
    window: Option<usize>,
    /// Whether words count by themselves too.
    unigrams: bool,
    reader: R,
    references: Vec<Text>,
    hypothesis: Text,
    /// For each word, how often it may still be hit as the second of a pair.
    left: Vec<u32>,
}

#[derive(Debug, Default)]
struct Text {
    symbols: Vec<u32>,
    /// Every word with its position, in ascending order.
    occurrences: Vec<(u32, usize)>,
}

impl Text {
    fn read(&mut self, text: &str, reader: &mut impl TokenReader) {
        reader.read(text, &mut self.symbols);
        self.occurrences.clear();
        let occurrences = self.symbols.iter().copied().zip(0..);
        self.occurrences.extend(occurrences);
        self.occurrences.sort_unstable();
    }

    /// The words that make a pair with the one at `position`.
    fn seconds(&self, position: usize, window: Option<usize>) -> &[u32] {
        let after = &self.symbols[position + 1..];
        &after[..window.map_or(after.len(), |window| window.min(after.len()))]
    }

    /// The number of a word's occurrences that begin a pair: all but the text's last word.
    fn first_of_pairs(&self, occurrences: &[(u32, usize)]) -> usize {
        let last = occurrences.last();
        let ends = last.is_some_and(|&(_, position)| position + 1 == self.symbols.len());
        occurrences.len() - usize::from(ends)
    }

    /// The occurrences of each word, one word after the other.
    fn words(&self) -> impl Iterator<Item = &[(u32, usize)]> {
        self.occurrences.chunk_by(|one, next| one.0 == next.0)
    }
}

impl<R: TokenReader> SkipBigrams<R> {
    pub(super) fn new(window: Option<usize>, unigrams: bool, reader: R) -> Self {
        Self {
            window,
            unigrams,
            reader,
            references: Vec::new(),
            hypothesis: Text::default(),
            left: Vec::new(),
        }
    }

    /// The number of pairs and words of a text that count.
    fn total(&self, text: &Text) -> f64 {
        let length = text.symbols.len();
        let pairs: usize = (0..length)
            .map(|at| text.seconds(at, self.window).len())
            .sum();
        let words = usize::from(self.unigrams) * length.saturating_sub(1);
        (pairs + words) as f64
    }
}

/// The hits of the pairs that begin with one word, given the word's occurrences in both texts.
/// `left` holds zeros, and does again afterwards.
fn shared_seconds(
    (text, in_text): (&Text, &[(u32, usize)]),
    (reference, in_reference): (&Text, &[(u32, usize)]),
    window: Option<usize>,
    left: &mut [u32],
) -> usize {
    for &(_, position) in in_reference {
        for &second in reference.seconds(position, window) {
            left[second as usize] += 1;
        }
    }
    let mut hits = 0;
    for &(_, position) in in_text {
        for &second in text.seconds(position, window) {
            let left = &mut left[second as usize];
            hits += usize::from(*left > 0);
            *left = left.saturating_sub(1);
        }
    }
    for &(_, position) in in_reference {
        for &second in reference.seconds(position, window) {
            left[second as usize] = 0;
        }
    }
    hits
}

impl<R: TokenReader> SkipBigrams<R> {
    fn hits(&self, reference: &Text, left: &mut [u32]) -> usize {
        let text = &self.hypothesis;
        let (mut words, mut others) = (text.words().peekable(), reference.words().peekable());
        let mut hits = 0;
        while let (Some(&own), Some(&other)) = (words.peek(), others.peek()) {
            match own[0].0.cmp(&other[0].0) {
                Ordering::Less => drop(words.next()),
                Ordering::Greater => drop(others.next()),
                Ordering::Equal => {
                    hits += shared_seconds((text, own), (reference, other), self.window, left);
                    if self.unigrams {
                        hits += text
                            .first_of_pairs(own)
                            .min(reference.first_of_pairs(other));
                    }
                    words.next();
                    others.next();
                }
            }
        }
        hits
    }
}

impl<R: TokenReader> Overlaps for SkipBigrams<R> {
    fn set_references(&mut self, references: &[String]) {
        self.references.resize_with(references.len(), Text::default);
        for (reference, text) in self.references.iter_mut().zip(references) {
            reference.read(text, &mut self.reader);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(RougeOverlap)) {
        self.hypothesis.read(hypothesis, &mut self.reader);
        let texts = self.references.iter().chain([&self.hypothesis]);
        let words = texts.filter_map(|text| text.occurrences.last());
        let words = words.map(|&(word, _)| word as usize + 1).max();
        let mut left = std::mem::take(&mut self.left);
        left.resize(left.len().max(words.unwrap_or(0)), 0);
        for reference in &self.references {
            emit(RougeOverlap {
                hits: self.hits(reference, &mut left) as f64,
                hypothesis: self.total(&self.hypothesis),
                reference: self.total(reference),
            });
        }
        self.left = left;
    }
}
