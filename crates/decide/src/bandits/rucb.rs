//! RUCB, relative upper confidence bound: duels a system that may still be unbeaten against the one
//! that may still beat it by most.
//!
//! Source: Zoghi, Whiteson, Munos and de Rijke, "Relative upper confidence bound for the k-armed
//! dueling bandit problem", ICML 2014, algorithm 1. Assumes a Condorcet winner.
//! Parameters: `alpha` (0.51) scales the radius √(α ln t / n).
//!
//! `variant=released` differs in two ways: a system never duels itself, so annotations are spent
//! for ever, and a system drawn because none looks unbeaten becomes the hypothesised best.

use super::bounds::PreferenceBounds;
use super::choice::{ArgmaxTieRule, argmax};
use super::open_duels::OpenDuels;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `rucb`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "rucb",
    summary: "a possibly unbeaten system against its most optimistic rival",
    cite: "Zoghi et al., ICML 2014",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    alpha: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            alpha: 0.51,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { alpha, variant } = params.read("rucb")?;
    Ok(Box::new(Rucb {
        bounds: PreferenceBounds::new(arena.k(), positive("rucb", "alpha", alpha)?),
        variant,
        open: OpenDuels::default(),
        steps: 0,
        best: None,
        candidates: Vec::with_capacity(arena.k()),
    }))
}

struct Rucb {
    bounds: PreferenceBounds,
    variant: Variant,
    open: OpenDuels,
    steps: u64,
    /// B, the hypothesised best.
    best: Option<usize>,
    /// C, kept only to spare an allocation per step.
    candidates: Vec<usize>,
}

impl Rucb {
    /// Lines 5 to 12: the champion c.
    fn champion(&mut self, width: f64, rng: &mut Rng) -> usize {
        let k = self.bounds.tally().k();
        self.candidates.clear();
        self.candidates
            .extend((0..k).filter(|&arm| self.bounds.may_be_unbeaten(arm, width)));
        self.best = self.best.filter(|best| self.candidates.contains(best));
        match (self.candidates.as_slice(), self.best) {
            ([], _) => {
                let any = rng.below(k);
                if self.variant == Variant::Released {
                    self.best = Some(any);
                }
                any
            }
            (&[only], _) => {
                self.best = Some(only);
                only
            }
            (_, Some(best)) if rng.bernoulli(0.5) => best,
            (all, None) => *rng.choose(all),
            (all, Some(best)) => {
                let others = rng.below(all.len() - 1);
                let place = all.iter().position(|&arm| arm == best).unwrap_or(all.len());
                all[if others < place { others } else { others + 1 }]
            }
        }
    }

    /// Line 13: the challenger d, whose victory over c is most plausible.
    fn challenger(&self, champion: usize, width: f64, rng: &mut Rng) -> usize {
        let rivals = (0..self.bounds.tally().k())
            .filter(|&arm| arm != champion)
            .map(|arm| (arm, self.bounds.upper(arm, champion, width)));
        match argmax(rivals, ArgmaxTieRule::Random, rng) {
            Some((_, highest)) if self.variant == Variant::Original && highest < 0.5 => champion,
            Some((rival, _)) => rival,
            None => champion,
        }
    }
}

impl DuelingBandit for Rucb {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        self.steps += 1;
        let width = self.bounds.width(self.steps);
        let champion = self.champion(width, rng);
        let challenger = self.challenger(champion, width, rng);
        let pair = Pair::new(Arm::from(champion), Arm::from(challenger));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            self.bounds.record(pair, outcome);
        }
    }

    fn leader(&self) -> Arm {
        self.bounds.tally().leader()
    }
}
