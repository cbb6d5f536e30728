//! What was answered about an item says something of its other pairs: a system whose output won there is likelier to win again.
//!
//! ```text
//! h_ij(x) = v_i − v_j      v_i = 3 Σ r/(n + 2), over the n answers about i on item x but those about j
//! ```
//!
//! r is an answer's score for i less the mean of its pair before it, that mean shrunk as if by four ties. So one answer
//! counts as itself, and many as up to three; what that is worth is for bets to find out, as for models' predictions. The mean
//! of h over the items that may be drawn is taken anew for every question, before its item is drawn: c = h − h̄ has mean 0
//! over the draw, whatever was answered.
//!
//! Answers about the pair itself would tell more, but where recorded judgments are replayed the very same one may be drawn
//! again, and what that saves nobody could save who asks people.
//!
//! Source: ours; control variates from earlier answers, as those of a factorisation in Tolochinsky, Tenzer and Romano, "Valid
//! best-model identification for LLM evaluation via low-rank factorization", 2026.

use super::eligible::Eligible;
use crate::duel::{Arm, Pair};
use std::collections::BTreeMap;

/// Answers of nothing that each system has on each item.
const SHRINKAGE: f64 = 2.0;

/// Ties that each pair has.
const TIES: f64 = 4.0;

/// The answers of a run, by item.
#[derive(Debug)]
pub(super) struct Memory {
    eligible: Eligible,
    /// Whether what was drawn is gone.
    uses_up: bool,
    of_systems: OfSystems,
    /// Of those asked about, lower arm first.
    of_pairs: BTreeMap<Pair, OfPair>,
    /// h̄ of the question at hand, for its lower arm.
    mean: f64,
}

/// r, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    total: f64,
    number: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.total += value;
        self.number += 1.0;
    }

    fn without(self, other: Self) -> Self {
        Self {
            total: self.total - other.total,
            number: self.number - other.number,
        }
    }

    fn flipped(self) -> Self {
        Self {
            total: -self.total,
            ..self
        }
    }

    /// v.
    fn shrunk(self) -> f64 {
        (1.0 + SHRINKAGE) * self.total / (self.number + SHRINKAGE)
    }
}

/// By system and item, as far as any was answered.
#[derive(Debug, Default)]
struct OfSystems(BTreeMap<Arm, Vec<Sum>>);

impl OfSystems {
    fn of_item(&mut self, system: Arm, item: u32) -> &mut Sum {
        let (items, at) = (self.0.entry(system).or_default(), item as usize);
        if items.len() <= at {
            items.resize(at + 1, Sum::default());
        }
        &mut items[at]
    }

    fn of_pair(&self, pair: Pair) -> [&[Sum]; 2] {
        let of_system = |system| self.0.get(&system).map_or(&[][..], Vec::as_slice);
        [pair.first, pair.second].map(of_system)
    }
}

/// Of a pair, as its lower arm sees it.
#[derive(Debug)]
struct OfPair {
    /// Ascending.
    items: Vec<OfItem>,
    scores: Sum,
}

#[derive(Debug)]
struct OfItem {
    item: u32,
    /// How often it is drawn.
    times: f64,
    /// r of the pair itself.
    own: Sum,
}

impl OfItem {
    /// h, from what is known of both systems.
    fn predicted(&self, systems: [&[Sum]; 2]) -> f64 {
        let on_item = |sums: &[Sum]| sums.get(self.item as usize).copied().unwrap_or_default();
        let [lower, higher] = systems.map(on_item);
        lower.without(self.own).shrunk() - higher.without(self.own.flipped()).shrunk()
    }
}

impl OfPair {
    fn new(eligible: &Eligible, pair: Pair) -> Self {
        let item = |(item, times)| OfItem {
            item,
            times,
            own: Sum::default(),
        };
        Self {
            items: eligible.times(pair).into_iter().map(item).collect(),
            scores: Sum::default(),
        }
    }

    fn item(&mut self, item: u32) -> Option<&mut OfItem> {
        let place = self.items.binary_search_by_key(&item, |one| one.item);
        place.ok().map(|place| &mut self.items[place])
    }

    /// h̄ and the largest |h − h̄| over what may be drawn.
    fn spread(&self, systems: [&[Sum]; 2]) -> (f64, f64) {
        let (mut sum, mut number) = (0.0, 0.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for one in self.items.iter().filter(|one| one.times > 0.0) {
            let h = one.predicted(systems);
            sum += one.times * h;
            number += one.times;
            (low, high) = (low.min(h), high.max(h));
        }
        match number > 0.0 {
            true => (sum / number, (high - sum / number).max(sum / number - low)),
            false => (0.0, 0.0),
        }
    }
}

impl Memory {
    /// Nothing was answered. `uses_up` says whether what was drawn is gone.
    pub(super) fn new(eligible: Eligible, uses_up: bool) -> Self {
        Self {
            eligible,
            uses_up,
            of_systems: OfSystems::default(),
            of_pairs: BTreeMap::new(),
            mean: 0.0,
        }
    }

    /// A pair, lower arm first, is asked about: the largest |c| that its question may have.
    pub(super) fn ask(&mut self, pair: Pair) -> f64 {
        let of_pair = self.of_pairs.entry(pair);
        let of_pair = of_pair.or_insert_with(|| OfPair::new(&self.eligible, pair));
        let (mean, largest) = of_pair.spread(self.of_systems.of_pair(pair));
        self.mean = mean;
        largest
    }

    /// The item of that question is drawn: c of the lower arm.
    pub(super) fn draw(&mut self, pair: Pair, item: u32) -> f64 {
        let of_pair = self.of_pairs.get_mut(&pair);
        let Some(of_item) = of_pair.and_then(|of_pair| of_pair.item(item)) else {
            return 0.0;
        };
        if self.uses_up {
            of_item.times -= 1.0;
        }
        of_item.predicted(self.of_systems.of_pair(pair)) - self.mean
    }

    /// Somebody answered on an item of a pair, lower arm first, that was asked about: its score for the lower arm.
    pub(super) fn answer(&mut self, pair: Pair, item: u32, score: f64) {
        let Some(of_pair) = self.of_pairs.get_mut(&pair) else {
            return;
        };
        let Sum { total, number } = of_pair.scores;
        let rest = score - total / (number + TIES);
        of_pair.scores.add(score);
        if let Some(of_item) = of_pair.item(item) {
            of_item.own.add(rest);
            self.of_systems.of_item(pair.first, item).add(rest);
            self.of_systems.of_item(pair.second, item).add(-rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    fn pair(i: u16, j: u16) -> Pair {
        Pair::new(Arm(i), Arm(j))
    }

    /// Items 0 to 3, of which 0 is drawn twice as often; 3 is not of the last pair.
    fn eligible() -> Eligible {
        Eligible::new(|pair| match pair.first {
            Arm(0) => vec![3, 0, 1, 0, 2],
            _ => vec![0, 2, 1, 0],
        })
    }

    #[test]
    fn what_is_remembered_by_hand() {
        let mut memory = Memory::new(eligible(), false);
        assert_eq!(memory.ask(pair(0, 1)), 0.0);
        assert_eq!(memory.draw(pair(0, 1), 3), 0.0);
        memory.answer(pair(0, 1), 3, 1.0);
        // What was answered of a pair says nothing of itself.
        assert_eq!(memory.ask(pair(0, 1)), 0.0);
        // 0 won on item 3, so it may win there against 2, too.
        let largest = memory.ask(pair(0, 2));
        assert!((largest - 0.8).abs() < 1e-15);
        assert!((memory.draw(pair(0, 2), 3) - 0.8).abs() < 1e-15);
        assert!((memory.draw(pair(0, 2), 0) + 0.2).abs() < 1e-15);
        memory.answer(pair(0, 2), 3, -1.0);
        // r is −1: 0 has lost what it had, but to another; 2 has won.
        memory.ask(pair(0, 1));
        assert!((memory.draw(pair(0, 1), 3) - (-1.0 + 0.2)).abs() < 1e-15);
        // Of another pair item 3 cannot be drawn.
        assert_eq!(memory.ask(pair(1, 2)), 0.0);
        // The mean score of the pair is 1/5 now, and ½ of what is left is remembered twice.
        memory.answer(pair(0, 1), 3, 1.0);
        memory.ask(pair(0, 2));
        assert!((memory.draw(pair(0, 2), 3) - 0.8 * 3.0 * 1.8 / 4.0).abs() < 1e-15);
    }

    /// Answers by item, and all sums made anew for every item.
    fn slowly(answers: &[(Pair, u32, f64)], asked: Pair, item: u32) -> f64 {
        let of = |system: Arm| {
            let about = |&&(pair, on, _): &&(Pair, u32, f64)| {
                on == item && pair != asked && (pair.first == system || pair.second == system)
            };
            let side = |&(pair, _, rest): &(Pair, u32, f64)| match pair.first == system {
                true => rest,
                false => -rest,
            };
            let some: Vec<f64> = answers.iter().filter(about).map(side).collect();
            3.0 * some.iter().sum::<f64>() / (some.len() as f64 + 2.0)
        };
        of(asked.first) - of(asked.second)
    }

    #[test]
    fn it_has_mean_0_over_whatever_may_be_drawn_and_stays_within_what_it_says() {
        for uses_up in [false, true] {
            let mut memory = Memory::new(eligible(), uses_up);
            let mut rng = Seed(3).stream("test", u64::from(uses_up));
            let (mut answers, mut gone) = (Vec::new(), BTreeMap::new());
            let mut means: BTreeMap<Pair, (f64, f64)> = BTreeMap::new();
            for _ in 0..40 {
                let asked = [pair(0, 1), pair(0, 2), pair(1, 2)][rng.below(3)];
                let mut left = (memory.eligible.0)(asked);
                for one in gone.get(&asked).into_iter().flatten() {
                    left.swap_remove(left.iter().position(|item| item == one).unwrap());
                }
                if left.is_empty() {
                    continue;
                }
                let largest = memory.ask(asked);
                let h = |item| slowly(&answers, asked, item);
                let mean = left.iter().map(|&item| h(item)).sum::<f64>() / left.len() as f64;
                let item = *rng.choose(&left);
                let far = |item: &u32| (h(*item) - mean).abs();
                let most = left.iter().map(far).fold(0.0, f64::max);
                assert!((largest - most).abs() < 1e-12);
                let c = memory.draw(asked, item);
                assert!((c - (h(item) - mean)).abs() < 1e-12, "{c}");
                if uses_up {
                    gone.entry(asked).or_insert_with(Vec::new).push(item);
                }
                let score = [1.0, 0.0, -1.0][rng.below(3)];
                let (total, number) = means.entry(asked).or_default();
                answers.push((asked, item, score - *total / (*number + 4.0)));
                (*total, *number) = (*total + score, *number + 1.0);
                memory.answer(asked, item, score);
            }
            assert_eq!(answers.len(), if uses_up { 14 } else { 40 });
        }
    }
}
