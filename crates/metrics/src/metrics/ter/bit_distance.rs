//! Edit distance by the bits of a number: a row of the table is one step for all columns.
//!
//! Neighbouring cells differ by at most 1. So a row is its differences: where a cell is more or less than that to the
//! left (one bit each), more than that above, or the same as that above to the left.
//!
//! Source: H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", Nordic Journal of
//! Computing 10, 2003, after G. Myers, 1999.

use super::edit_distance::EditStep;
use super::shifts::EditDistances;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// The bits of a row: one for each word of a reference.
pub(super) trait RowBits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    const NONE: Self;
    const FIRST: Self;
    const WIDTH: usize;

    fn plus(self, other: Self) -> Self;

    fn count(self) -> u32;

    fn has(self, place: usize) -> bool;
}

macro_rules! row_bits {
    ($bits:ty) => {
        impl RowBits for $bits {
            const NONE: Self = 0;
            const FIRST: Self = 1;
            const WIDTH: usize = <$bits>::BITS as usize;

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn count(self) -> u32 {
                self.count_ones()
            }

            fn has(self, place: usize) -> bool {
                self >> place & 1 == 1
            }
        }
    };
}

row_bits!(u64);
row_bits!(u128);

/// The rows for a text against one reference.
#[derive(Debug, Clone, Default)]
pub(super) struct BitRows<B> {
    reference: Vec<u32>,
    /// The places of each number in the reference.
    places: Vec<B>,
    /// One more than the words of the text.
    rows: Vec<BitRow<B>>,
}

/// The differences of a row, column 1 in the lowest bit.
#[derive(Debug, Clone, Copy)]
struct BitRow<B> {
    more_than_left: B,
    less_than_left: B,
    more_than_above: B,
    as_diagonal: B,
}

impl<B: RowBits> BitRow<B> {
    /// Row 0.
    fn first() -> Self {
        Self {
            more_than_left: !B::NONE,
            less_than_left: B::NONE,
            more_than_above: B::NONE,
            as_diagonal: B::NONE,
        }
    }

    /// The next row, of a word that is at these places of the reference.
    fn next(self, places: B) -> Self {
        let (more, less) = (self.more_than_left, self.less_than_left);
        let as_diagonal = ((places & more).plus(more) ^ more) | places | less;
        let more_than_above = less | !(as_diagonal | more);
        // Column 0 is one more than above.
        let above = more_than_above << 1 | B::FIRST;
        Self {
            more_than_left: (as_diagonal & more) << 1 | !(as_diagonal | above),
            less_than_left: as_diagonal & above,
            more_than_above,
            as_diagonal,
        }
    }

    /// The last cell of row `row`, of so many columns beside column 0.
    fn last(self, row: usize, columns: usize) -> u32 {
        let all = !B::NONE >> (B::WIDTH - columns);
        let more = (self.more_than_left & all).count();
        row as u32 + more - (self.less_than_left & all).count()
    }
}

impl<B: RowBits> BitRows<B> {
    /// Prepares for a reference of numbers, each one more than its first place; false if it is too long.
    pub(super) fn reset(&mut self, reference: &[u32]) -> bool {
        if reference.len() > B::WIDTH {
            return false;
        }
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.places.clear();
        self.places.resize(reference.len() + 1, B::NONE);
        for (place, &number) in reference.iter().enumerate() {
            self.places[number as usize] |= B::FIRST << place;
        }
        true
    }
}

impl<B: RowBits> EditDistances for BitRows<B> {
    fn read(&mut self, text: &[u32]) -> u32 {
        let mut row = BitRow::first();
        self.rows.clear();
        self.rows.push(row);
        for &word in text {
            row = row.next(self.places[word as usize]);
            self.rows.push(row);
        }
        row.last(text.len(), self.reference.len())
    }

    fn of_tried(&mut self, text: &[u32], shared: usize, rest: [&[u32]; 3], _: u32) -> u32 {
        let next = |row: BitRow<B>, &word: &u32| row.next(self.places[word as usize]);
        let read = |row, part: &[u32]| part.iter().fold(row, next);
        let row = rest.into_iter().fold(self.rows[shared], read);
        row.last(text.len(), self.reference.len())
    }

    fn steps_back(&self, text: &[u32], mut emit: impl FnMut(EditStep)) {
        let (mut i, mut j) = (text.len(), self.reference.len());
        while i > 0 || j > 0 {
            let row = self.rows[i];
            let here = |bits: B| j == 0 || bits.has(j - 1);
            let same = i > 0 && j > 0 && text[i - 1] == self.reference[j - 1];
            if i > 0 && j > 0 && same == here(row.as_diagonal) {
                emit(EditStep::Both { same });
                (i, j) = (i - 1, j - 1);
            } else if i > 0 && here(row.more_than_above) {
                emit(EditStep::Text);
                i -= 1;
            } else {
                emit(EditStep::Reference);
                j -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_ways_by_hand() {
        let mut rows = BitRows::<u64>::default();
        // The numbers of a b c a in the reference a b c a, and of words that it lacks.
        assert!(rows.reset(&[1, 2, 3, 1]));
        assert_eq!(rows.read(&[1, 2, 3, 1]), 0);
        assert_eq!(rows.read(&[]), 4);
        assert_eq!(rows.read(&[0, 1, 2, 3]), 2);
        assert_eq!(rows.of_tried(&[0, 1, 2, 3, 2], 3, [&[2], &[3], &[]], 9), 3);
        let mut steps = Vec::new();
        rows.steps_back(&[0, 1, 2, 3], |step| steps.push(step));
        let same = EditStep::Both { same: true };
        let expected = [EditStep::Reference, same, same, same, EditStep::Text];
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_reference_may_fill_all_bits() {
        let mut rows = BitRows::<u128>::default();
        let longest: Vec<u32> = (1..=128).collect();
        assert!(rows.reset(&longest));
        assert_eq!(rows.read(&longest), 0);
        assert_eq!(rows.read(&longest[5..]), 5);
        assert!(!rows.reset(&(1..=129).collect::<Vec<u32>>()));
    }
}
