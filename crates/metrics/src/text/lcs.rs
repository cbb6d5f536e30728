//! Longest common subsequences, 64 cells of the table at a time.
//!
//! Row i of the dynamic programme differs from the row above by 0 or 1 in every column, so a
//! column of the table is a bit vector: bit i is 0 where L(i, j) = L(i-1, j) + 1. One column
//! follows from the one before by an addition and three logical operations per word.
//!
//! Source: M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon and J. F. Reid, "A fast and practical
//! bit-vector algorithm for the longest common subsequence problem", IPL 80(6), 2001.

use super::occurrences::Occurrences;

/// One sequence, prepared for comparison with many others.
#[derive(Debug, Default)]
pub struct Pattern {
    symbols: Vec<u32>,
    /// Words per bit vector.
    width: usize,
    occurrences: Occurrences,
    /// Columns of the table: the current one, or all where the way back is asked for.
    columns: Vec<u64>,
}

impl Pattern {
    /// Replaces the sequence by another.
    pub fn set(&mut self, symbols: &[u32]) {
        self.symbols.clear();
        self.symbols.extend_from_slice(symbols);
        self.width = symbols.len().div_ceil(64);
        let placed = symbols.iter().copied().enumerate();
        self.occurrences.set(self.width, placed);
    }

    /// The sequence.
    pub fn symbols(&self) -> &[u32] {
        &self.symbols
    }

    /// The length of a longest common subsequence with `other`.
    pub fn lcs(&mut self, other: &[u32]) -> usize {
        if self.width == 1 {
            return self.lcs_in_a_word(other);
        }
        self.columns.clear();
        self.columns.resize(self.width, u64::MAX);
        for &symbol in other {
            advance(&mut self.columns, self.occurrences.places(symbol));
        }
        // Bits beyond the end of the sequence match nothing and stay 1.
        self.columns
            .iter()
            .map(|word| word.count_zeros() as usize)
            .sum()
    }

    /// The same for a sequence of at most 64 symbols, whose column lies in a register.
    fn lcs_in_a_word(&self, other: &[u32]) -> usize {
        let next = |column: u64, &symbol: &u32| {
            let [mask] = *self.occurrences.chunk(symbol);
            column.wrapping_add(column & mask) | (column & !mask)
        };
        other.iter().fold(u64::MAX, next).count_zeros() as usize
    }

    /// Calls `emit` with the positions in this sequence, last first, of one longest common
    /// subsequence with `other`: the one found walking back from the end, which at a mismatch
    /// steps in this sequence unless only a step in the other keeps the length.
    pub fn lcs_positions(&mut self, other: &[u32], mut emit: impl FnMut(usize)) {
        let width = self.width;
        if width == 0 {
            return;
        }
        self.columns.clear();
        self.columns.resize(width, u64::MAX);
        for &symbol in other {
            let last = self.columns.len() - width;
            self.columns.extend_from_within(last..);
            advance(
                &mut self.columns[last + width..],
                self.occurrences.places(symbol),
            );
        }
        let (mut i, mut j) = (self.symbols.len(), other.len());
        while i > 0 && j > 0 {
            if self.symbols[i - 1] == other[j - 1] {
                emit(i - 1);
                i -= 1;
                j -= 1;
                continue;
            }
            // At a mismatch L(i, j) is the larger neighbour, so a step up from L(i-1, j) means
            // that L(i, j-1) is the larger one.
            let word = self.columns[j * width + (i - 1) / 64];
            if word >> ((i - 1) % 64) & 1 == 0 {
                j -= 1;
            } else {
                i -= 1;
            }
        }
    }

    /// The positions at which `symbol` stands, as a bit vector.
    pub(super) fn occurrences(&self, symbol: u32) -> &[u64] {
        self.occurrences.places(symbol)
    }
}

/// Turns one column into the next: V becomes (V + (V & M)) | (V & !M), with carry over words.
fn advance(column: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (v, &m) in column.iter_mut().zip(mask) {
        let (sum, first) = v.overflowing_add(*v & m);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first || second;
        *v = sum | (*v & !m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(pattern: &[u32], other: &[u32]) -> Vec<usize> {
        let mut prepared = Pattern::default();
        prepared.set(pattern);
        let mut found = Vec::new();
        prepared.lcs_positions(other, |at| found.push(at));
        assert_eq!(prepared.lcs(other), found.len());
        found.reverse();
        found
    }

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(positions(&[1, 2, 3, 4], &[2, 9, 4]), [1, 3]);
        assert_eq!(positions(&[1, 2], &[3]), [0_usize; 0]);
        assert_eq!(positions(&[], &[3]), [0_usize; 0]);
        assert_eq!(positions(&[3], &[]), [0_usize; 0]);
    }

    #[test]
    fn on_ties_the_way_back_gives_up_the_patterns_end() {
        assert_eq!(positions(&[1, 2], &[2, 1]), [0]);
    }

    #[test]
    fn a_pattern_may_be_replaced() {
        let mut pattern = Pattern::default();
        pattern.set(&[1, 2, 3]);
        pattern.set(&[3, 4]);
        assert_eq!(pattern.symbols(), [3, 4]);
        assert_eq!(pattern.lcs(&[1, 2, 3]), 1);
    }

    #[test]
    fn carries_cross_words() {
        let long: Vec<u32> = (0..200).collect();
        assert_eq!(positions(&long, &long).len(), 200);
        let odd: Vec<u32> = (0..200).filter(|n| n % 2 == 1).collect();
        assert_eq!(positions(&long, &odd).len(), 100);
    }
}
