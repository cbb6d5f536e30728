//! Counts of a data set, taken in one pass.

use super::{AnnotatorSummary, CriterionSummary, OutcomeCounts, PairSummary, SystemSummary};
use crate::records::index::{GroupComparison, GroupJudgment, GroupOutput};
use crate::records::{Group, Index, Kind};
use std::collections::{BTreeMap, HashMap};
use tiebreak_base::duel::Arm;

/// Most systems for which all pairs are listed.
const SYSTEMS: usize = 500;

#[derive(Default)]
pub(super) struct DatasetCounts {
    pub with_source: u64,
    /// Fewest and most references of an item.
    pub references: Option<[u64; 2]>,
    pub systems: Vec<SystemSummary>,
    pub criteria: Vec<CriterionSummary>,
    pub labels: OutcomeCounts,
    pub comparisons_without_output: u64,
    pub judgments_without_output: u64,
    has_outputs: bool,
    /// Totals over all pairs of systems.
    pub shared: SharedItemCounts,
    /// Outcomes of the pairs that were compared, a before b.
    pub compared: BTreeMap<(Arm, Arm), OutcomeCounts>,
    items: u64,
    /// Comparisons and judgments of each annotator.
    annotators: BTreeMap<Option<String>, [u64; 2]>,
    /// Counts for a before b, row by row of the upper triangle; `None` where there are very many.
    pairs: Option<Vec<SharedItemCounts>>,
}

/// Items with outputs of both systems.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SharedItemCounts {
    pub both: u64,
    pub identical: u64,
}

impl DatasetCounts {
    pub(super) fn new(index: &Index) -> Self {
        let k = index.systems().len();
        let system = |name: &String| SystemSummary {
            system: name.clone(),
            ..SystemSummary::default()
        };
        let criterion = |name: &String| CriterionSummary {
            criterion: name.clone(),
            judgments: 0,
            min: f64::INFINITY,
            mean: 0.0,
            max: f64::NEG_INFINITY,
        };
        Self {
            systems: index.systems().iter().map(system).collect(),
            criteria: index.criteria().iter().map(criterion).collect(),
            has_outputs: index.has(Kind::Outputs),
            pairs: (k <= SYSTEMS)
                .then(|| vec![SharedItemCounts::default(); k * k.saturating_sub(1) / 2]),
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, group: &Group) {
        self.items += 1;
        self.with_source += u64::from(group.source.is_some());
        let references = group.references.len() as u64;
        self.references = Some(match self.references {
            None => [references; 2],
            Some([min, max]) => [min.min(references), max.max(references)],
        });
        self.add_outputs(group);
        for comparison in &group.comparisons {
            self.add_comparison(group, comparison);
        }
        for judgment in &group.judgments {
            self.add_judgment(group, judgment);
        }
    }

    fn add_outputs(&mut self, group: &Group) {
        for output in &group.outputs {
            let system = &mut self.systems[output.system.index()];
            system.outputs += 1;
            system.empty += u64::from(output.text.is_empty());
        }
        self.shared.both += pairs_of(group.outputs.len() as u64);
        let mut copies: HashMap<&str, u64> = HashMap::new();
        for output in &group.outputs {
            *copies.entry(&output.text).or_default() += 1;
        }
        self.shared.identical += copies.into_values().map(pairs_of).sum::<u64>();
        if let Some(pairs) = &mut self.pairs {
            count_pairs(pairs, self.systems.len(), &group.outputs);
        }
    }

    fn add_comparison(&mut self, group: &Group, comparison: &GroupComparison) {
        let &GroupComparison { a, b, outcome, .. } = comparison;
        self.labels.count(outcome);
        let (pair, outcome) = match a < b {
            true => ((a, b), outcome),
            false => ((b, a), outcome.flipped()),
        };
        self.compared.entry(pair).or_default().count(outcome);
        for system in [a, b] {
            self.systems[system.index()].comparisons += 1;
        }
        let there = group.output(a).is_some() && group.output(b).is_some();
        self.comparisons_without_output += u64::from(self.has_outputs && !there);
        self.annotator(comparison.annotator.as_ref())[0] += 1;
    }

    fn add_judgment(&mut self, group: &Group, judgment: &GroupJudgment) {
        let criterion = &mut self.criteria[judgment.criterion];
        criterion.judgments += 1;
        criterion.min = criterion.min.min(judgment.score);
        criterion.max = criterion.max.max(judgment.score);
        // A running mean: a sum of large scores could overflow.
        criterion.mean += (judgment.score - criterion.mean) / criterion.judgments as f64;
        self.systems[judgment.system.index()].judgments += 1;
        let there = group.output(judgment.system).is_some();
        self.judgments_without_output += u64::from(self.has_outputs && !there);
        self.annotator(judgment.annotator.as_ref())[1] += 1;
    }

    fn annotator(&mut self, name: Option<&String>) -> &mut [u64; 2] {
        self.annotators.entry(name.cloned()).or_default()
    }

    /// Returns the systems, by name.
    pub(super) fn systems(&self) -> Vec<SystemSummary> {
        let mut systems = self.systems.clone();
        for system in systems.iter_mut().filter(|_| self.has_outputs) {
            system.missing = self.items - system.outputs;
        }
        systems
    }

    /// Returns all pairs, by name; where there are very many systems those that were compared.
    pub(super) fn pairs(&self) -> Vec<PairSummary> {
        let name = |arm: Arm| self.systems[arm.index()].system.clone();
        let summary = |a: Arm, b: Arm, shared: Option<&SharedItemCounts>| {
            let labels = self.compared.get(&(a, b)).copied().unwrap_or_default();
            PairSummary {
                system_a: name(a),
                system_b: name(b),
                items: shared.map(|shared| shared.both),
                identical: shared.map(|shared| shared.identical),
                comparisons: labels.total(),
                labels,
                preference: labels.mean(),
            }
        };
        let Some(pairs) = &self.pairs else {
            let compared = self.compared.keys();
            return compared.map(|&(a, b)| summary(a, b, None)).collect();
        };
        let k = self.systems.len();
        let all = (0..k).flat_map(|a| (a + 1..k).map(move |b| (Arm::from(a), Arm::from(b))));
        let all = all.zip(pairs);
        all.map(|((a, b), shared)| summary(a, b, Some(shared)))
            .collect()
    }

    /// Whether two systems have no item with outputs of both, as far as pairs are counted.
    pub(super) fn has_strangers(&self) -> bool {
        let mut pairs = self.pairs.iter().flatten();
        pairs.any(|shared| shared.both == 0)
    }

    /// Returns all annotators, the unknown ones first.
    pub(super) fn annotators(&self) -> Vec<AnnotatorSummary> {
        let summary =
            |(name, &[comparisons, judgments]): (&Option<String>, &[u64; 2])| AnnotatorSummary {
                annotator: name.clone(),
                comparisons,
                judgments,
            };
        self.annotators.iter().map(summary).collect()
    }
}

/// The number of pairs among `n`.
pub(super) fn pairs_of(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Counts the outputs of an item, in the order of systems, for each pair of the `k` systems.
fn count_pairs(pairs: &mut [SharedItemCounts], k: usize, outputs: &[GroupOutput]) {
    for (i, output) in outputs.iter().enumerate() {
        for other in &outputs[..i] {
            let (a, b) = (other.system.index(), output.system.index());
            let pair = &mut pairs[a * (2 * k - a - 1) / 2 + b - a - 1];
            pair.both += 1;
            pair.identical += u64::from(other.text == output.text);
        }
    }
}

impl OutcomeCounts {
    /// The shares of loss, tie and win in percent; `None` without any.
    pub(super) fn percent(&self) -> Option<[f64; 3]> {
        let share = |outcome| super::share(outcome, self.total()).map(|share| 100.0 * share);
        Some([share(self.loss)?, share(self.tie)?, share(self.win)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Outcome;

    #[test]
    fn labels_have_a_mean_once_there_are_any() {
        let mut labels = OutcomeCounts::default();
        assert_eq!((labels.mean(), labels.percent()), (None, None));
        for outcome in [Outcome::Win, Outcome::Tie, Outcome::Tie, Outcome::Loss] {
            labels.count(outcome);
        }
        assert_eq!(labels.mean(), Some(0.5));
        assert_eq!(labels.percent(), Some([25.0, 50.0, 25.0]));
    }
}
