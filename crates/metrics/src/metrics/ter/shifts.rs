//! The fewest edits that a greedy search finds: as long as moving a block of words brings the text
//! nearer to the reference, the best such shift is made; each counts as one edit.
//!
//! Limits and the order of candidates are those of sacrebleu 2.6.0.

use super::bit_distance::{BitRows, RowBits};
use super::edit_distance::{EditStep, EditTables, is_within_band};
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

    /// The distance of another text, which has `rest` in the place of all words but the first `shared`. If it is not
    /// below `limit`, any number that is not.
    fn of_tried(&mut self, text: &[u32], shared: usize, rest: [&[u32]; 3], limit: u32) -> u32;

    /// The way through the table of the text that was read, last step first. Of several, the one that at every cell
    /// prefers `Both`, then `Text`, looking from the end.
    fn steps_back(&self, text: &[u32], emit: impl FnMut(EditStep));
}

/// The search for the fewest edits; the buffers are kept.
#[derive(Debug, Default)]
pub(super) struct Shifts {
    narrow: BitRows<u64>,
    wide: BitRows<u128>,
    tables: EditTables,
    search: ShiftSearch,
}

/// The text as it stands, and what it would be after a shift.
#[derive(Debug, Default)]
struct ShiftSearch {
    alignment: TerAlignment,
    /// The number of each word of the vocabulary while words are numbered, otherwise 0.
    numbers: Vec<u32>,
    reference: Vec<u32>,
    /// For each word of the reference, the next place of the same word.
    next_like: Vec<Option<usize>>,
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

/// The distance after a shift, its length, its first word and its target: the less, the better the shift.
type ShiftRank = (u32, Reverse<usize>, usize, usize);

impl Shifts {
    /// The edits that turn `text` into `reference`.
    pub(super) fn edits(&mut self, text: &[u32], reference: &[u32]) -> usize {
        if reference.is_empty() {
            return text.len();
        }
        let search = &mut self.search;
        search.number(text, reference);
        if self.narrow.reset(&search.reference) {
            search.edits_by_bits(&mut self.narrow, &mut self.tables)
        } else if self.wide.reset(&search.reference) {
            search.edits_by_bits(&mut self.wide, &mut self.tables)
        } else {
            self.tables.reset(text.len(), &search.reference);
            search.edits(&mut self.tables)
        }
    }
}

impl ShiftSearch {
    /// Numbers each word by its first place in the reference, from 1 on; 0 is a word that is not there.
    fn number(&mut self, text: &[u32], reference: &[u32]) {
        let most = text.iter().chain(reference).max();
        let words = most.map_or(0, |&word| word as usize + 1);
        self.numbers.resize(words.max(self.numbers.len()), 0);
        // From the end, so that the first place stands last, and the place behind is the next.
        self.next_like.clear();
        self.next_like.resize(reference.len(), None);
        for (place, &word) in reference.iter().enumerate().rev() {
            let number = &mut self.numbers[word as usize];
            self.next_like[place] = number.checked_sub(1).map(|next| next as usize);
            *number = place as u32 + 1;
        }
        let number = |word: &u32| self.numbers[*word as usize];
        self.text.clear();
        self.text.extend(text.iter().map(number));
        self.reference.clear();
        self.reference.extend(reference.iter().map(number));
        for &word in reference {
            self.numbers[word as usize] = 0;
        }
    }

    /// The edits, by bits alone where the band makes no difference.
    fn edits_by_bits<B: RowBits>(
        &mut self,
        bits: &mut BitRows<B>,
        tables: &mut EditTables,
    ) -> usize {
        let (words, reference) = (self.text.len(), self.reference.len());
        // Shifts that help make it less, so it stays exact.
        if is_within_band(bits.read(&self.text) as usize, words, reference) {
            return self.edits(bits);
        }
        tables.reset(words, &self.reference);
        self.edits(&mut (bits, tables))
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
        let mut best: Option<ShiftRank> = None;
        for start in 0..self.text.len() {
            // Its first place in the reference; nothing is like a word that is not there.
            let Some(first) = self.text[start].checked_sub(1) else {
                continue;
            };
            let likes = std::iter::successors(Some(first as usize), |&like| self.next_like[like]);
            let near = likes.take_while(|&like| like <= start + FARTHEST);
            for like in near.filter(|&like| like + FARTHEST >= start) {
                let common = self.text[start..].iter().zip(&self.reference[like..]);
                let common = common.take(LONGEST).take_while(|(a, b)| a == b).count();
                for length in 1..=common {
                    if !self.alignment.is_worth_moving(start, like, length) {
                        continue;
                    }
                    for target in self.alignment.targets(like, length) {
                        *tried += 1;
                        let shift = Shift {
                            start,
                            length,
                            target,
                        };
                        // What does not help, or helps less than another, need not be known.
                        let limit = best.map_or(distance, |(least, ..)| least + 1);
                        let (shared, rest) = shift.parts(&self.text);
                        let least = distances.of_tried(&self.text, shared, rest, limit);
                        let rank = (least, Reverse(length), start, target);
                        if least < limit && best.is_none_or(|other| rank < other) {
                            best = Some(rank);
                        }
                    }
                    if *tried >= CANDIDATES {
                        return None;
                    }
                }
            }
        }
        best.map(|(_, Reverse(length), start, target)| Shift {
            start,
            length,
            target,
        })
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

    /// The places that words of the reference from before `like` to the end of the block's like point to.
    fn targets(&self, like: usize, length: usize) -> impl Iterator<Item = usize> {
        let target = |place: usize| place.checked_sub(1).map_or(0, |word| self.after[word]);
        let mut last = None;
        let all = (like..=like + length).map(target);
        all.filter(move |&target| last.replace(target) != Some(target))
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
    /// The number of words that stay where they are, and what follows them in the shifted text. A target inside the
    /// block moves it to the right by that much.
    fn parts(self, text: &[u32]) -> (usize, [&[u32]; 3]) {
        let Self {
            start,
            length,
            target,
        } = self;
        let end = start + length;
        let block = &text[start..end];
        if target < start {
            return (target, [block, &text[target..start], &text[end..]]);
        }
        let to = if target > end {
            target
        } else {
            target + length
        };
        let to = to.min(text.len());
        (start, [&text[end..to], block, &text[to..]])
    }

    /// Writes the shifted text.
    fn apply(self, text: &[u32], shifted: &mut Vec<u32>) {
        let (shared, rest) = self.parts(text);
        shifted.clear();
        shifted.extend_from_slice(&text[..shared]);
        for part in rest {
            shifted.extend_from_slice(part);
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
            let exact = is_within_band(distance, other.len(), reference.len());
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
