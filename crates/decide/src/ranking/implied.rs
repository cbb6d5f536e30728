//! The ranks that a claim implies: what a campaign's certificate proves of places, and nothing else.

use crate::ranking::result::Ranks;
use tiebreak_base::claims::{Claim, ClaimKind};

/// The ranks of the systems judged; those that are tied share theirs. None where nothing is claimed; nor where a system is
/// nearly best, since others may be better.
pub fn implied_ranks(claim: &Claim) -> Vec<Ranks> {
    let all = claim.among.len();
    let places = |system: &String| match claim.kind {
        ClaimKind::Undecided | ClaimKind::NearlyBest => None,
        ClaimKind::Best | ClaimKind::Top if claim.systems.contains(system) => {
            Some((1, claim.systems.len()))
        }
        ClaimKind::Best | ClaimKind::Top => Some((claim.systems.len() + 1, all)),
        ClaimKind::Ranking => {
            let group = claim.tied.iter().find(|group| group.contains(system));
            let same = |other: &String| match group {
                Some(group) => group.contains(other),
                None => other == system,
            };
            let first = claim.systems.iter().position(same)?;
            let last = claim.systems.iter().rposition(same)?;
            Some((first + 1, last + 1))
        }
    };
    let ranks = |system: &String| {
        let (low, high) = places(system)?;
        Some(Ranks {
            system: system.clone(),
            rank_low: low as u64,
            rank_high: high as u64,
        })
    };
    claim.among.iter().filter_map(ranks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::claims::Basis;

    fn ranks(kind: ClaimKind, systems: &[&str], tied: &[&[&str]]) -> Vec<(u64, u64)> {
        let names =
            |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
        let claim = Claim {
            kind,
            systems: names(systems),
            tied: tied.iter().map(|group| names(group)).collect(),
            confidence: Some(0.95),
            ..Claim::undecided(names(&["a", "b", "c", "d"]), Basis::Campaign, 40)
        };
        let ranks = implied_ranks(&claim).into_iter();
        ranks.map(|one| (one.rank_low, one.rank_high)).collect()
    }

    #[test]
    fn ranks_are_those_that_a_claim_implies() {
        assert_eq!(
            ranks(ClaimKind::Best, &["b"], &[]),
            [(2, 4), (1, 1), (2, 4), (2, 4)]
        );
        assert_eq!(
            ranks(ClaimKind::Top, &["b", "d"], &[]),
            [(3, 4), (1, 2), (3, 4), (1, 2)]
        );
        let order = ["d", "b", "a", "c"];
        assert_eq!(
            ranks(ClaimKind::Ranking, &order, &[]),
            [(3, 3), (2, 2), (4, 4), (1, 1)]
        );
        for kind in [ClaimKind::Undecided, ClaimKind::NearlyBest] {
            assert!(ranks(kind, &["b"], &[]).is_empty());
        }
    }

    #[test]
    fn systems_with_the_same_outputs_share_their_ranks() {
        assert_eq!(
            ranks(ClaimKind::Best, &["a", "b"], &[]),
            [(1, 2), (1, 2), (3, 4), (3, 4)]
        );
        assert_eq!(
            ranks(ClaimKind::Ranking, &["d", "b", "a", "c"], &[&["b", "a"]]),
            [(2, 3), (2, 3), (4, 4), (1, 1)]
        );
    }
}
