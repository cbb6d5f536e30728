//! The places of each symbol in a sequence, as bit vectors, to compare sequences 64 places at a time.

use super::hash;

/// The symbols below this are looked up directly: the characters of ASCII, the first words of an item.
const SMALL: usize = 128;

/// The places of every symbol of a sequence.
#[derive(Debug)]
pub(crate) struct Occurrences {
    /// Words per bit vector.
    width: usize,
    /// The number of the bit vector of each small symbol: that of the empty one, 0, where it does not occur.
    small: [u32; SMALL],
    /// The other symbols that occur, with their bit vectors' numbers, in an open-addressing table that is at most half
    /// full, or empty. Free slots have the number of the empty one.
    slots: Vec<(u32, u32)>,
    /// Bit vectors one after another, first an empty one.
    masks: Vec<u64>,
}

impl Default for Occurrences {
    fn default() -> Self {
        Self {
            width: 0,
            small: [0; SMALL],
            slots: Vec::new(),
            masks: Vec::new(),
        }
    }
}

impl Occurrences {
    /// Replaces the sequence by one of 64 times `width` places, at which `symbols` stand as they say.
    pub(super) fn set(&mut self, width: usize, symbols: impl Iterator<Item = (usize, u32)>) {
        self.width = width;
        self.small.fill(0);
        self.slots.clear();
        self.masks.clear();
        self.masks.resize(width, 0);
        let mut next = 1;
        for (at, symbol) in symbols {
            let number = self.number_or_insert(symbol, next);
            if number == next {
                next += 1;
                self.masks.resize(self.masks.len() + width, 0);
            }
            self.masks[number as usize * width + at / 64] |= 1 << (at % 64);
        }
    }

    /// The places of `symbol`, the lowest bit first; a word for 64 places.
    pub(super) fn places(&self, symbol: u32) -> &[u64] {
        let mask = self.number(symbol) as usize * self.width;
        &self.masks[mask..mask + self.width]
    }

    /// The [places](Self::places) of `symbol` in a sequence whose width is W.
    #[inline]
    pub(super) fn chunk<const W: usize>(&self, symbol: u32) -> &[u64; W] {
        let (masks, _) = self.masks.as_chunks();
        &masks[self.number(symbol) as usize]
    }

    #[inline]
    fn number(&self, symbol: u32) -> u32 {
        match self.small.get(symbol as usize) {
            Some(&number) => number,
            None if self.slots.is_empty() => 0,
            None => self.slots[self.probe(symbol)].1,
        }
    }

    /// The number of `symbol`, which becomes `next` if it has none.
    fn number_or_insert(&mut self, symbol: u32, next: u32) -> u32 {
        let number = match self.small.get_mut(symbol as usize) {
            Some(number) => number,
            None => {
                let slots = (2 * 64 * self.width).next_power_of_two();
                self.slots.resize(slots, (0, 0));
                let slot = self.probe(symbol);
                self.slots[slot].0 = symbol;
                &mut self.slots[slot].1
            }
        };
        if *number == 0 {
            *number = next;
        }
        *number
    }

    /// The slot that holds `symbol`, or the free one where it would be put.
    #[inline(never)]
    fn probe(&self, symbol: u32) -> usize {
        let mut slot = hash::slot(u64::from(symbol), self.slots.len());
        while self.slots[slot].1 != 0 && self.slots[slot].0 != symbol {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }
}
