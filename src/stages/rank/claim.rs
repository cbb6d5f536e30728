//! What a file of comparisons may claim, by one rule: the system that is alone at rank 1 of the ranks that
//! hold together, if its own comparisons show that it beats every other one.
//!
//! The order of rows is no order of asking: a file sorted by outcome would certify anything, so
//! nothing here depends on it. Nor is it assumed that a best system exists.

use super::Collection;
use crate::claims::{About, Basis, Claim, Items, Kind, Premise, Why};
use crate::evaluation::own_duels::{OwnDuels, own_duels};
use crate::inputs::source::Source;
use crate::tables::ranking::Ranks;

pub(super) fn of(
    source: &Source,
    collection: &Collection,
    about: About,
    ranks: &[Ranks],
    confidence: f64,
) -> Claim {
    let undecided = Claim {
        kind: Kind::Undecided,
        systems: Vec::new(),
        among: source.systems().to_vec(),
        confidence: None,
        assumes: Vec::new(),
        about,
        annotators: collection.people() as u64,
        items: Items::AtLarge,
        basis: Basis::Inference,
        n: collection.comparisons.len() as u64,
        margin: None,
        why: None,
    };
    if collection.comparisons.is_empty() {
        return undecided.withdrawn(Why::NoAnswers);
    }
    let first: Vec<&Ranks> = ranks.iter().filter(|one| one.rank_low == 1).collect();
    let [only] = first[..] else {
        let names = first.iter().map(|one| one.system.clone());
        return undecided.withdrawn(Why::NotToldApart(names.collect()));
    };
    if only.rank_high > 1 {
        let near = ranks.iter().filter(|one| one.rank_low <= only.rank_high);
        let names = near.map(|one| one.system.clone());
        return undecided.withdrawn(Why::NotToldApart(names.collect()));
    }
    let place = |system: &str| source.systems().iter().position(|name| name == system);
    let system = place(&only.system).expect("a system of the data");
    let OwnDuels {
        not_beaten,
        never_met,
    } = own_duels(
        source.systems().len(),
        system,
        &collection.comparisons,
        collection.annotators().filter(|_| about == About::Panel),
        confidence,
    );
    if !not_beaten.is_empty() {
        let names = not_beaten
            .iter()
            .map(|&other| source.systems()[other].clone());
        return undecided.withdrawn(Why::OwnDuels(names.collect()));
    }
    let mut assumes = vec![Premise::NotAdaptive, Premise::LargeSample];
    assumes.extend((!never_met.is_empty()).then_some(Premise::Transitive));
    let drawn = about == About::Panel;
    assumes.extend(drawn.then_some(Premise::AnnotatorsDrawnAtRandom));
    Claim {
        kind: Kind::Best,
        systems: vec![only.system.clone()],
        confidence: Some(confidence),
        assumes,
        ..undecided
    }
}
