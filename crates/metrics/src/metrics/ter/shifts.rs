//! The fewest edits that a greedy search finds: as long as moving a block of words brings the text
//! nearer to the reference, the best such shift is made; each counts as one edit.
//!
//! Limits and the order of candidates are those of sacrebleu 2.6.0.

use super::bit_distance::BitRows;
use super::edit_distance::{EditStep, EditTables, least_beyond};
use std::cmp::Reverse;

/// The longest block that is moved.
const LONGEST: usize = 10;
/// The greatest distance between the beginnings of a block and its like in the reference.
const FARTHEST: usize = 50;
/// The number of shifts that are tried for one text and reference.
const CANDIDATES: usize = 1000;

/// Edit distances between texts of one length and a reference.
pub(super) trait EditDistances {
    /// The distance of a text, with which what follows is compared.
    fn read(&mut self, text: &[u32]) -> u32;

    /// The distance of another text, which begins with the same `shared` words.
    fn of_tried(&mut self, text: &[u32], shared: usize) -> u32;

    /// The way through the table of the text that was read, last step first. Of several, the one that at every cell
    /// prefers `Both`, then `Text`, looking from the end.
    fn steps_back(&self, text: &[u32], emit: impl FnMut(EditStep));
}

/// The search for the fewest edits; the buffers are kept.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    bits: BitRows,
    tables: EditTables,
    search: ShiftSearch,
}

/// The text as it stands, and what it would be after a shift.
#[derive(Debug, Default)]
struct ShiftSearch {
    alignment: TerAlignment,
    reference: Vec<u32>,
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
        let search = &mut self.search;
        search.number(text, reference);
        if self.bits.reset(&search.reference) {
            let distance = self.bits.read(&search.text);
            // Shifts that help make it less, so it stays exact.
            if (distance as usize) < least_beyond(text.len(), reference.len()) {
                return search.edits(&mut self.bits);
            }
        }
        self.tables.reset(text.len(), &search.reference);
        search.edits(&mut self.tables)
    }
}

impl ShiftSearch {
    /// Numbers each word by its first place in the reference, from 1 on; 0 is a word that is not there.
    fn number(&mut self, text: &[u32], reference: &[u32]) {
        let number = |word: &u32| {
            let place = reference.iter().position(|other| other == word);
            place.map_or(0, |place| place as u32 + 1)
        };
        self.text.clear();
        self.text.extend(text.iter().map(number));
        self.reference.clear();
        self.reference.extend(reference.iter().map(number));
    }

    fn edits(&mut self, distances: &mut impl EditDistances) -> usize {
        let least = self.fewest();
        let mut distance = distances.read(&self.text);
        let (mut shifts, mut tried) = (0, 0);
        while distance > least
            && let Some(shift) = self.best_shift(distances, distance, &mut tried)
        {
            shift.apply(&self.text, &mut self.shifted);
            std::mem::swap(&mut self.text, &mut self.shifted);
            distance = distances.read(&self.text);
            shifts += 1;
        }
        shifts + distance as usize
    }

    /// The distance that words in any order have at least.
    fn fewest(&mut self) -> u32 {
        let left = &mut self.shifted;
        left.clear();
        left.resize(self.reference.len() + 1, 0);
        for &word in &self.reference {
            left[word as usize] += 1;
        }
        let mut common = 0;
        for &word in &self.text {
            let left = &mut left[word as usize];
            common += u32::from(*left > 0);
            *left = left.saturating_sub(1);
        }
        self.text.len().max(self.reference.len()) as u32 - common
    }

    /// The shift that helps most, if one does; none once too many were tried, even if one of those
    /// would help.
    fn best_shift(
        &mut self,
        distances: &mut impl EditDistances,
        distance: u32,
        tried: &mut usize,
    ) -> Option<Shift> {
        self.alignment.read(distances, &self.text);
        let mut best = None;
        for start in 0..self.text.len() {
            // Its first place in the reference; nothing is like a word that is not there.
            let Some(first) = self.text[start].checked_sub(1) else {
                continue;
            };
            let end = self.reference.len().min(start + FARTHEST + 1);
            for like in start.saturating_sub(FARTHEST).max(first as usize)..end {
                if self.reference[like] != self.text[start] {
                    continue;
                }
                let common = self.text[start..].iter().zip(&self.reference[like..]);
                let common = common.take(LONGEST).take_while(|(a, b)| a == b).count();
                for length in 1..=common {
                    if !self.alignment.is_worth_moving(start, like, length) {
                        continue;
                    }
                    self.try_targets(distances, start, like, length, |shift, gained_to| {
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
        distances: &mut impl EditDistances,
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
            emit(shift, distances.of_tried(&self.shifted, unchanged));
        }
    }
}

impl TerAlignment {
    fn read(&mut self, distances: &impl EditDistances, text: &[u32]) {
        self.after.clear();
        self.wrong_in_reference.clear();
        self.wrong_in_text.clear();
        let mut words = text.len();
        distances.steps_back(text, |step| {
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
    use tiebreak_base::rng::Seed;

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
    fn bits_count_as_tables_do() {
        let mut rng = Seed(7).stream("test", 0);
        let mut shifts = Shifts::default();
        let mut by_tables = 0;
        for round in 0..120 {
            let (words, longest) = ([3, 10, 60][round % 3], [8, 60, 150, 200][round % 4]);
            let mut text = |length: usize| -> Vec<u32> {
                (0..length).map(|_| rng.below(words) as u32).collect()
            };
            let reference = text(1 + round % longest);
            let mut other = text(1 + (7 * round) % longest);
            if round % 5 < 3 {
                // The reference in another order, with a few other words.
                let few = other.len().min(3);
                other.splice(few.., reference.iter().copied());
                other.rotate_left(few);
                let middle = other.len() / 2;
                other[middle..].rotate_left(middle / 2);
            }
            let found = shifts.edits(&other, &reference);
            let search = &mut shifts.search;
            search.number(&other, &reference);
            let mut tables = EditTables::default();
            tables.reset(other.len(), &search.reference);
            let distance = tables.read(&search.text) as usize;
            let exact = distance < least_beyond(other.len(), reference.len());
            by_tables += usize::from(!exact || reference.len() > 128);
            assert_eq!(found, search.edits(&mut tables), "{other:?}, {reference:?}");
        }
        assert!((5..60).contains(&by_tables), "{by_tables}");
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
