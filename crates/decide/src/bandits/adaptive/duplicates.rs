//! Systems whose outputs never differ are one system: nothing can be asked about them.

use crate::bandits::square::Square;

/// Every system's representative: the first system from which its outputs never differ.
#[derive(Debug, Clone)]
pub(super) struct Duplicates {
    /// The systems that stand for themselves, in order.
    distinct: Vec<usize>,
    /// For each system, the place in `distinct` of the one that stands for it.
    place: Vec<usize>,
}

impl Duplicates {
    /// Finds duplicates by `differing`, the share of items on which two systems' outputs differ. Any two
    /// systems of [`distinct`](Self::distinct) differ somewhere, also where sharing an output is not
    /// transitive because systems have outputs on different items.
    pub(super) fn from_differing(differing: &Square) -> Self {
        let mut distinct: Vec<usize> = Vec::new();
        let mut place = Vec::new();
        for system in 0..differing.k() {
            let same = |&other: &usize| differing.get(system, other) == 0.0;
            place.push(distinct.iter().position(same).unwrap_or_else(|| {
                distinct.push(system);
                distinct.len() - 1
            }));
        }
        Self { distinct, place }
    }

    /// The systems that stand for themselves, in order.
    pub(super) fn distinct(&self) -> &[usize] {
        &self.distinct
    }

    /// The place of the one that stands for a system.
    pub(super) fn representative_index(&self, system: usize) -> usize {
        self.place[system]
    }

    /// The systems for which the one at `place` stands, itself included.
    pub(super) fn group(&self, place: usize) -> impl Iterator<Item = usize> {
        (0..self.place.len()).filter(move |&system| self.place[system] == place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_one_representative() {
        // 0 = 2 and 1 = 3 everywhere; 4 shares its outputs with 2 but not with 0.
        let same = [(0, 2), (1, 3), (2, 4)];
        let found = Duplicates::from_differing(&Square::from_fn(5, |i, j| {
            let pair = (i.min(j), i.max(j));
            f64::from(u8::from(i != j && !same.contains(&pair)))
        }));
        assert_eq!(found.distinct(), [0, 1, 4]);
        assert_eq!(found.group(0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(found.group(1).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(found.group(2).collect::<Vec<_>>(), [4]);
    }
}
