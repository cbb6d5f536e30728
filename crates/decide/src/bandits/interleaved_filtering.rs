//! Interleaved filtering: a candidate duels all remaining systems in turn, which are dropped when
//! they are clearly worse, and one of which takes its place when it is clearly better.
//!
//! Source: Yue, Broder, Kleinberg and Joachims, "The k-armed dueling bandits problem", JCSS 2012,
//! algorithms 1 and 2. Assumes a total order with strong stochastic transitivity and the stochastic
//! triangle inequality.
//! Parameters: `prune` (false): whether, as in the paper's second algorithm, a new candidate's
//! predecessor takes all arms along that it beat so far.
//!
//! δ = 1/(T K²) with T the limit of steps; after n duels of a pair its radius is c = √(4 ln(1/δ)/n).
//! The candidate b is random at first. In a round it duels every arm a of W once, in order; then the
//! arms with `m_ba` − c > ½ leave W, and if some remaining a, first in order, has `m_ba` + c < ½, a
//! becomes the candidate and leaves W; the old candidate is gone. Exploration ends when W is empty.
//! The candidate leads. Where answers are late, the next round does not wait for them: rounds end
//! with the answers that have arrived, each pair counting its own n.

use super::open_duels::OpenDuels;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `interleaved-filtering`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "interleaved-filtering",
    summary: "a candidate against all others in turn, until one of them is clearly better",
    cite: "Yue et al., JCSS 2012",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    prune: bool,
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { prune } = params.read("interleaved-filtering")?;
    Ok(Box::new(InterleavedFiltering::new(arena, prune)))
}

struct InterleavedFiltering {
    prune: bool,
    /// c² n.
    width: f64,
    tally: Tally,
    open: OpenDuels,
    /// b.
    candidate: Option<usize>,
    /// W, in order.
    rivals: Vec<usize>,
    /// The number of W that were asked for in this round.
    asked: usize,
}

impl InterleavedFiltering {
    fn new(arena: &Arena, prune: bool) -> Self {
        let k = arena.k();
        let events = arena.horizon() as f64 * (k * k) as f64; // 1/δ
        Self {
            prune,
            width: 4.0 * events.ln(),
            tally: Tally::new(k),
            open: OpenDuels::default(),
            candidate: None,
            rivals: (0..k).collect(),
            asked: 0,
        }
    }

    fn end_round(&mut self) {
        let Some(candidate) = self.candidate else {
            return;
        };
        self.asked = 0;
        let radius = |rival: usize| (self.width / self.tally.duels(candidate, rival)).sqrt();
        let mean = |rival: usize| self.tally.mean(candidate, rival);
        self.rivals
            .retain(|&rival| mean(rival) - radius(rival) <= 0.5);
        let better = |&&rival: &&usize| mean(rival) + radius(rival) < 0.5;
        if let Some(&next) = self.rivals.iter().find(better) {
            self.rivals
                .retain(|&rival| rival != next && !(self.prune && mean(rival) > 0.5));
            self.candidate = Some(next);
        }
    }
}

impl DuelingBandit for InterleavedFiltering {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if self.candidate.is_none() {
            let place = rng.below(self.rivals.len());
            self.candidate = Some(self.rivals.remove(place));
        }
        if self.asked == self.rivals.len() {
            self.asked = 0;
        }
        let rival = *self.rivals.get(self.asked)?;
        self.asked += 1;
        let pair = Pair::new(Arm::from(self.candidate?), Arm::from(rival));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            self.tally.record(pair, outcome);
            if self.asked == self.rivals.len() {
                self.end_round();
            }
        }
    }

    fn leader(&self) -> Arm {
        Arm::from(self.candidate.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Candidate 2 of five, after `n` rounds with the same outcomes against 0, 1, 3 and 4.
    fn after(n: u32, prune: bool, outcomes: [Outcome; 4]) -> InterleavedFiltering {
        let mut bandit = InterleavedFiltering::new(&Arena::new(5, 100).unwrap(), prune);
        bandit.candidate = Some(2);
        bandit.rivals.remove(2);
        for _ in 0..n {
            for (rival, outcome) in [0, 1, 3, 4].into_iter().zip(outcomes) {
                let pair = Pair::new(Arm(2), Arm(rival));
                bandit.tally.record(pair, outcome);
            }
        }
        bandit.end_round();
        bandit
    }

    #[test]
    fn the_clearly_worse_leave_and_the_first_of_the_clearly_better_takes_over() {
        let outcomes = [Outcome::Tie, Outcome::Win, Outcome::Loss, Outcome::Loss];
        // c = √(4 ln 2500 / n) falls below ½ between 125 and 126 duels.
        let before = after(125, false, outcomes);
        assert_eq!(
            (before.candidate, before.rivals),
            (Some(2), vec![0, 1, 3, 4])
        );
        let behind = after(126, false, outcomes);
        assert_eq!((behind.candidate, behind.rivals), (Some(3), vec![0, 4]));
    }

    #[test]
    fn pruning_takes_along_whom_the_old_candidate_beat_even_narrowly() {
        for (prune, rivals) in [(false, vec![0, 1]), (true, vec![1])] {
            let mut bandit = after(125, prune, [Outcome::Tie; 4]);
            bandit.tally.record(Pair::new(Arm(2), Arm(0)), Outcome::Win);
            for rival in [3, 4] {
                for _ in 0..2000 {
                    bandit
                        .tally
                        .record(Pair::new(Arm(2), Arm(rival)), Outcome::Loss);
                }
            }
            bandit.rivals.retain(|&rival| rival != 4);
            bandit.end_round();
            assert_eq!((bandit.candidate, bandit.rivals), (Some(3), rivals));
        }
    }
}
