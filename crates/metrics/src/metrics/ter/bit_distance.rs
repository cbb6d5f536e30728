//! Edit distance by the bits of a number: a row of the table is one step for all columns.
//!
//! Neighbouring cells differ by at most 1. So a row is its differences: where a cell is more or less than that to the
//! left (one bit each), more than that above, or the same as that above to the left.
//!
//! Source: H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", Nordic Journal of
//! Computing 10, 2003, after G. Myers, 1999.

use super::edit_distance::EditStep;
use super::shifts::EditDistances;

/// The bits of a row: one for each word of a reference.
type Bits = u128;

/// The rows for a text against one reference.
#[derive(Debug, Clone, Default)]
pub(super) struct BitRows {
    reference: Vec<u32>,
    /// The places of each number in the reference.
    places: Vec<Bits>,
    /// One more than the words of the text.
    rows: Vec<BitRow>,
}

/// The differences of a row, column 1 in the lowest bit.
#[derive(Debug, Clone, Copy)]
struct BitRow {
    more_than_left: Bits,
    less_than_left: Bits,
    more_than_above: Bits,
    as_diagonal: Bits,
}

impl BitRow {
    /// Row 0.
    const FIRST: Self = Self {
        more_than_left: Bits::MAX,
        less_than_left: 0,
        more_than_above: 0,
        as_diagonal: 0,
    };

    /// The next row, of a word that is at these places of the reference.
    fn next(self, places: Bits) -> Self {
        let (more, less) = (self.more_than_left, self.less_than_left);
        let as_diagonal = ((places & more).wrapping_add(more) ^ more) | places | less;
        let more_than_above = less | !(as_diagonal | more);
        // Column 0 is one more than above.
        let above = more_than_above << 1 | 1;
        Self {
            more_than_left: (as_diagonal & more) << 1 | !(as_diagonal | above),
            less_than_left: as_diagonal & above,
            more_than_above,
            as_diagonal,
        }
    }

    /// The last cell of row `row`, of so many columns beside column 0.
    fn last(self, row: usize, columns: usize) -> u32 {
        let all = Bits::MAX >> (Bits::BITS as usize - columns);
        let more = (self.more_than_left & all).count_ones();
        row as u32 + more - (self.less_than_left & all).count_ones()
    }
}

impl BitRows {
    /// Prepares for a reference of numbers, each one more than its first place; false if it is too long.
    pub(super) fn reset(&mut self, reference: &[u32]) -> bool {
        if reference.len() > Bits::BITS as usize {
            return false;
        }
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.places.clear();
        self.places.resize(reference.len() + 1, 0);
        for (place, &number) in reference.iter().enumerate() {
            self.places[number as usize] |= 1 << place;
        }
        true
    }
}

impl EditDistances for BitRows {
    fn read(&mut self, text: &[u32]) -> u32 {
        let mut row = BitRow::FIRST;
        self.rows.clear();
        self.rows.push(row);
        for &word in text {
            row = row.next(self.places[word as usize]);
            self.rows.push(row);
        }
        row.last(text.len(), self.reference.len())
    }

    fn of_tried(&mut self, text: &[u32], shared: usize) -> u32 {
        let row = text[shared..].iter().fold(self.rows[shared], |row, &word| {
            row.next(self.places[word as usize])
        });
        row.last(text.len(), self.reference.len())
    }

    fn steps_back(&self, text: &[u32], mut emit: impl FnMut(EditStep)) {
        let (mut i, mut j) = (text.len(), self.reference.len());
        while i > 0 || j > 0 {
            let row = self.rows[i];
            let here = |bits: Bits| j == 0 || bits >> (j - 1) & 1 == 1;
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
        let mut rows = BitRows::default();
        // The numbers of a b c a in the reference a b c a, and of words that it lacks.
        assert!(rows.reset(&[1, 2, 3, 1]));
        assert_eq!(rows.read(&[1, 2, 3, 1]), 0);
        assert_eq!(rows.read(&[]), 4);
        assert_eq!(rows.read(&[0, 1, 2, 3]), 2);
        assert_eq!(rows.of_tried(&[0, 1, 2, 2, 3], 3), 3);
        let mut steps = Vec::new();
        rows.steps_back(&[0, 1, 2, 3], |step| steps.push(step));
        let same = EditStep::Both { same: true };
        let expected = [EditStep::Reference, same, same, same, EditStep::Text];
        assert_eq!(steps, expected);
    }

    #[test]
    fn a_reference_may_fill_all_bits() {
        let mut rows = BitRows::default();
        let longest: Vec<u32> = (1..=Bits::BITS).collect();
        assert!(rows.reset(&longest));
        assert_eq!(rows.read(&longest), 0);
        assert_eq!(rows.read(&longest[5..]), 5);
        assert!(!rows.reset(&(1..=Bits::BITS + 1).collect::<Vec<u32>>()));
    }
}
