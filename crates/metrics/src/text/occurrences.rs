//! The places of each symbol in a sequence, as bit vectors, to compare sequences 64 places at a time.

use super::hash;

/// The places of every symbol of a sequence.
#[derive(Debug, Default)]
pub(crate) struct Occurrences {
    /// Words per bit vector.
    width: usize,
    /// By slot of an open-addressing table, at most half full: a symbol, and the number of its bit vector. Free
    /// slots have the number of the empty one.
    slots: Vec<(u32, u32)>,
    /// Bit vectors one after another, first an empty one.
    masks: Vec<u64>,
}

impl Occurrences {
    /// Replaces the sequence by one of 64 times `width` places, at which `symbols` stand as they say.
    pub(super) fn set(&mut self, width: usize, symbols: impl Iterator<Item = (usize, u32)>) {
        self.width = width;
        self.slots.clear();
        self.slots
            .resize((2 * 64 * width).next_power_of_two(), (0, 0));
        self.masks.clear();
        self.masks.resize(self.width, 0);
        let mut distinct = 0;
        for (at, symbol) in symbols {
            let slot = self.probe(symbol);
            if self.slots[slot].1 == 0 {
                distinct += 1;
                self.slots[slot] = (symbol, distinct);
                self.masks.resize(self.masks.len() + self.width, 0);
            }
            let mask = self.slots[slot].1 as usize * self.width;
            self.masks[mask + at / 64] |= 1 << (at % 64);
        }
    }

    /// The places of `symbol`, the lowest bit first; a word for 64 places.
    pub(super) fn places(&self, symbol: u32) -> &[u64] {
        if self.width == 0 {
            return &[];
        }
        let mask = self.slots[self.probe(symbol)].1 as usize * self.width;
        &self.masks[mask..mask + self.width]
    }

    /// The slot that holds `symbol`, or the free one where it would be put.
    fn probe(&self, symbol: u32) -> usize {
        let mut slot = hash::slot(u64::from(symbol), self.slots.len());
        while self.slots[slot].1 != 0 && self.slots[slot].0 != symbol {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }
}
