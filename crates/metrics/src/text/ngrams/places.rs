//! Shared n-grams by the places at which they end in the references, 64 places at a time.
//!
//! The places at which an n-gram of the hypothesis ends are those right after the places of its first n - 1 words at which
//! its last word stands: a shift and an intersection of bit vectors. Different n-grams of an order end at different
//! places, so clipping is to let every match use up a place.

use crate::text::occurrences::Occurrences;
use std::ops::Range;

/// The most words per bit vector: with more, a table is faster.
const WIDEST: usize = 8;

/// The places of the symbols of the references. Each reference begins at a word of its own, behind an empty place.
#[derive(Debug, Default)]
pub(super) struct SymbolPositions {
    order: usize,
    occurrences: Occurrences,
    /// The words of each reference.
    words: Vec<Range<usize>>,
    /// The places at which the n-gram that was read last ends, by order.
    ends: Vec<u64>,
    /// The places that matches have used up, by order.
    used: Vec<u64>,
}

impl SymbolPositions {
    /// Replaces the references if they are short enough. Returns whether they are.
    pub(super) fn set<'a>(
        &mut self,
        order: usize,
        references: impl Iterator<Item = &'a [u32]> + Clone,
    ) -> bool {
        self.words.clear();
        let mut width = 0;
        for reference in references.clone() {
            let end = width + reference.len() / 64 + 1;
            self.words.push(width..end);
            width = end;
        }
        if width > WIDEST {
            return false;
        }
        self.order = order;
        let starts = self.words.iter().map(|words| 64 * words.start);
        let placed = references
            .zip(starts)
            .flat_map(|(reference, start)| (start..).zip(reference.iter().copied()));
        self.occurrences.set(width, placed);
        for vectors in [&mut self.ends, &mut self.used] {
            vectors.clear();
            vectors.resize(order * width, 0);
        }
        true
    }

    pub(super) fn overlap(&mut self, hypothesis: &[u32], matches: &mut [u64]) {
        self.used.fill(0);
        // The highest order at which the n-gram that ends here is in a reference.
        let mut reached = 0;
        for &symbol in hypothesis {
            let here = self.occurrences.places(symbol);
            let longest = self.order.min(reached + 1);
            reached = 0;
            for n in (0..longest).rev() {
                if follow(&mut self.ends, n, here) {
                    reached = reached.max(n + 1);
                    let at = n * here.len();
                    let ends = &self.ends[at..at + here.len()];
                    let used = &mut self.used[at..at + here.len()];
                    matches[n] += u64::from(use_up(&self.words, ends, used));
                }
            }
        }
    }
}

/// Turns the places where n words end (none, for n = 0) into those where n + 1 words do, the last of which stands
/// `here`. Returns whether there are any.
fn follow(ends: &mut [u64], n: usize, here: &[u64]) -> bool {
    let width = here.len();
    let Some(before) = n.checked_sub(1) else {
        ends[..width].copy_from_slice(here);
        return here.iter().any(|&word| word != 0);
    };
    let (before, after) = ends[before * width..].split_at_mut(width);
    let (mut carry, mut any) = (0, 0);
    for ((&before, after), &here) in before.iter().zip(after).zip(here) {
        *after = (before << 1 | carry) & here;
        carry = before >> 63;
        any |= *after;
    }
    any != 0
}

/// Uses up a place in every reference that has one left. Returns whether any had.
fn use_up(references: &[Range<usize>], ends: &[u64], used: &mut [u64]) -> bool {
    let mut any = false;
    for words in references {
        for (ends, used) in ends[words.clone()].iter().zip(&mut used[words.clone()]) {
            let left = ends & !*used;
            if left != 0 {
                *used |= left & left.wrapping_neg();
                any = true;
                break;
            }
        }
    }
    any
}
