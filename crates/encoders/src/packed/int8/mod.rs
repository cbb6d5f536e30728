//! Products of factors in eight bits, with sums in whole numbers.
//!
//! A weight is s·q, with one scale s for each output and q from −127 to 127, as in files
//! ([`int8`](crate::int8)), so a model stored in eight bits loses nothing here. An activation
//! is t·(u − z) with u from 0 to 255: the range of its row, with 0 in it, in 255 steps of t. An
//! element is (Σ u q − z Σ q) · t s + bias. Both sums are whole numbers far below 2^31, the same
//! in any order; the rest is f32, in one order. So every kernel gives the same bits, and rows are
//! independent of each other.
//!
//! Numbers are moved as the bits of floats, four of 8 bits or two of 16, so that the tiles of
//! [`product`](super::product) can be used here too.

mod quantise;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
use super::instructions::{Avx512Vnni, AvxVnni};
use super::product::{self, Product, RightFactor};
use super::rows::{AlignedMatrix, View};
use super::simd::{Level, Simd, Work};
use crate::int8;
use pulp::bytemuck::cast_slice_mut;
use quantise::{RowQuantiser, Step};
use std::cell::RefCell;

/// A way to compute products in eight bits.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Int8Kernel {
    /// 512-bit vectors of fours.
    #[cfg(target_arch = "x86_64")]
    Wide(Avx512Vnni),
    /// 256-bit vectors of fours.
    #[cfg(target_arch = "x86_64")]
    Narrow(AvxVnni),
    /// Vectors of pairs, after widening the numbers: hardly faster than f32.
    Widened(Level),
}

impl Int8Kernel {
    /// All kernels that this processor has, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(Avx512Vnni::detect().map(Self::Wide));
            all.extend(AvxVnni::detect().map(Self::Narrow));
        }
        all.extend(Level::all().into_iter().map(Self::Widened));
        all
    }

    /// The fastest kernel of this processor.
    pub(crate) fn best() -> Self {
        Self::all()[0]
    }

    /// The number of numbers in the bits of a float.
    fn numbers(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Wide(_) | Self::Narrow(_) => 4,
            Self::Widened(_) => 2,
        }
    }

    /// The instruction set with vectors of f32 of the same width.
    fn level(self) -> Level {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Wide(set) => Level::Avx512(set.0),
            #[cfg(target_arch = "x86_64")]
            Self::Narrow(set) => Level::Avx2(set.0),
            Self::Widened(level) => level,
        }
    }

    fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Wide(set) => set.run(work),
            #[cfg(target_arch = "x86_64")]
            Self::Narrow(set) => set.run(work),
            Self::Widened(level) => level.run(Int16PairWork(work)),
        }
    }
}

/// The right factor of a product.
#[derive(Debug)]
pub(crate) struct Int8Panels {
    kernel: Int8Kernel,
    depth: usize,
    /// The numbers q.
    whole: product::F32Panels,
    /// The sum of q, the scale and the bias of every column, padded to whole panels.
    sums: Vec<i32>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Int8Panels {
    /// An empty factor, without rows or columns.
    pub(crate) fn new(kernel: Int8Kernel) -> Self {
        Self {
            kernel,
            depth: 0,
            whole: product::F32Panels::default(),
            sums: Vec::new(),
            scales: Vec::new(),
            bias: Vec::new(),
        }
    }

    /// Takes a dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub(crate) fn dense(&mut self, weight: &[f32], bias: &[f32]) {
        let (width, depth) = (bias.len(), weight.len() / bias.len());
        let (level, numbers) = (self.kernel.level(), self.kernel.numbers());
        let words = depth.div_ceil(numbers);
        let padded = width.next_multiple_of(level.panel());
        self.depth = depth;
        self.bias = bias.to_vec();
        self.sums = vec![0; padded];
        self.scales = vec![0.0; padded];
        self.bias.resize(padded, 0.0);
        let mut whole = vec![0.0; width * words];
        let columns = weight
            .chunks_exact(depth)
            .zip(whole.chunks_exact_mut(words));
        for (column, (row, to)) in columns.enumerate() {
            let (scale, quantised) = int8::rounded(row);
            let finite = row.iter().all(|x| x.is_finite());
            self.scales[column] = if finite { scale } else { f32::NAN };
            let sum = &mut self.sums[column];
            let quantised = quantised.inspect(|q| *sum += i32::from(*q));
            if numbers == 4 {
                let places = cast_slice_mut::<f32, i8>(to).iter_mut();
                places.zip(quantised).for_each(|(place, q)| *place = q);
            } else {
                let places = cast_slice_mut::<f32, i16>(to).iter_mut();
                places
                    .zip(quantised)
                    .for_each(|(place, q)| *place = q.into());
            }
        }
        self.whole
            .columns(level, View::new(&whole, words), width, words);
    }

    /// Takes the `depth` rows of a matrix as they are, each `width` long, without bias.
    pub(crate) fn rows(&mut self, from: View<'_>, width: usize, depth: usize) {
        let column = |column| (0..depth).map(move |k| from.row(k, width)[column]);
        let weight: Vec<f32> = (0..width).flat_map(column).collect();
        self.dense(&weight, &vec![0.0; width]);
    }

    /// The number of columns of a product.
    pub(crate) fn width(&self) -> usize {
        self.whole.width()
    }
}

/// The right factor, with the rounding steps of the left one's rows.
struct Int8RightFactor<'a> {
    panels: &'a Int8Panels,
    steps: &'a [Step],
}

impl RightFactor for Int8RightFactor<'_> {
    fn panels(&self) -> &product::F32Panels {
        &self.panels.whole
    }

    #[inline(always)]
    fn finish(&self, row: usize, column: usize, wide: usize, sums: &mut [f32]) {
        let offsets = some(&self.panels.sums[column..][..wide]);
        let scales = some(&self.panels.scales[column..][..wide]);
        let bias = some(&self.panels.bias[column..][..wide]);
        for (sums, step) in sums.chunks_exact_mut(wide).zip(&self.steps[row..]) {
            for (i, x) in sums.iter_mut().enumerate() {
                let sum = x.to_bits().cast_signed() - step.zero * offsets[i];
                *x = sum as f32 * (step.size * scales[i]) + bias[i];
            }
        }
    }
}

/// A copy of a panel's numbers, apart from what is written, so that it stays in registers.
#[inline(always)]
fn some<T: Copy + Default>(numbers: &[T]) -> [T; 32] {
    let mut some = [T::default(); 32];
    some[..numbers.len()].copy_from_slice(numbers);
    some
}

thread_local! {
    /// The left factor in whole numbers.
    static QUANTISED: RefCell<(AlignedMatrix, Vec<Step>)> = RefCell::default();
}

impl Product<'_, Int8Panels> {
    /// Computes the product.
    pub(crate) fn compute(self) {
        let panels = self.factor;
        let numbers = panels.kernel.numbers();
        QUANTISED.with_borrow_mut(|(rows, steps)| {
            rows.shape(self.count, panels.depth.div_ceil(numbers));
            steps.clear();
            panels.kernel.level().run(RowQuantiser {
                x: self.x,
                depth: panels.depth,
                numbers,
                rows,
                steps,
            });
            let factor = Int8RightFactor { panels, steps };
            let product = Product {
                count: self.count,
                x: rows.view(0, 0),
                factor: &factor,
                activation: self.activation,
                out: self.out,
                add: self.add,
            };
            panels.kernel.run(product);
        });
    }
}

/// Work whose multiply-adds are sums of products of pairs.
struct Int16PairWork<W>(W);

impl<W: Work> Work for Int16PairWork<W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> W::Output {
        self.0.run(Int16PairSimd(simd))
    }
}

/// Vectors of pairs of whole numbers of 16 bits, in the bits of floats.
#[derive(Clone, Copy)]
struct Int16PairSimd<S>(S);

impl<S: Simd> Simd for Int16PairSimd<S> {
    const WIDTH: usize = S::WIDTH;
    const ROWS: usize = S::ROWS;
    type Vector = S::Vector;

    #[inline(always)]
    fn splat(self, x: f32) -> S::Vector {
        self.0.splat(x)
    }

    #[inline(always)]
    fn load(self, from: &[f32]) -> S::Vector {
        self.0.load(from)
    }

    #[inline(always)]
    fn store(self, vector: S::Vector, to: &mut [f32]) {
        self.0.store(vector, to);
    }

    #[inline(always)]
    fn mul_add(self, a: S::Vector, b: S::Vector, c: S::Vector) -> S::Vector {
        self.0.add_products_of_pairs(a, b, c)
    }

    #[inline(always)]
    fn add_products_of_pairs(self, a: S::Vector, b: S::Vector, c: S::Vector) -> S::Vector {
        self.mul_add(a, b, c)
    }

    #[inline(always)]
    fn run<W: Work>(self, work: W) -> W::Output {
        self.0.run(Int16PairWork(work))
    }
}
