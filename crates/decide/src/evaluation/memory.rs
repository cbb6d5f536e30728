//! Control variates from earlier answers about an item: a system whose output won there is likelier to win again.
//!
//! ```text
//! h_ij(x) = v_i − v_j      v_i = 3 Σ r/(n + 2), over the n answers about i on item x but those about j
//! ```
//!
//! r is an answer's score for i less the mean of its pair before it, that mean shrunk as if by four ties. So one answer
//! counts as itself, and many as up to three; the bets find out what that is worth, as for models' predictions. The
//! mean of h over the items that may be drawn is taken anew for every question, before its item is drawn: c = h − h̄
//! has mean 0 over the draw, whatever was answered.
//!
//! Answers about the pair itself would tell more. But where recorded judgments are replayed the same one may be drawn
//! again, a saving that does not exist when people are asked.
//!
//! Source: ours; control variates from earlier answers, as those of a factorisation in Tolochinsky, Tenzer and Romano, "Valid
//! best-model identification for LLM evaluation via low-rank factorization", 2026.

use super::eligible::EligibleItems;
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Pair};

/// The number of zero answers added for each system on each item.
const SHRINKAGE: f64 = 2.0;

/// The number of ties added for each pair.
const TIES: f64 = 4.0;

/// Answers are many, so that all items are gone over again, if they are more than this part of the items.
const MANY: usize = 16;

/// The answers of a run, by item.
#[derive(Debug)]
pub(super) struct Memory {
    eligible: EligibleItems,
    /// Whether a drawn judgment cannot be drawn again.
    uses_up: bool,
    of_systems: BTreeMap<Arm, SystemMemory>,
    /// The memory of each pair asked about, lower arm first.
    of_pairs: BTreeMap<Pair, PairMemory>,
    /// The mean h̄ of the current question, for its lower arm.
    mean: f64,
}

/// A sum of values r, with their number.
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

    /// The shrunken value v.
    fn shrunk(self) -> f64 {
        (1.0 + SHRINKAGE) * self.total / (self.number + SHRINKAGE)
    }
}

/// The entries that a search skips first where its guess was wrong.
const SKIPPED: usize = 16;

/// Returns the place of an item in ascending entries, or where it belongs. Items are mostly drawn evenly, so it is
/// looked for near where it would be then: a search through all has to wait for memory at every step.
fn search_item<T>(entries: &[T], item: u32, item_of: impl Fn(&T) -> u32) -> Result<usize, usize> {
    let (mut low, mut high, mut skipped) = (0, entries.len(), SKIPPED);
    if let [first, .., last] = entries
        && (item_of(first)..item_of(last)).contains(&item)
    {
        let range = u64::from(item_of(last) - item_of(first));
        let guess = u64::from(item - item_of(first)) * (high - 1) as u64 / range;
        let guess = guess as usize;
        if item_of(&entries[guess]) < item {
            low = guess;
            while low + skipped < high && item_of(&entries[low + skipped]) < item {
                low += skipped;
                skipped *= 2;
            }
            high = high.min(low + skipped + 1);
        } else {
            high = guess + 1;
            while high > skipped && item_of(&entries[high - 1 - skipped]) > item {
                high -= skipped;
                skipped *= 2;
            }
            low = high.saturating_sub(skipped + 1);
        }
    }
    let place = entries[low..high].binary_search_by_key(&item, item_of);
    place.map(|place| low + place).map_err(|place| low + place)
}

/// A map of few items, ascending; the others have the default: few of millions of items are ever asked about.
#[derive(Debug, Default)]
struct SparseItemMap<T>(Vec<(u32, T)>);

impl<T: Default + Copy> SparseItemMap<T> {
    fn get_mut(&mut self, item: u32) -> &mut T {
        let place = search_item(&self.0, item, |one| one.0);
        let place = place.unwrap_or_else(|place| {
            self.0.insert(place, (item, T::default()));
            place
        });
        &mut self.0[place].1
    }

    /// Inserts those of some items that it lacks.
    fn insert_all(&mut self, items: impl Iterator<Item = u32>) {
        let is_new = |item: &u32| search_item(&self.0, *item, |one| one.0).is_err();
        let mut new: Vec<u32> = items.filter(is_new).collect();
        new.sort_unstable();
        new.dedup();
        self.0
            .extend(new.into_iter().map(|item| (item, T::default())));
        // Two ascending runs, which such a sort merges.
        self.0.sort_by_key(|one| one.0);
    }

    fn get(&self, item: u32) -> T {
        let place = search_item(&self.0, item, |one| one.0);
        place.map_or_else(|_| T::default(), |place| self.0[place].1)
    }

    /// Returns a lookup of values, to be called with ascending items.
    fn ascending(&self) -> impl FnMut(u32) -> T {
        let mut left = &self.0[..];
        move |item| {
            while let [(first, _), rest @ ..] = left
                && *first < item
            {
                left = rest;
            }
            let first = left.first().filter(|first| first.0 == item);
            first.map_or_else(T::default, |first| first.1)
        }
    }
}

/// The sums of values by item. Values wait until the sums are asked for: a sheet brings thousands, each of which would
/// have to move the items behind its own.
#[derive(Debug, Default)]
struct ItemSums {
    sums: SparseItemMap<Sum>,
    waiting: Vec<(u32, f64)>,
}

impl ItemSums {
    fn add(&mut self, item: u32, value: f64) {
        self.waiting.push((item, value));
    }

    /// Adds the values that wait, those on an item in the order in which they came.
    fn settle(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.len() > self.sums.0.len() / MANY {
            self.sums.insert_all(waiting.iter().map(|one| one.0));
        }
        for (item, value) in waiting {
            self.sums.get_mut(item).add(value);
        }
    }
}

#[derive(Debug, Default)]
struct SystemMemory {
    /// The sums of r.
    sums: ItemSums,
    /// The item of every answer, in the order of the answers.
    answered: Vec<u32>,
}

/// An item that may be drawn, with answers about a system of the pair.
#[derive(Debug, Clone, Copy)]
struct KnownItem {
    item: u32,
    /// How often it may be drawn, at least once.
    times: u32,
    h: f64,
}

/// The memory of a pair, as its lower arm sees it.
#[derive(Debug)]
struct PairMemory {
    /// The items, ascending, each as often as it is drawn.
    items: Vec<u32>,
    /// The number of times each item was used up.
    gone: SparseItemMap<usize>,
    /// The sums of r of the pair itself, by item.
    own: ItemSums,
    scores: Sum,
    /// The number of judgments that may still be drawn.
    left: usize,
    /// What the pair's last question saw, ascending.
    known: Vec<KnownItem>,
    /// The spread of that, once it was computed: a sheet may ask about the pair thousands of times before an answer.
    spread: Option<(f64, f64)>,
    /// The number of answers about each system that it saw.
    seen: [usize; 2],
}

impl PairMemory {
    fn new(eligible: &EligibleItems, pair: Pair) -> Self {
        let items = eligible.items(pair);
        Self {
            left: items.len(),
            items,
            gone: SparseItemMap::default(),
            own: ItemSums::default(),
            scores: Sum::default(),
            known: Vec::new(),
            spread: None,
            seen: [0; 2],
        }
    }

    /// Returns how often an item may be drawn.
    fn times_of(&self, item: u32) -> usize {
        let first = self.items.partition_point(|&one| one < item);
        let alike = self.items[first..].iter().take_while(|&&one| one == item);
        alike.count() - self.gone.get(item)
    }

    /// Returns a lookup of the same, to be called with ascending items.
    fn times(&self) -> impl FnMut(u32) -> usize {
        let (mut items, mut gone) = (&self.items[..], self.gone.ascending());
        move |item| {
            // The next item is mostly near.
            let mut near = 1;
            while near < items.len() && items[near] < item {
                near *= 2;
            }
            let near = &items[..items.len().min(near + 1)];
            items = &items[near.partition_point(|&one| one < item)..];
            let alike = items.iter().take_while(|&&one| one == item);
            alike.count() - gone(item)
        }
    }

    /// h on an item, from the sums of both systems there and those of the pair itself.
    fn predicted([lower, higher]: [Sum; 2], own: Sum) -> f64 {
        lower.without(own).shrunk() - higher.without(own.flipped()).shrunk()
    }

    /// Brings `known` up to date: by a few items where few answers came since the last question, else as a whole.
    fn catch_up(&mut self, systems: [&SystemMemory; 2]) {
        let new: [&[u32]; 2] =
            std::array::from_fn(|side| &systems[side].answered[self.seen[side]..]);
        if new.iter().all(|new| new.is_empty()) {
            return;
        }
        self.spread = None;
        self.seen = systems.map(|system| system.answered.len());
        let sums = systems.map(|system| &system.sums.sums);
        self.own.settle();
        let own_sums = &self.own.sums;
        if new[0].len() + new[1].len() > self.known.len() / MANY {
            let (mut times, mut own) = (self.times(), own_sums.ascending());
            let known = remembered(sums).map(|(item, sums)| KnownItem {
                item,
                times: times(item) as u32,
                h: Self::predicted(sums, own(item)),
            });
            let known = known.filter(|known| known.times > 0).collect();
            drop((times, own));
            self.known = known;
            return;
        }
        for &item in new.into_iter().flatten() {
            let h = Self::predicted(sums.map(|sums| sums.get(item)), own_sums.get(item));
            match self.known_place(item) {
                Ok(place) => self.known[place].h = h,
                Err(place) => {
                    let times = self.times_of(item) as u32;
                    if times > 0 {
                        self.known.insert(place, KnownItem { item, times, h });
                    }
                }
            }
        }
    }

    /// Returns the place of an item in `known`, or where it belongs.
    fn known_place(&self, item: u32) -> Result<usize, usize> {
        search_item(&self.known, item, |known| known.item)
    }

    /// Draws a judgment on an item, and uses it up where it cannot be drawn again. Returns h, as the question saw it.
    fn draw(&mut self, item: u32, uses_up: bool) -> f64 {
        let place = self.known_place(item).ok();
        let h = place.map_or(0.0, |place| self.known[place].h);
        if uses_up {
            *self.gone.get_mut(item) += 1;
            self.left -= 1;
            self.spread = None;
            if let Some(place) = place {
                self.known[place].times -= 1;
                if self.known[place].times == 0 {
                    self.known.remove(place);
                }
            }
        }
        h
    }

    /// The mean h̄ and the largest |h − h̄| over what may be drawn. The sum is over ascending items: a difference
    /// added to the last one would be rounded otherwise.
    fn spread(&self) -> (f64, f64) {
        let (mut sum, mut others) = (0.0, self.left);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &KnownItem { times, h, .. } in &self.known {
            sum += f64::from(times) * h;
            others -= times as usize;
            low = if h < low { h } else { low };
            high = if h > high { h } else { high };
        }
        if others > 0 {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        match self.left {
            0 => (0.0, 0.0),
            left => {
                let mean = sum / left as f64;
                (mean, (high - mean).max(mean - low))
            }
        }
    }
}

impl Memory {
    /// A memory without answers. `uses_up`: drawn judgments cannot be drawn again.
    pub(super) fn new(eligible: EligibleItems, uses_up: bool) -> Self {
        Self {
            eligible,
            uses_up,
            of_systems: BTreeMap::new(),
            of_pairs: BTreeMap::new(),
            mean: 0.0,
        }
    }

    /// Prepares a question about a pair, lower arm first, and returns the largest |c| that it may have.
    pub(super) fn ask(&mut self, pair: Pair) -> f64 {
        let of_pair = self.of_pairs.entry(pair);
        let of_pair = of_pair.or_insert_with(|| PairMemory::new(&self.eligible, pair));
        for system in [pair.first, pair.second] {
            if let Some(of_system) = self.of_systems.get_mut(&system) {
                of_system.sums.settle();
            }
        }
        of_pair.catch_up(of_both(&self.of_systems, pair));
        let (mean, largest) = of_pair.spread.unwrap_or_else(|| of_pair.spread());
        of_pair.spread = Some((mean, largest));
        self.mean = mean;
        largest
    }

    /// Draws the item of that question and returns c of the lower arm.
    pub(super) fn draw(&mut self, pair: Pair, item: u32) -> f64 {
        let of_pair = self.of_pairs.get_mut(&pair);
        of_pair.map_or(0.0, |of_pair| of_pair.draw(item, self.uses_up) - self.mean)
    }

    /// Adds an answer on an item of a pair, lower arm first, that was asked about: its score for the lower arm.
    pub(super) fn answer(&mut self, pair: Pair, item: u32, score: f64) {
        let Some(of_pair) = self.of_pairs.get_mut(&pair) else {
            return;
        };
        let Sum { total, number } = of_pair.scores;
        let rest = score - total / (number + TIES);
        of_pair.scores.add(score);
        of_pair.own.add(item, rest);
        for (system, rest) in [(pair.first, rest), (pair.second, -rest)] {
            let of_system = self.of_systems.entry(system).or_default();
            of_system.sums.add(item, rest);
            of_system.answered.push(item);
        }
    }
}

/// The memory of both systems of a pair.
fn of_both(of_systems: &BTreeMap<Arm, SystemMemory>, pair: Pair) -> [&SystemMemory; 2] {
    const NOTHING: &SystemMemory = &SystemMemory {
        sums: ItemSums {
            sums: SparseItemMap(Vec::new()),
            waiting: Vec::new(),
        },
        answered: Vec::new(),
    };
    [pair.first, pair.second].map(|system| of_systems.get(&system).unwrap_or(NOTHING))
}

/// The items on which a system of a pair was asked about, ascending, with the sums of both.
fn remembered(systems: [&SparseItemMap<Sum>; 2]) -> impl Iterator<Item = (u32, [Sum; 2])> {
    let mut left = systems.map(|of_system| &of_system.0[..]);
    std::iter::from_fn(move || {
        let item = left.iter().filter_map(|left| Some(left.first()?.0)).min()?;
        let sums = left.each_mut().map(|left| match left {
            [(first, sum), rest @ ..] if *first == item => {
                *left = rest;
                *sum
            }
            _ => Sum::default(),
        });
        Some((item, sums))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn pair(i: u16, j: u16) -> Pair {
        Pair::new(Arm(i), Arm(j))
    }

    #[test]
    fn an_item_is_found_wherever_it_is() {
        let mut rng = Seed(8).stream("test", 0);
        for most in [3, 40, 1000, u32::MAX] {
            for number in [0, 1, 2, 30, 400] {
                // Most of them near 0, unlike the guess.
                let mut items: Vec<u32> = (0..number)
                    .map(|_| (f64::from(most) * rng.uniform().powi(3)) as u32)
                    .collect();
                items.sort_unstable();
                items.dedup();
                let others = (0..100).map(|_| (f64::from(most) * rng.uniform()) as u32);
                let all: Vec<u32> = others
                    .chain(items.iter().copied())
                    .chain([0, most])
                    .collect();
                for item in all {
                    let found = search_item(&items, item, |&one| one);
                    assert_eq!(found, items.binary_search(&item), "{item} in {items:?}");
                }
            }
        }
    }

    #[test]
    fn sums_are_those_of_adding_at_once() {
        let mut rng = Seed(9).stream("test", 0);
        let (mut sums, mut slow) = (ItemSums::default(), BTreeMap::<u32, Sum>::new());
        for _ in 0..60 {
            for _ in 0..[1, 3, 200][rng.below(3)] {
                let (item, value) = (rng.below(300) as u32, rng.uniform() - 0.5);
                sums.add(item, value);
                slow.entry(item).or_default().add(value);
            }
            sums.settle();
            let bits = |sum: Sum| [sum.total, sum.number].map(f64::to_bits);
            let found = sums.sums.0.iter().map(|&(item, sum)| (item, bits(sum)));
            let expected = slow.iter().map(|(&item, &sum)| (item, bits(sum)));
            assert!(found.eq(expected));
        }
    }

    /// Items 0 to 3, of which 0 is drawn twice as often; 3 is not of the last pair.
    fn eligible() -> EligibleItems {
        EligibleItems::new(|pair| match pair.first {
            Arm(0) => vec![3, 0, 1, 0, 2],
            _ => vec![0, 2, 1, 0],
        })
    }

    /// So many items that few answers change few of them.
    fn wide() -> EligibleItems {
        EligibleItems::new(|pair| match pair.first {
            Arm(0) => (0..100).chain(30..50).collect(),
            _ => (0..90).collect(),
        })
    }

    #[test]
    fn what_is_remembered_by_hand() {
        let mut memory = Memory::new(eligible(), false);
        assert_eq!(memory.ask(pair(0, 1)), 0.0);
        assert_eq!(memory.draw(pair(0, 1), 3), 0.0);
        memory.answer(pair(0, 1), 3, 1.0);
        // Answers about a pair add nothing to its own prediction.
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
        // On another pair item 3 cannot be drawn.
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
            let mut memory = Memory::new(wide(), uses_up);
            let mut rng = Seed(3).stream("test", u64::from(uses_up));
            let (mut answers, mut gone) = (Vec::new(), BTreeMap::new());
            let mut means: BTreeMap<Pair, (f64, f64)> = BTreeMap::new();
            for _ in 0..600 {
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
                // Some are asked before the answers to others, as on a sheet.
                if rng.bernoulli(0.5) {
                    continue;
                }
                let score = [1.0, 0.0, -1.0][rng.below(3)];
                let (total, number) = means.entry(asked).or_default();
                answers.push((asked, item, score - *total / (*number + 4.0)));
                (*total, *number) = (*total + score, *number + 1.0);
                memory.answer(asked, item, score);
            }
            assert!(answers.len() > 100);
        }
    }
}
