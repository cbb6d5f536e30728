//! Operations on whole matrices between the products of training.

use crate::dropout::DropoutSite;
use crate::packed::{AlignedMatrix, Level, SequenceDropout, SequenceGroup, Simd, Work};
use std::ops::Range;

/// Sequences laid end to end, with their rows: those of all tokens, or of the first alone.
pub(crate) struct MicroBatch<'a> {
    pub group: &'a SequenceGroup<'a>,
    /// All tokens of a sequence.
    pub tokens: Vec<Range<usize>>,
    /// One row per sequence.
    pub firsts: Vec<Range<usize>>,
    /// The sequences of every example.
    pub examples: Vec<Range<usize>>,
}

impl<'a> MicroBatch<'a> {
    /// The sequences of a group, with the number of them in every example.
    pub(super) fn new(group: &'a SequenceGroup<'a>, sizes: impl Iterator<Item = usize>) -> Self {
        let mut end = 0;
        let place = |size: usize| {
            end += size;
            end - size..end
        };
        Self {
            examples: sizes.map(place).collect(),
            group,
            tokens: group.iter().map(|(_, tokens)| tokens.clone()).collect(),
            firsts: (0..group.len()).map(|i| i..i + 1).collect(),
        }
    }

    /// The number of tokens.
    pub(super) fn size(&self) -> usize {
        self.tokens.last().map_or(0, |tokens| tokens.end)
    }

    /// Drops elements of the rows of every sequence: of values forward, of derivatives back.
    pub(super) fn drop(
        &self,
        level: Level,
        site: DropoutSite,
        rate: f64,
        spans: &[Range<usize>],
        x: &mut AlignedMatrix,
    ) {
        for ((pass, _), rows) in self.group.iter().zip(spans) {
            if let Some(mask) = pass.mask(site, rate) {
                let rows = rows.clone();
                level.run(SequenceDropout { mask, x, rows });
            }
        }
    }

    /// Copies the first row of every sequence.
    pub(super) fn gather(&self, from: &AlignedMatrix, to: &mut AlignedMatrix) {
        to.shape(self.group.len(), from.width());
        for (i, tokens) in self.tokens.iter().enumerate() {
            to.row_mut(i).copy_from_slice(from.row(tokens.start));
        }
    }

    /// Copies rows back to the first row of every sequence, with zeros elsewhere.
    pub(super) fn scatter(&self, from: &AlignedMatrix, to: &mut AlignedMatrix) {
        to.shape(self.size(), from.width());
        for (i, tokens) in self.tokens.iter().enumerate() {
            for row in tokens.clone() {
                to.row_mut(row).fill(0.0);
            }
            to.row_mut(tokens.start).copy_from_slice(from.row(i));
        }
    }
}

/// Copies all rows.
pub(crate) fn copy(from: &AlignedMatrix, to: &mut AlignedMatrix) {
    to.shape(from.count(), from.width());
    for i in 0..from.count() {
        to.row_mut(i).copy_from_slice(from.row(i));
    }
}

/// Transposes a matrix: columns become rows.
pub(crate) struct Transpose<'a> {
    pub from: &'a AlignedMatrix,
    pub to: &'a mut AlignedMatrix,
}

/// Rows that are transposed at once: what is written of each column is then a cache line.
const BLOCK: usize = 16;

impl Work for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { from, to } = self;
        let (count, width) = (from.count(), from.width());
        to.shape(width, count);
        let whole = count - count % BLOCK;
        for first in (0..whole).step_by(BLOCK) {
            let rows: [&[f32]; BLOCK] = std::array::from_fn(|r| from.row(first + r));
            let rows = rows.map(|row| &row[..width]);
            for column in 0..width {
                let to = &mut to.row_mut(column)[first..][..BLOCK];
                for (to, row) in to.iter_mut().zip(rows) {
                    *to = row[column];
                }
            }
        }
        for row in whole..count {
            for (column, &x) in from.row(row).iter().enumerate() {
                to.row_mut(column)[row] = x;
            }
        }
    }
}

/// Adds the sums of some columns, row by row.
pub(crate) struct AddColumns<'a> {
    pub of: &'a AlignedMatrix,
    /// The first column.
    pub first: usize,
    pub to: &'a mut [f32],
}

impl Work for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.of.count() {
            for (sum, x) in self.to.iter_mut().zip(&self.of.row(i)[self.first..]) {
                *sum += x;
            }
        }
    }
}
