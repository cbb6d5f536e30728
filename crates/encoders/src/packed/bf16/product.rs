//! A product, block by block and panel by panel.

use super::pairs::whole;
use super::{Bf16Panels, BlockSums, PAIRS, SIDE, STEP};
use crate::packed::aligned::AlignedFloats;
use crate::packed::product::{Product, activate};
use crate::packed::rows::View;
use crate::packed::simd::{Level, Simd, Work};
use std::cell::RefCell;
use std::ops::Range;

/// Rows that are paired at a time: they and a panel stay in the cache.
const ROWS: usize = 4 * SIDE;

thread_local! {
    /// The paired rows.
    static PAIRED: RefCell<AlignedFloats> = RefCell::default();
}

/// Up to 32 rows of the left factor, in pairs: step by step, 32 rows of 16 pairs.
pub(crate) struct RowBlock<'a> {
    /// The number of rows.
    pub count: usize,
    /// The pairs of all rows.
    pub data: &'a [f32],
}

/// Pairs the numbers of some rows, block by block.
struct RowPairing<'a> {
    x: View<'a>,
    rows: Range<usize>,
    panels: &'a Bf16Panels,
    paired: &'a mut [f32],
}

impl Work for RowPairing<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let order = self.panels.kernel.order();
        let size = self.panels.pairs() * SIDE;
        for (place, i) in self.rows.enumerate() {
            let block = &mut self.paired[place / SIDE * size..][..size];
            let steps = block.chunks_exact_mut(PAIRS * SIDE);
            let row = self.x.row(i, self.panels.depth);
            for (numbers, to) in row.chunks(STEP).zip(steps) {
                let mut pairs = [0.0; PAIRS];
                match numbers.first_chunk() {
                    Some(numbers) => order.pair(numbers, &mut pairs),
                    None => order.pair(&whole(numbers), &mut pairs),
                }
                to[place % SIDE * PAIRS..][..PAIRS].copy_from_slice(&pairs);
            }
        }
    }
}

impl Product<'_, Bf16Panels> {
    /// Computes the product; everything but the multiplications is done by `level`.
    pub(crate) fn compute(mut self, level: Level) {
        let panels = self.factor;
        let mut ready = panels.kernel.ready();
        let mut sums = AlignedFloats::default();
        sums.resize(SIDE * SIDE);
        let sums: &mut BlockSums = sums.first_chunk_mut().expect("as many as there are");
        let size = panels.pairs() * SIDE;
        PAIRED.with_borrow_mut(|paired| {
            paired.resize(ROWS / SIDE * size);
            for first in (0..self.count).step_by(ROWS) {
                let rows = first..self.count.min(first + ROWS);
                level.run(RowPairing {
                    x: self.x,
                    rows: rows.clone(),
                    panels,
                    paired,
                });
                for number in 0..panels.width().div_ceil(SIDE) {
                    let (panel, bias) = panels.panel(number);
                    let columns = number * SIDE..panels.width().min((number + 1) * SIDE);
                    for (start, data) in rows.clone().step_by(SIDE).zip(paired.chunks_exact(size)) {
                        let rows = start..rows.end.min(start + SIDE);
                        let count = rows.len();
                        sums.as_chunks_mut().0.fill(*bias);
                        ready.multiply(&RowBlock { count, data }, panel, sums);
                        level.run(Finish {
                            sums,
                            rows,
                            columns: columns.clone(),
                            product: &mut self,
                        });
                    }
                }
            }
        });
    }
}

/// Writes elements to the output.
struct Finish<'a, 'b> {
    sums: &'a mut BlockSums,
    rows: Range<usize>,
    columns: Range<usize>,
    product: &'a mut Product<'b, Bf16Panels>,
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
            match out.first_chunk_mut() {
                _ if self.product.add => {
                    out.iter_mut().zip(row).for_each(|(out, x)| *out += *x);
                }
                Some(out) => *out = *row,
                None => out.copy_from_slice(&row[..width]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bf16Kernel;
    use super::super::pairs::tests::slowly;
    use super::*;
    use crate::packed::rows::AlignedMatrix;
    use crate::packed::{Arithmetic, Factor, Int8Kernel, PackedLinear, say_what_is_skipped};
    use tiebreak_base::rng::Seed;

    /// One element by definition, number by number.
    fn rounded(x: &[f32], w: &[f32], bias: f32) -> f32 {
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

    /// A product of random numbers.
    struct Case {
        x: AlignedMatrix,
        weight: Vec<f32>,
        bias: Vec<f32>,
    }

    impl Case {
        fn draw(seed: u64, [count, depth, width]: [usize; 3]) -> Self {
            let mut rng = Seed(seed).stream("test", 0);
            let mut normal =
                |n: usize| -> Vec<f32> { (0..n).map(|_| rng.normal() as f32).collect() };
            let mut x = AlignedMatrix::default();
            x.shape(count, depth);
            for i in 0..count {
                x.row_mut(i).copy_from_slice(&normal(depth));
            }
            let (weight, bias) = (normal(width * depth), normal(width));
            Self { x, weight, bias }
        }

        fn found(&self, arithmetic: Arithmetic) -> AlignedMatrix {
            let mut out = AlignedMatrix::default();
            let layer = PackedLinear::new(Level::best(), arithmetic, &self.weight, &self.bias);
            layer.apply(&self.x, None, &mut out);
            out
        }

        /// The elements found, each with its expected value.
        fn found_and_expected<T>(
            &self,
            found: &AlignedMatrix,
            of: impl Fn(&[f32], &[f32], f32) -> T,
        ) -> Vec<(f32, T)> {
            let weights = self.weight.chunks(self.x.width());
            let columns: Vec<_> = weights.zip(&self.bias).collect();
            let elements = (0..found.count()).flat_map(|i| {
                let columns = columns.iter().zip(found.row(i));
                columns.map(move |(&(w, &bias), &found)| (i, w, bias, found))
            });
            elements
                .map(|(i, w, bias, found)| (found, of(self.x.row(i), w, bias)))
                .collect()
        }
    }

    const SHAPES: [[usize; 3]; 6] = [
        [1, 1, 1],
        [3, 31, 33],
        [33, 32, 32],
        [70, 100, 5],
        [6, 384, 70],
        [131, 40, 2],
    ];

    #[test]
    fn every_kernel_computes_the_definition_to_the_bit() {
        say_what_is_skipped();
        for shape in SHAPES {
            let case = Case::draw(2, shape);
            for kernel in Bf16Kernel::all() {
                let found = case.found(Arithmetic::Bf16(kernel));
                for (found, expected) in case.found_and_expected(&found, rounded) {
                    assert_eq!(found.to_bits(), expected.to_bits(), "{kernel:?}");
                }
            }
        }
    }

    #[test]
    fn a_matrix_is_the_same_by_rows_and_by_columns() {
        say_what_is_skipped();
        let kernels = Bf16Kernel::all().into_iter();
        let others = Int8Kernel::all().into_iter().map(Arithmetic::Int8);
        let others = others.chain([Arithmetic::F32]);
        for arithmetic in kernels.map(Arithmetic::Bf16).chain(others) {
            for shape in SHAPES {
                let case = Case::draw(4, shape);
                let [count, depth, width] = shape;
                let weights: Vec<_> = case.weight.chunks(depth).collect();
                let transposed: Vec<f32> = (0..depth)
                    .flat_map(|k| weights.iter().map(move |row| row[k]))
                    .collect();
                let mut factor = Factor::new(Level::best(), arithmetic);
                // Whatever was in it before must not matter.
                factor.rows(View::new(&[f32::NAN; 80], 40), 40, 2);
                factor.rows(View::new(&transposed, width), width, depth);
                let mut out = AlignedMatrix::default();
                out.shape(count, width);
                (0..count).for_each(|i| out.row_mut(i).fill(0.5));
                let product = Product {
                    count,
                    x: case.x.view(0, 0),
                    factor: &factor,
                    activation: None,
                    out: out.view_mut(0, 0),
                    add: true,
                };
                product.compute();
                let bias = vec![0.0; width];
                let expected = Case { bias, ..case }.found(arithmetic);
                for i in 0..count {
                    let expected: Vec<f32> = expected.row(i).iter().map(|x| 0.5 + x).collect();
                    assert_eq!(out.row(i), expected, "{arithmetic:?} {shape:?}");
                }
            }
        }
    }
}
