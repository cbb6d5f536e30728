//! ROUGE-N: shared n-grams, each at most as often as in the reference.

use super::tokens::Tokens;
use super::{Overlap, Overlaps};
use crate::text::ngrams::{self, NgramCounts};

pub(super) struct Ngrams {
    n: usize,
    tokens: Tokens,
    /// Each reference's n-grams, and its length in tokens.
    references: Vec<(NgramCounts, usize)>,
    hypothesis: Vec<u32>,
    matches: Vec<u64>,
}

impl Ngrams {
    pub(super) fn new(n: usize, tokens: Tokens) -> Self {
        Self {
            n,
            tokens,
            references: Vec::new(),
            hypothesis: Vec::new(),
            matches: vec![0; n],
        }
    }
}

impl Overlaps for Ngrams {
    fn set_references(&mut self, references: &[String]) {
        self.references
            .resize_with(references.len(), Default::default);
        let mut symbols = Vec::new();
        for ((counts, length), text) in self.references.iter_mut().zip(references) {
            self.tokens.read(text, &mut symbols);
            *length = symbols.len();
            counts.reset(self.n, std::iter::once(symbols.len()));
            counts.add(&symbols);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(Overlap)) {
        self.tokens.read(hypothesis, &mut self.hypothesis);
        for (counts, length) in &mut self.references {
            self.matches.fill(0);
            counts.overlap(&self.hypothesis, &mut self.matches);
            emit(Overlap {
                hits: self.matches[self.n - 1] as usize,
                hypothesis: ngrams::count(self.hypothesis.len(), self.n),
                reference: ngrams::count(*length, self.n),
            });
        }
    }
}
