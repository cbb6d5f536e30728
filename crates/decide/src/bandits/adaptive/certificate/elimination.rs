//! Rules systems out, whichever others beat them, until one is left, and holds that one to its own duels.
//!
//! A bet counts against the system expected to lose, `E_j`. If i* beats every other system, `E_i*`
//! is a supermartingale, whichever pairs are asked and why. Where a best system exists nothing but its
//! elimination can make the announcement wrong, so 1/δ needs no correction for K, and evidence
//! against a system pools over all its opponents.
//!
//! Where no system beats all others, all of a cycle are ruled out in turn, and the last one left would
//! be announced every time. So a bet also counts for its own pair, `E_ij`, and the survivor is
//! announced only once `E_ij` has reached 1/δ for every other j. Until then its lacking duels are
//! asked; where they speak against it, it is ruled out like the others, and then *no system beats all
//! others*. If one did this would take `E_i*` ≥ 1/δ, so it is wrong with probability at most δ.
//!
//! Why 1/δ: a system i that does not beat some j is announced only if `E_ij`, a supermartingale, reaches
//! that: at most δ for each such system, and none is announced that loses clearly to another. What is
//! left is a system that others let through and that as good as ties (δ), or two best that tie exactly,
//! each of which may be announced (together 2δ; `assume=none` keeps δ there too). Measured at δ = 0.1,
//! 400 runs of 3000 questions, wrong announcements in percent, one fifth of the answers ties:
//!
//! | no system beats all others | no own duels | 0.3/δ | 1/δ | 2/δ |
//! | --- | --- | --- | --- | --- |
//! | three in a cycle, margins 0.1 (δ = 0.05, 100 runs) | 100 | | 0 | |
//! | three in a cycle, margins 0.03 | | 2.2 | 1.0 | 0.3 |
//! | five in a cycle, margins 0.03 | | 0 | 0 | 0 |
//! | tied with one that a third beats, margins 0.1 | | 11.3 | 5.0 | 3.3 |
//! | loses by 0.005 to one that a third beats | | 9.2 | 4.3 | 2.5 |
//! | two equal systems | 10.0 | 10.0 | 10.0 | 4.8 |
//! | the same above two others | | 10.5 | 10.5 | 4.8 |
//! | two equal systems, δ = 0.05, 1000 runs of 10 000 | 5.9 | 5.9 | 5.9 | 2.0 |
//!
//! The cost where there is a best system, mean answers of 100 runs at δ = 0.05:
//!
//! | | no own duels | 1/δ | 2/δ |
//! | --- | --- | --- | --- |
//! | WMT16 tur-eng | 2649 | 2719 | 3000 |
//! | WMT16 deu-eng | 1011 | 1040 | 1173 |
//! | WMT15 fin-eng | 1043 | 1075 | 1201 |
//! | Grammarly FCE | 2194 | 2226 | 2435 |
//! | five in line, margins 0.03 | 3079 | 3119 | 3497 |

use super::pairwise::PairwiseProof;
use super::process::Processes;
use super::stake::DuelFactor;
use tiebreak_base::duel::DuelId;

/// The evidence against each system, and for each in its own duels.
#[derive(Debug, Clone)]
pub(super) struct EliminationProof {
    k: usize,
    /// ln(1/δ).
    threshold: f64,
    /// `E_j`.
    pub(super) processes: Processes,
    /// `E_ij`.
    pub(super) own: PairwiseProof,
}

impl EliminationProof {
    pub(super) fn new(k: usize, delta: f64) -> Self {
        Self {
            k,
            threshold: -delta.ln(),
            processes: Processes::new(),
            own: PairwiseProof::new(k, -delta.ln()),
        }
    }

    pub(super) fn bet(&mut self, id: DuelId, block: u64, stake: DuelFactor) {
        self.processes.bet(id, block, stake.against(stake.loser));
        self.own.bet(id, block, stake);
    }

    /// Notes that the mean score of i against j is certain to be `least` or more. A system that ties does not beat all.
    pub(super) fn certain(&mut self, i: usize, j: usize, least: f64) {
        if least >= 0.0 {
            self.processes.prove(j);
        }
        self.own.certain(i, j, least);
    }

    /// Whether a system is shown not to beat all others.
    pub(super) fn ruled_out(&self, i: usize) -> bool {
        self.processes.highest(i) >= self.threshold
    }

    /// Whether every system is ruled out.
    pub(super) fn nobody_left(&self) -> bool {
        (0..self.k).all(|i| self.ruled_out(i))
    }

    /// The evidence that `worse` is not best and that `better` beats it, whichever has come less far,
    /// as a share of what is enough.
    pub(super) fn progress(&self, better: usize, worse: usize) -> f64 {
        let pooled = self.processes.highest(worse) / self.threshold;
        pooled.min(self.own.progress(better, worse))
    }

    /// The only system left.
    pub(super) fn survivor(&self) -> Option<usize> {
        let mut standing = (0..self.k).filter(|&i| !self.ruled_out(i));
        standing.next().filter(|_| standing.next().is_none())
    }

    /// The systems that the survivor is not yet shown to beat in its own duels.
    pub(super) fn unsupported(&self, survivor: usize) -> Vec<usize> {
        let lacks = |&j: &usize| j != survivor && !self.own.proven(survivor, j);
        (0..self.k).filter(lacks).collect()
    }

    /// The survivor, once its own duels support it.
    pub(super) fn winner(&self) -> Option<usize> {
        self.survivor().filter(|&i| self.unsupported(i).is_empty())
    }
}
