//! Rules systems out, whoever beat them, until one is left.
//!
//! A bet counts against the system expected to lose, `E_j`. If i* beats every other system, `E_i*`
//! is a supermartingale, whichever pairs are asked and why. Nothing but its elimination can make
//! the announcement wrong, so 1/δ needs no correction for K, and evidence against a system pools
//! over all its opponents. Where no system beats all others the claim is empty.

use super::Stake;
use super::blocks::Blocks;
use super::process::{Processes, Settled};
use crate::duel::{DuelId, Weighing};

/// The evidence against each system.
#[derive(Debug, Clone)]
pub(super) struct Elimination {
    k: usize,
    /// ln(1/δ).
    threshold: f64,
    /// `E_j`.
    processes: Processes,
}

impl Elimination {
    pub(super) fn new(k: usize, delta: f64) -> Self {
        Self {
            k,
            threshold: -delta.ln(),
            processes: Processes::new(k),
        }
    }

    pub(super) fn bet(&mut self, id: DuelId, block: u64, stake: Stake) {
        self.processes.bet(id, block, stake.against(stake.loser));
    }

    pub(super) fn weigh(&mut self, id: DuelId, weighing: Weighing) {
        self.processes.weigh(id, weighing);
    }

    pub(super) fn settle(&mut self, id: DuelId, settled: Settled, blocks: &Blocks) -> bool {
        self.processes.settle(id, settled, blocks)
    }

    pub(super) fn count(&mut self, blocks: &Blocks) {
        self.processes.count(blocks);
    }

    /// Whether a system is shown not to beat all others.
    pub(super) fn ruled_out(&self, i: usize) -> bool {
        self.processes.highest(i) >= self.threshold
    }

    /// The evidence against a system, as a share of what is enough.
    pub(super) fn progress(&self, i: usize) -> f64 {
        self.processes.highest(i) / self.threshold
    }

    /// The only system left.
    pub(super) fn survivor(&self) -> Option<usize> {
        let mut standing = (0..self.k).filter(|&i| !self.ruled_out(i));
        standing.next().filter(|_| standing.next().is_none())
    }
}
