//! The derivative of attention, head by head.
//!
//! Forward: P = softmax(c Q Kᵀ + b), A = P with dropout, context = A V. Back: dA = dcontext Vᵀ,
//! dV = Aᵀ dcontext, dP = dA under the same mask, dS = P (dP − Σ dP P) c row by row, dQ = dS K,
//! dK = dSᵀ Q, and b, the bias by distance, has dS / c. P is computed again, for a fiftieth of the time of
//! a step: over long inputs it would be most of what is stored.

use super::rows::{Transpose, copy};
use crate::distances::RelativePositionBias;
use crate::dropout::Mask;
use crate::math;
use crate::packed::{AlignedMatrix, F32Panels, Level, Product, Simd, Softmax, View, ViewMut, Work};

/// Matrices of one head, reused between calls.
#[derive(Default)]
pub(crate) struct AttentionGradientScratch {
    panels: F32Panels,
    weights: AlignedMatrix,
    dropped: AlignedMatrix,
    of_activations: AlignedMatrix,
    transposed: AlignedMatrix,
}

/// The derivative of one sequence in one layer. Rows are tokens, head beside head.
pub(crate) struct AttentionGradient<'a> {
    pub level: Level,
    /// The number of heads, and floats of one head's query, key or value.
    pub heads: (usize, usize),
    /// The number of queries: all tokens of the sequence, or its first alone.
    pub asking: usize,
    /// The number of tokens of the sequence.
    pub tokens: usize,
    pub queries: View<'a>,
    /// Keys, with the values to their right.
    pub keys_values: View<'a>,
    /// The bias by distance that was added to the scores, if any.
    pub biases: Option<&'a RelativePositionBias>,
    /// The mask of the attention weights.
    pub mask: Option<Mask>,
    /// The derivative by the context.
    pub d_context: View<'a>,
    /// The derivative by the queries, to be written.
    pub d_queries: ViewMut<'a>,
    /// The derivative by keys and values, to be written.
    pub d_keys_values: ViewMut<'a>,
    /// The derivative by the table of distances, (buckets, heads), which is added to.
    pub d_distances: Option<&'a mut [f32]>,
}

impl AttentionGradient<'_> {
    /// Writes the derivatives.
    pub(super) fn back(&mut self, scratch: &mut AttentionGradientScratch) {
        let scale = self.scale();
        for head in 0..self.heads.0 {
            self.weigh(head, scratch);
            self.values(head, scratch);
            self.scores(head, scratch);
            if let (Some(biases), Some(to)) = (self.biases, &mut self.d_distances) {
                biases.back(head, &scratch.of_activations, scale, to);
            }
            self.queries_keys(head, scratch);
        }
    }

    /// Computes P and A, as forward.
    fn weigh(&self, head: usize, scratch: &mut AttentionGradientScratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let AttentionGradientScratch {
            panels, weights, ..
        } = scratch;
        weights.shape(self.asking, self.tokens);
        let keys = self.keys_values.from(column);
        panels.columns(self.level, keys, self.tokens, width);
        if let Some(biases) = self.biases {
            biases.lay(head, self.tokens, false, weights);
        }
        self.level.run(Product {
            count: self.asking,
            x: self.queries.from(column),
            factor: panels,
            activation: None,
            out: weights.view_mut(0, 0),
            add: self.biases.is_some(),
        });
        self.level.run(Softmax {
            rows: 0..weights.count(),
            scores: weights,
            tokens: self.tokens,
            scale: self.scale(),
            mask: None,
            first: 0,
        });
        copy(weights, &mut scratch.dropped);
        self.drop(head, &mut scratch.dropped);
    }

    /// Computes dV.
    fn values(&mut self, head: usize, scratch: &mut AttentionGradientScratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        self.level.run(Transpose {
            from: &scratch.dropped,
            to: &mut scratch.transposed,
        });
        let d_context = self.d_context.from(column);
        let panels = &mut scratch.panels;
        panels.rows(self.level, d_context, width, self.asking);
        let to = self.d_keys_values.from(self.heads.0 * width + column);
        product(
            self.level,
            self.tokens,
            scratch.transposed.view(0, 0),
            panels,
            to,
        );
    }

    /// Computes dA, and from it dS.
    fn scores(&self, head: usize, scratch: &mut AttentionGradientScratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let values = self.keys_values.from(self.heads.0 * width + column);
        let AttentionGradientScratch {
            panels,
            of_activations,
            ..
        } = scratch;
        panels.columns(self.level, values, self.tokens, width);
        of_activations.shape(self.asking, self.tokens);
        let d_context = self.d_context.from(column);
        product(
            self.level,
            self.asking,
            d_context,
            panels,
            of_activations.view_mut(0, 0),
        );
        self.drop(head, of_activations);
        self.level.run(SoftmaxBackward {
            weights: &scratch.weights,
            scale: self.scale(),
            d: of_activations,
        });
    }

    /// Computes dQ and dK.
    fn queries_keys(&mut self, head: usize, scratch: &mut AttentionGradientScratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let AttentionGradientScratch {
            panels,
            of_activations,
            transposed,
            ..
        } = scratch;
        let keys = self.keys_values.from(column);
        panels.rows(self.level, keys, width, self.tokens);
        let to = self.d_queries.from(column);
        product(
            self.level,
            self.asking,
            of_activations.view(0, 0),
            panels,
            to,
        );
        self.level.run(Transpose {
            from: of_activations,
            to: transposed,
        });
        panels.rows(self.level, self.queries.from(column), width, self.asking);
        let to = self.d_keys_values.from(column);
        product(self.level, self.tokens, transposed.view(0, 0), panels, to);
    }

    fn drop(&self, head: usize, x: &mut AlignedMatrix) {
        if let Some(mask) = self.mask {
            self.level.run(AttentionDropout {
                mask,
                // As forward, the mask counts elements as if every token had a query.
                first: head * self.tokens * self.tokens,
                x,
            });
        }
    }

    fn scale(&self) -> f32 {
        1.0 / (self.heads.1 as f32).sqrt()
    }
}

fn product(level: Level, count: usize, x: View<'_>, panels: &F32Panels, out: ViewMut<'_>) {
    level.run(Product {
        count,
        x,
        factor: panels,
        activation: None,
        out,
        add: false,
    });
}

/// Drops elements of all rows, counted from `first` on.
struct AttentionDropout<'a> {
    mask: Mask,
    first: usize,
    x: &'a mut AlignedMatrix,
}

impl Work for AttentionDropout<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.x.count() {
            let row = self.x.row_mut(i);
            self.mask.apply(self.first + i * row.len(), row);
        }
    }
}

/// Computes dS from dP along every row, in place.
struct SoftmaxBackward<'a> {
    weights: &'a AlignedMatrix,
    scale: f32,
    d: &'a mut AlignedMatrix,
}

impl Work for SoftmaxBackward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.d.count() {
            let (weights, d) = (self.weights.row(i), self.d.row_mut(i));
            let along = math::dot(d, weights);
            for (d, p) in d.iter_mut().zip(weights) {
                *d = p * (*d - along) * self.scale;
            }
        }
    }
}
