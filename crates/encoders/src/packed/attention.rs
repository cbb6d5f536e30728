//! Attention among the tokens of one sequence, head by head.
//!
//! Rows are as long as the sequence, so there is nothing to mask. Scores and context are products
//! like any other: queries with the keys as columns, attention weights with the values as rows.

use super::product::{F32Panels, Product};
use super::rows::{AlignedMatrix, View, ViewMut};
use super::simd::{Level, Simd, Work};
use crate::distances::RelativePositionBias;
use crate::dropout::Mask;
use crate::math;
use std::ops::Range;

/// Matrices of one head, reused between calls.
#[derive(Debug, Default)]
pub(crate) struct AttentionScratch {
    keys: F32Panels,
    values: F32Panels,
    scores: AlignedMatrix,
}

/// The attention of one sequence in one layer.
pub(crate) struct SequenceAttention<'a> {
    /// The number of heads, and floats of one head's query, key or value.
    pub heads: (usize, usize),
    /// The number of queries: all tokens, or the first one, once or several times.
    pub asking: usize,
    /// The number of tokens of the sequence.
    pub tokens: usize,
    /// The queries, head beside head.
    pub queries: View<'a>,
    /// The keys of all tokens, head beside head.
    pub keys: View<'a>,
    /// The values of all tokens, head beside head.
    pub values: View<'a>,
    /// The bias by distance that is added to the scores, if any.
    pub biases: Option<&'a RelativePositionBias>,
    /// The masks of the attention weights: one for all, or one per query, where every query is
    /// the sequence's first token.
    pub masks: &'a [Option<Mask>],
    /// The weighted values, head beside head.
    pub context: ViewMut<'a>,
}

impl SequenceAttention<'_> {
    /// Writes the context.
    pub(crate) fn run(&mut self, level: Level, scratch: &mut AttentionScratch) {
        let (heads, width) = self.heads;
        let AttentionScratch {
            keys,
            values,
            scores,
        } = scratch;
        for head in 0..heads {
            let column = head * width;
            keys.columns(level, self.keys.from(column), self.tokens, width);
            keys.fill_up();
            scores.shape(self.asking, keys.width());
            let alone = self.masks.len() > 1;
            if let Some(biases) = self.biases {
                biases.lay(head, self.tokens, alone, scores);
            }
            values.rows(level, self.values.from(column), width, self.tokens);
            level.run(Product {
                count: self.asking,
                x: self.queries.from(column),
                factor: keys,
                activation: None,
                out: scores.view_mut(0, 0),
                add: self.biases.is_some(),
            });
            for (i, &mask) in self.masks.iter().enumerate() {
                level.run(Softmax {
                    scores,
                    rows: if alone { i..i + 1 } else { 0..self.asking },
                    tokens: self.tokens,
                    scale: 1.0 / (width as f32).sqrt(),
                    mask,
                    // The mask counts elements as if every token had a query.
                    first: head * self.tokens * self.tokens,
                });
            }
            level.run(Product {
                count: self.asking,
                x: scores.view(0, 0),
                factor: values,
                activation: None,
                out: self.context.from(column),
                add: false,
            });
        }
    }
}

/// Softmax of `scale`·x along some rows, followed by dropout.
pub(crate) struct Softmax<'a> {
    /// One row per query.
    pub scores: &'a mut AlignedMatrix,
    /// The rows to compute.
    pub rows: Range<usize>,
    /// The number of keys. What a row has after them is −∞, and gets no weight.
    pub tokens: usize,
    /// The factor of the scores before the softmax.
    pub scale: f32,
    /// The mask after it.
    pub mask: Option<Mask>,
    /// The mask's number of the first element.
    pub first: usize,
}

impl Work for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (i, row) in self.rows.enumerate() {
            let row = self.scores.row_mut(row);
            let first = self.first + i * self.tokens;
            let share = 1.0 / math::exponentials(row, self.scale);
            math::in_pieces(
                row,
                0.0,
                #[inline(always)]
                |place, piece| {
                    for x in piece.iter_mut() {
                        *x *= share;
                    }
                    if let Some(mask) = &self.mask {
                        mask.apply(first + place, piece);
                    }
                },
            );
        }
    }
}
