//! Layer normalisation, with the dropout and the residual before it.

use super::rows::AlignedMatrix;
use super::simd::{Level, Simd, Work};
use crate::dropout::Mask;
use crate::math;
use std::ops::Range;

/// (x − mean) / √(variance + ε) · weight + bias along every row.
pub(crate) struct PackedLayerNorm {
    level: Level,
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl PackedLayerNorm {
    /// Takes its parameters, one per column.
    pub(crate) fn new(level: Level, weight: Vec<f32>, bias: Vec<f32>, epsilon: f32) -> Self {
        Self {
            level,
            weight,
            bias,
            epsilon,
        }
    }

    /// Normalises some rows.
    pub(crate) fn apply(&self, x: &mut AlignedMatrix, rows: Range<usize>) {
        self.level.run(Normalise {
            norm: self,
            x,
            added: None,
            mask: None,
            rows,
        });
    }

    /// Drops out `added`, adds it to some rows and normalises them; these rows are one sequence.
    pub(crate) fn add(
        &self,
        x: &mut AlignedMatrix,
        added: &mut AlignedMatrix,
        mask: Option<Mask>,
        rows: Range<usize>,
    ) {
        self.level.run(Normalise {
            norm: self,
            x,
            added: Some(added),
            mask,
            rows,
        });
    }
}

struct Normalise<'a> {
    norm: &'a PackedLayerNorm,
    x: &'a mut AlignedMatrix,
    added: Option<&'a mut AlignedMatrix>,
    mask: Option<Mask>,
    rows: Range<usize>,
}

impl Work for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, _: S) {
        for (token, i) in self.rows.clone().enumerate() {
            if let Some(added) = &mut self.added {
                let added = added.row_mut(i);
                if let Some(mask) = &self.mask {
                    mask.apply(token * added.len(), added);
                }
                for (x, added) in self.x.row_mut(i).iter_mut().zip(added) {
                    *x += *added;
                }
            }
            normalise(self.x.row_mut(i), self.norm);
        }
    }
}

#[inline(always)]
fn normalise(row: &mut [f32], norm: &PackedLayerNorm) {
    let (mean, scale) = math::centre_and_scale(row, norm.epsilon);
    for ((x, w), b) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
        *x = (*x - mean) * scale * w + b;
    }
}

/// Drops elements of some rows that are one sequence.
pub(crate) struct SequenceDropout<'a> {
    pub mask: Mask,
    /// The matrix.
    pub x: &'a mut AlignedMatrix,
    /// The rows of the sequence.
    pub rows: Range<usize>,
}

impl Work for SequenceDropout<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (token, i) in self.rows.enumerate() {
            let row = self.x.row_mut(i);
            self.mask.apply(token * row.len(), row);
        }
    }
}
