//! The claim that can be made now, and the systems it is about.

use super::certificate::CertifiedClaim;
use super::target::CertificateAssumption;
use super::{AdaptiveBandit, CertificateGoal};
use tiebreak_base::duel::{Arm, Verdict};

impl AdaptiveBandit {
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

    fn announcement(&self, claim: &CertifiedClaim) -> Verdict {
        match claim {
            &CertifiedClaim::Best(winner) => Verdict::Winner {
                arm: self.arm(winner),
                condorcet: self.settings.assume == CertificateAssumption::Condorcet,
            },
            &CertifiedClaim::NearlyBest(system) => Verdict::NearlyBest {
                arm: self.arm(system),
                margins: self.margins_of_nearness(system),
            },
            CertifiedClaim::Nobody => Verdict::NoWinner,
            CertifiedClaim::Top(best) => Verdict::Top {
                arms: self.arms(best),
                condorcet: false,
            },
            CertifiedClaim::Ranking(order) => Verdict::Ranking {
                arms: self.arms(order),
                condorcet: false,
            },
        }
    }

    /// The systems not ruled out, once one is.
    fn still_possible(&self, goal: &CertificateGoal) -> Verdict {
        let possible = |&i: &usize| !goal.certificate.ruled_out(i);
        let left: Vec<usize> = (0..self.k()).filter(possible).collect();
        match left.len() {
            0 => Verdict::NoWinner,
            all if all == self.k() => Verdict::Open,
            _ => Verdict::Undecided(self.arms(&left)),
        }
    }

    /// ε on the items where people can tell outputs apart, and over all items.
    fn margins_of_nearness(&self, system: usize) -> [f64; 2] {
        let others = (0..self.k()).filter(|&j| j != system);
        let shares = others.map(|j| self.evidence.differing(system, j));
        let differing = shares.fold(0.0, f64::max);
        let epsilon = self.settings.epsilon;
        [epsilon, epsilon * differing]
    }

    /// The systems for which the distinct ones at `places` stand, in that order.
    fn arms(&self, places: &[usize]) -> Vec<Arm> {
        let systems = places
            .iter()
            .flat_map(|&place| self.duplicates.group(place));
        systems.map(Arm::from).collect()
    }
}
