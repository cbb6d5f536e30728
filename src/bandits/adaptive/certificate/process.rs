//! An e-process whose questions count in the order asked, whenever their answers arrive.

use crate::duel::{DuelId, Outcome};
use std::collections::{BTreeMap, VecDeque};

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
        self.queue.push_back(Entry {
            id,
            ln_factor: least,
            open: true,
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

/// What an answer adds to 1, as a factor of E: for a loss, a tie and a win of the first of the pair.
pub(super) type Gains = [f64; 3];

/// A bet on an open question.
#[derive(Debug, Clone, Copy)]
struct Bet {
    process: usize,
    gains: Gains,
}

/// Several processes and the bets on open questions.
#[derive(Debug, Clone)]
pub(super) struct Processes {
    processes: Vec<Process>,
    /// One for each process that a question bears on.
    bets: BTreeMap<DuelId, Vec<Bet>>,
}

impl Processes {
    /// So many processes, each at 1.
    pub(super) fn new(number: usize) -> Self {
        Self {
            processes: vec![Process::default(); number],
            bets: BTreeMap::new(),
        }
    }

    /// Places a bet on a question, fixed before its answer. All gains are above −1.
    pub(super) fn bet(&mut self, id: DuelId, process: usize, gains: Gains) {
        let least = gains.into_iter().fold(f64::INFINITY, f64::min);
        self.processes[process].ask(id, least.ln_1p());
        self.bets
            .entry(id)
            .or_default()
            .push(Bet { process, gains });
    }

    /// A person answered, for the first of the pair; or nobody will, because a model did. Whether
    /// any process changed.
    pub(super) fn settle(&mut self, id: DuelId, human: Option<Outcome>) -> bool {
        let Some(bets) = self.bets.remove(&id) else {
            return false;
        };
        for Bet { process, gains } in bets {
            let ln_factor = match human {
                None => 0.0,
                Some(Outcome::Loss) => gains[0].ln_1p(),
                Some(Outcome::Tie) => gains[1].ln_1p(),
                Some(Outcome::Win) => gains[2].ln_1p(),
            };
            self.processes[process].answer(id, ln_factor);
        }
        true
    }

    /// The highest ln E of a process that is certain.
    pub(super) fn highest(&self, process: usize) -> f64 {
        self.processes[process].highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON_FIRST: Gains = [-0.9, 0.0, 0.9];

    #[test]
    fn evidence_multiplies_and_ties_and_models_change_nothing() {
        let mut processes = Processes::new(2);
        let mut id = 0;
        let mut tell = |processes: &mut Processes, stake: f64, human| {
            id += 1;
            processes.bet(DuelId(id), 1, [-stake, 0.0, stake]);
            assert!(processes.settle(DuelId(id), human));
            assert!(!processes.settle(DuelId(id), human));
        };
        tell(&mut processes, 0.5, Some(Outcome::Win));
        tell(&mut processes, 0.5, Some(Outcome::Tie));
        tell(&mut processes, 0.5, None);
        tell(&mut processes, 0.4, Some(Outcome::Loss));
        assert!((processes.processes[1].settled - (1.5_f64 * 0.6).ln()).abs() < 1e-15);
        assert!((processes.highest(1) - 1.5_f64.ln()).abs() < 1e-15);
        assert_eq!(processes.highest(0), 0.0);
    }

    #[test]
    fn an_open_question_counts_as_lost_until_it_is_answered() {
        let mut processes = Processes::new(1);
        for id in 0..3 {
            processes.bet(DuelId(id), 0, ON_FIRST);
        }
        processes.settle(DuelId(1), Some(Outcome::Win));
        processes.settle(DuelId(2), Some(Outcome::Win));
        // 0.1 · 1.9² = 0.361 although both arrivals were won.
        assert_eq!(processes.highest(0), 0.0);
        let mut lost = processes.clone();
        lost.settle(DuelId(0), Some(Outcome::Loss));
        assert_eq!(lost.highest(0), 0.0);
        processes.settle(DuelId(0), Some(Outcome::Tie));
        assert!((processes.highest(0) - 2.0 * 1.9_f64.ln()).abs() < 1e-15);
        // What comes afterwards cannot take it back.
        processes.bet(DuelId(3), 0, ON_FIRST);
        processes.settle(DuelId(3), Some(Outcome::Loss));
        assert!((processes.highest(0) - 2.0 * 1.9_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn one_answer_may_move_several_processes() {
        let mut processes = Processes::new(2);
        processes.bet(DuelId(7), 0, [-0.2, 0.1, 0.4]);
        processes.bet(DuelId(7), 1, [0.5, 0.1, -0.3]);
        processes.settle(DuelId(7), Some(Outcome::Tie));
        assert_eq!(processes.highest(0), 0.1_f64.ln_1p());
        assert_eq!(processes.highest(1), 0.1_f64.ln_1p());
    }
}
