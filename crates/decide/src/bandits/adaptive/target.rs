//! The target of a run, and the assumption of its certificate.

pub(super) use crate::bandits::Target;
use serde::{Deserialize, Serialize};

/// The assumption of the certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CertificateAssumption {
    /// Some system beats every other one, except that the one announced must win its own duels. Sets
    /// and rankings are proved without.
    #[default]
    Condorcet,
    /// Nothing.
    None,
}

impl Target {
    /// The pairs, the better system first, that must be right if what `order` says is to be right.
    pub(super) fn pairs(self, order: &[usize]) -> Vec<(usize, usize)> {
        let across = |cut: usize| {
            let below = move |&better| order[cut..].iter().map(move |&worse| (better, worse));
            order[..cut].iter().flat_map(below).collect()
        };
        match self {
            Self::Best => across(1),
            Self::Top(top) => across(top),
            Self::Ranking => {
                let below =
                    |place: usize| order[place + 1..].iter().map(move |&w| (order[place], w));
                (0..order.len()).flat_map(below).collect()
            }
        }
    }

    /// The pairs of these that are explored: the others are further apart.
    pub(super) fn explored(self, order: &[usize]) -> Vec<(usize, usize)> {
        match self {
            Self::Best | Self::Top(_) => self.pairs(order),
            Self::Ranking => order.windows(2).map(|two| (two[0], two[1])).collect(),
        }
    }
}
