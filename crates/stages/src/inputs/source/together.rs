//! The items on which two systems can be compared: those with outputs of both.

use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;

/// The items of every pair of systems. Systems with outputs on the same items share theirs: of thousands of systems
/// there are millions of pairs.
pub struct CommonItems {
    /// The kind of each system: those of one kind have outputs on the same items.
    kind: Vec<usize>,
    kinds: usize,
    /// The items by kind of the first and of the second system, ascending.
    items: Vec<Vec<u32>>,
}

impl CommonItems {
    /// Builds it from the items on which each system has an output, ascending.
    pub fn new(of_systems: &[Vec<u32>]) -> Self {
        let mut known: BTreeMap<&Vec<u32>, usize> = BTreeMap::new();
        let kind = of_systems.iter().map(|items| {
            let next = known.len();
            *known.entry(items).or_insert(next)
        });
        let kind = kind.collect();
        let mut present: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (items, &kind) in &known {
            for &item in *items {
                present.entry(item).or_default().push(kind);
            }
        }
        let kinds = known.len();
        let mut items = vec![Vec::new(); kinds * kinds];
        for (&item, present) in &present {
            for first in present {
                for second in present {
                    items[first * kinds + second].push(item);
                }
            }
        }
        Self { kind, kinds, items }
    }

    /// The items of a pair.
    pub fn items(&self, pair: Pair) -> &[u32] {
        let [first, second] = [pair.first, pair.second].map(|arm| self.kind[arm.index()]);
        &self.items[first * self.kinds + second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;

    #[test]
    fn a_pair_has_the_items_of_both() {
        let of_systems = [vec![0, 1, 4], vec![1, 2], vec![0, 1, 4], Vec::new()];
        let together = CommonItems::new(&of_systems);
        assert_eq!((together.kinds, together.kind.len()), (3, 4));
        for (i, one) in (0..).zip(&of_systems) {
            for (j, other) in (0..).zip(&of_systems) {
                let both = one.iter().filter(|item| other.contains(item));
                let both: Vec<u32> = both.copied().collect();
                assert_eq!(together.items(Pair::new(Arm(i), Arm(j))), both);
            }
        }
    }
}
