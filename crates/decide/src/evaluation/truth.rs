//! The truth that runs are scored against: the preferences by all judgments together.
//!
//! A leader is right where it is a winner: it beats most of the other contenders. A proof is right where what it claims
//! of pairs of systems holds; tied systems may stand for each other, and a nearly best system may lose by its margin. A
//! contender that a claim does not name, because it was eliminated before, counts as claimed to be worse.

use crate::feedback::matrix::PreferenceMatrix;
use tiebreak_base::duel::{Arm, Verdict};

/// The slack of comparisons: `1 − 0.55` is a little less than `0.5 − 0.05`.
const ROUNDING: f64 = 1e-12;

/// The truth about the systems among which a run looks for the best.
#[derive(Debug, Clone)]
pub struct Truth {
    preferences: PreferenceMatrix,
    arms: Vec<Arm>,
    winners: Vec<Arm>,
}

impl Truth {
    /// The truth about `arms` by the preferences.
    pub fn new(preferences: &PreferenceMatrix, arms: &[Arm]) -> Self {
        Self {
            preferences: preferences.clone(),
            arms: arms.to_vec(),
            winners: preferences.winners_among(arms),
        }
    }

    /// The systems that beat most of the others.
    pub fn winners(&self) -> &[Arm] {
        &self.winners
    }

    /// The system that beats all others, where there is one.
    pub fn condorcet_winner(&self) -> Option<Arm> {
        let others = |arm: Arm| self.arms.iter().filter(move |&&other| other != arm);
        let beats_all =
            |&arm: &Arm| others(arm).all(|&other| self.preferences.get(arm, other) > 0.5);
        self.arms.iter().copied().find(beats_all)
    }

    /// Whether what a proof claims is true; `None` where it claims nothing, or takes for granted that some system beats
    /// all others and none does.
    pub fn agrees(&self, verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Winner { arm, condorcet } => {
                let is_judged = !condorcet || self.condorcet_winner().is_some();
                is_judged.then(|| self.beat_the_rest(&[*arm], 0.0))
            }
            Verdict::NearlyBest { arm, margins } => Some(self.beat_the_rest(&[*arm], margins[1])),
            Verdict::Top { arms, .. } => Some(self.beat_the_rest(arms, 0.0)),
            Verdict::Ranking { arms, .. } => {
                let down_to = |place: usize| self.beat_the_rest(&arms[..=place], 0.0);
                Some((0..arms.len()).all(down_to))
            }
            Verdict::Open | Verdict::NoWinner | Verdict::Undecided(_) => None,
        }
    }

    /// Whether each of `best` is preferred to every other system in at least half of the judgments, but for a margin.
    fn beat_the_rest(&self, best: &[Arm], margin: f64) -> bool {
        let rest = || self.arms.iter().filter(|arm| !best.contains(arm));
        let least = 0.5 - margin - ROUNDING;
        let beats_rest =
            |&arm: &Arm| rest().all(|&other| self.preferences.get(arm, other) >= least);
        best.iter().all(beats_rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(places: &[u16]) -> Vec<Arm> {
        places.iter().copied().map(Arm).collect()
    }

    /// What is said of a proof by the preferences among some systems.
    fn judged(upper: &[f64], among: &[u16], verdict: &Verdict) -> Option<bool> {
        let matrix = PreferenceMatrix::from_upper(4, upper).unwrap();
        Truth::new(&matrix, &arms(among)).agrees(verdict)
    }

    /// 0 > 1 > 2 > 3, but 2 and 3 are tied.
    const ORDER: [f64; 6] = [0.6, 0.7, 0.8, 0.6, 0.7, 0.5];

    /// 0 > 1 > 2 > 0, and all of them beat 3.
    const CYCLE: [f64; 6] = [0.6, 0.4, 0.8, 0.6, 0.7, 0.8];

    fn top(places: &[u16]) -> bool {
        let (arms, condorcet) = (arms(places), false);
        judged(&ORDER, &[0, 1, 2, 3], &Verdict::Top { arms, condorcet }).unwrap()
    }

    fn ranking(among: &[u16], places: &[u16]) -> bool {
        let (arms, condorcet) = (arms(places), false);
        judged(&ORDER, among, &Verdict::Ranking { arms, condorcet }).unwrap()
    }

    #[test]
    fn a_right_leader_does_not_make_a_set_or_an_order_right() {
        assert!(top(&[0, 1]) && top(&[1, 0]) && !top(&[0, 2]));
        let all = [0, 1, 2, 3];
        assert!(ranking(&all, &[0, 1, 2, 3]) && ranking(&all, &[0, 1, 3, 2]));
        assert!(!ranking(&all, &[0, 2, 1, 3]));
    }

    #[test]
    fn tied_systems_may_stand_for_each_other() {
        assert!(top(&[0, 1, 2]) && top(&[0, 1, 3]) && !top(&[0, 2, 3]));
    }

    #[test]
    fn systems_that_are_not_spoken_of_are_announced_to_be_worse() {
        assert!(ranking(&[0, 1, 2, 3], &[0, 1]));
        assert!(!ranking(&[0, 1, 2, 3], &[0, 2, 3]));
        assert!(ranking(&[0, 2, 3], &[0, 2, 3]));
    }

    #[test]
    fn a_nearly_best_system_may_lose_by_its_margin() {
        let nearly = |arm, margin| {
            let (arm, margins) = (Arm(arm), [0.3, margin]);
            judged(&ORDER, &[0, 1, 2, 3], &Verdict::NearlyBest { arm, margins })
        };
        // 0 is preferred to 1 in 60 % and to 2 in 70 %.
        assert_eq!([nearly(0, 0.0), nearly(1, 0.1)], [Some(true); 2]);
        assert_eq!([nearly(1, 0.09), nearly(2, 0.19)], [Some(false); 2]);
        assert_eq!(nearly(2, 0.2), Some(true));
    }

    #[test]
    fn without_a_system_that_beats_all_a_proof_that_takes_one_for_granted_is_not_judged() {
        let winner = |upper, condorcet| {
            let arm = Arm(0);
            judged(upper, &[0, 1, 2, 3], &Verdict::Winner { arm, condorcet })
        };
        assert_eq!(
            [winner(&ORDER, true), winner(&ORDER, false)],
            [Some(true); 2]
        );
        assert_eq!(
            [winner(&CYCLE, true), winner(&CYCLE, false)],
            [None, Some(false)]
        );
        let (arms, condorcet) = (arms(&[0, 1, 2]), false);
        let top = Verdict::Top { arms, condorcet };
        assert_eq!(judged(&CYCLE, &[0, 1, 2, 3], &top), Some(true));
    }
}
