//! Tests whether a system beats the others in its own comparisons with them.
//!
//! Strengths pool: a system may be strongest although another one beats it (rock, paper, scissors with
//! unequal margins). Before it is called best its own comparisons with each other system must show that
//! it beats that one: the mean of its outcomes less ½ is tested by Student's t, two-sided, with weights, and with
//! variances over items, or over annotators and items where results are for people like these, as strengths have them
//! ([`crate::estimators::bradley_terry`]). Every test must succeed, so none is corrected for their
//! number: where a system does not beat all others, one of them may be fixed beforehand that must fail
//! (an intersection-union test, Berger, Technometrics 1982). Two-sided, because two systems may be
//! candidates against each other.

use crate::estimators::bradley_terry::{ComparisonDetails, StrengthComparison};
use crate::estimators::shares::{ClusterCorrection, uneven};
use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::stats::quantiles::two_sided_t;

/// The results of a system's own comparisons with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct OwnDuels {
    /// Systems it was compared with that it is not shown to beat.
    pub not_beaten: Vec<usize>,
    /// Systems it was never compared with.
    pub never_met: Vec<usize>,
}

/// Tests `system`'s comparisons with each of the `k − 1` others.
pub(crate) fn own_duels(
    k: usize,
    system: usize,
    comparisons: &[StrengthComparison],
    details: ComparisonDetails<'_>,
    confidence: f64,
) -> OwnDuels {
    let mut found = OwnDuels::default();
    for (other, duel) in PairDuelValues::each(k, system, comparisons, details) {
        if duel.values.is_empty() {
            found.never_met.push(other);
        } else if !duel.shows(confidence) {
            found.not_beaten.push(other);
        }
    }
    found
}

/// Whether another of the `k` systems is shown to beat `system` in their own comparisons, at a confidence for all others
/// together (Bonferroni).
pub(crate) fn is_beaten(
    k: usize,
    system: usize,
    comparisons: &[StrengthComparison],
    details: ComparisonDetails<'_>,
    confidence: f64,
) -> bool {
    let each = 1.0 - (1.0 - confidence) / (k as f64 - 1.0);
    let mut duels = PairDuelValues::each(k, system, comparisons, details);
    duels.any(|(_, duel)| !duel.values.is_empty() && duel.flipped().shows(each))
}

/// The opponent of `system` and its outcome; `None` for a comparison of others.
fn seen_by(system: usize, one: &StrengthComparison) -> Option<(usize, Outcome)> {
    match one.pair.indices() {
        (a, b) if a == system => Some((b, one.outcome)),
        (a, b) if b == system => Some((a, one.outcome.flipped())),
        _ => None,
    }
}

/// One comparison of a pair.
#[derive(Debug)]
struct DuelValue {
    item: u32,
    /// The annotator, where results are for people like them.
    annotator: Option<u32>,
    weight: f64,
    /// The outcome less ½.
    margin: f64,
}

/// The comparisons of one pair.
#[derive(Debug)]
struct PairDuelValues {
    values: Vec<DuelValue>,
}

impl PairDuelValues {
    /// A system's comparisons with each of the others, as it fared.
    fn each(
        k: usize,
        system: usize,
        comparisons: &[StrengthComparison],
        details: ComparisonDetails<'_>,
    ) -> impl Iterator<Item = (usize, Self)> {
        let mut values: Vec<Vec<DuelValue>> = (0..k).map(|_| Vec::new()).collect();
        for (place, one) in comparisons.iter().enumerate() {
            let Some((other, outcome)) = seen_by(system, one) else {
                continue;
            };
            values[other].push(DuelValue {
                item: one.item,
                annotator: details.annotators.map(|all| all[place]),
                weight: details.weight(place),
                margin: outcome.value() - 0.5,
            });
        }
        let duels = values.into_iter().map(|values| Self { values }).enumerate();
        duels.filter(move |(other, _)| *other != system)
    }

    /// The same comparisons, as the other one fared.
    fn flipped(mut self) -> Self {
        for one in &mut self.values {
            one.margin = -one.margin;
        }
        self
    }

    fn sum(&self, of_one: impl Fn(&DuelValue) -> f64) -> f64 {
        self.values.iter().map(of_one).sum()
    }

    /// Whether the mean is significantly above 0.
    fn shows(&self, confidence: f64) -> bool {
        let total = self.sum(|one| one.weight);
        let mean = self.sum(|one| one.weight * one.margin) / total;
        let (over_items, mut degrees) = self.spread(mean, |one| u64::from(one.item));
        let mut variance = over_items;
        if self.values.iter().all(|one| one.annotator.is_some()) {
            let person = |one: &DuelValue| u64::from(one.annotator.unwrap_or_default());
            let (over_people, of_people) = self.spread(mean, person);
            let (over_both, _) = self.spread(mean, |one| (person(one) << 32) | u64::from(one.item));
            variance = over_people + (over_items - over_both).max(0.0);
            degrees = degrees.min(of_people);
        }
        // Equal margins have no variance: one more half is assumed to have gone the other way.
        let number = total * total / self.sum(|one| one.weight * one.weight);
        let variance = variance.max(0.25 / (number * number));
        let reach = two_sided_t(confidence, degrees);
        reach.is_some_and(|reach| mean > reach * variance.sqrt())
    }

    /// The variance of the mean over clusters, and its degrees of freedom.
    fn spread(&self, mean: f64, cluster: impl Fn(&DuelValue) -> u64) -> (f64, u64) {
        let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
        for one in &self.values {
            *sums.entry(cluster(one)).or_default() += one.weight * (one.margin - mean);
        }
        let total = self.sum(|one| one.weight);
        let squares: f64 = sums.values().map(|sum| sum * sum).sum();
        let rows = uneven(
            1,
            self.values.iter().map(|one| (0, cluster(one), one.weight)),
        );
        let ClusterCorrection { larger, degrees } = rows[0];
        (larger * larger * squares / (total * total), degrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Pair};

    fn rows(first: u16, second: u16, wins: u32, losses: u32) -> Vec<StrengthComparison> {
        let pair = Pair::new(Arm(first), Arm(second));
        let outcome = |item| {
            if item < wins {
                Outcome::Win
            } else {
                Outcome::Loss
            }
        };
        let one = |item| StrengthComparison {
            item,
            pair,
            outcome: outcome(item),
        };
        (0..wins + losses).map(one).collect()
    }

    #[test]
    fn a_clear_cycle_has_no_winner_and_chance_makes_none() {
        let cycle = |wins: u32| {
            let losses = 100 - wins;
            let pairs = [(0, 1), (1, 2), (2, 0)];
            pairs
                .map(|(one, other)| rows(one, other, wins, losses))
                .concat()
        };
        let beaten = |all: &[StrengthComparison]| {
            let is_beaten =
                |&system: &usize| is_beaten(3, system, all, ComparisonDetails::default(), 0.95);
            (0..3).filter(is_beaten).count()
        };
        assert_eq!([80, 55].map(|wins| beaten(&cycle(wins))), [3, 0]);
        let order = [rows(0, 1, 80, 20), rows(0, 2, 80, 20), rows(1, 2, 80, 20)].concat();
        assert_eq!(beaten(&order), 2);
    }

    #[test]
    fn a_system_must_beat_every_other_one_itself() {
        let all = [rows(0, 1, 30, 10), rows(2, 0, 10, 30), rows(1, 2, 20, 20)].concat();
        assert_eq!(
            own_duels(3, 0, &all, ComparisonDetails::default(), 0.95),
            OwnDuels::default()
        );
        assert_eq!(
            own_duels(3, 1, &all, ComparisonDetails::default(), 0.95).not_beaten,
            [0, 2]
        );
        let missing = own_duels(4, 0, &all, ComparisonDetails::default(), 0.95);
        assert_eq!(missing.never_met, [3]);
        // One item shows nothing about others, and one annotator nothing about people.
        let one: Vec<StrengthComparison> = all
            .iter()
            .map(|one| StrengthComparison { item: 0, ..*one })
            .collect();
        assert_eq!(
            own_duels(3, 0, &one, ComparisonDetails::default(), 0.95).not_beaten,
            [1, 2]
        );
        let ann = vec![0; all.len()];
        let by_ann = ComparisonDetails {
            annotators: Some(&ann),
            ..ComparisonDetails::default()
        };
        assert_eq!(own_duels(3, 0, &all, by_ann, 0.95).not_beaten, [1, 2]);
    }

    #[test]
    fn a_few_wins_of_one_kind_prove_nothing() {
        assert_eq!(
            own_duels(2, 0, &rows(0, 1, 2, 0), ComparisonDetails::default(), 0.95).not_beaten,
            [1]
        );
        assert!(
            own_duels(2, 0, &rows(0, 1, 12, 0), ComparisonDetails::default(), 0.95)
                .not_beaten
                .is_empty()
        );
    }
}
