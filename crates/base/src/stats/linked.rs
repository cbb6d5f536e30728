//! Connected components of a graph.

/// The component of each of `n` nodes, counted from 0 in the order of their first members.
pub fn linked(n: usize, links: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..n).collect();
    for (one, other) in links {
        let (one, other) = (root(&mut parent, one), root(&mut parent, other));
        parent[one.max(other)] = one.min(other);
    }
    let mut number = vec![0; n];
    let mut groups = 0;
    for member in 0..n {
        let root = root(&mut parent, member);
        if root == member {
            number[member] = groups;
            groups += 1;
        } else {
            number[member] = number[root]; // a root is the first of its group
        }
    }
    number
}

/// The first member of a component, by path halving.
fn root(parent: &mut [usize], mut member: usize) -> usize {
    while parent[member] != member {
        parent[member] = parent[parent[member]];
        member = parent[member];
    }
    member
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_make_groups() {
        let links = [(5, 1), (3, 4), (4, 0)];
        assert_eq!(linked(6, links.into_iter()), [0, 1, 2, 0, 0, 1]);
        assert_eq!(linked(2, std::iter::empty()), [0, 1]);
    }
}
