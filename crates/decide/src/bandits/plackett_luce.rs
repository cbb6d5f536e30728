//! Plackett-Luce: sorts the systems again and again, roughly, and learns from every order.
//!
//! Source: Szörényi, Busa-Fekete, Paul and Hüllermeier, "Online rank elicitation for Plackett-Luce:
//! a dueling bandits approach", NeurIPS 2015, algorithms 1 (BudgetedQuickSort) and 2 (PLPAC).
//! Assumes the Plackett-Luce model, for which an arm that a quicksort places higher is better with
//! the same probability as if the two had met.
//! Parameters: `delta` (0.05), the probability of error allowed; `epsilon` (0.001), by how much the
//! winner may fall short of the best.
//!
//! A sort takes a random pivot, one duel of it with every other arm, and then sorts both sides while
//! its budget lasts, |A| − 1 duels, which is one pass over the active set A. Whoever is in a higher
//! bucket gets a win over everyone in a lower one. With c = √(ln(4 K² n²/δ) / 2n), an arm leaves A
//! when `m_ab` + c < ½ for some b of A, and exploration ends when some arm of A has
//! `m_ij` − c > ½ − ε against all others of A, or at the limit of steps. A tie is decided by a fair
//! coin. Where answers are late, further sorts are begun meanwhile: sorts are independent, so
//! nothing is lost by it.
//!
//! `variant=released` has a budget of |A| − 1 *passes*, which is a complete sort, and gives a tie to
//! the pivot.

use super::open_duels::OpenDuels;
use super::quicksort::Sort;
use super::tally::Tally;
use super::versus::anytime_radius;
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive, probability};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `plackett-luce`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "plackett-luce",
    summary: "repeated rough sorts, so that each says something about every pair",
    cite: "Szörényi et al., NeurIPS 2015 (PLPAC)",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    delta: f64,
    epsilon: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            delta: 0.05,
            epsilon: 0.001,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let parameters: Parameters = params.read("plackett-luce")?;
    probability("plackett-luce", "delta", parameters.delta)?;
    positive("plackett-luce", "epsilon", parameters.epsilon)?;
    Ok(Box::new(PlackettLuce::new(arena, &parameters)))
}

struct PlackettLuce {
    variant: Variant,
    epsilon: f64,
    /// δ / K².
    delta: f64,
    steps_left: u64,
    tally: Tally,
    /// A.
    active: Vec<usize>,
    open: OpenDuels,
    /// The sorts begun and not finished; more than one only where answers are late.
    sorts: Vec<Sort>,
    winner: Option<Arm>,
}

impl PlackettLuce {
    fn new(arena: &Arena, parameters: &Parameters) -> Self {
        let k = arena.k();
        Self {
            variant: parameters.variant,
            epsilon: parameters.epsilon,
            delta: parameters.delta / (k * k) as f64,
            steps_left: arena.horizon(),
            tally: Tally::new(k),
            active: (0..k).collect(),
            open: OpenDuels::default(),
            sorts: Vec::new(),
            winner: None,
        }
    }

    /// Counts a finished sort.
    fn learn(&mut self, order: &[Vec<usize>]) {
        for (place, bucket) in order.iter().enumerate() {
            for &better in bucket {
                for &worse in order[place + 1..].iter().flatten() {
                    let pair = Pair::new(Arm::from(better), Arm::from(worse));
                    self.tally.record(pair, Outcome::Win);
                }
            }
        }
        self.drop_the_beaten();
        self.winner = self.clear_winner();
    }

    fn radius(&self, i: usize, j: usize) -> f64 {
        let n = self.tally.duels(i, j);
        if n == 0.0 {
            return f64::INFINITY;
        }
        anytime_radius(n as u64, self.delta)
    }

    fn drop_the_beaten(&mut self) {
        // One by one, so that no cycle can empty A.
        for arm in self.active.clone() {
            let beaten = self.active.iter().any(|&other| {
                other != arm && self.tally.mean(arm, other) + self.radius(arm, other) < 0.5
            });
            if beaten {
                self.active.retain(|&kept| kept != arm);
            }
        }
    }

    fn clear_winner(&self) -> Option<Arm> {
        let ahead = |i: usize, j: usize| {
            i == j || self.tally.mean(i, j) - self.radius(i, j) > 0.5 - self.epsilon
        };
        let mut arms = self.active.iter();
        arms.find(|&&i| self.active.iter().all(|&j| ahead(i, j)))
            .map(|&arm| Arm::from(arm))
    }
}

impl DuelingBandit for PlackettLuce {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if self.winner.is_some() {
            return None;
        }
        self.steps_left = self.steps_left.checked_sub(1)?;
        let id = self.open.next_id();
        let begun = self.sorts.iter_mut().find_map(|sort| sort.ask(id, rng));
        let pair = begun.or_else(|| {
            let mut sort = Sort::new(self.active.clone(), self.variant);
            let pair = sort.ask(id, rng);
            self.sorts.push(sort);
            pair
        })?;
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if self.open.close(duel).is_none() || self.winner.is_some() {
            return;
        }
        let place = self
            .sorts
            .iter_mut()
            .position(|sort| sort.record_outcome(duel, outcome));
        let finished = place.filter(|&place| self.sorts[place].is_over());
        if let Some(place) = finished {
            let sort = self.sorts.remove(place);
            self.learn(sort.order());
        }
    }

    fn leader(&self) -> Arm {
        self.winner.unwrap_or_else(|| self.tally.leader())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn a_further_sort_begins_while_answers_are_awaited() {
        let arena = Arena::new(3, 100).unwrap();
        let mut bandit = PlackettLuce::new(&arena, &Parameters::default());
        let mut rng = Seed(4).stream("test", 0);
        let duels: Vec<Duel> = (0..6).map(|_| bandit.ask(&mut rng).unwrap()).collect();
        assert_eq!(bandit.sorts.len(), 3);
        for duel in duels.iter().rev() {
            bandit.record_outcome(duel.id, Outcome::Tie, Origin::Human);
        }
        assert!(bandit.sorts.is_empty());
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let counted: f64 = pairs.iter().map(|&(i, j)| bandit.tally.duels(i, j)).sum();
        assert!((6.0..=9.0).contains(&counted), "two or three pairs a sort");
    }
}
