//! The right factor of products, packed for the way they are computed.

use super::bf16;
use super::int8;
use super::product::{Panels, Product};
use super::rows::View;
use super::simd::Level;
use crate::Precision;

/// How products with a packed factor are computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arithmetic {
    /// With vectors of f32.
    F32,
    /// From factors rounded to bf16.
    Bf16(bf16::Kernel),
    /// From factors rounded to eight bits.
    Int8(int8::Kernel),
}

impl Arithmetic {
    /// The fastest of a precision.
    pub(crate) fn fastest(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::Bf16(bf16::Kernel::best()),
            Precision::Int8 => Self::Int8(int8::Kernel::best()),
        }
    }
}

/// The right factor of products.
pub(crate) struct Factor {
    level: Level,
    packed: Packed,
}

enum Packed {
    F32(Panels),
    Bf16(bf16::Panels),
    Int8(int8::Panels),
}

impl Factor {
    /// Without rows or columns.
    pub(crate) fn new(level: Level, arithmetic: Arithmetic) -> Self {
        let packed = match arithmetic {
            Arithmetic::F32 => Packed::F32(Panels::default()),
            Arithmetic::Bf16(kernel) => Packed::Bf16(bf16::Panels::new(kernel)),
            Arithmetic::Int8(kernel) => Packed::Int8(int8::Panels::new(kernel)),
        };
        Self { level, packed }
    }

    /// Takes a dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub(crate) fn dense(mut self, weight: &[f32], bias: &[f32]) -> Self {
        match &mut self.packed {
            Packed::F32(panels) => panels.dense(self.level, weight, bias),
            Packed::Bf16(panels) => panels.dense(weight, bias),
            Packed::Int8(panels) => panels.dense(weight, bias),
        }
        self
    }

    /// Takes the `depth` rows of a matrix as they are, each `width` long, without bias.
    pub(crate) fn rows(&mut self, from: View<'_>, width: usize, depth: usize) {
        match &mut self.packed {
            Packed::F32(panels) => panels.rows(self.level, from, width, depth),
            Packed::Bf16(panels) => panels.rows(self.level, from, width, depth),
            Packed::Int8(panels) => panels.rows(from, width, depth),
        }
    }

    /// How many columns a product has.
    pub(crate) fn width(&self) -> usize {
        match &self.packed {
            Packed::F32(panels) => panels.width(),
            Packed::Bf16(panels) => panels.width(),
            Packed::Int8(panels) => panels.width(),
        }
    }
}

impl Product<'_, Factor> {
    /// Computes it.
    pub(crate) fn compute(self) {
        let Factor { level, packed } = self.factor;
        match packed {
            Packed::F32(panels) => level.run(self.by(panels)),
            Packed::Bf16(panels) => self.by(panels).compute(*level),
            Packed::Int8(panels) => self.by(panels).compute(),
        }
    }
}
