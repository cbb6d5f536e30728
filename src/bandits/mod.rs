//! Which pair next: dueling bandits as pure state machines.

use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Verdict};
use crate::error::Result;
use crate::registry::{Entry, Params};
use crate::rng::Rng;

/// What is known before the first answer.
#[derive(Debug, Clone)]
pub struct Arena {
    /// The number of systems, at least 2.
    pub k: usize,
    /// The number of steps the run is planned for, for algorithms whose confidence radius uses it.
    pub horizon: u64,
}

/// A dueling bandit: proposes pairs and is told outcomes. It never does I/O, reads a clock or holds
/// a generator of its own.
///
/// `ask` may be called again before earlier duels are answered; answers may arrive late and out of
/// order, each exactly once, by the duel's id. Arms are `0..k`. Ties between arms may be broken by
/// index, because the loop permutes arms by seed, so no system profits from its name.
pub trait Dueling: Send {
    /// The next pair to compare, or `None` when exploration is over.
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel>;

    /// How the first of the duel's pair fared.
    fn tell(&mut self, duel: DuelId, outcome: Outcome, origin: Origin);

    /// The system that looks best now.
    fn leader(&self) -> Arm;

    /// What can be claimed now.
    fn verdict(&self) -> Verdict {
        Verdict::Open
    }
}

/// Builds a bandit from its parameters.
pub type BuildDueling = fn(&Params, &Arena) -> Result<Box<dyn Dueling>>;

/// All bandits.
pub const BANDITS: &[Entry<BuildDueling>] = &[];
