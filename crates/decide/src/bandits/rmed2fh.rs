//! RMED2FH: RMED2 for a known number of steps.
//!
//! Source: Komiyama, Honda, Kashima and Nakagawa, "Regret lower bound and optimal algorithm in
//! dueling bandit problem", COLT 2015, algorithms 1 and 3. Assumes a Condorcet winner.
//! Parameters: `f` (0.3), with f(K) = f · K^1.01; `alpha` (3), how often every pair is dueled at first.
//!
//! As [`super::rmed2`], but every pair is dueled L = ⌈α ln ln T⌉ times at first, T being the limit of
//! steps, and never topped up; and the rivals b* are fixed after these duels. Where answers are late,
//! they are fixed with those that have arrived. The released code has no RMED2FH, so there is no
//! variant.

use super::rmed2::{Refinement, Rmed2Parameters, ln_ln, unrefined};
use super::{Arena, BuildDueling, DuelingBandit};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

/// The registry entry of `rmed2fh`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "rmed2fh",
    summary: "as rmed2, for a known number of steps",
    cite: "Komiyama et al., COLT 2015 (RMED2FH)",
    parameters: parameters::<Rmed2Parameters>,
    build,
};

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let (rmed, alpha) = unrefined("rmed2fh", params, arena)?;
    let passes = (alpha * ln_ln(arena.horizon())).ceil().max(1.0) as u64;
    let refinement = Refinement::new(arena.k(), None);
    Ok(Box::new(rmed.refined(passes, refinement)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Origin, Outcome, Pair};
    use tiebreak_base::rng::Seed;

    #[test]
    fn every_pair_is_dueled_equally_often_at_first() {
        let arena = Arena::new(4, 10_000).unwrap();
        let mut bandit = build(&Params::default(), &arena).unwrap();
        let mut rng = Seed(1).stream("test", 0);
        // 3 ln ln 10000 = 6.66, so 7 passes over 6 pairs.
        let mut ask = |n: usize| -> Vec<Pair> {
            let mut pairs = Vec::new();
            for _ in 0..n {
                let duel = bandit.ask(&mut rng).unwrap();
                bandit.record_outcome(duel.id, Outcome::Tie, Origin::Human);
                pairs.push(duel.pair);
            }
            pairs
        };
        let pairs = ask(42);
        for pass in pairs.chunks(6) {
            assert_eq!(pass, &pairs[..6]);
        }
        assert_ne!(ask(6), pairs[..6]);
    }
}
