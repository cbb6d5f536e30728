//! The item and system of each output, also when both are resampled.

use std::collections::BTreeMap;
use std::ops::Range;
use tiebreak_base::rng::Rng;

/// Outputs in the order of items. A system may be a copy of another after systems were resampled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The start of each item's outputs, and the end of the last one's.
    starts: Vec<usize>,
    /// The system of each output.
    system: Vec<usize>,
    /// The system that each system is a copy of.
    origin: Vec<usize>,
    /// The items of each cluster; empty where each item is one.
    clusters: Vec<Vec<usize>>,
}

/// The units that are drawn again, and whose scores change places: items, or clusters of them whose answers depend on each
/// other.
#[derive(Debug, Clone, Copy)]
pub struct ItemUnits<'a> {
    items: usize,
    clusters: &'a [Vec<usize>],
}

impl ItemUnits<'_> {
    /// So many items, each a unit.
    pub fn each(items: usize) -> Self {
        Self {
            items,
            clusters: &[],
        }
    }

    /// The number of units.
    pub fn count(self) -> usize {
        match self.clusters {
            [] => self.items,
            clusters => clusters.len(),
        }
    }

    /// The number of items.
    pub(super) fn items(self) -> usize {
        self.items
    }

    /// The items of a unit.
    pub(super) fn members(self, unit: usize) -> impl Iterator<Item = usize> {
        let cluster = self.clusters.get(unit);
        let own = cluster.is_none().then_some(unit);
        cluster.into_iter().flatten().copied().chain(own)
    }

    /// The items of as many units as there are, drawn with repetition.
    pub(super) fn draw(self, rng: &mut Rng) -> Vec<usize> {
        let count = self.count();
        let drawn = (0..count).flat_map(|_| self.members(rng.below(count)));
        drawn.collect()
    }
}

impl Layout {
    /// An empty layout, for outputs of `systems` systems.
    pub fn new(systems: usize) -> Self {
        Self {
            starts: vec![0],
            system: Vec::new(),
            origin: (0..systems).collect(),
            clusters: Vec::new(),
        }
    }

    /// Adds an item, with outputs of these systems.
    pub fn push(&mut self, systems: impl IntoIterator<Item = usize>) {
        self.system.extend(systems);
        self.starts.push(self.system.len());
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.starts.len() - 1
    }

    /// The same layout where items with the same number are a cluster; one number for each item.
    #[must_use]
    pub fn clustered(mut self, numbers: &[u32]) -> Self {
        let mut clusters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (item, &number) in numbers.iter().enumerate() {
            clusters.entry(number).or_default().push(item);
        }
        self.clusters = clusters.into_values().collect();
        self
    }

    /// The units that are drawn again.
    pub fn units(&self) -> ItemUnits<'_> {
        ItemUnits {
            items: self.items(),
            clusters: &self.clusters,
        }
    }

    /// The number of systems, copies included.
    pub fn systems(&self) -> usize {
        self.origin.len()
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.system.len()
    }

    /// The system of an output.
    pub fn system(&self, output: usize) -> usize {
        self.system[output]
    }

    /// The outputs of an item.
    pub fn of_item(&self, item: usize) -> Range<usize> {
        self.starts[item]..self.starts[item + 1]
    }

    /// Whether two systems are not copies of the same one.
    pub fn differ(&self, a: usize, b: usize) -> bool {
        self.origin[a] != self.origin[b]
    }

    /// For each system, the first copy of the same one.
    pub fn firsts(&self) -> Vec<usize> {
        let first = |&origin: &usize| self.origin.iter().position(|&other| other == origin);
        let systems = self.origin.iter().map(first);
        systems.map(Option::unwrap_or_default).collect()
    }

    /// All pairs of an item's outputs by different systems.
    pub fn pairs(&self, item: usize) -> impl Iterator<Item = (usize, usize)> {
        let outputs = self.of_item(item);
        let end = outputs.end;
        let pairs = outputs.flat_map(move |a| (a + 1..end).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| self.differ(self.system[a], self.system[b]))
    }

    /// The layout of systems drawn with repetition, without items.
    pub(super) fn copied(&self, systems: &[usize]) -> Self {
        Self {
            origin: systems.iter().map(|&system| self.origin[system]).collect(),
            ..Self::new(0)
        }
    }

    /// The layout of items and systems drawn with repetition, and the output that each of its outputs
    /// is a copy of. Copies of one output of one drawn item are adjacent.
    pub fn resampled(&self, items: &[usize], systems: &[usize]) -> (Self, Vec<usize>) {
        let mut drawn = self.copied(systems);
        let mut copies = vec![Vec::new(); self.systems()];
        for (copy, &system) in systems.iter().enumerate() {
            copies[system].push(copy);
        }
        let mut source = Vec::with_capacity(self.outputs());
        for &item in items {
            for output in self.of_item(item) {
                let copies = &copies[self.system[output]];
                drawn.system.extend(copies);
                source.extend(copies.iter().map(|_| output));
            }
            drawn.starts.push(drawn.system.len());
        }
        (drawn, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_one_system_are_no_pair() {
        let mut layout = Layout::new(3);
        layout.push([0, 1, 2]);
        layout.push([1, 2]);
        let (drawn, source) = layout.resampled(&[1, 1, 0], &[1, 0, 1]);
        assert_eq!((drawn.items(), drawn.systems()), (3, 3));
        assert_eq!(source, [3, 3, 3, 3, 0, 1, 1]);
        assert_eq!(drawn.of_item(2), 4..7);
        assert_eq!(drawn.pairs(0).count(), 0, "two copies of system 1");
        assert_eq!(drawn.pairs(2).collect::<Vec<_>>(), [(4, 5), (4, 6)]);
        assert_eq!(drawn.firsts(), [0, 1, 0]);
        let again = drawn.resampled(&[2], &[0, 2]).0;
        assert_eq!(again.pairs(0).count(), 0, "copies of copies");
    }

    #[test]
    fn items_of_a_cluster_are_drawn_together() {
        let mut layout = Layout::new(1);
        (0..5).for_each(|_| layout.push([0]));
        let clustered = layout.clone().clustered(&[7, 3, 7, 3, 9]);
        let units = clustered.units();
        assert_eq!((units.count(), layout.units().count()), (3, 5));
        let mut rng = tiebreak_base::rng::Seed(1).stream("test", 0);
        for _ in 0..50 {
            let drawn = units.draw(&mut rng);
            let times = |item: usize| drawn.iter().filter(|one| **one == item).count();
            assert_eq!((times(0), times(1)), (times(2), times(3)));
            assert_eq!(times(0) + times(1) + times(4), 3);
        }
    }
}
