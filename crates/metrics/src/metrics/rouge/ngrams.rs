//! ROUGE-N: shared n-grams, each at most as often as in the reference.

use super::overlap::{Overlaps, RougeOverlap};
use super::tokens::TokenReader;
use crate::text::ngrams::{self, NgramCounts};

pub(super) struct Ngrams<R> {
    n: usize,
    reader: R,
    /// The n-grams of each reference, and its length in tokens.
    references: Vec<(NgramCounts, usize)>,
    hypothesis: Vec<u32>,
    matches: Vec<u64>,
}

impl<R> Ngrams<R> {
    pub(super) fn new(n: usize, reader: R) -> Self {
        Self {
            n,
            reader,
            references: Vec::new(),
            hypothesis: Vec::new(),
            matches: vec![0; n],
        }
    }
}

impl<R: TokenReader> Overlaps for Ngrams<R> {
    fn set_references(&mut self, references: &[String]) {
        self.reader.forget();
        self.references
            .resize_with(references.len(), Default::default);
        let mut symbols = Vec::new();
        for ((counts, length), text) in self.references.iter_mut().zip(references) {
            self.reader.read(text, &mut symbols);
            *length = symbols.len();
            counts.set(self.n, std::iter::once(&symbols[..]));
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(RougeOverlap)) {
        self.reader.read(hypothesis, &mut self.hypothesis);
        for (counts, length) in &mut self.references {
            self.matches.fill(0);
            counts.overlap(&self.hypothesis, &mut self.matches);
            emit(RougeOverlap {
                hits: self.matches[self.n - 1] as f64,
                hypothesis: ngrams::count(self.hypothesis.len(), self.n) as f64,
                reference: ngrams::count(*length, self.n) as f64,
            });
        }
    }
}
