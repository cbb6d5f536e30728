//! Which pair next: dueling bandits as pure state machines.
//!
//! A bandit is one file with an `ENTRY`, plus its two lines below. Notation, here and in the files:
//! K systems are the arms `0..K`; `w_ij` counts the wins of i over j (a tie is half a win for
//! both), `n_ij` = `w_ij` + `w_ji`, `m_ij` = `w_ij` / `n_ij` (½ before the first duel).

use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Verdict};
use crate::error::{Error, Result};
use crate::registry::{Entry, Params};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};

pub mod beat_the_mean;
mod bounds;
mod bracket;
pub mod ccb;
mod choice;
pub mod dts;
pub mod dts_plus_plus;
pub mod interleaved_filtering;
pub mod knockout;
mod open_duels;
pub mod plackett_luce;
mod posterior;
mod quicksort;
pub mod rcs;
pub mod rmed;
pub mod rmed2;
pub mod rmed2fh;
pub mod rucb;
pub mod savage;
pub mod sequential_elimination;
pub mod single_elimination;
pub mod tally;
pub mod uniform;
mod versus;

/// What is known before the first answer.
#[derive(Debug, Clone)]
pub struct Arena {
    k: usize,
    horizon: u64,
}

impl Arena {
    /// An arena of `k` systems, for a run planned to take `horizon` steps.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are fewer than 2 systems, or more than 65 535.
    pub fn new(k: usize, horizon: u64) -> Result<Self> {
        if !(2..=usize::from(u16::MAX)).contains(&k) {
            return Err(Error::usage(format!(
                "{k} systems to compare, expected 2 to 65535"
            )));
        }
        Ok(Self { k, horizon })
    }

    /// The number of systems, at least 2.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of steps the run is planned for, for algorithms whose confidence radius uses it.
    pub fn horizon(&self) -> u64 {
        self.horizon
    }
}

/// Which description of an algorithm is followed where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The publication that introduced the algorithm.
    #[default]
    Original,
    /// What the code released with Mohankumar and Khapra (2022) does, behind that paper's tables.
    Released,
}

/// A dueling bandit: proposes pairs and is told outcomes. It never does I/O, reads a clock or holds
/// a generator of its own.
///
/// `ask` may be called again before earlier duels are answered; answers may arrive late and out of
/// order, each exactly once, by the duel's id; an id that is not open is ignored. Arms are `0..k`.
/// Ties between arms may be broken by index, because the loop permutes arms by seed, so no system
/// profits from its name. A pair of one arm with itself is a free tie.
pub trait Dueling: Send {
    /// The next pair to compare, or `None` when exploration is over.
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel>;

    /// How the first of the duel's pair fared.
    fn tell(&mut self, duel: DuelId, outcome: Outcome, origin: Origin);

    /// The system that looks best now. Asking changes nothing.
    fn leader(&self) -> Arm;

    /// What can be claimed now.
    fn verdict(&self) -> Verdict {
        Verdict::Open
    }
}

/// Builds a bandit from its parameters.
pub type BuildDueling = fn(&Params, &Arena) -> Result<Box<dyn Dueling>>;

/// All bandits.
pub const BANDITS: &[Entry<BuildDueling>] = &[
    uniform::ENTRY,
    rucb::ENTRY,
    rcs::ENTRY,
    rmed::ENTRY,
    rmed2::ENTRY,
    rmed2fh::ENTRY,
    dts::ENTRY,
    dts_plus_plus::ENTRY,
    savage::ENTRY,
    ccb::ENTRY,
    knockout::ENTRY,
    single_elimination::ENTRY,
    sequential_elimination::ENTRY,
    beat_the_mean::ENTRY,
    interleaved_filtering::ENTRY,
    plackett_luce::ENTRY,
];

/// A parameter that must be a positive number.
fn positive(bandit: &str, key: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Error::usage(format!(
        "{bandit}: {key} is {value}, expected a positive number"
    )))
}

/// A parameter that must be a probability, neither 0 nor 1.
fn probability(bandit: &str, key: &str, value: f64) -> Result<f64> {
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    Err(Error::usage(format!(
        "{bandit}: {key} is {value}, expected a number between 0 and 1"
    )))
}
