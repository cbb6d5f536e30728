//! Dense layers: x Wᵀ + b.

use super::bf16;
use super::product::{Panels, Product};
use super::rows::Rows;
use super::simd::Level;
use crate::encoders::Precision;
use crate::encoders::config::Activation;

/// How products of dense layers are computed.
#[derive(Debug, Clone, Copy)]
pub enum Arithmetic {
    /// In f32.
    F32,
    /// From factors rounded to bf16.
    Bf16(bf16::Kernel),
}

impl Arithmetic {
    /// The fastest of a precision.
    pub fn of(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::Bf16 => Self::Bf16(bf16::Kernel::best()),
        }
    }
}

/// A dense layer.
pub(in crate::encoders) struct Linear {
    level: Level,
    weights: Weights,
}

enum Weights {
    F32(Panels),
    Bf16(bf16::Panels),
}

impl Linear {
    /// Packs a weight of shape (width, depth), row by row, with its bias.
    pub fn new(level: Level, arithmetic: Arithmetic, weight: &[f32], bias: &[f32]) -> Self {
        let weights = match arithmetic {
            Arithmetic::F32 => Weights::F32(Panels::dense(level, weight, bias)),
            Arithmetic::Bf16(kernel) => Weights::Bf16(bf16::Panels::dense(kernel, weight, bias)),
        };
        Self { level, weights }
    }

    /// x Wᵀ + b and the activation of it.
    pub fn apply(&self, x: &Rows, activation: Option<Activation>, out: &mut Rows) {
        let (count, level) = (x.count(), self.level);
        match &self.weights {
            Weights::F32(panels) => {
                out.shape(count, panels.width());
                level.run(Product {
                    count,
                    x: x.view(0, 0),
                    panels,
                    activation,
                    out: out.view_mut(0, 0),
                    add: false,
                });
            }
            Weights::Bf16(panels) => {
                out.shape(count, panels.width());
                let product = bf16::Product {
                    count,
                    x: x.view(0, 0),
                    panels,
                    activation,
                    out: out.view_mut(0, 0),
                };
                product.run(level);
            }
        }
    }
}
