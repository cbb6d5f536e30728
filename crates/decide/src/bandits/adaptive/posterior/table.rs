//! A value for every ordered pair of systems, kept once for all systems that are alike.

/// Values of pairs of K systems. Those that are not told apart have the values of two that stand for them.
#[derive(Debug, Clone)]
pub(super) struct CompactPairTable<T> {
    /// The systems told apart and up to two that stand for the others, ascending.
    shown: Vec<usize>,
    /// The row of each system.
    row: Vec<usize>,
    /// The rows of the two, of which the first stands for every other.
    alike: Option<[usize; 2]>,
    /// At row · rows + column.
    values: Vec<T>,
}

impl<T: Clone + Default> CompactPairTable<T> {
    /// Creates a table of default values for `k` systems, of which those of `apart` are told apart.
    pub(super) fn new(k: usize, apart: &[usize]) -> Self {
        let mut told = vec![false; k];
        for &system in apart {
            told[system] = true;
        }
        let others: Vec<usize> = (0..k).filter(|&system| !told[system]).take(2).collect();
        let is_shown = |&system: &usize| told[system] || others.contains(&system);
        let shown: Vec<usize> = (0..k).filter(is_shown).collect();
        let place = |system: usize| shown.binary_search(&system).unwrap_or_default();
        let stands = others.first().map_or(0, |&first| place(first));
        let row = |system: usize| if told[system] { place(system) } else { stands };
        Self {
            row: (0..k).map(row).collect(),
            alike: <[usize; 2]>::try_from(others)
                .ok()
                .map(|two| two.map(place)),
            values: vec![T::default(); shown.len() * shown.len()],
            shown,
        }
    }
}

impl<T> CompactPairTable<T> {
    /// The systems whose pairs have values of their own.
    pub(super) fn shown(&self) -> &[usize] {
        &self.shown
    }

    /// The index of the value of a pair.
    fn at(&self, i: usize, j: usize) -> usize {
        let (mut row, mut column) = (self.row[i], self.row[j]);
        if row == column
            && i != j
            && let Some([first, second]) = self.alike
        {
            (row, column) = if i < j {
                (first, second)
            } else {
                (second, first)
            };
        }
        row * self.shown.len() + column
    }

    pub(super) fn get(&self, i: usize, j: usize) -> &T {
        &self.values[self.at(i, j)]
    }

    /// Sets the value of a pair of those shown.
    pub(super) fn set(&mut self, i: usize, j: usize, value: T) {
        let place = |system: usize| self.shown.binary_search(&system).unwrap_or_default();
        let at = place(i) * self.shown.len() + place(j);
        self.values[at] = value;
    }

    /// Applies a function to each value.
    pub(super) fn map<U>(&self, value: impl Fn(&T) -> U) -> CompactPairTable<U> {
        CompactPairTable {
            shown: self.shown.clone(),
            row: self.row.clone(),
            alike: self.alike,
            values: self.values.iter().map(value).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_systems_that_are_alike_have_the_values_of_two_that_stand_for_them() {
        let mut table = CompactPairTable::new(6, &[1, 4]);
        assert_eq!(table.shown(), [0, 1, 2, 4]);
        for &i in &[0, 1, 2, 4] {
            for &j in &[0, 1, 2, 4] {
                table.set(i, j, 10 * i + j);
            }
        }
        assert_eq!((*table.get(1, 4), *table.get(4, 1)), (14, 41));
        assert_eq!([3, 5].map(|other| *table.get(4, other)), [40, 40]);
        assert_eq!((*table.get(0, 5), *table.get(5, 3)), (2, 20));
        let told: CompactPairTable<usize> = CompactPairTable::new(3, &[0, 1, 2]);
        assert_eq!((told.shown().len(), told.alike), (3, None));
        let one: CompactPairTable<usize> = CompactPairTable::new(3, &[0, 2]);
        assert_eq!((one.shown().len(), one.alike), (3, None));
    }
}
