//! What a run is to find out, and what that takes for granted.

pub(super) use crate::bandits::Target;
use serde::{Deserialize, Serialize};

/// What the certificate takes for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Assume {
    /// That what is looked for exists: a system that beats every other one, k systems that beat all
    /// the others, or an order in which each system beats all below it.
    #[default]
    Condorcet,
    /// Nothing.
    None,
}

impl Target {
    /// The pairs, the better system first, that must be right if what `order` says is to be right.
    pub(super) fn pairs(self, assume: Assume, order: &[usize]) -> Vec<(usize, usize)> {
        let across = |cut: usize| {
            let below = move |&better| order[cut..].iter().map(move |&worse| (better, worse));
            order[..cut].iter().flat_map(below).collect()
        };
        match (self, assume) {
            (Self::Best, _) => across(1),
            (Self::Top(top), _) => across(top),
            (Self::Ranking, Assume::Condorcet) => {
                order.windows(2).map(|two| (two[0], two[1])).collect()
            }
            (Self::Ranking, Assume::None) => {
                let below =
                    |place: usize| order[place + 1..].iter().map(move |&w| (order[place], w));
                (0..order.len()).flat_map(below).collect()
            }
        }
    }
}
