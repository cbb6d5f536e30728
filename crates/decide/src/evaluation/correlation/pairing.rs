//! The choice of pairs of systems: all of them, or a balanced sample where there are very many.
//!
//! The pairs of k systems are k(k − 1)/2 on every item, which no thousand resamples can afford for
//! hundreds of systems. A sample has every system meet equally many others: those that come 1 to
//! (k − 1)/2 steps after it in a circle are met at the same few steps, drawn anew for every resample.
//! Values themselves are of all pairs; what sampling adds to the spread of resamples makes intervals
//! wider and p-values larger, never the other way round.

use super::Layout;
use tiebreak_base::rng::Rng;

/// The approximate number of pairs per item in a resample: all pairs of 65 systems. The cost of a resample is then
/// proportional to its outputs, however many systems there are.
const PAIRS: usize = 65 * 64 / 2;

/// The fewest steps of a sample.
const FEWEST: usize = 4;

/// The pairs of systems that are used.
#[derive(Debug, Clone)]
pub struct Pairing {
    systems: usize,
    sample: Option<CirculantSample>,
}

#[derive(Debug, Clone)]
struct CirculantSample {
    steps: Vec<usize>,
    /// The place of the step of each distance from one system to another.
    place: Vec<Option<usize>>,
}

impl Pairing {
    /// The pairing of all pairs.
    pub fn all(systems: usize) -> Self {
        let sample = None;
        Self { systems, sample }
    }

    /// The pairing of a resample: all pairs of up to 65 systems, a sample for more.
    pub fn drawn(systems: usize, rng: &mut Rng) -> Self {
        let Some(number) = Self::steps(systems) else {
            return Self::all(systems);
        };
        let mut steps: Vec<usize> = (1..=(systems - 1) / 2).collect();
        for place in 0..number {
            let other = place + rng.below(steps.len() - place);
            steps.swap(place, other);
        }
        steps.truncate(number);
        let mut place = vec![None; systems];
        for (number, &step) in steps.iter().enumerate() {
            place[step] = Some(number);
        }
        let sample = Some(CirculantSample { steps, place });
        Self { systems, sample }
    }

    /// The number of others that each system meets, where there are too many systems for all to meet.
    pub fn sampled(systems: usize) -> Option<usize> {
        Self::steps(systems).map(|steps| 2 * steps)
    }

    /// The number of steps of a sample; `None` where all pairs are used.
    fn steps(systems: usize) -> Option<usize> {
        let all = systems * systems.saturating_sub(1) / 2;
        (all > PAIRS).then(|| (PAIRS / systems).max(FEWEST))
    }

    /// The number of systems.
    pub fn systems(&self) -> usize {
        self.systems
    }

    /// The number of slots.
    pub(super) fn slots(&self) -> usize {
        match &self.sample {
            None => self.systems * self.systems,
            Some(sample) => self.systems * sample.steps.len(),
        }
    }

    /// The slot of a pair, if it is used, and whether the slot has the pair reversed.
    pub(super) fn slot(&self, [first, second]: [usize; 2]) -> Option<(usize, bool)> {
        let Some(sample) = &self.sample else {
            let turned = second < first;
            let (low, high) = if turned {
                (second, first)
            } else {
                (first, second)
            };
            return Some((low * self.systems + high, turned));
        };
        let steps = sample.steps.len();
        let from = |one: usize, other: usize| {
            let distance = (other + self.systems - one) % self.systems;
            sample.place[distance].map(|place| one * steps + place)
        };
        let straight = from(first, second).map(|slot| (slot, false));
        straight.or_else(|| from(second, first).map(|slot| (slot, true)))
    }

    /// The two systems of a slot.
    pub(super) fn ends(&self, slot: usize) -> [usize; 2] {
        match &self.sample {
            None => [slot / self.systems, slot % self.systems],
            Some(sample) => {
                let (first, step) = (slot / sample.steps.len(), slot % sample.steps.len());
                [first, (first + sample.steps[step]) % self.systems]
            }
        }
    }

    /// Replaces the contents of `pairs` by the pairs of an item's outputs.
    pub(super) fn pairs(&self, layout: &Layout, item: usize, pairs: &mut Vec<(usize, usize)>) {
        pairs.clear();
        let Some(sample) = &self.sample else {
            pairs.extend(layout.pairs(item));
            return;
        };
        let mut output_of = vec![None; self.systems];
        for output in layout.of_item(item) {
            output_of[layout.system(output)] = Some(output);
        }
        for a in layout.of_item(item) {
            let system = layout.system(a);
            let others = sample.steps.iter();
            let others = others.filter_map(|step| output_of[(system + step) % self.systems]);
            let others = others.filter(|&b| layout.differ(system, layout.system(b)));
            pairs.extend(others.map(|b| (a, b)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tiebreak_base::rng::Seed;

    fn layout(systems: usize) -> Layout {
        let mut layout = Layout::new(systems);
        layout.push(0..systems);
        layout.push((0..systems).rev().step_by(2));
        layout
    }

    #[test]
    fn few_systems_are_all_paired() {
        let mut rng = Seed(1).stream("pairs", 0);
        let (layout, mut pairs) = (layout(65), Vec::new());
        let pairing = Pairing::drawn(65, &mut rng);
        pairing.pairs(&layout, 0, &mut pairs);
        assert_eq!(pairs.len(), 65 * 64 / 2);
    }

    #[test]
    fn of_many_systems_each_meets_as_many_and_every_pair_has_one_slot() {
        for (systems, others) in [(66, 62), (67, 62), (200, 20), (300, 12)] {
            assert_eq!(Pairing::sampled(systems), Some(others));
            let mut rng = Seed(1).stream("pairs", 0);
            let (layout, mut pairs) = (layout(systems), Vec::new());
            let pairing = Pairing::drawn(systems, &mut rng);
            pairing.pairs(&layout, 0, &mut pairs);
            let mut met = vec![0; systems];
            let mut slots = BTreeSet::new();
            for &(a, b) in &pairs {
                met[a] += 1;
                met[b] += 1;
                let (slot, turned) = pairing.slot([a, b]).unwrap();
                assert_eq!(pairing.slot([b, a]), Some((slot, !turned)));
                let [first, second] = pairing.ends(slot);
                assert_eq!(
                    [a, b],
                    if turned {
                        [second, first]
                    } else {
                        [first, second]
                    }
                );
                assert!(slot < pairing.slots() && slots.insert(slot));
            }
            assert!(met.iter().all(|&met| met == others), "{systems}");
            pairing.pairs(&layout, 1, &mut pairs);
            assert!(!pairs.is_empty() && pairs.iter().all(|&(a, b)| a != b));
        }
    }
}
