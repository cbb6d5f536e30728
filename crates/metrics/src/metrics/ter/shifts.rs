//! The fewest edits that a greedy search finds: as long as moving a block of words brings the text
//! nearer to the reference, the best such shift is made; each counts as one edit.
//!
//! Limits and the order of candidates are those of sacrebleu 2.6.0.

use super::edit_distance::{EditStep, EditTable};
use std::cmp::Reverse;

/// The longest block that is moved.
const LONGEST: usize = 10;
/// The greatest distance between the beginnings of a block and its like in the reference.
const FARTHEST: usize = 50;
/// The number of shifts that are tried for one text and reference.
const CANDIDATES: usize = 1000;

/// The search for the fewest edits; the buffers are kept.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    /// The table of the text as it stands, and one for what it would be after a shift.
    table: EditTable,
    shifted_table: EditTable,
    alignment: TerAlignment,
    text: Vec<u32>,
    shifted: Vec<u32>,
}

/// The places of the words of the reference in the text, and which words of each are wrong.
#[derive(Debug, Default)]
struct TerAlignment {
    /// For each word of the reference, the number of words of the text up to its place: one more
    /// than the word it is aligned with, or is missing behind.
    after: Vec<usize>,
    wrong_in_reference: Vec<bool>,
    wrong_in_text: Vec<bool>,
}

/// A block of words moved to before word `target`.
#[derive(Debug, Clone, Copy)]
struct Shift {
    start: usize,
    length: usize,
    target: usize,
}

impl Shifts {
    /// The edits that turn `text` into `reference`.
    pub(super) fn edits(&mut self, text: &[u32], reference: &[u32]) -> usize {
        if reference.is_empty() {
            return text.len();
        }
        self.text.clear();
        self.text.extend_from_slice(text);
        self.table.reset(text.len(), reference);
        self.shifted_table.reset(text.len(), reference);
        let mut distance = self.table.fill(&self.text, 0);
        let (mut shifts, mut tried) = (0, 0);
        while let Some(shift) = self.best_shift(reference, distance, &mut tried) {
            shift.apply(&self.text, &mut self.shifted);
            std::mem::swap(&mut self.text, &mut self.shifted);
            distance = self.table.fill(&self.text, 0);
            shifts += 1;
        }
        shifts + distance as usize
    }

    /// The shift that helps most, if one does; none once too many were tried, even if one of those
    /// would help.
    fn best_shift(&mut self, reference: &[u32], distance: u32, tried: &mut usize) -> Option<Shift> {
        self.alignment.read(&self.table, &self.text);
        let mut best = None;
        for start in 0..self.text.len() {
            let near = start.saturating_sub(FARTHEST)..reference.len().min(start + FARTHEST + 1);
            for like in near {
                let common = self.text[start..].iter().zip(&reference[like..]);
                let common = common.take(LONGEST).take_while(|(a, b)| a == b).count();
                for length in 1..=common {
                    if !self.alignment.is_worth_moving(start, like, length) {
                        continue;
                    }
                    self.try_targets(start, like, length, |shift, gained_to| {
                        *tried += 1;
                        let gain = i64::from(distance) - i64::from(gained_to);
                        // Most gained, then the longest, from the first place, to the first place.
                        let rank = (gain, length, Reverse(start), Reverse(shift.target));
                        if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                            best = Some((rank, shift));
                        }
                    });
                    if *tried >= CANDIDATES {
                        return None;
                    }
                }
            }
        }
        best.and_then(|((gain, ..), shift)| (gain > 0).then_some(shift))
    }

    /// Tries to move a block to each place that words of the reference from before `like` to the
    /// end of the block's like point to; `emit` gets the distance then.
    fn try_targets(
        &mut self,
        start: usize,
        like: usize,
        length: usize,
        mut emit: impl FnMut(Shift, u32),
    ) {
        let mut last = None;
        for place in like..=like + length {
            let target = match place {
                0 => 0,
                _ => self.alignment.after[place - 1],
            };
            if last == Some(target) {
                continue;
            }
            last = Some(target);
            let shift = Shift {
                start,
                length,
                target,
            };
            shift.apply(&self.text, &mut self.shifted);
            let unchanged = start.min(target);
            let distance = self
                .shifted_table
                .fill_after(&self.table, &self.shifted, unchanged);
            emit(shift, distance);
        }
    }
}

impl TerAlignment {
    fn read(&mut self, table: &EditTable, text: &[u32]) {
        self.after.clear();
        self.wrong_in_reference.clear();
        self.wrong_in_text.clear();
        let mut words = text.len();
        table.steps_back(text, |step| {
            if step != EditStep::Text {
                self.after.push(words);
                self.wrong_in_reference
                    .push(step != EditStep::Both { same: true });
            }
            if step != EditStep::Reference {
                self.wrong_in_text
                    .push(step != EditStep::Both { same: true });
                words -= 1;
            }
        });
        self.after.reverse();
        self.wrong_in_reference.reverse();
        self.wrong_in_text.reverse();
    }

    /// Whether a block and its like both have something wrong with them, and the like's place is
    /// not inside the block.
    fn is_worth_moving(&self, start: usize, like: usize, length: usize) -> bool {
        let wrong = |words: &[bool]| words.contains(&true);
        wrong(&self.wrong_in_text[start..start + length])
            && wrong(&self.wrong_in_reference[like..like + length])
            && !(start + 1..=start + length).contains(&self.after[like])
    }
}

impl Shift {
    /// Writes the shifted text. A target inside the block moves it to the right by that much.
    fn apply(self, text: &[u32], shifted: &mut Vec<u32>) {
        let Self {
            start,
            length,
            target,
        } = self;
        let end = start + length;
        let block = &text[start..end];
        shifted.clear();
        if target < start {
            shifted.extend_from_slice(&text[..target]);
            shifted.extend_from_slice(block);
            shifted.extend_from_slice(&text[target..start]);
            shifted.extend_from_slice(&text[end..]);
        } else {
            let to = if target > end {
                target
            } else {
                target + length
            };
            let to = to.min(text.len());
            shifted.extend_from_slice(&text[..start]);
            shifted.extend_from_slice(&text[end..to]);
            shifted.extend_from_slice(block);
            shifted.extend_from_slice(&text[to..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_moves_at_the_cost_of_one_edit() {
        let mut shifts = Shifts::default();
        assert_eq!(
            shifts.edits(&[5, 6, 7, 1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7]),
            1
        );
        assert_eq!(shifts.edits(&[1, 2, 3], &[]), 3);
        assert_eq!(shifts.edits(&[], &[1, 2]), 2);
        assert_eq!(shifts.edits(&[2, 1, 9], &[1, 2]), 2);
    }

    #[test]
    fn a_shift_keeps_every_word() {
        let text: Vec<u32> = (0..7).collect();
        for start in 0..7 {
            for length in 1..=7 - start {
                for target in 0..=7 {
                    let shift = Shift {
                        start,
                        length,
                        target,
                    };
                    let mut shifted = Vec::new();
                    shift.apply(&text, &mut shifted);
                    shifted.sort_unstable();
                    assert_eq!(shifted, text, "{shift:?}");
                }
            }
        }
    }

    #[test]
    fn where_a_shift_puts_the_block() {
        let apply = |start, length, target| {
            let mut shifted = Vec::new();
            Shift {
                start,
                length,
                target,
            }
            .apply(&[0, 1, 2, 3, 4, 5], &mut shifted);
            shifted
        };
        assert_eq!(apply(3, 2, 1), [0, 3, 4, 1, 2, 5]);
        assert_eq!(apply(0, 2, 4), [2, 3, 0, 1, 4, 5]);
        assert_eq!(apply(1, 2, 2), [0, 3, 1, 2, 4, 5]);
    }
}
