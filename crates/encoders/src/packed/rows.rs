//! Matrices of activations: one row per token.

use super::aligned::AlignedFloats;

/// A matrix whose rows begin at the start of a cache line. Their distance is not a multiple of 1 KB: rows read
/// together would then fall into the same few cache lines, which costs a product a quarter of its speed.
#[derive(Debug, Default)]
pub(crate) struct AlignedMatrix {
    data: AlignedFloats,
    count: usize,
    width: usize,
    stride: usize,
}

impl AlignedMatrix {
    /// Changes the shape; the contents are then meaningless until written.
    pub(crate) fn shape(&mut self, count: usize, width: usize) {
        self.stride = width.next_multiple_of(16);
        if self.stride.is_multiple_of(256) {
            self.stride += 16;
        }
        (self.count, self.width) = (count, width);
        self.data.resize(count * self.stride);
    }

    /// The number of rows.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The number of floats per row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.stride..][..self.width]
    }

    /// A row, to be written.
    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f32] {
        &mut self.data[i * self.stride..][..self.width]
    }

    /// The part from a row and column on.
    pub(crate) fn view(&self, row: usize, column: usize) -> View<'_> {
        View {
            data: &self.data[row * self.stride + column..],
            stride: self.stride,
        }
    }

    /// The part from a row and column on, to be written.
    pub(crate) fn view_mut(&mut self, row: usize, column: usize) -> ViewMut<'_> {
        ViewMut {
            data: &mut self.data[row * self.stride + column..],
            stride: self.stride,
        }
    }

    /// Copies some rows, one after the other.
    pub(crate) fn copy(&self, rows: std::ops::Range<usize>) -> Vec<f32> {
        let mut all = Vec::with_capacity(rows.len() * self.width);
        rows.for_each(|i| all.extend_from_slice(self.row(i)));
        all
    }
}

/// Rows of a matrix from some place on.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    data: &'a [f32],
    stride: usize,
}

impl<'a> View<'a> {
    /// A view of rows that lie end to end.
    pub(crate) fn new(data: &'a [f32], width: usize) -> Self {
        Self {
            data,
            stride: width,
        }
    }

    /// The same rows from a column on.
    pub(crate) fn from(&self, column: usize) -> Self {
        Self {
            data: &self.data[column..],
            stride: self.stride,
        }
    }

    /// The first `width` floats of a row.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize, width: usize) -> &'a [f32] {
        &self.data[i * self.stride..][..width]
    }
}

/// Rows of a matrix from some place on, to be written.
pub(crate) struct ViewMut<'a> {
    data: &'a mut [f32],
    stride: usize,
}

impl<'a> ViewMut<'a> {
    /// A view of rows that lie end to end.
    pub(crate) fn new(data: &'a mut [f32], width: usize) -> Self {
        Self {
            data,
            stride: width,
        }
    }

    /// The same rows from a column on.
    pub(crate) fn from(&mut self, column: usize) -> ViewMut<'_> {
        ViewMut {
            data: &mut self.data[column..],
            stride: self.stride,
        }
    }

    /// Some columns of a row.
    #[inline(always)]
    pub(crate) fn part(&mut self, i: usize, column: usize, width: usize) -> &mut [f32] {
        &mut self.data[i * self.stride + column..][..width]
    }
}
