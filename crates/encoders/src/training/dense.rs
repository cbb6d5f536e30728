//! Dense layers packed for both directions: y = x Wᵀ + b, and back dx = dy W, dW = dyᵀ x, db = Σ dy.

use super::gradients::Gradients;
use super::parameter::Parameter;
use super::rows::{AddColumns, Transpose};
use crate::Precision;
use crate::packed::{
    AlignedMatrix, Arithmetic, Factor, Level, PackedLinear, Product, View, ViewMut,
};
use crate::parameters;

/// A dense layer, or several of the same input as one.
pub(crate) struct Dense {
    /// The layer for the forward pass.
    pub linear: PackedLinear,
    level: Level,
    back: Factor,
    parts: Vec<(usize, usize)>,
    depth: usize,
}

/// Intermediate matrices, reused between calls.
#[derive(Default)]
pub(crate) struct DenseGradientScratch {
    transposed: AlignedMatrix,
    factor: Option<Factor>,
}

impl Dense {
    /// Packs the parameters at some places of the list, one above the other.
    pub(super) fn new(
        level: Level,
        list: &[Parameter],
        at: &[&parameters::DenseParameters<usize>],
    ) -> Self {
        let join = |of: fn(&parameters::DenseParameters<usize>) -> usize| {
            let parts = at.iter().map(|part| &list[of(part)].values[..]);
            parts.collect::<Vec<_>>().concat()
        };
        let (weight, bias) = (join(|part| part.weight), join(|part| part.bias));
        let depth = weight.len() / bias.len();
        let arithmetic = Arithmetic::fastest(Precision::F32);
        let mut back = Factor::new(level, arithmetic);
        back.rows(View::new(&weight, depth), depth, bias.len());
        Self {
            linear: PackedLinear::new(level, arithmetic, &weight, &bias),
            level,
            back,
            parts: at.iter().map(|part| (part.weight, part.bias)).collect(),
            depth,
        }
    }

    /// Computes dx = dy W; with `add`, adds it to `dx`.
    pub(super) fn input(&self, dy: &AlignedMatrix, add: bool, dx: &mut AlignedMatrix) {
        if !add {
            dx.shape(dy.count(), self.depth);
        }
        let product = Product {
            count: dy.count(),
            x: dy.view(0, 0),
            factor: &self.back,
            activation: None,
            out: dx.view_mut(0, 0),
            add,
        };
        product.compute();
    }

    /// Adds dW = dyᵀ x and db to the gradients.
    pub(super) fn parameters(
        &self,
        dy: &AlignedMatrix,
        x: &AlignedMatrix,
        to: &mut Gradients,
        scratch: &mut DenseGradientScratch,
    ) {
        let DenseGradientScratch { transposed, factor } = scratch;
        let factor = factor
            .get_or_insert_with(|| Factor::new(self.level, Arithmetic::fastest(Precision::F32)));
        self.level.run(Transpose {
            from: dy,
            to: transposed,
        });
        factor.rows(x.view(0, 0), x.width(), x.count());
        let width = dy.width() / self.parts.len();
        for (number, &(weight, bias)) in self.parts.iter().enumerate() {
            let [weight, bias] = to.some([weight, bias]);
            let product = Product {
                count: width,
                x: transposed.view(number * width, 0),
                factor: &*factor,
                activation: None,
                out: ViewMut::new(weight, x.width()),
                add: true,
            };
            product.compute();
            self.level.run(AddColumns {
                of: dy,
                first: number * width,
                to: bias,
            });
        }
    }
}
