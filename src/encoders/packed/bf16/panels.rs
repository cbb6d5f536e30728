//! The right factor of a product.

use super::pairs::whole;
use super::{Kernel, PAIRS, SIDE, STEP, steps};
use crate::encoders::packed::aligned::Aligned;

/// The right factor of a product, rounded and packed for one kernel: panels of 32 columns, in
/// each step by step 16 rows of 32 pairs.
#[derive(Debug)]
pub struct Panels {
    pub kernel: Kernel,
    width: usize,
    pub depth: usize,
    data: Aligned,
    bias: Aligned,
}

impl Panels {
    /// A dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub fn dense(kernel: Kernel, weight: &[f32], bias: &[f32]) -> Self {
        let (width, depth) = (bias.len(), weight.len() / bias.len());
        let mut panels = Self {
            kernel,
            width,
            depth,
            data: Aligned::default(),
            bias: Aligned::default(),
        };
        let padded = width.next_multiple_of(SIDE);
        panels.bias.resize(padded);
        panels.bias[..width].copy_from_slice(bias);
        panels.data.resize(padded * steps(depth) * PAIRS);
        let mut pairs = [0.0; PAIRS];
        for (column, row) in weight.chunks_exact(depth).enumerate() {
            let start = column / SIDE * steps(depth) * PAIRS * SIDE + column % SIDE;
            for (step, numbers) in row.chunks(STEP).enumerate() {
                kernel.order().pair(&whole(numbers), &mut pairs);
                let places = panels.data[start + step * PAIRS * SIDE..].iter_mut();
                let places = places.step_by(SIDE).zip(&pairs);
                places.for_each(|(place, &pair)| *place = pair);
            }
        }
        panels
    }

    /// How many columns a product has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// One of them, with its part of the bias.
    pub fn panel(&self, number: usize) -> (&[f32], &[f32; SIDE]) {
        let size = steps(self.depth) * PAIRS * SIDE;
        let (bias, _) = self.bias.as_chunks();
        (&self.data[number * size..][..size], &bias[number])
    }
}
