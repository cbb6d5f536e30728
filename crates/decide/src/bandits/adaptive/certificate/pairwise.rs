//! Proves pairs, one by one: i beats j.
//!
//! A bet counts for its pair, `E_ij`, a supermartingale where i does not beat j. Each pair of a claim
//! (the best with every other system, those of a set with all outside it, every pair of a ranking)
//! needs K/δ, which assumes nothing:
//!
//! Some order of the systems has none that is beaten by the next one (Rédei, 1934, where ties count
//! as not beaten). Fix one: K − 1 pairs whose later system does not beat the earlier. A set that is
//! no beginning of that order, or another order, claims one of these pairs the wrong way round; of the
//! one set, or order, that does not, fix a pair that is false, if it has one. So K pairs, fixed
//! beforehand, of which one must grow by chance if whatever is claimed is false.

use super::process::Processes;
use super::stake::DuelFactor;
use tiebreak_base::duel::DuelId;

/// The evidence for each ordered pair.
#[derive(Debug, Clone)]
pub(super) struct PairwiseProof {
    k: usize,
    /// ln of the E that proves a pair.
    threshold: f64,
    /// `E_ij` at i·K + j.
    pub(super) processes: Processes,
}

impl PairwiseProof {
    /// Creates a proof in which a pair is proven once `E_ij` has reached the exponential of `threshold`.
    pub(super) fn new(k: usize, threshold: f64) -> Self {
        Self {
            k,
            threshold,
            processes: Processes::new(),
        }
    }

    pub(super) fn bet(&mut self, id: DuelId, block: u64, stake: DuelFactor) {
        let process = stake.winner * self.k + stake.loser;
        self.processes.bet(id, block, stake.against(process));
    }

    /// Notes that the mean score of i against j is certain to be `least` or more.
    pub(super) fn certain(&mut self, i: usize, j: usize, least: f64) {
        if least > 0.0 {
            self.processes.prove(i * self.k + j);
        }
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
