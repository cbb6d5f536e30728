//! Levenshtein distances, 64 cells of the table at a time.
//!
//! Neighbouring cells of the table differ by at most 1, so a column is two bit vectors: where the
//! next row is one more, and where it is one less. One column follows from the one before by some
//! fifteen operations per word.
//!
//! Source: G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
//! programming", JACM 46(3), 1999, in the form for whole sequences of H. Hyyrö, "A bit-vector
//! algorithm for computing Levenshtein and Damerau edit distances", NJC 10, 2003.

use super::lcs::Pattern;

/// 64 rows of a column, as differences to the row above.
#[derive(Debug, Clone, Copy)]
struct BitVectorBlock {
    more: u64,
    less: u64,
}

/// How a cell differs from its left neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellDelta {
    More,
    Same,
    Less,
}

impl Pattern {
    /// The number of symbols to insert, delete or replace to turn this sequence into `other`.
    pub fn distance(&self, other: &[u32]) -> usize {
        let length = self.symbols().len();
        if length == 0 {
            return other.len();
        }
        let whole = BitVectorBlock {
            more: u64::MAX,
            less: 0,
        };
        let mut column = vec![whole; length.div_ceil(64)];
        let last = 1 << ((length - 1) % 64);
        let mut distance = length;
        for &symbol in other {
            // Above the first row the next column is always one more.
            let mut step = CellDelta::More;
            let mut end = CellDelta::Same;
            for (block, &equal) in column.iter_mut().zip(self.occurrences(symbol)) {
                (step, end) = block.advance(equal, step, last);
            }
            match end {
                CellDelta::More => distance += 1,
                CellDelta::Same => {}
                CellDelta::Less => distance -= 1,
            }
        }
        distance
    }
}

impl BitVectorBlock {
    /// Turns the block of one column into that of the next, given where the symbol stands and how
    /// the row above steps. Returns how the block's last row steps, and the row of the bit `row`.
    fn advance(&mut self, equal: u64, above: CellDelta, row: u64) -> (CellDelta, CellDelta) {
        let vertical = equal | self.less;
        let equal = equal | u64::from(above == CellDelta::Less);
        let horizontal = (((equal & self.more).wrapping_add(self.more)) ^ self.more) | equal;
        let more = self.less | !(horizontal | self.more);
        let less = self.more & horizontal;
        let step = |row: u64| match (more & row != 0, less & row != 0) {
            (true, _) => CellDelta::More,
            (_, true) => CellDelta::Less,
            _ => CellDelta::Same,
        };
        let steps = (step(1 << 63), step(row));
        let more = more << 1 | u64::from(above == CellDelta::More);
        let less = less << 1 | u64::from(above == CellDelta::Less);
        self.more = less | !(vertical | more);
        self.less = more & vertical;
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(one: &[u32], other: &[u32]) -> usize {
        let mut pattern = Pattern::default();
        pattern.set(one);
        pattern.distance(other)
    }

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(distance(&[], &[]), 0);
        assert_eq!(distance(&[1, 2], &[]), 2);
        assert_eq!(distance(&[], &[1, 2]), 2);
        assert_eq!(distance(&[1, 2, 3], &[1, 3]), 1);
        assert_eq!(distance(&[1, 2, 3], &[2, 3, 4]), 2);
        assert_eq!(distance(&[1, 2, 3], &[7, 8, 9]), 3);
    }

    #[test]
    fn steps_cross_words() {
        let long: Vec<u32> = (0..200).collect();
        assert_eq!(distance(&long, &long), 0);
        assert_eq!(distance(&long, &long[70..]), 70);
        assert_eq!(distance(&long[1..], &long[..199]), 2);
        let strangers: Vec<u32> = (1000..1150).collect();
        assert_eq!(distance(&long, &strangers), 200);
    }
}
