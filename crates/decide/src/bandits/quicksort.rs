//! BudgetedQuickSort: sorts arms by noisy duels until its budget is spent, perhaps only roughly.
//!
//! Source: Szörényi, Busa-Fekete, Paul and Hüllermeier, NeurIPS 2015, algorithm 1. The budget is
//! counted in duels, or as released in pivot passes; a pass once begun is finished.

use super::Variant;
use tiebreak_base::duel::{Arm, DuelId, Outcome, Pair};
use tiebreak_base::rng::Rng;

/// A sort in progress, without recursion: buckets are split in place, the first one first.
#[derive(Debug, Clone)]
pub(super) struct Sort {
    variant: Variant,
    /// Buckets of arms, the best first.
    order: Vec<Vec<usize>>,
    /// Duels, or passes as released, that are left.
    budget: usize,
    pass: Option<PivotPass>,
}

/// One pass: a pivot against all others of its bucket.
#[derive(Debug, Clone)]
struct PivotPass {
    /// The place of the bucket.
    bucket: usize,
    pivot: usize,
    to_ask: Vec<usize>,
    asked: Vec<PivotComparison>,
    better: Vec<usize>,
    worse: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct PivotComparison {
    id: DuelId,
    arm: usize,
    /// Whether a tie makes the pivot the better one.
    tie_to_pivot: bool,
}

impl Sort {
    /// Sorts at least two arms.
    pub(super) fn new(arms: Vec<usize>, variant: Variant) -> Self {
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

    /// The buckets, the best first.
    pub(super) fn order(&self) -> &[Vec<usize>] {
        &self.order
    }

    /// Whether nothing is left to ask or await.
    pub(super) fn is_over(&self) -> bool {
        self.pass.is_none() && self.unsorted().is_none()
    }

    fn begin_pass(&mut self, bucket: usize, rng: &mut Rng) -> PivotPass {
        let mut to_ask = self.order[bucket].clone();
        let pivot = to_ask.swap_remove(rng.below(to_ask.len()));
        let cost = match self.variant {
            Variant::Original => to_ask.len(),
            Variant::Released => 1,
        };
        self.budget = self.budget.saturating_sub(cost);
        PivotPass {
            bucket,
            pivot,
            to_ask,
            asked: Vec::new(),
            better: Vec::new(),
            worse: Vec::new(),
        }
    }

    /// The next comparison, to be answered under `id`; `None` while answers are awaited.
    pub(super) fn ask(&mut self, id: DuelId, rng: &mut Rng) -> Option<Pair> {
        if self.pass.is_none() {
            let bucket = self.unsorted()?;
            self.pass = Some(self.begin_pass(bucket, rng));
        }
        let pass = self.pass.as_mut()?;
        let arm = pass.to_ask.pop()?;
        pass.asked.push(PivotComparison {
            id,
            arm,
            tie_to_pivot: self.variant == Variant::Released || rng.bernoulli(0.5),
        });
        Some(Pair::new(Arm::from(pass.pivot), Arm::from(arm)))
    }

    /// Takes an answer about the pivot; false if the comparison belongs to another sort.
    pub(super) fn record_outcome(&mut self, id: DuelId, outcome: Outcome) -> bool {
        let Some(pass) = self.pass.as_mut() else {
            return false;
        };
        let Some(place) = pass.asked.iter().position(|one| one.id == id) else {
            return false;
        };
        let PivotComparison {
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

    fn split(&mut self, pass: PivotPass) {
        let parts = [pass.better, vec![pass.pivot], pass.worse];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        self.order.splice(pass.bucket..=pass.bucket, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// Sorts seven arms, the larger being better; returns the duels and the order.
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
            assert!(!sort.record_outcome(DuelId(100), outcome));
            assert!(sort.record_outcome(DuelId(duels), outcome));
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
                sort.record_outcome(DuelId(0), Outcome::Tie);
                to_pivot += usize::from(sort.order[0] == [pair.first.index()]);
            }
            assert!((low..high).contains(&to_pivot), "{variant:?}: {to_pivot}");
        }
    }
}
