//! A product, block by block and panel by panel.

use super::pairs::whole;
use super::{PAIRS, Panels, SIDE, Sums, steps};
use crate::encoders::config::Activation;
use crate::encoders::packed::aligned::Aligned;
use crate::encoders::packed::product::activate;
use crate::encoders::packed::rows::{View, ViewMut};
use crate::encoders::packed::simd::{Level, Simd, Work};
use std::ops::Range;

/// Up to 32 rows of the left factor, rounded, in pairs.
pub struct Block {
    /// How many.
    pub count: usize,
    /// From one to the next.
    pub stride: usize,
    /// All of them.
    pub data: Aligned,
}

impl Block {
    fn new(depth: usize) -> Self {
        // One step more, so that rows do not all fall into the same lines of the cache.
        let stride = (steps(depth) + 1) * PAIRS;
        let mut data = Aligned::default();
        data.resize(SIDE * stride);
        Self {
            count: 0,
            stride,
            data,
        }
    }
}

/// Takes some rows into a block.
struct Round<'a> {
    block: &'a mut Block,
    x: View<'a>,
    rows: Range<usize>,
    panels: &'a Panels,
}

impl Work for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Block {
            count,
            stride,
            data,
        } = self.block;
        *count = self.rows.len();
        for (i, to) in self.rows.zip(data.chunks_exact_mut(*stride)) {
            let (steps, rest) = self.x.row(i, self.panels.depth).as_chunks();
            let mut to = to.chunks_exact_mut(PAIRS);
            for (numbers, pairs) in steps.iter().zip(&mut to) {
                self.panels.kernel.order().pair(numbers, pairs);
            }
            if let Some(pairs) = to.next().filter(|_| !rest.is_empty()) {
                self.panels.kernel.order().pair(&whole(rest), pairs);
            }
        }
    }
}

/// x W + b, and what an activation makes of it.
pub struct Product<'a> {
    /// How many rows.
    pub count: usize,
    /// The left factor, as wide as the panels are deep.
    pub x: View<'a>,
    /// The right factor.
    pub panels: &'a Panels,
    /// Applied to every element.
    pub activation: Option<Activation>,
    /// Where it goes.
    pub out: ViewMut<'a>,
}

impl Product<'_> {
    /// Computes it; everything but the multiplications is done by `level`.
    pub fn run(mut self, level: Level) {
        let panels = self.panels;
        let mut block = Block::new(panels.depth);
        let mut ready = panels.kernel.ready();
        let mut sums = Aligned::default();
        sums.resize(SIDE * SIDE);
        let sums = sums.first_chunk_mut().expect("as many as there are");
        for first in (0..self.count).step_by(SIDE) {
            let rows = first..self.count.min(first + SIDE);
            level.run(Round {
                block: &mut block,
                x: self.x,
                rows: rows.clone(),
                panels,
            });
            for number in 0..panels.width().div_ceil(SIDE) {
                ready.multiply(&block, panels, number, sums);
                level.run(Finish {
                    sums,
                    rows: rows.clone(),
                    columns: number * SIDE..panels.width().min((number + 1) * SIDE),
                    product: &mut self,
                });
            }
        }
    }
}

/// Puts elements where they go.
struct Finish<'a, 'b> {
    sums: &'a mut Sums,
    rows: Range<usize>,
    columns: Range<usize>,
    product: &'a mut Product<'b>,
}

impl Work for Finish<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let (rows, _) = self.sums.as_chunks_mut::<SIDE>();
        for (i, row) in self.rows.zip(rows) {
            if let Some(activation) = self.product.activation {
                activate(row, activation);
            }
            let width = self.columns.len();
            let out = self.product.out.part(i, self.columns.start, width);
            out.copy_from_slice(&row[..width]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairs::tests::slowly;
    use super::super::{Kernel, STEP};
    use super::*;
    use crate::encoders::packed::rows::Rows;
    use crate::rng::Seed;

    /// The definition, number by number.
    fn element(x: &[f32], w: &[f32], bias: f32) -> f32 {
        let mut sum = bias;
        for (x, w) in x.chunks(STEP).zip(w.chunks(STEP)) {
            let mut chains = [0.0_f32; 2];
            for (place, (&x, &w)) in x.iter().zip(w).enumerate() {
                chains[place % 2] = slowly(x).mul_add(slowly(w), chains[place % 2]);
            }
            sum += chains[0] + chains[1];
        }
        sum
    }

    fn normal(rng: &mut crate::rng::Rng, n: usize) -> Vec<f32> {
        (0..n).map(|_| rng.normal() as f32).collect()
    }

    #[test]
    fn every_kernel_computes_the_definition_to_the_bit() {
        let mut rng = Seed(2).stream("test", 0);
        let shapes = [
            (1, 1, 1),
            (3, 31, 33),
            (33, 32, 32),
            (70, 100, 5),
            (6, 384, 70),
        ];
        for (count, depth, width) in shapes {
            let weight = normal(&mut rng, width * depth);
            let bias = normal(&mut rng, width);
            let mut x = Rows::default();
            x.shape(count, depth);
            for i in 0..count {
                x.row_mut(i).copy_from_slice(&normal(&mut rng, depth));
            }
            for kernel in Kernel::all() {
                let panels = Panels::dense(kernel, &weight, &bias);
                let mut out = Rows::default();
                out.shape(count, width);
                let product = Product {
                    count,
                    x: x.view(0, 0),
                    panels: &panels,
                    activation: None,
                    out: out.view_mut(0, 0),
                };
                product.run(Level::best());
                for i in 0..count {
                    for (column, found) in out.row(i).iter().enumerate() {
                        let w = &weight[column * depth..][..depth];
                        let expected = element(x.row(i), w, bias[column]);
                        assert_eq!(found.to_bits(), expected.to_bits(), "{kernel:?}");
                    }
                }
            }
        }
    }
}
