//! Matrix products: rows of activations times a packed matrix.
//!
//! The right factor lies in panels of two vectors' width, each `depth` rows deep, so that the inner
//! loop reads it from end to end. A tile of as many rows as the registers hold is finished in one
//! go over the whole depth: every element is one chain of multiply-adds that starts at its bias,
//! so its bits do not depend on how many rows there are, nor on which tile it fell into.

use super::aligned::AlignedFloats;
use super::rows::{View, ViewMut};
use super::simd::{Level, Simd, Work};
use crate::config::Activation;
use crate::math;
use std::ops::Range;

/// Floats of a packed matrix that stay in the cache while all rows pass by: 384 KB.
const BLOCK: usize = 96 * 1024;

/// Columns that are packed at once, so that writes are adjacent. It divides a panel.
const SIDE: usize = 8;

/// The right factor of a product, packed for one instruction set.
#[derive(Debug, Default)]
pub(crate) struct F32Panels {
    panel: usize,
    depth: usize,
    width: usize,
    data: AlignedFloats,
    bias: Vec<f32>,
}

impl F32Panels {
    /// Takes a dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub(crate) fn dense(&mut self, level: Level, weight: &[f32], bias: &[f32]) {
        let depth = weight.len() / bias.len();
        self.columns(level, View::new(weight, depth), bias.len(), depth);
        self.bias[..bias.len()].copy_from_slice(bias);
    }

    /// The number of columns of a product.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Takes the `width` columns of a matrix from the rows of `from`, each `depth` long.
    pub(crate) fn columns(&mut self, level: Level, from: View<'_>, width: usize, depth: usize) {
        self.shape(level, width, depth);
        let whole = width - width % SIDE;
        for column in (0..whole).step_by(SIDE) {
            self.pack_columns::<SIDE>(from, column);
        }
        for column in whole..width {
            self.pack_columns::<1>(from, column);
        }
    }

    /// Packs `N` columns of one panel.
    fn pack_columns<const N: usize>(&mut self, from: View<'_>, column: usize) {
        let (panel, depth) = (self.panel, self.depth);
        let rows: [&[f32]; N] = std::array::from_fn(|i| from.row(column + i, depth));
        let start = column / panel * depth * panel + column % panel;
        let places = self.data[start..].chunks_mut(panel);
        for (k, places) in (0..depth).zip(places) {
            for (place, row) in places.iter_mut().zip(rows) {
                *place = row[k];
            }
        }
    }

    /// Fills up the last panel with columns whose every element is −∞.
    pub(crate) fn fill_up(&mut self) {
        self.bias[self.width..].fill(f32::NEG_INFINITY);
        self.width = self.bias.len();
    }

    /// Takes the `depth` rows of a matrix as they are, each `width` long.
    pub(crate) fn rows(&mut self, level: Level, from: View<'_>, width: usize, depth: usize) {
        self.shape(level, width, depth);
        let panel = self.panel;
        for k in 0..depth {
            for (number, part) in from.row(k, width).chunks(panel).enumerate() {
                let start = (number * depth + k) * panel;
                self.data[start..][..part.len()].copy_from_slice(part);
            }
        }
    }

    /// Sets the shape, without bias, and zero where the last panel is not full.
    fn shape(&mut self, level: Level, width: usize, depth: usize) {
        (self.panel, self.width, self.depth) = (level.panel(), width, depth);
        let padded = width.next_multiple_of(self.panel);
        self.data.resize(padded * depth);
        if padded > width {
            let last = padded * depth - self.panel * depth;
            self.data[last..].fill(0.0);
        }
        self.bias.clear();
        self.bias.resize(padded, 0.0);
    }
}

/// x W + b, with an optional activation.
pub(crate) struct Product<'a, F = F32Panels> {
    /// The number of rows.
    pub count: usize,
    /// The left factor, as wide as the right one is deep.
    pub x: View<'a>,
    /// The right factor.
    pub factor: &'a F,
    /// The activation of every element.
    pub activation: Option<Activation>,
    /// The output.
    pub out: ViewMut<'a>,
    /// Whether the result is added to the output.
    pub add: bool,
}

impl<'a, F> Product<'a, F> {
    /// The same product by another factor.
    pub(crate) fn by<G>(self, factor: &'a G) -> Product<'a, G> {
        Product {
            count: self.count,
            x: self.x,
            factor,
            activation: self.activation,
            out: self.out,
            add: self.add,
        }
    }
}

/// A right factor that is packed in panels.
pub(crate) trait RightFactor {
    fn panels(&self) -> &F32Panels;

    /// Makes elements of the sums of the panels, whose first is at a row and column; rows of sums are `wide` long.
    #[inline(always)]
    fn finish(&self, _row: usize, _column: usize, _wide: usize, _sums: &mut [f32]) {}
}

impl RightFactor for F32Panels {
    fn panels(&self) -> &F32Panels {
        self
    }
}

impl<F: RightFactor> Work for Product<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let F32Panels { depth, bias, .. } = self.factor.panels();
        let (depth, panels) = ((*depth).max(1), bias.len() / (2 * S::WIDTH));
        let block = (BLOCK / (depth * 2 * S::WIDTH)).max(1);
        for first in (0..panels).step_by(block) {
            let some = first..(first + block).min(panels);
            match S::ROWS {
                14 => self.block::<S, 14>(simd, some),
                6 => self.block::<S, 6>(simd, some),
                _ => self.block::<S, 4>(simd, some),
            }
        }
    }
}

impl<F: RightFactor> Product<'_, F> {
    /// Multiplies all rows by some panels: in tiles of `R` rows, the rest in smaller ones.
    #[inline(always)]
    fn block<S: Simd, const R: usize>(&mut self, simd: S, panels: Range<usize>) {
        let mut row = 0;
        while row + R <= self.count {
            self.rows::<S, R>(simd, row, panels.clone());
            row += R;
        }
        while row + 4 <= self.count {
            self.rows::<S, 4>(simd, row, panels.clone());
            row += 4;
        }
        match self.count - row {
            3 => self.rows::<S, 3>(simd, row, panels),
            2 => self.rows::<S, 2>(simd, row, panels),
            1 => self.rows::<S, 1>(simd, row, panels),
            _ => {}
        }
    }

    #[inline(always)]
    fn rows<S: Simd, const R: usize>(&mut self, simd: S, row: usize, panels: Range<usize>) {
        let wide = 2 * S::WIDTH;
        let factor = self.factor.panels();
        let (depth, width) = (factor.depth, factor.width);
        let x: [&[f32]; R] = std::array::from_fn(|r| self.x.row(row + r, depth));
        for number in panels {
            let panel = &factor.data[number * depth * wide..][..depth * wide];
            let column = number * wide;
            let sums = tile::<S, R>(simd, x, panel, &factor.bias[column..]);
            // All sums leave the registers before the first is read again: reading earlier would stall.
            let mut elements = [[0.0; 32]; R];
            let elements = &mut elements.as_flattened_mut()[..R * wide];
            for (to, sums) in elements.chunks_exact_mut(wide).zip(sums) {
                simd.store(sums[0], to);
                simd.store(sums[1], &mut to[S::WIDTH..]);
            }
            self.factor.finish(row, column, wide, elements);
            if let Some(activation) = self.activation {
                activate(elements, activation);
            }
            for (r, elements) in elements.chunks_exact(wide).enumerate() {
                // A constant length for the compiler, except in the last panel.
                if column + wide <= width {
                    self.put(row + r, column, elements);
                } else {
                    self.put(row + r, column, &elements[..width - column]);
                }
            }
        }
    }

    /// Writes elements of a row to the output.
    #[inline(always)]
    fn put(&mut self, row: usize, column: usize, elements: &[f32]) {
        let out = self.out.part(row, column, elements.len());
        if self.add {
            for (out, x) in out.iter_mut().zip(elements) {
                *out += x;
            }
        } else {
            out.copy_from_slice(elements);
        }
    }
}

/// Multiplies `R` rows by one panel, starting at the bias.
#[inline(always)]
fn tile<S: Simd, const R: usize>(
    simd: S,
    mut x: [&[f32]; R],
    panel: &[f32],
    bias: &[f32],
) -> [[S::Vector; 2]; R] {
    let mut sums = [[simd.load(bias), simd.load(&bias[S::WIDTH..])]; R];
    let depth = panel.len() / (2 * S::WIDTH);
    // One length for all, so that the loop below needs no check.
    for row in &mut x {
        *row = &row[..depth];
    }
    for (weights, k) in panel.chunks_exact(2 * S::WIDTH).zip(0..depth) {
        let weights = [simd.load(weights), simd.load(&weights[S::WIDTH..])];
        for r in 0..R {
            let x = simd.splat(x[r][k]);
            sums[r][0] = simd.mul_add(x, weights[0], sums[r][0]);
            sums[r][1] = simd.mul_add(x, weights[1], sums[r][1]);
        }
    }
    sums
}

/// Applies an activation to every element.
#[inline(always)]
pub(crate) fn activate(x: &mut [f32], activation: Activation) {
    match activation {
        Activation::Gelu => each(x, math::gelu),
        Activation::GeluTanh => each(x, |x| {
            let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
            0.5 * x * (1.0 + math::tanh(inner))
        }),
        Activation::Relu => each(x, |x| x.max(0.0)),
        Activation::Silu => each(x, |x| x * math::sigmoid(x)),
        Activation::Tanh => each(x, math::tanh),
    }
}

#[inline(always)]
fn each(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for x in x {
        *x = f(*x);
    }
}
