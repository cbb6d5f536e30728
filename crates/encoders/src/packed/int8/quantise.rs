//! Rounding of rows of floats to whole numbers from 0 to 255.

use crate::math;
use crate::packed::rows::{AlignedMatrix, View};
use crate::packed::simd::{Simd, Work};
use pulp::bytemuck::cast_slice_mut;

/// The rounding of a row: a number u stands for `size`·(u − `zero`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub size: f32,
    pub zero: i32,
}

/// Rounds rows to whole numbers.
pub(crate) struct RowQuantiser<'a> {
    pub x: View<'a>,
    pub depth: usize,
    /// The number of numbers in the bits of a float: 4 of 8 bits, or 2 of 16.
    pub numbers: usize,
    /// The rounded rows, one for each row of the input.
    pub rows: &'a mut AlignedMatrix,
    pub steps: &'a mut Vec<Step>,
}

impl Work for RowQuantiser<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.rows.count() {
            let x = self.x.row(i, self.depth);
            let to = self.rows.row_mut(i);
            // The padding after the last number meets a weight of 0.
            self.steps.push(match self.numbers {
                4 => quantise(x, cast_slice_mut::<f32, u8>(to), |u| u as u8),
                _ => quantise(x, cast_slice_mut::<f32, u16>(to), |u| u as u16),
            });
        }
    }
}

#[inline(always)]
fn quantise<T>(x: &[f32], to: &mut [T], number: impl Fn(i32) -> T) -> Step {
    /// Adding it rounds to the nearest whole number and leaves that in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    /// Set in the bits of NaN, but not in those of numbers near to SHIFT.
    const NAN: u32 = 1 << 29;
    let [low, high] = math::range(x);
    let size = (high - low) / 255.0;
    let inverse = if size.is_normal() { 1.0 / size } else { 0.0 };
    let zero = (-low * inverse).round_ties_even();
    let (shift, mut bits) = (SHIFT + zero, 0);
    for (x, to) in x.iter().zip(to) {
        let shifted = (x * inverse + shift).to_bits();
        bits |= shifted;
        let u = shifted.wrapping_sub(SHIFT.to_bits()).cast_signed();
        *to = number(u.clamp(0, 255));
    }
    // A NaN makes all elements of the row NaN, as it does in f32.
    let size = if bits & NAN == 0 { size } else { f32::NAN };
    Step {
        size,
        zero: zero as i32,
    }
}
