//! ROUGE-Lsum: for each line of the reference, the union of its longest common subsequences with
//! all lines of the text (section 3.2 of Lin 2004).
//!
//! As in ROUGE-1.5.5 a word of the union is a hit only while the text still has an occurrence of
//! it to spare. A line may have several longest common subsequences; which one enters the union is
//! fixed by [`Pattern::lcs_positions`].

use super::tokens::Tokens;
use super::{Overlap, Overlaps};
use crate::text::lcs::Pattern;

pub(super) struct UnionSubsequence {
    tokens: Tokens,
    /// The lines of each reference.
    references: Vec<Vec<Pattern>>,
    /// The lines of the text.
    hypothesis: Vec<Vec<u32>>,
    /// How many occurrences in the text are still to spare, by token.
    spare: Vec<u32>,
    in_union: Vec<bool>,
}

impl UnionSubsequence {
    pub(super) fn new(tokens: Tokens) -> Self {
        Self {
            tokens,
            references: Vec::new(),
            hypothesis: Vec::new(),
            spare: Vec::new(),
            in_union: Vec::new(),
        }
    }
}

impl Overlaps for UnionSubsequence {
    fn set_references(&mut self, references: &[String]) {
        self.references.clear();
        let mut symbols = Vec::new();
        for text in references {
            let mut lines = Vec::new();
            for line in text.split('\n') {
                self.tokens.read(line, &mut symbols);
                let mut pattern = Pattern::default();
                pattern.set(&symbols);
                lines.push(pattern);
            }
            self.references.push(lines);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(Overlap)) {
        self.hypothesis.clear();
        for line in hypothesis.split('\n') {
            let mut symbols = Vec::new();
            self.tokens.read(line, &mut symbols);
            self.hypothesis.push(symbols);
        }
        let length = self.hypothesis.iter().map(Vec::len).sum();
        for reference in &mut self.references {
            count_tokens(&self.hypothesis, &mut self.spare);
            let mut hits = 0;
            for line in reference.iter_mut() {
                union(line, &self.hypothesis, &mut self.in_union);
                for (&symbol, _) in line
                    .symbols()
                    .iter()
                    .zip(&self.in_union)
                    .filter(|(_, hit)| **hit)
                {
                    let spare = &mut self.spare[symbol as usize];
                    hits += usize::from(*spare > 0);
                    *spare = spare.saturating_sub(1);
                }
            }
            emit(Overlap {
                hits,
                hypothesis: length,
                reference: reference.iter().map(|line| line.symbols().len()).sum(),
            });
        }
    }
}

/// Marks the positions of `line` that belong to its longest common subsequence with any of `lines`.
fn union(line: &mut Pattern, lines: &[Vec<u32>], marks: &mut Vec<bool>) {
    marks.clear();
    marks.resize(line.symbols().len(), false);
    for other in lines {
        line.lcs_positions(other, |at| marks[at] = true);
    }
}

/// How often each token occurs in `lines`, by token.
fn count_tokens(lines: &[Vec<u32>], counts: &mut Vec<u32>) {
    counts.fill(0);
    for &symbol in lines.iter().flatten() {
        if counts.len() <= symbol as usize {
            counts.resize(symbol as usize + 1, 0);
        }
        counts[symbol as usize] += 1;
    }
}
