//! Dense layers: x Wᵀ + b.

use super::factor::{Arithmetic, Factor};
use super::product::Product;
use super::rows::AlignedMatrix;
use super::simd::Level;
use crate::config::Activation;

/// A dense layer with its weight packed.
pub(crate) struct PackedLinear(Factor);

impl PackedLinear {
    /// Packs a weight of shape (width, depth), row by row, with its bias.
    pub(crate) fn new(level: Level, arithmetic: Arithmetic, weight: &[f32], bias: &[f32]) -> Self {
        Self(Factor::new(level, arithmetic).dense(weight, bias))
    }

    /// Computes x Wᵀ + b, then the activation.
    pub(crate) fn apply(
        &self,
        x: &AlignedMatrix,
        activation: Option<Activation>,
        out: &mut AlignedMatrix,
    ) {
        out.shape(x.count(), self.0.width());
        let product = Product {
            count: x.count(),
            x: x.view(0, 0),
            factor: &self.0,
            activation,
            out: out.view_mut(0, 0),
            add: false,
        };
        product.compute();
    }
}
