//! The verdicts of a judge as comparisons: weighted, clustered by item, in the judge's name.
//!
//! A judge gives a probability p that the first of two outputs is better. That is taken for |2p − 1| of a win (or of a
//! loss) and the rest of a tie: its score is p, and comparisons vary as much as verdicts do. A verdict of 1, ½ or 0 is
//! one comparison. Both parts are on one item, so they are never two pieces of evidence.

use super::Collection;
use crate::estimators::bradley_terry::StrengthComparison;
use crate::estimators::margins::MarginPrediction;
use std::collections::BTreeSet;
use tiebreak_base::duel::{Outcome, Pair};

/// What a collection knows of the judge whose verdicts it holds.
#[derive(Debug, Clone)]
pub(super) struct CollectedVerdicts {
    /// The judge's name.
    pub judge: String,
    /// The signature of the verdicts.
    pub signature: String,
    /// The weight of each comparison; those of one verdict sum to 1.
    pub weights: Vec<f64>,
    /// The number of verdicts.
    pub number: u64,
    /// The number of verdicts about each system.
    pub of_system: Vec<u64>,
}

impl Collection {
    /// Creates a collection of a judge's verdicts, in the order of items; `signature` is what made them.
    pub fn of_verdicts(
        systems: Vec<String>,
        (judge, signature): (&str, &str),
        verdicts: &[MarginPrediction],
    ) -> Self {
        let mut held = CollectedVerdicts {
            judge: judge.to_string(),
            signature: signature.to_string(),
            weights: Vec::new(),
            number: verdicts.len() as u64,
            of_system: vec![0; systems.len()],
        };
        let mut comparisons = Vec::new();
        for verdict in verdicts {
            for system in [verdict.pair.first, verdict.pair.second] {
                held.of_system[system.index()] += 1;
            }
            for (outcome, weight) in parts(verdict.score) {
                comparisons.push(StrengthComparison {
                    item: verdict.item,
                    pair: verdict.pair,
                    outcome,
                });
                held.weights.push(weight);
            }
        }
        let mut collection = Self::new(systems);
        collection.comparisons = comparisons;
        collection.verdicts = Some(held);
        collection
    }

    /// The weight of the comparison at a place: 1 unless it is a part of a verdict.
    pub fn weight(&self, place: usize) -> f64 {
        let verdicts = self.verdicts.as_ref();
        verdicts.map_or(1.0, |held| held.weights[place])
    }

    /// The number of people's answers, or of verdicts.
    pub(super) fn answers(&self) -> u64 {
        let comparisons = self.comparisons().len() as u64;
        let verdicts = self.verdicts.as_ref();
        verdicts.map_or(comparisons, |held| held.number)
    }

    /// The number of pairs of systems that a judge never compared; 0 where people did.
    pub(super) fn unmet(&self) -> u64 {
        if self.verdicts.is_none() {
            return 0;
        }
        let all = self.comparisons().iter();
        let met: BTreeSet<Pair> = all.map(|one| one.pair.lower_first()).collect();
        let k = self.systems().len();
        let pairs = k * k.saturating_sub(1) / 2;
        pairs.saturating_sub(met.len()) as u64
    }

    /// The judge whose verdicts these are, unless they are people's answers.
    pub(super) fn judge(&self) -> Option<&str> {
        self.verdicts.as_ref().map(|held| held.judge.as_str())
    }
}

/// The outcomes that a verdict with the margin 2p − 1 is made of, with their weights.
fn parts(margin: f64) -> impl Iterator<Item = (Outcome, f64)> {
    let decided = match margin > 0.0 {
        true => Outcome::Win,
        false => Outcome::Loss,
    };
    let size = margin.abs();
    let parts = [(decided, size), (Outcome::Tie, 1.0 - size)];
    parts.into_iter().filter(|(_, weight)| *weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;
    use tiebreak_base::rng::Seed;
    use tiebreak_base::scope::ResultScope;

    fn verdict(item: u32, p: f64) -> MarginPrediction {
        MarginPrediction {
            item,
            pair: Pair::new(Arm(0), Arm(1)),
            score: 2.0 * p - 1.0,
        }
    }

    fn collection(all: &[MarginPrediction]) -> Collection {
        let systems = ["atlas", "birch"].map(str::to_string).to_vec();
        Collection::of_verdicts(systems, ("gpt-4", "logs"), all)
    }

    #[test]
    fn the_parts_of_a_verdict_score_what_it_says() {
        for p in [0.0, 0.1, 0.5, 0.73, 1.0] {
            let parts: Vec<_> = parts(2.0 * p - 1.0).collect();
            let score: f64 = parts.iter().map(|(one, weight)| one.value() * weight).sum();
            let weight: f64 = parts.iter().map(|(_, weight)| weight).sum();
            assert!(
                (score - p).abs() < 1e-12 && (weight - 1.0).abs() < 1e-12,
                "{p}"
            );
        }
    }

    /// The estimate must be the log-odds of the mean verdict, with half a win and half a loss of each system.
    #[test]
    fn strengths_are_those_of_the_mean_verdict() {
        let all: Vec<_> = (0..400)
            .map(|item| verdict(item, if item % 4 == 0 { 0.2 } else { 0.8 }))
            .collect();
        let ranking = collection(&all).rank(ResultScope::default(), 0.95, Seed(1));
        let gap = ranking.strengths[0].strength.unwrap() - ranking.strengths[1].strength.unwrap();
        let mean: f64 = 0.65;
        assert!((gap - (mean / (1.0 - mean)).ln()).abs() < 0.01, "{gap}");
        assert_eq!(ranking.strengths[0].comparisons, 400);
        assert_eq!((ranking.claim.n, ranking.evidence.answers), (400, 400));
        assert_eq!(ranking.claim.judge.as_deref(), Some("gpt-4"));
        // By the delta method: the deviation of a verdict over √n p (1 − p).
        let deviation = (0.75_f64 * 0.15 * 0.15 + 0.25 * 0.45 * 0.45).sqrt();
        let error = deviation / 20.0 / (mean * (1.0 - mean));
        let ends = ranking.strengths[0].upper.unwrap() - ranking.strengths[0].lower.unwrap();
        let expected = 2.0 * 1.966 * error / 2.0;
        assert!((ends / expected - 1.0).abs() < 0.2, "{ends} for {expected}");
    }

    /// Hard verdicts are the comparisons of one annotator, but for whose they are.
    #[test]
    fn hard_verdicts_rank_as_comparisons_do() {
        let outcome = |item: u32| [1.0, 0.5, 0.0, 1.0, 1.0][item as usize % 5];
        let all: Vec<_> = (0..60).map(|item| verdict(item, outcome(item))).collect();
        let judged = collection(&all).rank(ResultScope::default(), 0.95, Seed(1));
        let mut people = Collection::new(judged.systems.clone());
        for item in 0..60 {
            let outcome = match outcome(item) {
                1.0 => Outcome::Win,
                0.5 => Outcome::Tie,
                _ => Outcome::Loss,
            };
            let pair = Pair::new(Arm(0), Arm(1));
            let comparison = StrengthComparison {
                item,
                pair,
                outcome,
            };
            people.push(comparison, None);
        }
        let answered = people.rank(ResultScope::default(), 0.95, Seed(1));
        assert_eq!(judged.strengths, answered.strengths);
        assert_eq!(judged.ranks, answered.ranks);
        assert_eq!(judged.claim.kind, answered.claim.kind);
        assert_ne!(judged.claim.about, answered.claim.about);
    }
}
