//! ROUGE-Lsum: for each line of the reference, the union of its longest common subsequences with
//! all lines of the text (section 3.2 of Lin 2004).
//!
//! A word of the union is a hit only while both texts still have an occurrence of it to spare.
//! A line may have several longest common subsequences; which one enters the union is fixed by
//! [`Pattern::lcs_positions`].

use super::overlap::{Overlaps, RougeOverlap};
use super::tokens::LineReader;
use crate::text::lcs::Pattern;

/// The choice of a common subsequence of two lines, and the value of hits in it.
pub(super) trait Subsequence {
    /// Calls `mark` with the positions in `line` that belong to its subsequence with `other`.
    fn positions(&mut self, line: &mut Pattern, other: &[u32], mark: impl FnMut(usize));

    /// The value of a line of this many words.
    fn line(&self, length: usize) -> f64;

    /// The value of a line's hits: of the positions, which ones are in the union, and which of
    /// these are hits.
    fn hits(&self, marks: &[bool], hits: impl Iterator<Item = bool>) -> f64;
}

/// A subsequence in which every hit counts one.
pub(super) struct UnweightedSubsequence;

impl Subsequence for UnweightedSubsequence {
    fn positions(&mut self, line: &mut Pattern, other: &[u32], mark: impl FnMut(usize)) {
        line.lcs_positions(other, mark);
    }

    fn line(&self, length: usize) -> f64 {
        length as f64
    }

    fn hits(&self, _marks: &[bool], hits: impl Iterator<Item = bool>) -> f64 {
        hits.filter(|&hit| hit).count() as f64
    }
}

pub(super) struct UnionSubsequence<R, S> {
    reader: R,
    subsequence: S,
    references: Vec<ReferenceLines>,
    /// The text as a whole and line by line.
    hypothesis: Vec<u32>,
    lines: Vec<Vec<u32>>,
    /// The spare occurrences of the text's words and of the reference's.
    spare: [SpareCounts; 2],
    in_union: Vec<bool>,
}

#[derive(Default)]
struct ReferenceLines {
    symbols: Vec<u32>,
    lines: Vec<Pattern>,
}

impl<R, S> UnionSubsequence<R, S> {
    pub(super) fn new(reader: R, subsequence: S) -> Self {
        Self {
            reader,
            subsequence,
            references: Vec::new(),
            hypothesis: Vec::new(),
            lines: Vec::new(),
            spare: Default::default(),
            in_union: Vec::new(),
        }
    }
}

impl<R: LineReader, S: Subsequence> Overlaps for UnionSubsequence<R, S> {
    fn set_references(&mut self, references: &[String]) {
        self.references.clear();
        for text in references {
            let mut reference = ReferenceLines::default();
            self.reader.read(text, &mut reference.symbols);
            for line in self.reader.lines(text) {
                let mut pattern = Pattern::default();
                pattern.set(&line);
                reference.lines.push(pattern);
            }
            self.references.push(reference);
        }
    }

    fn overlaps(&mut self, hypothesis: &str, mut emit: impl FnMut(RougeOverlap)) {
        self.reader.read(hypothesis, &mut self.hypothesis);
        self.lines = self.reader.lines(hypothesis);
        for reference in &mut self.references {
            let [own, other] = &mut self.spare;
            own.add(&self.hypothesis);
            other.add(&reference.symbols);
            let (mut hits, mut size) = (0.0, 0.0);
            for line in &mut reference.lines {
                let marks = &mut self.in_union;
                marks.clear();
                marks.resize(line.symbols().len(), false);
                for text in &self.lines {
                    let mark = |at: usize| marks[at] = true;
                    self.subsequence.positions(line, text, mark);
                }
                let found = line.symbols().iter().zip(&*marks);
                let found = found.map(|(&symbol, &marked)| {
                    marked && own.has(symbol) && other.has(symbol) && {
                        own.take(symbol);
                        other.take(symbol);
                        true
                    }
                });
                hits += self.subsequence.hits(marks, found);
                size += self.subsequence.line(line.symbols().len());
            }
            own.forget(&self.hypothesis);
            other.forget(&reference.symbols);
            emit(RougeOverlap {
                hits,
                hypothesis: self.hypothesis.len() as f64,
                reference: size,
            });
        }
    }
}

/// The number of occurrences of each word that are still to spare.
#[derive(Debug, Default)]
struct SpareCounts(Vec<u32>);

impl SpareCounts {
    fn add(&mut self, symbols: &[u32]) {
        for &symbol in symbols {
            let at = symbol as usize;
            if self.0.len() <= at {
                self.0.resize(at + 1, 0);
            }
            self.0[at] += 1;
        }
    }

    fn has(&self, symbol: u32) -> bool {
        self.0.get(symbol as usize).is_some_and(|&left| left > 0)
    }

    fn take(&mut self, symbol: u32) {
        self.0[symbol as usize] -= 1;
    }

    /// Sets the counts of `symbols` to 0.
    fn forget(&mut self, symbols: &[u32]) {
        for &symbol in symbols {
            self.0[symbol as usize] = 0;
        }
    }
}
