//! Single elimination: a tournament whose matches all have the same length.
//!
//! Source: Mohajer, Suh and Elmahdy, "Active learning for top-k rank aggregation from noisy
//! comparisons", ICML 2017, section 3. Assumes a total order.
//! Parameters: `m` (500), the duels of a match.
//!
//! The arms are drawn into a bracket; in every match the higher share of wins advances, by a fair
//! coin where shares are equal; an odd arm has a bye. K − 1 matches are (K − 1) m duels. Until the
//! end, the first survivor leads. Late answers: see `versus.rs`.
//!
//! `variant=released` plays superfluous matches: an odd arm meets whoever still stands in the next
//! place of the list from an earlier round, which may be itself. And it plays 1 + ⌈ln K⌉ rounds in
//! place of ⌈log₂ K⌉, which are too few for K = 17 … 20, 33 … 54 and all above 64: there it may name
//! the wrong winner even without noise.

use super::bracket::{Bracket, BracketStep};
use super::versus::MatchSeries;
use super::{Arena, BuildDueling, DuelingBandit, Variant};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `single-elimination`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "single-elimination",
    summary: "a tournament with matches of fixed length",
    cite: "Mohajer et al., ICML 2017",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    m: i64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            m: 500,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { m, variant } = params.read("single-elimination")?;
    let length = u64::try_from(m).ok().filter(|&m| m > 0).ok_or_else(|| {
        Error::usage(format!(
            "single-elimination: m is {m}, expected at least 1 duel per match"
        ))
    })?;
    Ok(Box::new(SingleElimination::new(arena.k(), length, variant)))
}

struct SingleElimination {
    variant: Variant,
    /// m.
    length: u64,
    bracket: Bracket,
    versus: MatchSeries,
    drawn: bool,
    /// Rounds to be played after this one.
    rounds_left: u32,
}

impl SingleElimination {
    fn new(k: usize, length: u64, variant: Variant) -> Self {
        let rounds = match variant {
            Variant::Original => k.next_power_of_two().ilog2(),
            Variant::Released => 1 + (k as f64).ln().ceil() as u32,
        };
        Self {
            variant,
            length,
            bracket: Bracket::new(k),
            versus: MatchSeries::default(),
            drawn: false,
            rounds_left: rounds - 1,
        }
    }

    fn next(&self) -> BracketStep {
        match self.variant {
            Variant::Original => self.bracket.next(),
            Variant::Released => self.bracket.next_with_stale_places(),
        }
    }
}

impl DuelingBandit for SingleElimination {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if !std::mem::replace(&mut self.drawn, true) {
            rng.shuffle(self.bracket.alive_mut());
        }
        loop {
            if let Some(duel) = self.versus.ask() {
                return Some(duel);
            }
            match self.next() {
                BracketStep::Match(first, second) => self.versus.begin(first, second, rng),
                BracketStep::Bye(arm) => self.bracket.advance(arm),
                BracketStep::RoundOver => {
                    self.rounds_left = self.rounds_left.checked_sub(1)?;
                    self.bracket.next_round();
                }
            }
        }
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let over = |score: &super::versus::MatchScore| score.duels == self.length;
        if let Some(score) = self.versus.record_outcome(duel, outcome, over) {
            self.bracket.advance(score.winner().index());
        }
    }

    fn leader(&self) -> Arm {
        Arm::from(self.bracket.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// Annotations, and whether the last arm, which always wins, was found.
    fn play(k: usize, variant: Variant, seed: u64) -> (u64, bool) {
        let mut tournament = SingleElimination::new(k, 3, variant);
        let mut rng = Seed(seed).stream("test", 0);
        let mut annotations = 0;
        while let Some(duel) = tournament.ask(&mut rng) {
            let outcome = match duel.pair.first.cmp(&duel.pair.second) {
                std::cmp::Ordering::Less => Outcome::Loss,
                std::cmp::Ordering::Equal => Outcome::Tie,
                std::cmp::Ordering::Greater => Outcome::Win,
            };
            tournament.record_outcome(duel.id, outcome, Origin::Human);
            annotations += u64::from(!duel.pair.is_self());
        }
        (annotations, tournament.leader() == Arm::from(k - 1))
    }

    #[test]
    fn a_clean_bracket_takes_k_minus_one_matches() {
        for k in [2, 3, 9, 17, 28, 64] {
            assert_eq!(play(k, Variant::Original, 1), (3 * (k as u64 - 1), true));
        }
    }

    /// Matches per run by the released rules, as published for annotation complexities divided by
    /// m: 9.66 for 9 systems, 12.93 for 13.
    #[test]
    fn the_released_bracket_plays_as_many_matches_as_published() {
        for (k, published) in [(9, 9.66), (13, 12.93)] {
            let runs = 2000;
            let total: u64 = (0..runs)
                .map(|seed| play(k, Variant::Released, seed).0)
                .sum();
            let matches = total as f64 / (3 * runs) as f64;
            assert!((matches - published).abs() < 0.06, "{k}: {matches}");
        }
        let found = (0..200).filter(|&seed| play(18, Variant::Released, seed).1);
        assert!(found.count() < 200, "18 systems need a fifth round");
    }
}
