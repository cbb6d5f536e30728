//! The claim of a list of comparisons, by one rule: the system that is alone at rank 1 of the ranks that hold
//! together, if its own comparisons show that it beats every other one.
//!
//! The order of rows is no order of asking: a file sorted by outcome would certify anything, so
//! nothing here depends on it. Nor is it assumed that a best system exists.

use super::Collection;
use super::viewpoint::Viewpoint;
use crate::evaluation::own_duels::{OwnDuels, is_beaten, own_duels};
use crate::ranking::result::Ranks;
use tiebreak_base::claims::{
    Basis, Claim, ClaimKind, ClaimPopulation, Items, NoClaimReason, Premise,
};

pub(super) fn claim(
    collection: &Collection,
    viewpoint: &Viewpoint<'_>,
    ranks: &[Ranks],
    items: Items,
    confidence: f64,
) -> Claim {
    let systems = collection.systems();
    let undecided = Claim {
        about: viewpoint.about,
        judge: collection.judge().map(str::to_string),
        annotators: collection.people() as u64,
        items,
        ..Claim::undecided(systems.to_vec(), Basis::Inference, collection.answers())
    };
    if collection.comparisons().is_empty() {
        return undecided.withdrawn(NoClaimReason::NoAnswers);
    }
    if collection.holds_style() {
        return undecided.withdrawn(NoClaimReason::StyleHeld);
    }
    let first: Vec<&Ranks> = ranks.iter().filter(|one| one.rank_low == 1).collect();
    let place = |name: &str| systems.iter().position(|system| system == name);
    let open = |near: Vec<&Ranks>| {
        // The likeliest to be beaten by nobody come first, so that one test usually tells.
        let mut all = ranks.iter().filter_map(|one| place(&one.system));
        let is_beaten = |system| {
            let rows = collection.comparisons();
            is_beaten(systems.len(), system, rows, viewpoint.details(), confidence)
        };
        let names = near.iter().map(|one| one.system.clone());
        undecided.clone().withdrawn(match all.all(is_beaten) {
            true => NoClaimReason::NoWinner,
            false => NoClaimReason::NotToldApart(names.collect()),
        })
    };
    let [only] = first[..] else {
        return open(first);
    };
    if only.rank_high > 1 {
        let near = ranks.iter().filter(|one| one.rank_low <= only.rank_high);
        return open(near.collect());
    }
    let system = place(&only.system);
    let OwnDuels {
        not_beaten,
        never_met,
    } = own_duels(
        systems.len(),
        system.expect("one of the systems ranked"),
        collection.comparisons(),
        viewpoint.details(),
        confidence,
    );
    if !not_beaten.is_empty() {
        let names = not_beaten.iter().map(|&other| systems[other].clone());
        return undecided.withdrawn(NoClaimReason::OwnDuels(names.collect()));
    }
    let mut assumes = vec![Premise::NotAdaptive, Premise::LargeSample];
    assumes.extend((!never_met.is_empty()).then_some(Premise::Transitive));
    let drawn = viewpoint.about == ClaimPopulation::Panel;
    assumes.extend(drawn.then_some(Premise::AnnotatorsDrawnAtRandom));
    Claim {
        kind: ClaimKind::Best,
        systems: vec![only.system.clone()],
        confidence: Some(confidence),
        assumes,
        ..undecided
    }
}
