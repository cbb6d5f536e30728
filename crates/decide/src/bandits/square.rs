//! One number per ordered pair of systems, known before the first question.

use std::collections::BTreeMap;

/// The number of systems up to which all values are stored.
const FEW: usize = 256;

/// The divisor of K² that limits the number of exceptions listed for more systems.
const SPARSE: usize = 16;

/// A K × K table.
#[derive(Debug, Clone, PartialEq)]
pub struct Square {
    k: usize,
    values: Values,
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    /// All values, at i·K + j.
    Each(Vec<f64>),
    /// The exceptions, where nearly all pairs of thousands of systems have the same number.
    Alike(SparseSquare),
}

#[derive(Debug, Clone, PartialEq)]
struct SparseSquare {
    /// The number of a system and itself.
    own: f64,
    /// The number of two systems.
    other: f64,
    /// The exceptions by i, ascending by j.
    but: Vec<Vec<(usize, f64)>>,
}

impl SparseSquare {
    fn get(&self, i: usize, j: usize) -> f64 {
        let row = &self.but[i];
        match row.binary_search_by_key(&j, |&(column, _)| column) {
            Ok(place) => row[place].1,
            Err(_) if i == j => self.own,
            Err(_) => self.other,
        }
    }
}

impl Square {
    /// The table of `value(i, j)`.
    pub fn from_fn(k: usize, mut value: impl FnMut(usize, usize) -> f64) -> Self {
        if k <= FEW {
            let values = (0..k * k).map(|at| value(at / k, at % k)).collect();
            let values = Values::Each(values);
            return Self { k, values };
        }
        let mut alike = SparseSquare {
            own: 0.0,
            other: 0.0,
            but: vec![Vec::new(); k],
        };
        let (mut listed, mut each) = (0, None);
        for at in 0..k * k {
            let (i, j) = (at / k, at % k);
            let new = value(i, j);
            match at {
                0 => alike.own = new,
                1 => alike.other = new,
                _ => {}
            }
            match &mut each {
                Some(each) => Vec::push(each, new),
                None if new == alike.get(i, j) => {}
                None => {
                    alike.but[i].push((j, new));
                    listed += 1;
                    if listed > k * k / SPARSE {
                        each = Some((0..=at).map(|at| alike.get(at / k, at % k)).collect());
                    }
                }
            }
        }
        let values = each.map_or(Values::Alike(alike), Values::Each);
        Self { k, values }
    }

    /// The table in which two systems have `other`, one and itself `own`, and some pairs (i, j) a number of their own.
    /// Where a pair is given twice the last number counts.
    pub fn alike(
        k: usize,
        own: f64,
        other: f64,
        but: impl IntoIterator<Item = ((usize, usize), f64)>,
    ) -> Self {
        let but: BTreeMap<(usize, usize), f64> = but.into_iter().collect();
        if k <= FEW || but.len() > k * k / SPARSE {
            return Self::from_fn(k, |i, j| {
                let usual = if i == j { own } else { other };
                but.get(&(i, j)).copied().unwrap_or(usual)
            });
        }
        let mut rows = vec![Vec::new(); k];
        for ((i, j), number) in but {
            rows[i].push((j, number));
        }
        let values = Values::Alike(SparseSquare {
            own,
            other,
            but: rows,
        });
        Self { k, values }
    }

    /// K.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of i against j, both below K.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match &self.values {
            Values::Each(values) => values[i * self.k + j],
            Values::Alike(alike) => alike.get(i, j),
        }
    }

    /// The table of some of the systems, in the order given.
    #[must_use]
    pub fn restricted_to(&self, systems: &[usize]) -> Self {
        let Values::Alike(alike) = &self.values else {
            return Self::from_fn(systems.len(), |i, j| self.get(systems[i], systems[j]));
        };
        let mut places = vec![Vec::new(); self.k];
        for (place, &system) in systems.iter().enumerate() {
            places[system].push(place);
        }
        let but = (0..).zip(systems).flat_map(|(i, &system)| {
            let row = alike.but[system].iter();
            row.flat_map(|&(other, number)| places[other].iter().map(move |&j| (j, number)))
                .map(move |(j, number)| ((i, j), number))
        });
        Self::alike(systems.len(), alike.own, alike.other, but)
    }

    /// The first pair of different systems, i before j, whose number and its mirror image are not
    /// as they should be.
    pub(super) fn first_pair_not(
        &self,
        right: impl Fn(f64, f64) -> bool,
    ) -> Option<(usize, usize)> {
        let wrong = |&(i, j): &(usize, usize)| !right(self.get(i, j), self.get(j, i));
        match &self.values {
            Values::Alike(alike) if right(alike.other, alike.other) => {
                let rows = alike.but.iter().enumerate();
                let listed = rows.flat_map(|(i, row)| row.iter().map(move |&(j, _)| (i, j)));
                let pairs = listed.filter(|(i, j)| i != j);
                let pairs = pairs.map(|(i, j)| (i.min(j), i.max(j)));
                pairs.filter(wrong).min()
            }
            _ => {
                let mut pairs = (0..self.k).flat_map(|i| (i + 1..self.k).map(move |j| (i, j)));
                pairs.find(wrong)
            }
        }
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

    #[test]
    fn of_many_systems_only_what_is_not_alike_is_listed() {
        let k = FEW + 4;
        let value = |every: usize| {
            move |i: usize, j: usize| match (i * k + j) % every {
                _ if i == j => 0.0,
                7 => (i + j) as f64,
                _ => 1.0,
            }
        };
        for (every, sparse) in [(1000, true), (SPARSE / 2, false)] {
            let table = Square::from_fn(k, value(every));
            assert_eq!(matches!(table.values, Values::Alike(_)), sparse);
            let all = (0..k).flat_map(|i| (0..k).map(move |j| (i, j)));
            for (i, j) in all {
                assert_eq!(table.get(i, j), value(every)(i, j), "{i}, {j}");
            }
            let order: Vec<usize> = (0..k - 1).rev().collect();
            let part = table.restricted_to(&order);
            for (at, &i) in order.iter().enumerate() {
                for (other, &j) in order.iter().enumerate() {
                    assert_eq!(part.get(at, other), value(every)(i, j), "{i}, {j}");
                }
            }
            for limit in [1.0, 300.0, 1000.0] {
                let right = |a: f64, b: f64| a <= limit && b <= limit;
                let mut pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
                let first = pairs.find(|&(i, j)| !right(table.get(i, j), table.get(j, i)));
                assert_eq!(table.first_pair_not(right), first);
            }
        }
    }
}
