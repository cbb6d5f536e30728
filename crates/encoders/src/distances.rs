//! The relative-position bias that is added to attention scores, the same in every layer: MPNet, after T5.
//!
//! Song et al., "MPNet", NeurIPS 2020; Raffel et al., JMLR 2020. Distances share buckets: half of them for tokens
//! before, half for those after; of each half one for every short distance, and for longer ones one for every step of
//! a logarithmic scale up to 128 tokens.

use super::config::Config;
use super::packed::AlignedMatrix;

/// The number of buckets. `config.json` names one, but transformers computes these whatever it says.
pub(super) const BUCKETS: usize = 32;

/// The buckets of one direction, and those of them that are for one distance each.
const HALF: usize = BUCKETS / 2;
const EXACT: usize = HALF / 2;

/// The distance at which the logarithmic scale ends.
const FARTHEST: f32 = 128.0;

/// The bucket of a key `after` places after the query. In f32, as PyTorch computes it: where a logarithm
/// falls on a step, rounding decides.
pub(super) fn bucket(after: isize) -> usize {
    let (first, away) = (if after > 0 { HALF } else { 0 }, after.unsigned_abs());
    if away < EXACT {
        return first + away;
    }
    let exact = EXACT as f32;
    let steps = (away as f32 / exact).ln() / (FARTHEST / exact).ln() * (HALF - EXACT) as f32;
    first + (EXACT + steps as usize).min(HALF - 1)
}

/// The bucket of every query and key of `tokens` tokens, row by row.
pub(super) fn buckets(tokens: usize) -> impl Iterator<Item = u32> {
    let n = tokens as isize;
    (0..n).flat_map(move |query| (0..n).map(move |key| bucket(key - query) as u32))
}

/// The relative-position bias of every head, to be added to scores before they are scaled.
pub(super) struct RelativePositionBias {
    /// The buckets, from the farthest token before to the farthest after.
    buckets: Vec<usize>,
    /// The bias of each of these, head by head.
    rows: Vec<f32>,
}

impl RelativePositionBias {
    /// Takes the table of a checkpoint, (buckets, heads).
    pub(crate) fn new(config: &Config, table: &[f32]) -> Self {
        let (heads, reach) = (config.heads, config.positions as isize - 1);
        let scale = ((config.hidden / heads) as f32).sqrt();
        let buckets: Vec<usize> = (-reach..=reach).map(bucket).collect();
        let of_head = |head| buckets.iter().map(move |bucket| bucket * heads + head);
        let places = (0..heads).flat_map(of_head);
        Self {
            rows: places.map(|place| table[place] * scale).collect(),
            buckets,
        }
    }

    /// Writes the biases of one head where scores over `tokens` tokens are to be added. Rows are queries: all tokens
    /// or, if `alone`, the first one every time.
    pub(crate) fn lay(&self, head: usize, tokens: usize, alone: bool, scores: &mut AlignedMatrix) {
        let middle = head * self.buckets.len() + self.buckets.len() / 2;
        for i in 0..scores.count() {
            let first = middle - if alone { 0 } else { i };
            let (row, behind) = scores.row_mut(i).split_at_mut(tokens);
            row.copy_from_slice(&self.rows[first..first + tokens]);
            behind.fill(0.0);
        }
    }

    /// Adds the derivative by the table, given that by the scaled scores of one head.
    pub(crate) fn back(&self, head: usize, d_scores: &AlignedMatrix, scale: f32, to: &mut [f32]) {
        let (heads, middle) = (self.rows.len() / self.buckets.len(), self.buckets.len() / 2);
        for i in 0..d_scores.count() {
            for (bucket, d) in self.buckets[middle - i..].iter().zip(d_scores.row(i)) {
                to[bucket * heads + head] += d / scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `relative_position_bucket` of transformers 5.23.0, at every distance where the bucket changes.
    #[test]
    fn buckets_are_those_of_transformers() {
        for (sign, first) in [(-1, 0), (1, HALF)] {
            let of = |away: isize| bucket(sign * away);
            let changes = (1..600).filter(|&away| of(away) != of(away - 1));
            let changes: Vec<_> = changes.map(|away| (away, of(away))).collect();
            let ends = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91];
            let expected: Vec<_> = ends.into_iter().zip(first + 1..).collect();
            assert_eq!(changes, expected);
        }
        assert_eq!(bucket(0), 0);
    }
}
