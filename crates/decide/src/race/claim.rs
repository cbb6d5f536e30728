//! What a race claims, with its premises.

use super::{Race, RaceItems, RaceVerdict};
use tiebreak_base::claims::{
    Basis, Claim, ClaimKind, ClaimPopulation, Items, Margin, NoClaimReason, Premise,
};

impl Race {
    /// The claim that can be made now about systems of these names, with its premises; printed (`{claim}`), a sentence.
    pub fn claim(&self, names: &[String]) -> Claim {
        let named = |systems: &[usize]| systems.iter().map(|&one| names[one].clone()).collect();
        let nothing = Claim {
            about: ClaimPopulation::Scores,
            annotators: 0,
            items: match self.terms.items {
                RaceItems::LikeThese => Items::AtLarge,
                RaceItems::These | RaceItems::Repeated => Items::AtHand,
            },
            ..Claim::undecided(names.to_vec(), Basis::Campaign, self.received)
        };
        let (kind, systems) = match self.verdict() {
            RaceVerdict::Open(_) if self.received == 0 => {
                return nothing.withdrawn(NoClaimReason::NoAnswers);
            }
            RaceVerdict::Open(open) => {
                return nothing.withdrawn(NoClaimReason::NotToldApart(named(&open)));
            }
            RaceVerdict::NearlyBest(system) => (ClaimKind::NearlyBest, vec![system]),
            RaceVerdict::Top(systems) if systems.len() == 1 => (ClaimKind::Best, systems),
            RaceVerdict::Top(systems) => (ClaimKind::Top, systems),
        };
        let epsilon = self.terms.epsilon;
        let margin = Margin {
            differing: epsilon,
            overall: epsilon,
        };
        Claim {
            kind,
            systems: named(&systems),
            confidence: Some(self.terms.confidence),
            assumes: match self.terms.items {
                RaceItems::These => &[Premise::OrderFree][..],
                RaceItems::LikeThese => &[Premise::NoDrift, Premise::ItemsDrawnAtRandom],
                RaceItems::Repeated => &[Premise::NoDrift],
            }
            .iter()
            .copied()
            .chain(self.is_corrected.then_some(Premise::CorrectedForCause))
            .collect(),
            margin: (kind == ClaimKind::NearlyBest).then_some(margin),
            ..nothing
        }
    }
}
