//! From an alignment to METEOR's 23 statistics, and from those (or their sums) to the score.
//!
//! With m the share of words matched, in the text (P) and in the reference (R), where the matches of
//! module i count w_i, content words δ and function words 1 - δ:
//!
//! ```text
//! F = 1 / ((1-α)/P + α/R)        fragmentation = chunks / mean number of matched words
//! score = F (1 - γ fragmentation^β)
//! ```
//!
//! A text matched with its reference as a whole in a single chunk has no chunks: it is not
//! fragmented, and adds none to a corpus. A score that is not a number is 0.

use super::align::MeteorAlignment;
use super::words::LexiconEntry;

/// The number of statistics of a segment: lengths and function words of both sides, content and function words matched
/// on both sides for each of four modules, chunks, and matches.
pub(super) const WIDTH: usize = 23;
/// The number of modules there is room for.
pub(super) const SLOTS: usize = 4;

const FIRST_SLOT: usize = 4;
const CHUNKS: usize = FIRST_SLOT + 4 * SLOTS;

/// The statistics of a text and a reference, in METEOR's order.
pub(super) fn statistics(
    text: &[&LexiconEntry],
    reference: &[&LexiconEntry],
    alignment: &MeteorAlignment,
) -> [f64; WIDTH] {
    let mut row = [0.0; WIDTH];
    row[0] = text.len() as f64;
    row[1] = reference.len() as f64;
    row[2] = text.iter().filter(|word| word.function).count() as f64;
    row[3] = reference.iter().filter(|word| word.function).count() as f64;
    for (position, found) in alignment.matches.iter().enumerate() {
        let Some(found) = found else { continue };
        let slot = FIRST_SLOT + 4 * found.slot;
        let sides = [
            &text[found.in_text()],
            &reference[found.in_reference(position)],
        ];
        for (side, words) in sides.into_iter().enumerate() {
            for word in words {
                row[slot + side + 2 * usize::from(word.function)] += 1.0;
                row[CHUNKS + 1 + side] += 1.0;
            }
        }
    }
    let whole = row[CHUNKS + 1] == row[0] && row[CHUNKS + 2] == row[1];
    if !(whole && alignment.chunks == 1) {
        row[CHUNKS] = alignment.chunks as f64;
    }
    row
}

/// The weights that METEOR is tuned by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeteorWeights {
    /// α: what recall weighs against precision, 0 to 1.
    pub(super) alpha: f64,
    /// β: how fragmentation is bent.
    pub(super) beta: f64,
    /// γ: the largest penalty for fragmentation.
    pub(super) gamma: f64,
    /// δ: what content words weigh against function words, 0 to 1.
    pub(super) delta: f64,
    /// The weight of a match of each module.
    pub(super) modules: Vec<f64>,
}

impl MeteorWeights {
    /// The score, 0 to 1 for weights up to 1.
    pub(super) fn score(&self, row: &[f64]) -> f64 {
        let share = |side: usize| {
            let function = row[2 + side];
            let length = self.delta * (row[side] - function) + (1.0 - self.delta) * function;
            let matched = |(slot, weight): (usize, &f64)| {
                let at = FIRST_SLOT + 4 * slot + side;
                weight * (self.delta * row[at] + (1.0 - self.delta) * row[at + 2])
            };
            let modules = self.modules.iter().enumerate();
            modules.map(matched).sum::<f64>() / length
        };
        let (precision, recall) = (share(0), share(1));
        let mean = 1.0 / ((1.0 - self.alpha) / precision + self.alpha / recall);
        let fragmentation = row[CHUNKS] / f64::midpoint(row[CHUNKS + 1], row[CHUNKS + 2]);
        let score = mean * (1.0 - self.gamma * fragmentation.powf(self.beta));
        if score.is_nan() { 0.0 } else { score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> MeteorWeights {
        MeteorWeights {
            alpha: 0.85,
            beta: 0.2,
            gamma: 0.6,
            delta: 0.75,
            modules: vec![1.0],
        }
    }

    /// Four content words, of which `matched` match in `chunks` chunks.
    fn row(matched: f64, chunks: f64) -> [f64; WIDTH] {
        let mut row = [0.0; WIDTH];
        (row[0], row[1]) = (4.0, 4.0);
        (row[4], row[5]) = (matched, matched);
        (row[20], row[21], row[22]) = (chunks, matched, matched);
        row
    }

    #[test]
    fn chunks_are_punished_and_nothing_matched_is_zero() {
        assert_eq!(weights().score(&row(4.0, 0.0)), 1.0);
        let two = 1.0 - 0.6 * 0.5_f64.powf(0.2);
        assert!((weights().score(&row(4.0, 2.0)) - two).abs() < 1e-15);
        assert_eq!(weights().score(&row(0.0, 0.0)), 0.0);
        assert_eq!(weights().score(&[0.0; WIDTH]), 0.0);
    }
}
