//! The right factor of a product.

use super::pairs::{join, whole};
use super::{Bf16Kernel, PAIRS, SIDE, STEP};
use crate::packed::aligned::AlignedFloats;
use crate::packed::rows::View;
use crate::packed::simd::{Level, Simd, Work};

/// The right factor of a product, rounded and packed for one kernel: panels of 32 columns, in
/// each step by step, 16 rows of 32 pairs.
#[derive(Debug)]
pub(crate) struct Bf16Panels {
    pub kernel: Bf16Kernel,
    width: usize,
    pub depth: usize,
    data: AlignedFloats,
    bias: AlignedFloats,
}

impl Bf16Panels {
    /// An empty factor, without rows or columns.
    pub(crate) fn new(kernel: Bf16Kernel) -> Self {
        Self {
            kernel,
            width: 0,
            depth: 0,
            data: AlignedFloats::default(),
            bias: AlignedFloats::default(),
        }
    }

    /// Takes a dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub(crate) fn dense(&mut self, weight: &[f32], bias: &[f32]) {
        let (width, depth) = (bias.len(), weight.len() / bias.len());
        self.shape(width, depth);
        self.bias[..width].copy_from_slice(bias);
        let (order, size) = (self.kernel.order(), self.pairs() * SIDE);
        let mut pairs = [0.0; PAIRS];
        for (column, row) in weight.chunks_exact(depth).enumerate() {
            let panel = &mut self.data[column / SIDE * size..][..size];
            let mut places = panel[column % SIDE..].iter_mut().step_by(SIDE);
            for numbers in row.chunks(STEP) {
                order.pair(&whole(numbers), &mut pairs);
                for (pair, place) in pairs.iter().zip(&mut places) {
                    *place = *pair;
                }
            }
        }
    }

    /// Takes the `depth` rows of a matrix as they are, each `width` long, without bias.
    pub(crate) fn rows(&mut self, level: Level, from: View<'_>, width: usize, depth: usize) {
        self.shape(width, depth);
        level.run(PairRows { panels: self, from });
    }

    /// Sets the shape, without bias, and zero where the last panel is not full.
    fn shape(&mut self, width: usize, depth: usize) {
        (self.width, self.depth) = (width, depth);
        let padded = width.next_multiple_of(SIDE);
        self.data.resize(padded * self.pairs());
        self.bias.resize(padded);
        self.bias.fill(0.0);
        if padded > width {
            let last = (padded - SIDE) * self.pairs();
            self.data[last..].fill(0.0);
        }
    }

    /// The number of columns of a product.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of pairs of a column.
    pub(crate) fn pairs(&self) -> usize {
        self.depth.div_ceil(STEP) * PAIRS
    }

    /// A panel, with its part of the bias.
    pub(crate) fn panel(&self, number: usize) -> (&[f32], &[f32; SIDE]) {
        let size = self.pairs() * SIDE;
        let (bias, _) = self.bias.as_chunks();
        (&self.data[number * size..][..size], &bias[number])
    }
}

/// Packs rows two by two.
struct PairRows<'a, 'b> {
    panels: &'a mut Bf16Panels,
    from: View<'b>,
}

impl Work for PairRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { panels, from } = self;
        let (width, depth) = (panels.width, panels.depth);
        let (order, size) = (panels.kernel.order(), panels.pairs() * SIDE);
        let zeros = [0.0; SIDE];
        for (number, panel) in panels.data.chunks_exact_mut(size).enumerate() {
            let columns = number * SIDE..width.min((number + 1) * SIDE);
            let row = |k: usize| match k < depth {
                true => whole(&from.row(k, width)[columns.clone()]),
                false => zeros,
            };
            for (step, to) in panel.chunks_exact_mut(PAIRS * SIDE).enumerate() {
                let (to, _) = to.as_chunks_mut::<SIDE>();
                for (pair, to) in to.iter_mut().enumerate() {
                    let (low, high) = order.places(pair);
                    join([row(step * STEP + low), row(step * STEP + high)], to);
                }
            }
        }
    }
}
