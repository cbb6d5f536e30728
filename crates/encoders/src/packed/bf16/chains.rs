//! The products of bf16 on vectors: two chains of multiply-adds per element and step.

use super::product::RowBlock;
use super::{BlockSums, PAIRS, SIDE, STEP};
use crate::packed::aligned::AlignedFloats;
use crate::packed::simd::{Level, Simd, Work};

/// A block of rows times a panel. A step is two chains of `LINKS` numbers, one after the other;
/// with vectors of pairs, a pair counts as one number.
pub(crate) struct Chains<'a, const LINKS: usize> {
    /// The number of rows.
    pub count: usize,
    /// The left factor: 32 rows in every step.
    pub block: &'a [f32],
    /// The right factor: 32 columns for every number of a row.
    pub panel: &'a [f32],
    /// The elements to which the product is added.
    pub sums: &'a mut BlockSums,
}

impl<const LINKS: usize> Work for Chains<'_, LINKS> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for column in (0..SIDE).step_by(2 * S::WIDTH) {
            // As many rows as the registers hold with two sums of either chain.
            match S::ROWS {
                14 => self.columns::<S, 6>(simd, column),
                6 => self.columns::<S, 2>(simd, column),
                _ => self.columns::<S, 1>(simd, column),
            }
        }
    }
}

impl<const LINKS: usize> Chains<'_, LINKS> {
    /// Multiplies all rows by some columns.
    #[inline(always)]
    fn columns<S: Simd, const R: usize>(&mut self, simd: S, column: usize) {
        let mut row = 0;
        while row + R <= self.count {
            self.rows::<S, R>(simd, row, column);
            row += R;
        }
        while row < self.count {
            self.rows::<S, 1>(simd, row, column);
            row += 1;
        }
    }

    #[inline(always)]
    fn rows<S: Simd, const R: usize>(&mut self, simd: S, row: usize, column: usize) {
        let size = 2 * LINKS * SIDE;
        let weights = self.panel.chunks_exact(size);
        for (block, weights) in self.block.chunks_exact(size).zip(weights) {
            let x: [&[f32]; R] =
                std::array::from_fn(|r| &block[(row + r) * 2 * LINKS..][..2 * LINKS]);
            let (even, odd) = weights.split_at(LINKS * SIDE);
            let zero = [[simd.splat(0.0); 2]; R];
            let (mut evens, mut odds) = (zero, zero);
            for link in 0..LINKS {
                let at = link * SIDE + column;
                add(simd, |r| x[r][link], &even[at..], &mut evens);
                add(simd, |r| x[r][LINKS + link], &odd[at..], &mut odds);
            }
            for (r, (even, odd)) in evens.into_iter().zip(odds).enumerate() {
                let sums = &mut self.sums[(row + r) * SIDE + column..][..2 * S::WIDTH];
                let (even, odd) = (stored(simd, even), stored(simd, odd));
                for (sum, (even, odd)) in sums.iter_mut().zip(even.into_iter().zip(odd)) {
                    *sum += even + odd;
                }
            }
        }
    }
}

/// Adds one link of as many chains as there are rows and columns. `x` is a function, not an array: if the compiler
/// does not inline the mapping of arrays, the sums leave their registers and a product takes three times as long.
#[inline(always)]
fn add<S: Simd, const R: usize>(
    simd: S,
    x: impl Fn(usize) -> f32,
    weights: &[f32],
    sums: &mut [[S::Vector; 2]; R],
) {
    let weights = [simd.load(weights), simd.load(&weights[S::WIDTH..])];
    for (r, sums) in sums.iter_mut().enumerate() {
        let x = simd.splat(x(r));
        sums[0] = simd.mul_add(x, weights[0], sums[0]);
        sums[1] = simd.mul_add(x, weights[1], sums[1]);
    }
}

#[inline(always)]
fn stored<S: Simd>(simd: S, vectors: [S::Vector; 2]) -> [f32; SIDE] {
    let mut floats = [0.0; SIDE];
    simd.store(vectors[0], &mut floats);
    simd.store(vectors[1], &mut floats[S::WIDTH..]);
    floats
}

/// Multiplies in f32, after widening the rounded numbers.
pub(crate) struct WideningMultiplier {
    level: Level,
    x: AlignedFloats,
    panel: AlignedFloats,
}

impl WideningMultiplier {
    /// Multiplies with the instructions of `level`.
    pub(super) fn new(level: Level) -> Self {
        Self {
            level,
            x: AlignedFloats::default(),
            panel: AlignedFloats::default(),
        }
    }

    /// Adds the product of a block and a panel.
    pub(super) fn multiply(&mut self, block: &RowBlock<'_>, panel: &[f32], sums: &mut BlockSums) {
        let Self {
            level,
            x,
            panel: wide,
        } = self;
        for (from, to, numbers) in [(block.data, &mut *x, 1), (panel, wide, SIDE)] {
            to.resize(2 * from.len());
            level.run(Widen { from, to, numbers });
        }
        level.run(Chains::<PAIRS> {
            count: block.count,
            block: x,
            panel: wide,
            sums,
        });
    }
}

/// Widens every step of pairs: first the lower halves, then the upper ones.
struct Widen<'a> {
    from: &'a [f32],
    to: &'a mut [f32],
    /// The number of pairs for each number of a step.
    numbers: usize,
}

impl Work for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let size = PAIRS * self.numbers;
        let steps = self.to.chunks_exact_mut(STEP * self.numbers);
        for (pairs, to) in self.from.chunks_exact(size).zip(steps) {
            let (evens, odds) = to.split_at_mut(size);
            for (pair, (even, odd)) in pairs.iter().zip(evens.iter_mut().zip(odds)) {
                *even = f32::from_bits(pair.to_bits() << 16);
                *odd = f32::from_bits(pair.to_bits() & 0xffff_0000);
            }
        }
    }
}
