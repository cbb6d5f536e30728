//! What can be claimed now, about which systems and on which scale.

use super::certificate::Claim;
use super::{Adaptive, Goal};
use crate::duel::{Arm, Verdict};
use std::borrow::Cow;

impl Adaptive {
    pub(super) fn tell_verdict(&self) -> Verdict {
        if self.k() == 1 {
            return Verdict::Undecided(self.arms(&[0]));
        }
        match (self.claim(), &self.goal) {
            (Some(claim), _) => self.announcement(claim),
            (None, Some(goal)) => self.still_possible(goal),
            (None, None) => Verdict::Open,
        }
    }

    fn announcement(&self, claim: &Claim) -> Verdict {
        match claim {
            &Claim::Best(winner) => Verdict::Winner {
                arm: self.arm(winner),
                assumption: self.assumption(&[winner]),
            },
            &Claim::NearlyBest(system) => Verdict::NearlyBest {
                arm: self.arm(system),
                claim: self.claim_of_nearness(system).into(),
            },
            Claim::Top(best) => Verdict::Top {
                arms: self.arms(best),
                assumption: self.assumption(best),
            },
            Claim::Ranking(order) => Verdict::Ranking {
                arms: self.arms(order),
                assumption: self.assumption(order),
            },
        }
    }

    /// Those not ruled out, once one is.
    fn still_possible(&self, goal: &Goal) -> Verdict {
        let possible = |&i: &usize| !goal.certificate.ruled_out(i);
        let left: Vec<usize> = (0..self.k()).filter(possible).collect();
        match left.len() == self.k() {
            true => Verdict::Open,
            false => Verdict::Undecided(self.arms(&left)),
        }
    }

    fn assumption(&self, announced: &[usize]) -> Cow<'static, str> {
        let assumption = self.settings.target.assumption(self.settings.assume);
        let shared = self.arms(announced).len() - announced.len();
        match (announced.len(), shared) {
            (_, 0) => assumption.into(),
            (1, 1) => format!("{assumption}; another system has the very same outputs").into(),
            _ => format!("{assumption}; systems with the very same outputs count as one").into(),
        }
    }

    /// What being ε-best means, on the items where people can tell outputs apart and on all items.
    fn claim_of_nearness(&self, system: usize) -> String {
        let others = (0..self.k()).filter(|&j| j != system);
        let shares = others.map(|j| self.evidence.differing(system, j));
        let differing = shares.fold(0.0, f64::max);
        let most = |margin: f64| (1e6 * (0.5 + margin)).round() / 1e6;
        let epsilon = self.settings.epsilon;
        let against = "no other system is preferred to it more often than";
        if differing < 1.0 {
            let (there, overall) = (most(epsilon), most(epsilon * differing));
            format!(
                "{against} {there} of the time on the items where their outputs differ, {overall} \
                 over all items (a tie counts one half)"
            )
        } else {
            let overall = most(epsilon);
            format!("{against} {overall} of the time (a tie counts one half)")
        }
    }

    /// The systems for which the distinct ones at `places` stand, in that order.
    fn arms(&self, places: &[usize]) -> Vec<Arm> {
        let systems = places.iter().flat_map(|&place| self.duplicates.of(place));
        systems.map(Arm::from).collect()
    }
}
