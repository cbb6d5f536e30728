//! Attention of the tokens of one sequence to one another, head by head.
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

/// Matrices of one head, kept to be used again.
#[derive(Debug, Default)]
pub(crate) struct AttentionScratch {
    keys: F32Panels,
    values: F32Panels,
    scores: AlignedMatrix,
}

/// One sequence in one layer.
pub(crate) struct SequenceAttention<'a> {
    /// Heads, and floats of one head's query, key or value.
    pub heads: (usize, usize),
    /// How many tokens ask: all of the sequence, or its first, once or several times.
    pub asking: usize,
    /// How many tokens the sequence has.
    pub tokens: usize,
    /// Theirs, head beside head.
    pub queries: View<'a>,
    /// Those of all, head beside head.
    pub keys: View<'a>,
    /// Those of all, head beside head.
    pub values: View<'a>,
    /// What distances add to the scores, where they do.
    pub biases: Option<&'a RelativePositionBias>,
    /// What is dropped of the attention weights: by one mask, or by one for each that asks, all of
    /// which are then the sequence's first token.
    pub masks: &'a [Option<Mask>],
    /// The weighted values, head beside head.
    pub context: ViewMut<'a>,
}

impl SequenceAttention<'_> {
    /// Fills in the context.
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
                    // The mask counts as if every token had asked.
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

/// Softmax of `scale`·x along some rows, then dropout.
pub(crate) struct Softmax<'a> {
    /// One row per token that asks.
    pub scores: &'a mut AlignedMatrix,
    /// Which of them.
    pub rows: Range<usize>,
    /// How many tokens are asked. What a row has behind them is −∞, and gets no weight.
    pub tokens: usize,
    /// What scores are multiplied by before.
    pub scale: f32,
    /// What is dropped after.
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
