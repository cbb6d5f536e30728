//! All systems in order, with the ranks each may have and the groups of systems that do not differ significantly.
//!
//! Every pair is tested. A system ranks behind those significantly stronger than it and ahead of
//! those significantly weaker; what lies between are the ranks it may have. With the given
//! confidence the true ranks of *all* systems lie within theirs (Al Mohamad, Goeman and van Zwet,
//! "Simultaneous confidence intervals for ranks", Biometrics 2022, derive rank intervals from such
//! tests). Intervals of strengths hold together with the tests (see `largest_error`), so two systems with disjoint
//! intervals differ. In a group any two systems were tested against each other and do not differ significantly. A system may
//! be in several, and any two of which that holds are in one, whatever lies between them (see `tied_groups`).
//!
//! Comparisons and their number must not depend on answers. Simulated with 5 and 8 systems 0 to 0.4 log-odds apart, at
//! 95 %, 400 runs each: judgments under `uniform` had all strengths within their intervals in 95 % of runs, but those
//! under `adaptive:target=ranking`, which asks about a pair until it looks decided, in 59 to 88 %, and where all
//! systems were equal 40 % of runs separated some. So a campaign has no intervals.

use super::largest_error::single_alpha;
use crate::estimators::contrasts::{Contrast, Contrasts};

/// The standing of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedStrength {
    /// The system.
    pub system: usize,
    /// Its strength, relative to the mean of all systems that comparisons link to it.
    pub strength: f64,
    /// Lower and upper end of its interval; `None` where no error can be estimated.
    pub interval: Option<(f64, f64)>,
    /// The lowest and the highest rank it may have, 1 being best.
    pub ranks: (usize, usize),
}

/// The standings of all systems.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemStandings {
    /// The systems, strongest first.
    pub systems: Vec<RankedStrength>,
    /// Groups of systems that were tested against each other and do not differ significantly.
    pub groups: Vec<Vec<usize>>,
}

impl SystemStandings {
    /// Puts all systems in order, with intervals of a confidence between 0 and 1.
    pub fn new(strengths: &impl Contrasts, confidence: f64) -> Self {
        let k = strengths.k();
        let alpha = single_alpha(&strengths.joint_errors(), 1.0 - confidence);
        let each: Vec<Contrast> = (0..k).map(|system| strengths.strength(system)).collect();
        let interval = |contrast: &Contrast| contrast.interval(1.0 - alpha).map(<(f64, f64)>::from);
        let intervals: Vec<Option<(f64, f64)>> = each.iter().map(interval).collect();
        let beats = Relation::tested(strengths, alpha, &intervals);
        let mut order: Vec<usize> = (0..k).collect();
        order.sort_by(|&a, &b| each[b].value.total_cmp(&each[a].value));
        let standing = |&system: &usize| {
            let ahead = (0..k).filter(|&other| beats.holds(other, system)).count();
            let behind = (0..k).filter(|&other| beats.holds(system, other)).count();
            RankedStrength {
                system,
                strength: each[system].value,
                interval: intervals[system],
                ranks: (ahead + 1, k - behind),
            }
        };
        Self {
            systems: order.iter().map(standing).collect(),
            groups: tied_groups(&order, |i, j| {
                beats.are_tested(i, j) && !beats.holds(i, j) && !beats.holds(j, i)
            }),
        }
    }
}

/// The relation "significantly stronger".
struct Relation {
    k: usize,
    holds: Vec<bool>,
    /// Whether an interval tells of two, lower first.
    tested: Vec<bool>,
}

impl Relation {
    fn tested(strengths: &impl Contrasts, alpha: f64, intervals: &[Option<(f64, f64)>]) -> Self {
        let k = strengths.k();
        // Strengths and differences hold together, so strengths can separate systems as well.
        let above = |i: usize, j: usize| {
            let ends = intervals[i].zip(intervals[j]);
            ends.is_some_and(|(i, j)| i.0 > j.1)
        };
        let (mut holds, mut tested) = (vec![false; k * k], vec![false; k * k]);
        for (i, j) in (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))) {
            let Some(contrast) = strengths.difference(i, j) else {
                continue;
            };
            let ends = contrast.interval(1.0 - alpha);
            tested[i * k + j] = ends.is_some();
            holds[i * k + j] = ends.is_some_and(|[lower, _]| lower > 0.0) || above(i, j);
            holds[j * k + i] = ends.is_some_and(|[_, upper]| upper < 0.0) || above(j, i);
        }
        Self { k, holds, tested }
    }

    fn are_tested(&self, i: usize, j: usize) -> bool {
        self.tested[i.min(j) * self.k + i.max(j)]
    }

    fn holds(&self, stronger: usize, weaker: usize) -> bool {
        self.holds[stronger * self.k + weaker]
    }
}

/// Groups of systems, in an order, in which any two are tied: tested against each other, and not told apart. No group can
/// be larger, and any two systems that are tied are in one: what shares no group differs or was not tested, as in a compact
/// letter display (Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", 2004). All
/// maximal groups could be exponentially many.
pub(crate) fn tied_groups(
    order: &[usize],
    are_tied: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let k = order.len();
    let is_tied = |one: usize, other: usize| one == other || are_tied(order[one], order[other]);
    let (mut groups, mut covered) = (Vec::new(), vec![false; k * k]);
    for (one, other) in (0..k).flat_map(|one| (one..k).map(move |other| (one, other))) {
        if covered[one * k + other] || !is_tied(one, other) {
            continue;
        }
        let mut group = vec![one, other];
        for joining in 0..k {
            if group.iter().all(|&member| is_tied(member, joining)) {
                group.push(joining);
            }
        }
        group.sort_unstable();
        group.dedup();
        for &member in &group {
            for &of in &group {
                covered[member * k + of] = true;
            }
        }
        groups.push(group);
    }
    groups.sort_unstable();
    let systems = |group: Vec<usize>| group.into_iter().map(|place| order[place]).collect();
    groups.into_iter().map(systems).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups by the pairs that are told apart.
    fn groups(order: &[usize], apart: &[(usize, usize)]) -> Vec<Vec<usize>> {
        tied_groups(order, |i, j| {
            !apart.contains(&(i, j)) && !apart.contains(&(j, i))
        })
    }

    #[test]
    fn any_two_systems_that_are_not_told_apart_share_a_group() {
        // Two pairs of systems that were never compared with each other.
        assert_eq!(
            groups(&[0, 3, 1, 2], &[(0, 1), (3, 2)]),
            [[0, 3], [0, 2], [3, 1], [1, 2]]
        );
        // A proved difference in the middle, not between the ends.
        assert_eq!(groups(&[4, 5, 6], &[(4, 5)]), [[4, 6], [5, 6]]);
        assert_eq!(
            groups(&[0, 1, 2, 3], &[(0, 2), (0, 3)]),
            [vec![0, 1], vec![1, 2, 3]]
        );
        let all = [(0, 1), (0, 2), (1, 2)];
        assert_eq!(groups(&[0, 1, 2], &all), [[0], [1], [2]]);
        assert_eq!(groups(&[2, 0, 1], &[]), [[2, 0, 1]]);
        // Ten times two systems that differ have 1,024 maximal groups.
        let twos: Vec<_> = (0..10).map(|i| (2 * i, 2 * i + 1)).collect();
        let order: Vec<usize> = (0..20).collect();
        assert!(groups(&order, &twos).len() < 100);
    }
}
