//! Uniform exploration: every pair of systems equally often, whatever the answers.
//!
//! The baseline that the others are measured against; it never ends by itself. The released code
//! draws the two arms independently, so that one step in K is a free self duel; per annotation this
//! is the same, so there is no variant.

use super::open_duels::OpenDuels;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, NoParameters, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `uniform`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "uniform",
    summary: "a random pair each time; the baseline",
    cite: "Mohankumar and Khapra, ACL 2022, section 3",
    parameters: parameters::<NoParameters>,
    build,
};

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    params.read::<NoParameters>("uniform")?;
    Ok(Box::new(Uniform {
        tally: Tally::new(arena.k()),
        open: OpenDuels::default(),
    }))
}

struct Uniform {
    tally: Tally,
    open: OpenDuels,
}

impl DuelingBandit for Uniform {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        let k = self.tally.k();
        let first = rng.below(k);
        let other = rng.below(k - 1);
        let second = if other < first { other } else { other + 1 };
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            self.tally.record(pair, outcome);
        }
    }

    fn leader(&self) -> Arm {
        self.tally.leader()
    }
}
