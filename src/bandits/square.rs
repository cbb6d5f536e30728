//! One number per ordered pair of systems, known before the first question.

/// A K × K table.
#[derive(Debug, Clone, PartialEq)]
pub struct Square {
    k: usize,
    /// At i·K + j.
    values: Vec<f64>,
}

impl Square {
    /// The table of `value(i, j)`.
    pub fn from_fn(k: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        let values = (0..k * k).map(|at| value(at / k, at % k)).collect();
        Self { k, values }
    }

    /// K.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of i against j, both below K.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.k + j]
    }

    /// The table of some of the systems, in the order given.
    #[must_use]
    pub fn restricted_to(&self, systems: &[usize]) -> Self {
        Self::from_fn(systems.len(), |i, j| self.get(systems[i], systems[j]))
    }

    /// The first pair of different systems, i before j, whose number and its mirror image are not
    /// as they should be.
    pub(super) fn first_pair_not(
        &self,
        right: impl Fn(f64, f64) -> bool,
    ) -> Option<(usize, usize)> {
        let mut pairs = (0..self.k).flat_map(|i| (i + 1..self.k).map(move |j| (i, j)));
        pairs.find(|&(i, j)| !right(self.get(i, j), self.get(j, i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_in_another_order_keeps_its_numbers() {
        let all = Square::from_fn(4, |i, j| (10 * i + j) as f64);
        let part = all.restricted_to(&[3, 1]);
        assert_eq!((part.k(), part.get(0, 1), part.get(1, 0)), (2, 31.0, 13.0));
        assert_eq!(all.first_pair_not(|a, b| b == a + 9.0), Some((0, 2)));
        assert_eq!(all.first_pair_not(|a, b| b > a), None);
    }
}
