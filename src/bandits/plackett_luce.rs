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
use super::tally::Tally;
use super::versus::anytime_radius;
use super::{Arena, BuildDueling, Dueling, Variant, positive, probability};
use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use crate::error::Result;
use crate::registry::{Entry, Params, parameters};
use crate::rng::Rng;
use serde::{Deserialize, Serialize};

/// How `plackett-luce` is listed.
pub const ENTRY: Entry<BuildDueling> = Entry {
    name: "plackett-luce",
    summary: "rough sorts, each of which says something about every pair",
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

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn Dueling>> {
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
    /// Begun and not finished; more than one only where answers are late.
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

impl Dueling for PlackettLuce {
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

    fn tell(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if self.open.close(duel).is_none() || self.winner.is_some() {
            return;
        }
        let place = self
            .sorts
            .iter_mut()
            .position(|sort| sort.tell(duel, outcome));
        let finished = place.filter(|&place| self.sorts[place].is_over());
        if let Some(place) = finished {
            let sort = self.sorts.remove(place);
            self.learn(&sort.order);
        }
    }

    fn leader(&self) -> Arm {
        self.winner.unwrap_or_else(|| self.tally.leader())
    }
}

/// A quicksort in progress, without recursion: buckets are split in place, the first one first.
#[derive(Debug, Clone)]
struct Sort {
    variant: Variant,
    /// Buckets of arms, the best first.
    order: Vec<Vec<usize>>,
    /// Duels, or passes as released, that are left.
    budget: usize,
    pass: Option<Pass>,
}

/// One pass: a pivot against all others of its bucket.
#[derive(Debug, Clone)]
struct Pass {
    /// The place of the bucket.
    bucket: usize,
    pivot: usize,
    to_ask: Vec<usize>,
    asked: Vec<Comparison>,
    better: Vec<usize>,
    worse: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Comparison {
    id: DuelId,
    arm: usize,
    /// Whether a tie makes the pivot the better one.
    tie_to_pivot: bool,
}

impl Sort {
    /// Sorts at least two arms.
    fn new(arms: Vec<usize>, variant: Variant) -> Self {
        Self {
            variant,
            budget: arms.len() - 1,
            order: vec![arms],
            pass: None,
        }
    }

    /// The first bucket worth splitting, while the budget lasts.
    fn unsorted(&self) -> Option<usize> {
        let several = |bucket: &Vec<usize>| bucket.len() > 1;
        (self.budget > 0)
            .then(|| self.order.iter().position(several))
            .flatten()
    }

    fn is_over(&self) -> bool {
        self.pass.is_none() && self.unsorted().is_none()
    }

    fn begin_pass(&mut self, bucket: usize, rng: &mut Rng) -> Pass {
        let mut to_ask = self.order[bucket].clone();
        let pivot = to_ask.swap_remove(rng.below(to_ask.len()));
        let cost = match self.variant {
            Variant::Original => to_ask.len(),
            Variant::Released => 1,
        };
        self.budget = self.budget.saturating_sub(cost);
        Pass {
            bucket,
            pivot,
            to_ask,
            asked: Vec::new(),
            better: Vec::new(),
            worse: Vec::new(),
        }
    }

    /// The next comparison, to be answered under `id`; `None` while answers are awaited.
    fn ask(&mut self, id: DuelId, rng: &mut Rng) -> Option<Pair> {
        if self.pass.is_none() {
            let bucket = self.unsorted()?;
            self.pass = Some(self.begin_pass(bucket, rng));
        }
        let pass = self.pass.as_mut()?;
        let arm = pass.to_ask.pop()?;
        pass.asked.push(Comparison {
            id,
            arm,
            tie_to_pivot: self.variant == Variant::Released || rng.bernoulli(0.5),
        });
        Some(Pair::new(Arm::from(pass.pivot), Arm::from(arm)))
    }

    /// Takes an answer about the pivot; false if the comparison belongs to another sort.
    fn tell(&mut self, id: DuelId, outcome: Outcome) -> bool {
        let Some(pass) = self.pass.as_mut() else {
            return false;
        };
        let Some(place) = pass.asked.iter().position(|one| one.id == id) else {
            return false;
        };
        let Comparison {
            arm, tie_to_pivot, ..
        } = pass.asked.swap_remove(place);
        if outcome == Outcome::Win || (outcome == Outcome::Tie && tie_to_pivot) {
            pass.worse.push(arm);
        } else {
            pass.better.push(arm);
        }
        if let Some(pass) = self
            .pass
            .take_if(|pass| pass.asked.is_empty() && pass.to_ask.is_empty())
        {
            self.split(pass);
        }
        true
    }

    fn split(&mut self, pass: Pass) {
        let parts = [pass.better, vec![pass.pivot], pass.worse];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        self.order.splice(pass.bucket..=pass.bucket, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// Sorts seven arms, the larger being better; the duels and the order.
    fn sort(variant: Variant) -> (usize, Vec<Vec<usize>>) {
        let mut sort = Sort::new((0..7).collect(), variant);
        let mut rng = Seed(2).stream("test", 0);
        let mut duels = 0;
        while let Some(pair) = sort.ask(DuelId(duels), &mut rng) {
            let outcome = if pair.first > pair.second {
                Outcome::Win
            } else {
                Outcome::Loss
            };
            assert!(!sort.tell(DuelId(100), outcome));
            assert!(sort.tell(DuelId(duels), outcome));
            duels += 1;
        }
        assert!(sort.is_over());
        (duels as usize, sort.order)
    }

    #[test]
    fn the_budget_is_one_pass_or_a_complete_sort_as_released() {
        let (duels, order) = sort(Variant::Original);
        assert_eq!(duels, 6);
        assert!(order.len() <= 3);
        for (higher, lower) in order.iter().zip(&order[1..]) {
            assert!(higher.iter().min() > lower.iter().max());
        }
        let (duels, order) = sort(Variant::Released);
        assert!(duels > 6);
        assert_eq!(order, [[6], [5], [4], [3], [2], [1], [0]]);
    }

    #[test]
    fn a_tie_is_a_coin_or_the_pivots_as_released() {
        for (variant, low, high) in [
            (Variant::Original, 350, 650),
            (Variant::Released, 1000, 1001),
        ] {
            let mut rng = Seed(3).stream("test", 0);
            let mut to_pivot = 0;
            for _ in 0..1000 {
                let mut sort = Sort::new(vec![0, 1], variant);
                let pair = sort.ask(DuelId(0), &mut rng).unwrap();
                sort.tell(DuelId(0), Outcome::Tie);
                to_pivot += usize::from(sort.order[0] == [pair.first.index()]);
            }
            assert!((low..high).contains(&to_pivot), "{variant:?}: {to_pivot}");
        }
    }

    #[test]
    fn a_further_sort_begins_while_answers_are_awaited() {
        let arena = Arena::new(3, 100).unwrap();
        let mut bandit = PlackettLuce::new(&arena, &Parameters::default());
        let mut rng = Seed(4).stream("test", 0);
        let duels: Vec<Duel> = (0..6).map(|_| bandit.ask(&mut rng).unwrap()).collect();
        assert_eq!(bandit.sorts.len(), 3);
        for duel in duels.iter().rev() {
            bandit.tell(duel.id, Outcome::Tie, Origin::Human);
        }
        assert!(bandit.sorts.is_empty());
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let counted: f64 = pairs.iter().map(|&(i, j)| bandit.tally.duels(i, j)).sum();
        assert!((6.0..=9.0).contains(&counted), "two or three pairs a sort");
    }
}
