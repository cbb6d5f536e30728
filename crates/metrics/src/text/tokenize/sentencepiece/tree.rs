//! Texts by their beginnings: a tree of bytes, whose edges are in one hash table.

use crate::text::hash;

/// A set of texts, each with a number.
#[derive(Debug, Default)]
pub(super) struct PieceTree {
    /// By slot, an edge: the node that it leaves, its byte, whether a text ends with it, and the node where it ends; 0 where
    /// there is none.
    edges: Vec<u64>,
    /// By node, the number of the text that ends there. The first node is the root.
    numbers: Vec<u32>,
}

/// The most nodes, so that an edge is one number.
const MOST_NODES: usize = 1 << 24;

/// The bits of an edge that are a node.
const NODE: u64 = MOST_NODES as u64 - 1;

/// The bit of an edge with which a text ends, so that numbers are looked up only there.
const END: u64 = 1 << 24;

impl PieceTree {
    /// Adds a text.
    pub(super) fn insert(&mut self, text: &str, number: u32) -> Result<(), String> {
        let (mut node, mut last) = (0, None);
        for byte in text.bytes() {
            if 2 * self.numbers.len() >= self.edges.len() {
                self.grow();
            }
            let key = key(node, byte);
            let slot = self.slot(key);
            if self.edges[slot] == 0 {
                let next = self.numbers.len() as u64;
                self.edges[slot] = key << 32 | next;
                self.numbers.push(0);
            }
            (node, last) = ((self.edges[slot] & NODE) as u32, Some(slot));
            if self.numbers.len() >= MOST_NODES {
                return Err("its pieces are too long".to_string());
            }
        }
        if let Some(slot) = last {
            self.edges[slot] |= END;
            self.numbers[node as usize] = number;
        }
        Ok(())
    }

    /// Calls `emit` with the length and the number of each text that `bytes` begin with, the shortest first.
    pub(super) fn prefixes(&self, bytes: &[u8], mut emit: impl FnMut(usize, u32)) {
        if self.edges.is_empty() {
            return;
        }
        let mut node = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let edge = self.edges[self.slot(key(node, byte))];
            if edge == 0 {
                return;
            }
            node = (edge & NODE) as u32;
            if edge & END != 0 {
                emit(at + 1, self.numbers[node as usize]);
            }
        }
    }

    /// The length of the longest text that `bytes` begin with.
    pub(super) fn longest(&self, bytes: &[u8]) -> Option<usize> {
        let mut longest = None;
        self.prefixes(bytes, |length, _| longest = Some(length));
        longest
    }

    /// The slot of an edge, or the empty one where it would be put.
    fn slot(&self, key: u64) -> usize {
        let mut slot = hash::slot(key, self.edges.len());
        while self.edges[slot] != 0 && self.edges[slot] >> 32 != key {
            slot = (slot + 1) & (self.edges.len() - 1);
        }
        slot
    }

    fn grow(&mut self) {
        if self.numbers.is_empty() {
            self.numbers.push(0);
        }
        let slots = (2 * self.edges.len()).max(64);
        for edge in std::mem::replace(&mut self.edges, vec![0; slots]) {
            if edge != 0 {
                let slot = self.slot(edge >> 32);
                self.edges[slot] = edge;
            }
        }
    }
}

fn key(node: u32, byte: u8) -> u64 {
    u64::from(node) << 8 | u64::from(byte)
}
