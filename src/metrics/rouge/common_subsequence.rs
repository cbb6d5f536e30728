//! ROUGE-L: the longest common subsequence of two whole texts; line breaks are ordinary space.

use super::tokens::Tokens;
use super::{Overlap, Overlaps};
use crate::text::lcs::Pattern;

pub(super) struct CommonSubsequence {
    tokens: Tokens,
    references: Vec<Pattern>,
    hypothesis: Vec<u32>,
}

impl CommonSubsequence {
    pub(super) fn new(tokens: Tokens) -> Self {
        Self {
            tokens,
            references: Vec::new(),
            hypothesis: Vec::new(),
        }
    }
}

impl Overlaps for CommonSubsequence {
    fn set_references(&mut self, references: &[String]) {
        self.references
            .resize_with(references.len(), Pattern::default);
        let mut symbols = Vec::new();
        for (pattern, text) in self.references.iter_mut().zip(references) {
            self.tokens.read(text, &mut symbols);
            pattern.set(&symbols);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(Overlap)) {
        self.tokens.read(hypothesis, &mut self.hypothesis);
        for reference in &mut self.references {
            emit(Overlap {
                hits: reference.lcs(&self.hypothesis),
                hypothesis: self.hypothesis.len(),
                reference: reference.symbols().len(),
            });
        }
    }
}
