//! RMED, relative minimum empirical divergence: a system is tried as long as the evidence that it
//! loses to someone is weaker than chance allows.
//!
//! Source: Komiyama, Honda, Kashima and Nakagawa, "Regret lower bound and optimal algorithm in
//! dueling bandit problem", COLT 2015, algorithm 2 (RMED1). Assumes a Condorcet winner.
//! Parameters: `f` (0.3), with f(K) = f · K^1.01.
//!
//! `I_i` = Σ `n_ij` KL(`m_ij` ‖ ½) over the j with `m_ij` ≤ ½; I* = min I. Every pair is dueled
//! once, then the arms l of a current list `L_C` are taken in random order; an arm enters the next
//! list when `I_j` − I* ≤ ln t + f(K). The opponent of l is i* = argmin I where i* is among those
//! that l does not beat (or l beats all), otherwise whoever beats l most clearly. Once one arm
//! remains it duels itself, for free.
//!
//! `variant=released` knows no i*: the opponent is l itself where l beats all, otherwise whoever
//! beats l most clearly. The lists are brought up to date when the *next* pair is asked for, with
//! the answers that have arrived by then: without delay this is the paper's order, and with any
//! delay the list cannot run empty, because the arm with `I_j` = I* always enters.

use super::choice::{ArgmaxTieRule, argmax};
use super::open_duels::OpenDuels;
use super::rmed2::Refinement;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;
use tiebreak_base::stats::special::kl_from_half;

/// The registry entry of `rmed`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "rmed",
    summary: "drops a system when the evidence that it loses is strong enough",
    cite: "Komiyama et al., COLT 2015 (RMED1)",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    f: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            f: 0.3,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters { f, variant } = params.read("rmed")?;
    let slack = positive("rmed", "f", f)? * (arena.k() as f64).powf(1.01);
    Ok(Box::new(Rmed::new(arena.k(), slack, variant)))
}

/// RMED1, and with a [`Refinement`] what `rmed2` and `rmed2fh` run.
pub(super) struct Rmed {
    variant: Variant,
    /// f(K).
    slack: f64,
    refinement: Option<Refinement>,
    evidence: EmpiricalDivergences,
    open: OpenDuels,
    steps: u64,
    /// The next pair of the first passes over all pairs; `passes_left` follow the present one.
    first_pass: Option<(usize, usize)>,
    passes_left: u64,
    /// `L_C`: arms still to be taken from the current list.
    current: Vec<usize>,
    /// `L_R`: whether an arm remains to be taken from the current list.
    remaining: Vec<bool>,
    /// `L_N`: whether an arm is on the next list.
    next: Vec<bool>,
}

impl Rmed {
    pub(super) fn new(k: usize, slack: f64, variant: Variant) -> Self {
        Self {
            variant,
            slack,
            refinement: None,
            evidence: EmpiricalDivergences::new(k),
            open: OpenDuels::default(),
            steps: 0,
            first_pass: Some((0, 1)),
            passes_left: 0,
            current: (0..k).collect(),
            remaining: vec![true; k],
            next: vec![false; k],
        }
    }

    /// Has all pairs dueled `passes` times at first, and then refines.
    pub(super) fn refined(self, passes: u64, refinement: Refinement) -> Self {
        Self {
            refinement: Some(refinement),
            passes_left: passes - 1,
            ..self
        }
    }

    fn k(&self) -> usize {
        self.remaining.len()
    }

    /// The pairs (0, 1), (0, 2), …, (K−2, K−1), once each and as often as there are passes.
    fn next_of_first_pass(&mut self) -> Option<(usize, usize)> {
        let (i, j) = self.first_pass?;
        self.first_pass = if j + 1 < self.k() {
            Some((i, j + 1))
        } else if i + 2 < self.k() {
            Some((i + 1, i + 2))
        } else if self.passes_left > 0 {
            self.passes_left -= 1;
            Some((0, 1))
        } else {
            None
        };
        Some((i, j))
    }

    /// Updates the lists as the paper does at the end of a step, before which `t` came.
    fn update_lists(&mut self, t: u64) {
        let threshold = (t as f64).ln() + self.slack + self.evidence.least();
        for arm in 0..self.k() {
            if !self.remaining[arm] && self.evidence.against(arm) <= threshold {
                self.next[arm] = true;
            }
        }
        if self.current.is_empty() {
            let next = &self.next;
            self.current
                .extend((0..next.len()).filter(|&arm| next[arm]));
            self.remaining.copy_from_slice(&self.next);
            self.next.fill(false);
            if let Some(refinement) = &mut self.refinement {
                refinement.begin_list();
            }
        }
    }

    /// An arm of the current list and its opponent.
    fn explore(&mut self, rng: &mut Rng) -> (usize, usize) {
        if !self
            .refinement
            .as_ref()
            .is_some_and(Refinement::is_topping_up)
        {
            // Before the first of these steps nothing has been taken, and nothing changes.
            self.update_lists(self.steps - 1);
        }
        if let Some(refinement) = &mut self.refinement {
            refinement.prepare(&self.evidence.tally, self.evidence.best);
            if let Some(rare) = refinement.top_up(self.steps) {
                return rare;
            }
        }
        let arm = self.current.swap_remove(rng.below(self.current.len()));
        self.remaining[arm] = false;
        (arm, self.opponent(arm, rng))
    }

    fn opponent(&self, arm: usize, rng: &mut Rng) -> usize {
        let tally = &self.evidence.tally;
        let unbeaten =
            |other: usize| other != arm && tally.wins(arm, other) <= tally.wins(other, arm);
        if let Some(refinement) = &self.refinement {
            let rival = refinement.rival(tally, self.evidence.best, arm, self.steps);
            if let Some(rival) = rival.filter(|&rival| unbeaten(rival)) {
                return rival;
            }
        }
        let beats_all = usize::from(tally.copeland()[arm]) + 1 == self.k();
        if self.variant == Variant::Released && beats_all {
            return arm;
        }
        if self.variant == Variant::Original {
            let best = self.evidence.best();
            if beats_all || unbeaten(best) {
                return best;
            }
        }
        let others = (0..self.k()).filter(|&other| other != arm);
        let strengths = others.map(|other| (other, -tally.mean(arm, other)));
        argmax(strengths, ArgmaxTieRule::Random, rng).map_or(arm, |(other, _)| other)
    }
}

impl DuelingBandit for Rmed {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        let first_pass = self.next_of_first_pass();
        let (first, second) = first_pass.unwrap_or_else(|| self.explore(rng));
        self.steps += 1;
        if let Some(refinement) = &mut self.refinement {
            refinement.count(first, second);
        }
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            self.evidence.record(pair, outcome);
        }
    }

    fn leader(&self) -> Arm {
        self.evidence.tally.leader()
    }
}

/// The evidence `I_i` against each arm, kept current in O(K) per answer.
struct EmpiricalDivergences {
    tally: Tally,
    /// `n_ij` KL(`m_ij` ‖ ½) where `m_ij` ≤ ½, else 0, at i·K + j.
    terms: Vec<f64>,
    /// `I_i`.
    sums: Vec<f64>,
    /// i*.
    best: usize,
}

impl EmpiricalDivergences {
    fn new(k: usize) -> Self {
        Self {
            tally: Tally::new(k),
            terms: vec![0.0; k * k],
            sums: vec![0.0; k],
            best: 0,
        }
    }

    fn record(&mut self, pair: Pair, outcome: Outcome) {
        if pair.is_self() {
            return;
        }
        self.tally.record(pair, outcome);
        let (k, i, j) = (self.tally.k(), pair.first.index(), pair.second.index());
        let divergence = self.tally.duels(i, j) * kl_from_half(self.tally.mean(i, j));
        let i_leads = self.tally.wins(i, j) > self.tally.wins(j, i);
        self.terms[i * k + j] = if i_leads { 0.0 } else { divergence };
        self.terms[j * k + i] = if i_leads { divergence } else { 0.0 };
        for arm in [i, j] {
            // Summed afresh: adding and subtracting would let rounding errors pile up.
            self.sums[arm] = self.terms[arm * k..(arm + 1) * k].iter().sum();
        }
        self.best = (1..k).fold(0, |best, arm| {
            if self.sums[arm] < self.sums[best] {
                arm
            } else {
                best
            }
        });
    }

    fn against(&self, arm: usize) -> f64 {
        self.sums[arm]
    }

    fn best(&self) -> usize {
        self.best
    }

    /// I*.
    fn least(&self) -> f64 {
        self.sums[self.best]
    }
}
