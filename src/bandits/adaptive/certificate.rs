//! When to stop: evidence that counts no matter when one looks, what was asked, or what the model
//! believes.
//!
//! Every question places a bet λ on the system expected to win, fixed before the answer. Answers
//! multiply a process E by 1 + λ where that system wins, by 1 − λ where it loses; ties change
//! nothing. Where in truth it wins no more often than it loses, E is a nonnegative supermartingale,
//! and by Ville's inequality it ever reaches 1/δ with probability at most δ.
//!
//! * `assume=condorcet`: the bet counts against the opponent, `E_j`. If i* beats every other system,
//!   `E_i*` is a supermartingale, whichever pairs are asked and why; nothing but its elimination can
//!   make the announcement wrong, so 1/δ needs no correction for K, and evidence against a system
//!   pools over all its opponents. Where no system beats all others the claim is empty.
//! * `assume=none`: the bet counts for the pair, `E_ij`, and i is announced once it has K/δ against
//!   every j: for each i that does not beat all others there is one `E_ij` that would have to grow
//!   by chance. This proves that a winner exists.
//!
//! Questions count *in the order asked*. While an earlier one is open it counts as lost, 1 − λ;
//! counting in the order of arrival would be wrong where the time to answer depends on the answer.
//!
//! Sources: Ville, 1939; Waudby-Smith and Ramdas, JRSS B 2024, for betting; the pooling over
//! opponents and the order asked are ours.

use crate::duel::{DuelId, Outcome, Pair};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The largest bet: one lost answer costs at most a factor of ten.
const LARGEST_BET: f64 = 0.9;

/// What the certificate takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Assume {
    /// Some system beats every other one.
    #[default]
    Condorcet,
    /// Nothing.
    None,
}

/// One process E, in logarithms.
#[derive(Debug, Clone, Default)]
struct Process {
    /// ln E after the questions that came before those in `queue`.
    settled: f64,
    /// The highest ln E that is certain, whatever the open questions bring.
    highest: f64,
    /// From the oldest open question on, in the order asked.
    queue: VecDeque<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    id: DuelId,
    /// The logarithm of the factor; while open, of the least it can be.
    ln_factor: f64,
    open: bool,
}

impl Process {
    fn ask(&mut self, id: DuelId, least: f64) {
        let open = true;
        let ln_factor = least;
        self.queue.push_back(Entry {
            id,
            ln_factor,
            open,
        });
    }

    fn answer(&mut self, id: DuelId, ln_factor: f64) {
        if let Ok(place) = self.queue.binary_search_by_key(&id, |entry| entry.id) {
            self.queue[place].ln_factor = ln_factor;
            self.queue[place].open = false;
        }
        while let Some(entry) = self.queue.front().filter(|entry| !entry.open) {
            self.settled += entry.ln_factor;
            self.highest = self.highest.max(self.settled);
            self.queue.pop_front();
        }
        let mut certain = self.settled;
        for entry in &self.queue {
            certain += entry.ln_factor;
            self.highest = self.highest.max(certain);
        }
    }
}

/// A bet on an open question.
#[derive(Debug, Clone, Copy)]
struct Bet {
    process: usize,
    /// λ, above 0.
    stake: f64,
    /// The outcome, for the first of the pair, that it is placed on.
    on: Outcome,
}

/// The evidence so far and what it proves.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    assume: Assume,
    k: usize,
    /// ln(1/δ) or ln(K/δ).
    threshold: f64,
    /// E by loser, or by winner·K + loser.
    processes: Vec<Process>,
    bets: BTreeMap<DuelId, Bet>,
    winner: Option<usize>,
}

impl Certificate {
    /// No evidence yet about `k` systems, at the error probability `delta`.
    pub(super) fn new(assume: Assume, k: usize, delta: f64) -> Self {
        let (number, threshold) = match assume {
            Assume::Condorcet => (k, -delta.ln()),
            Assume::None => (k * k, (k as f64 / delta).ln()),
        };
        Self {
            assume,
            k,
            threshold,
            processes: vec![Process::default(); number],
            bets: BTreeMap::new(),
            winner: None,
        }
    }

    /// Places a bet on a question: `advantage` is how much more often the first of the pair is
    /// expected to win than to lose, among decided answers. Returns the bet with its sign.
    pub(super) fn bet(&mut self, id: DuelId, pair: Pair, advantage: f64) -> f64 {
        let signed = advantage.clamp(-LARGEST_BET, LARGEST_BET);
        let (i, j) = (pair.first.index(), pair.second.index());
        let (winner, loser, on) = if signed > 0.0 {
            (i, j, Outcome::Win)
        } else {
            (j, i, Outcome::Loss)
        };
        if signed != 0.0 {
            let process = match self.assume {
                Assume::Condorcet => loser,
                Assume::None => winner * self.k + loser,
            };
            let stake = signed.abs();
            self.processes[process].ask(id, (-stake).ln_1p());
            self.bets.insert(id, Bet { process, stake, on });
        }
        signed
    }

    /// A person answered, for the first of the pair; or nobody will, because a model did.
    pub(super) fn settle(&mut self, id: DuelId, human: Option<Outcome>) {
        let Some(bet) = self.bets.remove(&id) else {
            return;
        };
        let ln_factor = match human {
            None | Some(Outcome::Tie) => 0.0,
            Some(outcome) if outcome == bet.on => bet.stake.ln_1p(),
            Some(_) => (-bet.stake).ln_1p(),
        };
        self.processes[bet.process].answer(id, ln_factor);
        if self.winner.is_none() {
            self.winner = self.find_winner();
        }
    }

    fn find_winner(&self) -> Option<usize> {
        match self.assume {
            Assume::Condorcet => {
                let mut standing = (0..self.k).filter(|&i| !self.ruled_out(i));
                standing.next().filter(|_| standing.next().is_none())
            }
            Assume::None => (0..self.k).find(|&i| self.to_beat(i).is_empty()),
        }
    }

    fn proven(&self, process: usize) -> bool {
        self.processes[process].highest >= self.threshold
    }

    /// The system announced; it does not change any more.
    pub(super) fn winner(&self) -> Option<usize> {
        self.winner
    }

    /// Whether a system is shown not to beat all others. For the one that does, if there is one,
    /// this happens with probability at most δ.
    pub(super) fn ruled_out(&self, i: usize) -> bool {
        match self.assume {
            Assume::Condorcet => self.proven(i),
            Assume::None => (0..self.k).any(|j| self.proven(j * self.k + i)),
        }
    }

    /// The systems against which evidence is lacking before `leader` can be announced.
    pub(super) fn to_beat(&self, leader: usize) -> Vec<usize> {
        let lacking = |&j: &usize| {
            j != leader
                && match self.assume {
                    Assume::Condorcet => !self.proven(j),
                    Assume::None => !self.proven(leader * self.k + j),
                }
        };
        (0..self.k).filter(lacking).collect()
    }

    /// Whether evidence against a system counts only where it was beaten by the leader itself.
    pub(super) fn needs_leader(&self) -> bool {
        self.assume == Assume::None
    }

    /// Under which the announcement holds, in words.
    pub(super) fn assumption(&self) -> &'static str {
        match self.assume {
            Assume::Condorcet => "if any system beats every other one",
            Assume::None => "without assuming that any system beats every other one",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;

    const PAIR: Pair = Pair {
        first: Arm(0),
        second: Arm(1),
    };

    #[test]
    fn evidence_multiplies_and_ties_and_models_change_nothing() {
        let mut certificate = Certificate::new(Assume::Condorcet, 2, 0.05);
        let mut id = 0;
        let mut tell = |certificate: &mut Certificate, bet: f64, outcome| {
            id += 1;
            certificate.bet(DuelId(id), PAIR, bet);
            certificate.settle(DuelId(id), outcome);
        };
        tell(&mut certificate, 0.5, Some(Outcome::Win));
        tell(&mut certificate, 0.5, Some(Outcome::Tie));
        tell(&mut certificate, 0.5, None);
        tell(&mut certificate, 0.0, Some(Outcome::Win));
        tell(&mut certificate, 0.4, Some(Outcome::Loss));
        assert!((certificate.processes[1].settled - (1.5_f64 * 0.6).ln()).abs() < 1e-15);
        assert!((certificate.processes[1].highest - 1.5_f64.ln()).abs() < 1e-15);
        tell(&mut certificate, -7.0, Some(Outcome::Loss)); // clipped, and counts against 0
        assert!((certificate.processes[0].settled - 1.9_f64.ln()).abs() < 1e-15);
        assert_eq!(certificate.winner(), None);
        for _ in 0..5 {
            tell(&mut certificate, 0.9, Some(Outcome::Win));
        }
        assert_eq!(certificate.winner(), Some(0)); // 0.9 · 1.9⁵ = 22.3 ≥ 20
    }

    #[test]
    fn an_open_question_counts_as_lost_until_it_is_answered() {
        let mut certificate = Certificate::new(Assume::Condorcet, 2, 0.3);
        for id in 0..3 {
            certificate.bet(DuelId(id), PAIR, 0.9);
        }
        certificate.settle(DuelId(1), Some(Outcome::Win));
        certificate.settle(DuelId(2), Some(Outcome::Win));
        // 0.1 · 1.9² = 0.361 although both arrivals were won: 3.61 ≥ 3.33 must wait.
        assert_eq!(
            (certificate.processes[1].highest, certificate.winner()),
            (0.0, None)
        );
        let mut lost = certificate.clone();
        lost.settle(DuelId(0), Some(Outcome::Loss));
        assert_eq!(lost.winner(), None);
        certificate.settle(DuelId(0), Some(Outcome::Tie));
        assert_eq!(certificate.winner(), Some(0));
        // What comes afterwards cannot take it back.
        certificate.bet(DuelId(3), PAIR, 0.9);
        certificate.settle(DuelId(3), Some(Outcome::Loss));
        assert_eq!(certificate.winner(), Some(0));
    }

    #[test]
    fn without_assumption_every_opponent_must_be_beaten_by_the_winner_itself() {
        let mut certificate = Certificate::new(Assume::None, 3, 0.5);
        let mut id = 0;
        let mut win = |certificate: &mut Certificate, i, j| {
            for _ in 0..3 {
                id += 1; // 1.9³ = 6.9 ≥ 3/0.5
                certificate.bet(DuelId(id), Pair::new(Arm(i), Arm(j)), 0.9);
                certificate.settle(DuelId(id), Some(Outcome::Win));
            }
        };
        win(&mut certificate, 0, 1);
        win(&mut certificate, 1, 2);
        assert!(certificate.ruled_out(1) && certificate.ruled_out(2));
        assert_eq!(
            (certificate.winner(), certificate.to_beat(0)),
            (None, vec![2])
        );
        win(&mut certificate, 0, 2);
        assert_eq!(certificate.winner(), Some(0));
    }
}
