//! The right factor of products, packed for the arithmetic in use.

use super::bf16;
use super::int8;
use super::product::{F32Panels, Product};
use super::rows::View;
use super::simd::Level;
use crate::Precision;

/// The arithmetic of products with a packed factor.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arithmetic {
    /// Vectors of f32.
    F32,
    /// Factors rounded to bf16.
    Bf16(bf16::Bf16Kernel),
    /// Factors rounded to eight bits.
    Int8(int8::Int8Kernel),
}

impl Arithmetic {
    /// The fastest arithmetic of a precision.
    pub(crate) fn fastest(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::Bf16(bf16::Bf16Kernel::best()),
            Precision::Int8 => Self::Int8(int8::Int8Kernel::best()),
        }
    }
}

/// The right factor of products.
pub(crate) struct Factor {
    level: Level,
    packed: FactorPanels,
}

enum FactorPanels {
    F32(F32Panels),
    Bf16(bf16::Bf16Panels),
    Int8(int8::Int8Panels),
}

impl Factor {
    /// An empty factor, without rows or columns.
    pub(crate) fn new(level: Level, arithmetic: Arithmetic) -> Self {
        let packed = match arithmetic {
            Arithmetic::F32 => FactorPanels::F32(F32Panels::default()),
            Arithmetic::Bf16(kernel) => FactorPanels::Bf16(bf16::Bf16Panels::new(kernel)),
            Arithmetic::Int8(kernel) => FactorPanels::Int8(int8::Int8Panels::new(kernel)),
        };
        Self { level, packed }
    }

    /// Takes a dense layer's weight, of shape (width, depth) row by row, with its bias.
    pub(crate) fn dense(mut self, weight: &[f32], bias: &[f32]) -> Self {
        match &mut self.packed {
            FactorPanels::F32(panels) => panels.dense(self.level, weight, bias),
            FactorPanels::Bf16(panels) => panels.dense(weight, bias),
            FactorPanels::Int8(panels) => panels.dense(weight, bias),
        }
        self
    }

    /// Takes the `depth` rows of a matrix as they are, each `width` long, without bias.
    pub(crate) fn rows(&mut self, from: View<'_>, width: usize, depth: usize) {
        match &mut self.packed {
            FactorPanels::F32(panels) => panels.rows(self.level, from, width, depth),
            FactorPanels::Bf16(panels) => panels.rows(self.level, from, width, depth),
            FactorPanels::Int8(panels) => panels.rows(from, width, depth),
        }
    }

    /// The number of columns of a product.
    pub(crate) fn width(&self) -> usize {
        match &self.packed {
            FactorPanels::F32(panels) => panels.width(),
            FactorPanels::Bf16(panels) => panels.width(),
            FactorPanels::Int8(panels) => panels.width(),
        }
    }
}

impl Product<'_, Factor> {
    /// Computes the product.
    pub(crate) fn compute(self) {
        let Factor { level, packed } = self.factor;
        match packed {
            FactorPanels::F32(panels) => level.run(self.by(panels)),
            FactorPanels::Bf16(panels) => self.by(panels).compute(*level),
            FactorPanels::Int8(panels) => self.by(panels).compute(),
        }
    }
}
