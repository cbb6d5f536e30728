//! Which systems a chain of comparisons links.

use crate::duel::Pair;

/// For each of `k` systems the number of its group, counted from 0 in the order of their first
/// systems.
pub(super) fn linked(k: usize, pairs: impl Iterator<Item = Pair>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..k).collect();
    for pair in pairs {
        let first = root(&mut parent, pair.first.index());
        let second = root(&mut parent, pair.second.index());
        parent[first.max(second)] = first.min(second);
    }
    let mut number = vec![0; k];
    let mut groups = 0;
    for system in 0..k {
        let root = root(&mut parent, system);
        if root == system {
            number[system] = groups;
            groups += 1;
        } else {
            number[system] = number[root]; // a root is the first of its group
        }
    }
    number
}

fn root(parent: &mut [usize], mut system: usize) -> usize {
    while parent[system] != system {
        parent[system] = parent[parent[system]];
        system = parent[system];
    }
    system
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;

    #[test]
    fn chains_make_groups() {
        let pairs = [(5, 1), (3, 4), (4, 0)].map(|(a, b)| Pair::new(Arm(a), Arm(b)));
        assert_eq!(linked(6, pairs.into_iter()), [0, 1, 2, 0, 0, 1]);
        assert_eq!(linked(2, std::iter::empty()), [0, 1]);
    }
}
