//! Activations separate from the product before them, and their derivatives.

use crate::config::Activation;
use crate::math;
use crate::packed::{AlignedMatrix, Simd, Work, activate};

/// The activation y = f(x).
pub(crate) struct Activate<'a> {
    pub activation: Activation,
    pub x: &'a AlignedMatrix,
    pub y: &'a mut AlignedMatrix,
}

impl Work for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.y.shape(self.x.count(), self.x.width());
        for i in 0..self.x.count() {
            let y = self.y.row_mut(i);
            y.copy_from_slice(self.x.row(i));
            activate(y, self.activation);
        }
    }
}

/// Its derivative dx = dy f′(x), in place.
pub(crate) struct ActivationBackward<'a> {
    pub activation: Activation,
    pub x: &'a AlignedMatrix,
    pub d: &'a mut AlignedMatrix,
}

impl Work for ActivationBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.x.count() {
            let row = self.d.row_mut(i).iter_mut().zip(self.x.row(i));
            match self.activation {
                Activation::Gelu => row.for_each(|(d, &x)| *d *= math::gelu_slope(x)),
                Activation::GeluTanh => row.for_each(|(d, &x)| *d *= gelu_tanh(x)),
                Activation::Relu => row.for_each(|(d, &x)| *d *= f32::from(x > 0.0)),
                Activation::Silu => row.for_each(|(d, &x)| *d *= silu(x)),
                Activation::Tanh => row.for_each(|(d, &x)| {
                    let y = math::tanh(x);
                    *d *= 1.0 - y * y;
                }),
            }
        }
    }
}

/// The derivative of ½ x (1 + tanh u), u = √(2/π) (x + 0.044715 x³).
#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    let tanh = math::tanh(0.797_884_6 * (x + 0.044_715 * x * x * x));
    let inner = 0.797_884_6 * (1.0 + 0.134_145 * x * x);
    0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * inner
}

/// The derivative of x σ(x).
#[inline(always)]
fn silu(x: f32) -> f32 {
    let sigma = math::sigmoid(x);
    sigma * (1.0 + x * (1.0 - sigma))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Level;

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let count = 400;
        let grid = |shift: f32| {
            let mut rows = AlignedMatrix::default();
            rows.shape(1, count);
            for (i, x) in rows.row_mut(0).iter_mut().enumerate() {
                *x = (i as f32 - 199.5) * 0.03 + shift;
            }
            rows
        };
        let step = 1.0 / 256.0;
        for activation in [
            Activation::Gelu,
            Activation::GeluTanh,
            Activation::Relu,
            Activation::Silu,
            Activation::Tanh,
        ] {
            let level = Level::best();
            let at = |shift| {
                let mut y = AlignedMatrix::default();
                let x = &grid(shift);
                level.run(Activate {
                    activation,
                    x,
                    y: &mut y,
                });
                y.row(0).to_vec()
            };
            let mut d = grid(0.0);
            d.row_mut(0).fill(1.0);
            level.run(ActivationBackward {
                activation,
                x: &grid(0.0),
                d: &mut d,
            });
            let (above, below) = (at(step), at(-step));
            for (i, slope) in d.row(0).iter().enumerate() {
                let expected = (above[i] - below[i]) / (2.0 * step);
                assert!(
                    (slope - expected).abs() < 2e-4,
                    "{activation:?}: {slope}, expected {expected}"
                );
            }
        }
    }
}
