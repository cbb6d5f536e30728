//! Shared n-grams with one short reference, all orders at once without a branch.
//!
//! As in `places.rs`, an n-gram is the set of the places at which it ends in the reference, and a match uses up one of
//! them. Here the compiler knows the numbers of words and orders. Neighbouring places lie in neighbouring words, so that
//! to move on by a place is to exchange words, and one shift. That took a fifth less time than to shift over words.

use crate::text::occurrences::Occurrences;

/// The most symbols of a reference: with more, a table is faster.
const LONGEST: usize = 4 * 64;

/// The longest n-grams: those of chrF.
const HIGHEST: usize = 6;

/// The places of the symbols of one reference: place p is bit p / W of word p mod W.
#[derive(Debug, Default)]
pub(super) struct SingleReference {
    order: usize,
    width: usize,
    occurrences: Occurrences,
}

impl SingleReference {
    /// Replaces the reference if it and its n-grams are short enough. Returns whether they are.
    pub(super) fn set(&mut self, order: usize, reference: &[u32]) -> bool {
        if order > HIGHEST || reference.len() > LONGEST {
            return false;
        }
        let width = reference.len().div_ceil(64).max(1);
        let places = (0..).map(|at| at % width * 64 + at / width);
        self.occurrences
            .set(width, places.zip(reference.iter().copied()));
        (self.order, self.width) = (order, width);
        true
    }

    pub(super) fn overlap(&self, hypothesis: &[u32], matches: &mut [u64]) {
        let matches = &mut matches[..self.order];
        match self.width {
            1 => self.overlap_in::<1>(hypothesis, matches),
            2 => self.overlap_in::<2>(hypothesis, matches),
            3 => self.overlap_in::<3>(hypothesis, matches),
            _ => self.overlap_in::<4>(hypothesis, matches),
        }
    }

    /// The overlap with a reference of W words.
    fn overlap_in<const W: usize>(&self, hypothesis: &[u32], matches: &mut [u64]) {
        match matches.len() {
            0 => {}
            1 | 2 => self.count::<W, 2>(hypothesis, matches),
            3 | 4 => self.count::<W, 4>(hypothesis, matches),
            _ => self.count::<W, HIGHEST>(hypothesis, matches),
        }
    }

    /// Counts the n-grams up to order N, and adds those that are asked for.
    #[inline(never)]
    fn count<const W: usize, const N: usize>(&self, hypothesis: &[u32], matches: &mut [u64]) {
        // By order, the places at which the n-gram that was read last ends, and those that no match has used up.
        let (mut ends, mut free) = ([[0; W]; N], [[u64::MAX; W]; N]);
        for &symbol in hypothesis {
            let here = *self.occurrences.chunk(symbol);
            for n in (1..N).rev() {
                ends[n] = follow(&ends[n - 1], &here);
                use_up(&ends[n], &mut free[n]);
            }
            ends[0] = here;
            use_up(&ends[0], &mut free[0]);
        }
        for (matches, free) in matches.iter_mut().zip(&free) {
            let used = free.iter().map(|free| u64::from(free.count_zeros()));
            *matches += used.sum::<u64>();
        }
    }
}

/// The places right after those `before` that are among those `here`.
fn follow<const W: usize>(before: &[u64; W], here: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|word| match word {
        0 => before[W - 1] << 1 & here[0],
        _ => before[word - 1] & here[word],
    })
}

/// Uses up one of the places `ends` that are free, if there is any.
fn use_up<const W: usize>(ends: &[u64; W], free: &mut [u64; W]) {
    if let ([low, high], [free_low, free_high]) = (&ends[..], &mut free[..]) {
        let left = u128::from(high & *free_high) << 64 | u128::from(low & *free_low);
        let used = left & left.wrapping_neg();
        *free_low ^= used as u64;
        *free_high ^= (used >> 64) as u64;
        return;
    }
    // All bits until a word has a place.
    let mut open = u64::MAX;
    for (ends, free) in ends.iter().zip(free) {
        let left = ends & *free;
        *free ^= left & left.wrapping_neg() & open;
        open = if left == 0 { open } else { 0 };
    }
}
