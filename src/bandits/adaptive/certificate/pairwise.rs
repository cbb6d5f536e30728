//! Proves pairs, one by one: i beats j.
//!
//! A bet counts for its pair, `E_ij`, a supermartingale where i does not beat j. A claim is
//! announced once each of its pairs has M/δ, where M is the number of processes of which one would
//! have to grow by chance if the claim were false:
//!
//! * *best*: K, because for each i that does not beat all others one j that it does not beat may be
//!   fixed beforehand. This proves that a winner exists.
//! * *top k*, where some k systems beat all the others: k(K − k), since a wrong set has an i in
//!   place of one of those, j, and j beats i. Without assumption K(K − 1), since every pair
//!   may be tied exactly.
//! * *ranking*, where the systems have an order in which each beats all below: K(K − 1)/2, and only
//!   neighbours need to be proven, because a wrong order has neighbours that are wrong. Without
//!   assumption K(K − 1), and every pair.

use super::blocks::Blocks;
use super::process::{Processes, Settled};
use super::{Assume, Stake, Target};
use crate::duel::{DuelId, Weighing};

/// The evidence for each ordered pair.
#[derive(Debug, Clone)]
pub(super) struct Pairwise {
    k: usize,
    /// ln(M/δ).
    threshold: f64,
    /// `E_ij` at i·K + j.
    processes: Processes,
}

impl Pairwise {
    pub(super) fn new(target: Target, assume: Assume, k: usize, delta: f64) -> Self {
        let all = k * (k - 1);
        let wrong = match (target, assume) {
            (Target::Best, _) => k,
            (Target::Top(top), Assume::Condorcet) => top * (k - top),
            (Target::Ranking, Assume::Condorcet) => all / 2,
            (Target::Top(_) | Target::Ranking, Assume::None) => all,
        };
        Self {
            k,
            threshold: (wrong as f64 / delta).ln(),
            processes: Processes::new(k * k),
        }
    }

    pub(super) fn bet(&mut self, id: DuelId, block: u64, stake: Stake) {
        let process = stake.winner * self.k + stake.loser;
        self.processes.bet(id, block, stake.against(process));
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

    /// The evidence that i beats j, as a share of what is enough.
    pub(super) fn progress(&self, i: usize, j: usize) -> f64 {
        self.processes.highest(i * self.k + j) / self.threshold
    }

    /// Whether i is shown to beat j.
    pub(super) fn proven(&self, i: usize, j: usize) -> bool {
        self.processes.highest(i * self.k + j) >= self.threshold
    }
}
