//! The derivative of attention, head by head.
//!
//! Forward: P = softmax(c Q Kᵀ + b), A = P with dropout, context = A V. Back: dA = dcontext Vᵀ,
//! dV = Aᵀ dcontext, dP = dA under the same mask, dS = P (dP − Σ dP P) c row by row, dQ = dS K,
//! dK = dSᵀ Q, and b, what distances add, has dS / c. P is computed again, for a fiftieth of the time of
//! a step: over long inputs it would be most of what is remembered.

use super::rows::{Transpose, copy};
use crate::distances::Biases;
use crate::dropout::Mask;
use crate::math;
use crate::packed::{Level, Panels, Product, Rows, Simd, Softmax, View, ViewMut, Work};

/// Matrices of one head, kept to be used again.
#[derive(Default)]
pub(crate) struct Scratch {
    panels: Panels,
    weights: Rows,
    dropped: Rows,
    of_activations: Rows,
    transposed: Rows,
}

/// One sequence in one layer. Rows are tokens, head beside head.
pub(crate) struct Attention<'a> {
    pub level: Level,
    /// Heads, and floats of one head's query, key or value.
    pub heads: (usize, usize),
    /// How many tokens asked: all of the sequence, or its first alone.
    pub asking: usize,
    /// How many tokens the sequence has.
    pub tokens: usize,
    pub queries: View<'a>,
    /// Keys, and to their right the values.
    pub keys_values: View<'a>,
    /// What distances added to the scores, where they did.
    pub biases: Option<&'a Biases>,
    /// What was dropped of the attention weights.
    pub mask: Option<Mask>,
    /// The derivative by the context.
    pub d_context: View<'a>,
    /// Where that by the queries goes.
    pub d_queries: ViewMut<'a>,
    /// Where that by keys and values goes.
    pub d_keys_values: ViewMut<'a>,
    /// To what that by the table of distances, (buckets, heads), is added.
    pub d_distances: Option<&'a mut [f32]>,
}

impl Attention<'_> {
    /// Fills in the derivatives.
    pub(super) fn back(&mut self, scratch: &mut Scratch) {
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

    /// P and A, as forward.
    fn weigh(&self, head: usize, scratch: &mut Scratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let Scratch {
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

    /// dV.
    fn values(&mut self, head: usize, scratch: &mut Scratch) {
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

    /// dA, and from it dS.
    fn scores(&self, head: usize, scratch: &mut Scratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let values = self.keys_values.from(self.heads.0 * width + column);
        let Scratch {
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
        self.level.run(SoftmaxBack {
            weights: &scratch.weights,
            scale: self.scale(),
            d: of_activations,
        });
    }

    /// dQ and dK.
    fn queries_keys(&mut self, head: usize, scratch: &mut Scratch) {
        let (width, column) = (self.heads.1, head * self.heads.1);
        let Scratch {
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

    fn drop(&self, head: usize, x: &mut Rows) {
        if let Some(mask) = self.mask {
            self.level.run(Drop {
                mask,
                // As forward: the mask counts as if every token had asked.
                first: head * self.tokens * self.tokens,
                x,
            });
        }
    }

    fn scale(&self) -> f32 {
        1.0 / (self.heads.1 as f32).sqrt()
    }
}

fn product(level: Level, count: usize, x: View<'_>, panels: &Panels, out: ViewMut<'_>) {
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
struct Drop<'a> {
    mask: Mask,
    first: usize,
    x: &'a mut Rows,
}

impl Work for Drop<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for i in 0..self.x.count() {
            let row = self.x.row_mut(i);
            self.mask.apply(self.first + i * row.len(), row);
        }
    }
}

/// From dP to dS along every row, in place.
struct SoftmaxBack<'a> {
    weights: &'a Rows,
    scale: f32,
    d: &'a mut Rows,
}

impl Work for SoftmaxBack<'_> {
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
