//! Edit distance within a band, as Tercom computes it.
//!
//! Row i of the table is about the first i words of the text, column j about the first j words of
//! the reference. Only the cells around the line from corner to corner are filled in, so for long
//! texts of unlike order the distance is larger than Levenshtein's. The last row is open to the
//! end, so there always is a distance. Memory is for the band only.

use super::bit_distance::{BitRows, RowBits};
use super::shifts::EditDistances;
use std::ops::Range;

/// Half the width of the band.
const BAND: usize = 25;

/// A cost above any distance; one may be added to it.
const UNREACHED: u32 = 1 << 30;

/// A step between two neighbouring cells of the way through the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditStep {
    /// A word of the text stands for a word of the reference.
    Both { same: bool },
    /// A word of the text stands for nothing.
    Text,
    /// A word of the reference is missing.
    Reference,
}

/// The tables of a text and of one that is tried in its place, against one reference.
#[derive(Debug, Clone, Default)]
pub(super) struct EditTables {
    text: EditTable,
    tried: EditTable,
    /// The text that was tried last; the buffer is kept.
    words: Vec<u32>,
}

/// The table for texts of one length against one reference.
#[derive(Debug, Clone, Default)]
struct EditTable {
    reference: Vec<u32>,
    /// The number of words of a text.
    length: usize,
    rows: Vec<Row>,
    /// The cells of the rows, one row after the other.
    costs: Vec<u32>,
}

/// The columns of a row that are filled in, and where the first of them lies. Before it lies a cell
/// that is never reached.
#[derive(Debug, Clone, Copy)]
struct Row {
    from: usize,
    to: usize,
    start: usize,
}

impl Row {
    /// The range of its cells.
    fn cells(&self) -> Range<usize> {
        self.start..self.start + self.to - self.from
    }
}

impl EditTables {
    /// Prepares for texts of `length` words.
    pub(super) fn reset(&mut self, length: usize, reference: &[u32]) {
        self.text.reset(length, reference);
        self.tried.reset(length, reference);
    }
}

impl EditDistances for EditTables {
    fn read(&mut self, text: &[u32]) -> u32 {
        self.text.fill(text, 0)
    }

    fn of_tried(&mut self, text: &[u32], shared: usize, rest: [&[u32]; 3], _: u32) -> u32 {
        self.words.clear();
        self.words.extend_from_slice(&text[..shared]);
        for part in rest {
            self.words.extend_from_slice(part);
        }
        self.tried.fill_after(&self.text, &self.words, shared)
    }

    fn steps_back(&self, text: &[u32], emit: impl FnMut(EditStep)) {
        self.text.steps_back(text, emit);
    }
}

/// Tables beside bits for the same texts: no distance within a band is less than that without one.
impl<B: RowBits> EditDistances for (&mut BitRows<B>, &mut EditTables) {
    fn read(&mut self, text: &[u32]) -> u32 {
        self.0.read(text);
        self.1.read(text)
    }

    fn of_tried(&mut self, text: &[u32], shared: usize, rest: [&[u32]; 3], limit: u32) -> u32 {
        let least = self.0.of_tried(text, shared, rest, limit);
        match least < limit {
            true => self.1.of_tried(text, shared, rest, limit),
            false => least,
        }
    }

    fn steps_back(&self, text: &[u32], emit: impl FnMut(EditStep)) {
        self.1.steps_back(text, emit);
    }
}

/// Whether a text and a reference of these lengths, whose Levenshtein distance this is, have the same distance here, and
/// the same cheapest ways.
pub(super) fn is_within_band(distance: usize, text: usize, reference: usize) -> bool {
    // A cell j = i · reference / text + d costs at least |d|: with a = j - i and b = a - (reference - text), d lies between
    // a and b, and |a| + |b| is the cost. Where a cell is left out, |d| is more than BAND - 1.
    distance < BAND || distance < least_beyond(text, reference)
}

/// The least cost of any way through a cell that is not filled in, for a text and a reference of these lengths. A text
/// whose Levenshtein distance is less has the same distance here, and the same cheapest ways.
fn least_beyond(text: usize, reference: usize) -> usize {
    // The band then has all columns.
    if reference < BAND {
        return usize::MAX;
    }
    let rows = 1..=text;
    let beyond = rows.filter_map(|i| {
        let (from, to) = band(i, text, reference);
        // Ways between these columns cost no more than the difference of the lengths.
        let ends = [i, (i + reference).saturating_sub(text)];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let cost = |j: usize| i.abs_diff(j) + (text - i).abs_diff(reference - j);
        let left = (from > 0).then(|| cost(high.min(from - 1)));
        let right = (to <= reference).then(|| cost(low.max(to)));
        left.into_iter().chain(right).min()
    });
    beyond.min().unwrap_or(usize::MAX)
}

impl EditTable {
    fn reset(&mut self, length: usize, reference: &[u32]) {
        self.reference.clear();
        self.reference.extend_from_slice(reference);
        self.length = length;
        self.rows.clear();
        let mut end = 0;
        for i in 0..=length {
            let (from, to) = band(i, length, reference.len());
            let start = end + 1;
            self.rows.push(Row { from, to, start });
            end = start + to - from;
        }
        self.costs.clear();
        self.costs.push(UNREACHED);
        self.costs.extend(0..=reference.len() as u32);
        self.costs.resize(end, UNREACHED);
    }

    /// The distance of `text`, whose first `known` rows (those of its first words) are filled in.
    fn fill(&mut self, text: &[u32], known: usize) -> u32 {
        for (i, &word) in (1..).zip(text).skip(known) {
            let (above, row) = (self.rows[i - 1], self.rows[i]);
            let (before, cells) = self.costs.split_at_mut(row.start);
            // From the cell before its first one, so that column j is cell j + 1 - from.
            let above_cells = &before[above.start - 1..above.cells().end];
            let mut left = UNREACHED;
            for (cell, j) in cells.iter_mut().zip(row.from..row.to) {
                let at = j + 1 - above.from;
                let up = |at: usize| above_cells.get(at).copied().unwrap_or(UNREACHED);
                let mut cost = up(at) + 1;
                if j > 0 {
                    let same = word == self.reference[j - 1];
                    cost = cost.min(up(at - 1) + u32::from(!same)).min(left + 1);
                }
                left = cost.min(UNREACHED);
                *cell = left;
            }
        }
        self.costs[self.costs.len() - 1]
    }

    /// As [`fill`](Self::fill), for a text that begins with the same `shared` words as the one that
    /// `other`, a table of the same shape, is filled in for.
    fn fill_after(&mut self, other: &Self, text: &[u32], shared: usize) -> u32 {
        let cells = self.rows[shared].cells();
        self.costs[cells.clone()].copy_from_slice(&other.costs[cells]);
        self.fill(text, shared)
    }

    /// The way through the table that `text` was filled in for, last step first. Of several, the
    /// one that at every cell prefers `Both`, then `Text`, looking from the end.
    fn steps_back(&self, text: &[u32], mut emit: impl FnMut(EditStep)) {
        let at = |i: usize, j: usize| {
            let row = self.rows[i];
            if (row.from..row.to).contains(&j) {
                self.costs[row.start + j - row.from]
            } else {
                UNREACHED
            }
        };
        let (mut i, mut j) = (self.length, self.reference.len());
        while i > 0 || j > 0 {
            let same = i > 0 && j > 0 && text[i - 1] == self.reference[j - 1];
            if i > 0 && j > 0 && at(i, j) == at(i - 1, j - 1) + u32::from(!same) {
                emit(EditStep::Both { same });
                (i, j) = (i - 1, j - 1);
            } else if i > 0 && at(i, j) == at(i - 1, j) + 1 {
                emit(EditStep::Text);
                i -= 1;
            } else {
                emit(EditStep::Reference);
                j -= 1;
            }
        }
    }
}

/// The columns of row `i` that are filled in: all of the first row, and the last to the end.
fn band(i: usize, text: usize, reference: usize) -> (usize, usize) {
    let end = reference + 1;
    if i == 0 {
        return (0, end);
    }
    let ratio = reference as f64 / text as f64;
    let center = (i as f64 * ratio).floor() as usize;
    // Where the lengths are so unlike that neighbouring rows would not meet, it is wider.
    let half = if ratio / 2.0 > BAND as f64 {
        (ratio / 2.0 + BAND as f64).ceil() as usize
    } else {
        BAND
    };
    let to = if i == text {
        end
    } else {
        end.min(center + half)
    };
    (center.saturating_sub(half), to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(text: &[u32], reference: &[u32]) -> (u32, Vec<EditStep>) {
        let mut table = EditTable::default();
        table.reset(text.len(), reference);
        let distance = table.fill(text, 0);
        let mut steps = Vec::new();
        table.steps_back(text, |step| steps.push(step));
        steps.reverse();
        (distance, steps)
    }

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(distance(&[], &[1, 2]), (2, vec![EditStep::Reference; 2]));
        let same = EditStep::Both { same: true };
        assert_eq!(
            distance(&[1, 9, 2], &[1, 2]),
            (1, vec![same, EditStep::Text, same])
        );
        // The first of the two equal words is left over: the way back pairs the last one.
        assert_eq!(distance(&[1, 1], &[1]), (1, vec![EditStep::Text, same]));
    }

    #[test]
    fn far_from_the_diagonal_nothing_matches() {
        let (text, reference): (Vec<u32>, Vec<u32>) = ((0..60).collect(), (30..90).collect());
        assert_eq!(distance(&text, &reference).0, 60);
        let (text, reference): (Vec<u32>, Vec<u32>) = ((0..60).collect(), (20..80).collect());
        assert_eq!(distance(&text, &reference).0, 40);
    }

    #[test]
    fn lengths_that_are_very_unlike_still_have_a_distance() {
        let reference: Vec<u32> = (0..500).collect();
        // The last word is out of reach of its like.
        assert_eq!(distance(&[777, 499], &reference).0, 500);
        assert_eq!(distance(&reference, &[777]).0, 500);
    }

    #[test]
    fn ways_beyond_the_band_cost_more_than_its_half() {
        for text in 1..140 {
            for reference in 1..300 {
                let least = least_beyond(text, reference);
                assert!(least >= BAND, "{text}, {reference}: {least}");
            }
        }
    }
}
