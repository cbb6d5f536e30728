//! The truth that runs are scored against: the winners, or the order, by all judgments together.
//!
//! Systems are ordered by their Copeland scores, the number of others among the contenders that each
//! beats. Where k systems beat all the others, those have the k highest scores; where an order
//! exists in which each system beats all below it, it is the order of the scores. Where neither
//! exists, or systems are tied, an announcement is right if it agrees with the scores.

use super::active::RunTrace;
use crate::feedback::matrix::PreferenceMatrix;
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Verdict};

/// The truth about the systems among which a run looks for the best.
#[derive(Debug, Clone)]
pub struct Truth {
    winners: Vec<Arm>,
    /// The number of the others that each beats.
    beaten: BTreeMap<Arm, usize>,
}

impl Truth {
    /// The truth about `arms` by the preferences.
    pub fn new(preferences: &PreferenceMatrix, arms: &[Arm]) -> Self {
        let beats = |i: Arm| arms.iter().filter(move |&&j| preferences.get(i, j) > 0.5);
        Self {
            winners: preferences.winners_among(arms),
            beaten: arms.iter().map(|&i| (i, beats(i).count())).collect(),
        }
    }

    /// The systems that beat most of the others.
    pub fn winners(&self) -> &[Arm] {
        &self.winners
    }

    /// Whether all that a run announces is true: the set of the best or the order, where it announces
    /// that, and otherwise that its leader is a winner. A system missing from it, because it was
    /// eliminated before, counts as announced to be worse than those in it.
    pub fn agrees(&self, trace: &RunTrace) -> bool {
        match &trace.verdict {
            Verdict::Top { arms, .. } => {
                let least = arms.iter().map(|&arm| self.score(arm)).min();
                self.others(arms).all(|score| Some(score) <= least)
            }
            Verdict::Ranking { arms, .. } => {
                let last = arms.last().map(|&arm| self.score(arm));
                arms.is_sorted_by_key(|&arm| std::cmp::Reverse(self.score(arm)))
                    && self.others(arms).all(|score| Some(score) <= last)
            }
            _ => trace
                .winner()
                .is_some_and(|arm| self.winners.contains(&arm)),
        }
    }

    fn score(&self, arm: Arm) -> usize {
        self.beaten.get(&arm).copied().unwrap_or(0)
    }

    /// The scores of all systems except `arms`.
    fn others<'a>(&'a self, arms: &'a [Arm]) -> impl Iterator<Item = usize> + 'a {
        let others = self.beaten.iter().filter(|(arm, _)| !arms.contains(arm));
        others.map(|(_, &score)| score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::active::Stop;

    fn announced(verdict: Verdict) -> RunTrace {
        RunTrace {
            leaders: vec![(0, Arm(0))],
            annotations: 10,
            steps: 10,
            stop: Stop::Certificate,
            verdict,
            ..RunTrace::new(Arm(0))
        }
    }

    fn arms(places: &[u16]) -> Vec<Arm> {
        places.iter().copied().map(Arm).collect()
    }

    fn top(places: &[u16]) -> RunTrace {
        announced(Verdict::Top {
            arms: arms(places),
            condorcet: true,
        })
    }

    fn ranking(places: &[u16]) -> RunTrace {
        announced(Verdict::Ranking {
            arms: arms(places),
            condorcet: true,
        })
    }

    /// 0 > 1 > 2 > 3, but 2 and 3 are tied.
    fn truth(among: &[u16]) -> Truth {
        let matrix = PreferenceMatrix::from_upper(4, &[0.6, 0.7, 0.8, 0.6, 0.7, 0.5]).unwrap();
        Truth::new(&matrix, &arms(among))
    }

    #[test]
    fn a_right_leader_does_not_make_a_set_or_an_order_right() {
        let truth = truth(&[0, 1, 2, 3]);
        assert_eq!(truth.winners(), [Arm(0)]);
        assert!(truth.agrees(&announced(Verdict::Open)));
        assert!(truth.agrees(&top(&[0, 1])) && truth.agrees(&top(&[1, 0])));
        assert!(!truth.agrees(&top(&[0, 2])));
        assert!(truth.agrees(&ranking(&[0, 1, 2, 3])) && truth.agrees(&ranking(&[0, 1, 3, 2])));
        assert!(!truth.agrees(&ranking(&[0, 2, 1, 3])));
    }

    #[test]
    fn tied_systems_may_stand_for_each_other() {
        let truth = truth(&[0, 1, 2, 3]);
        assert!(truth.agrees(&top(&[0, 1, 2])) && truth.agrees(&top(&[0, 1, 3])));
        assert!(!truth.agrees(&top(&[0, 2, 3])));
    }

    #[test]
    fn systems_that_are_not_spoken_of_are_announced_to_be_worse() {
        assert!(truth(&[0, 1, 2, 3]).agrees(&ranking(&[0, 1])));
        assert!(!truth(&[0, 1, 2, 3]).agrees(&ranking(&[0, 2, 3])));
        assert!(truth(&[0, 2, 3]).agrees(&ranking(&[0, 2, 3])));
    }
}
