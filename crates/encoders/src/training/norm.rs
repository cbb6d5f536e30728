//! Layer normalisation that keeps what its derivative needs.
//!
//! Forward: y = u w + b with u = (s − mean s) r and r = 1 / √(variance s + ε). Back, with
//! g = dy w: ds = r (g − mean g − u mean(g u)), dw = Σ dy u, db = Σ dy.

use super::gradients::Gradients;
use super::parameter::Parameter;
use crate::math;
use crate::packed::{AlignedMatrix, Level, Simd, Work};
use crate::parameters;

/// The parameters of a normalisation, and their places in the list.
pub(crate) struct TrainingLayerNorm<'a> {
    level: Level,
    weight: &'a [f32],
    bias: &'a [f32],
    epsilon: f32,
    at: [usize; 2],
}

/// The normalised rows and their scales.
#[derive(Default)]
pub(crate) struct LayerNormTape {
    unit: AlignedMatrix,
    scales: Vec<f32>,
}

impl<'a> TrainingLayerNorm<'a> {
    pub(super) fn new(
        level: Level,
        list: &'a [Parameter],
        from: &parameters::LayerNormParameters<usize>,
    ) -> Self {
        Self {
            level,
            weight: &list[from.weight].values,
            bias: &list[from.bias].values,
            epsilon: from.epsilon,
            at: [from.weight, from.bias],
        }
    }

    /// Normalises x + added.
    pub(super) fn run(
        &self,
        x: &AlignedMatrix,
        added: &AlignedMatrix,
        normed: &mut LayerNormTape,
        y: &mut AlignedMatrix,
    ) {
        normed.unit.shape(x.count(), x.width());
        for i in 0..x.count() {
            let sums = normed.unit.row_mut(i).iter_mut().zip(x.row(i));
            for ((sum, x), added) in sums.zip(added.row(i)) {
                *sum = x + added;
            }
        }
        self.run_in_place(normed, y);
    }

    /// Normalises the rows that `set` writes.
    pub(super) fn run_on(
        &self,
        set: impl FnOnce(&mut AlignedMatrix),
        normed: &mut LayerNormTape,
        y: &mut AlignedMatrix,
    ) {
        set(&mut normed.unit);
        self.run_in_place(normed, y);
    }

    fn run_in_place(&self, normed: &mut LayerNormTape, y: &mut AlignedMatrix) {
        y.shape(normed.unit.count(), normed.unit.width());
        normed.scales.clear();
        self.level.run(LayerNormForward {
            norm: self,
            normed,
            y,
        });
    }

    /// Computes ds from dy in place, and adds dw and db to the gradients.
    pub(super) fn back(&self, normed: &LayerNormTape, d: &mut AlignedMatrix, to: &mut Gradients) {
        let [weight, bias] = to.some(self.at);
        self.level.run(LayerNormBackward {
            norm: self,
            normed,
            d,
            weight,
            bias,
        });
    }
}

struct LayerNormForward<'a> {
    norm: &'a TrainingLayerNorm<'a>,
    normed: &'a mut LayerNormTape,
    y: &'a mut AlignedMatrix,
}

impl Work for LayerNormForward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { norm, normed, y } = self;
        for i in 0..y.count() {
            let row = normed.unit.row_mut(i);
            let (mean, scale) = math::centre_and_scale(row, norm.epsilon);
            normed.scales.push(scale);
            let parameters = norm.weight.iter().zip(norm.bias);
            let rows = y.row_mut(i).iter_mut().zip(row);
            for ((y, unit), (w, b)) in rows.zip(parameters) {
                *unit = (*unit - mean) * scale;
                *y = *unit * w + b;
            }
        }
    }
}

struct LayerNormBackward<'a> {
    norm: &'a TrainingLayerNorm<'a>,
    normed: &'a LayerNormTape,
    d: &'a mut AlignedMatrix,
    weight: &'a mut [f32],
    bias: &'a mut [f32],
}

impl Work for LayerNormBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (i, &scale) in self.normed.scales.iter().enumerate() {
            let (unit, d) = (self.normed.unit.row(i), self.d.row_mut(i));
            let share = 1.0 / unit.len() as f32;
            let sums = self.weight.iter_mut().zip(self.bias.iter_mut());
            let rows = d.iter_mut().zip(unit).zip(self.norm.weight);
            for (((d, u), w), (to_weight, to_bias)) in rows.zip(sums) {
                *to_weight += *d * u;
                *to_bias += *d;
                *d *= w;
            }
            let mean = math::sum_by(
                d,
                #[inline(always)]
                |d| d,
            ) * share;
            let along = math::dot(d, unit) * share;
            for (d, u) in d.iter_mut().zip(unit) {
                *d = scale * (*d - mean - u * along);
            }
        }
    }
}
