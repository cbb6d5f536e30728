//! ROUGE-L: the longest common subsequence of two whole texts.

use super::overlap::{Overlaps, RougeOverlap};
use super::tokens::TokenReader;
use crate::text::lcs::Pattern;

pub(super) struct CommonSubsequence<R> {
    reader: R,
    references: Vec<Pattern>,
    hypothesis: Vec<u32>,
}

impl<R> CommonSubsequence<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            references: Vec::new(),
            hypothesis: Vec::new(),
        }
    }
}

impl<R: TokenReader> Overlaps for CommonSubsequence<R> {
    fn set_references(&mut self, references: &[String]) {
        self.reader.forget();
        self.references
            .resize_with(references.len(), Pattern::default);
        let mut symbols = Vec::new();
        for (pattern, text) in self.references.iter_mut().zip(references) {
            self.reader.read(text, &mut symbols);
            pattern.set(&symbols);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(RougeOverlap)) {
        self.reader.read(hypothesis, &mut self.hypothesis);
        for reference in &mut self.references {
            emit(RougeOverlap {
                hits: reference.lcs(&self.hypothesis) as f64,
                hypothesis: self.hypothesis.len() as f64,
                reference: reference.symbols().len() as f64,
            });
        }
    }
}
