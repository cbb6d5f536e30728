//! Everything that is counted in the one pass.

use super::{AnnotatorSummary, CriterionSummary, Labels, PairSummary, SystemSummary};
use crate::duel::Arm;
use crate::error::{Error, Result};
use crate::records::index::{GroupComparison, GroupJudgment};
use crate::records::{Dataset, Group, Index, Kind};
use std::collections::BTreeMap;

/// Most systems whose pairs are counted; beyond, the counts alone would take gigabytes.
const SYSTEMS: usize = 5000;

pub(super) struct Counts {
    pub with_source: u64,
    /// Fewest and most references of an item.
    pub references: Option<[u64; 2]>,
    pub systems: Vec<SystemSummary>,
    pub criteria: Vec<CriterionSummary>,
    pub labels: Labels,
    pub comparisons_without_output: u64,
    pub judgments_without_output: u64,
    has_outputs: bool,
    /// Comparisons and judgments of each annotator.
    annotators: BTreeMap<Option<String>, [u64; 2]>,
    /// For a before b, row by row of the upper triangle.
    pairs: Vec<Pair>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    both: u64,
    identical: u64,
    labels: Labels,
}

impl Counts {
    /// # Errors
    /// If there are too many systems.
    pub fn new(index: &Index, dataset: &Dataset) -> Result<Self> {
        let k = index.systems().len();
        if k > SYSTEMS {
            let what = format!("{k} systems, more than the {SYSTEMS} whose pairs can be counted");
            return Err(Error::input(dataset.path(), what)
                .with_hint("is another column meant to be the system?"));
        }
        let system = |name: &String| SystemSummary {
            system: name.clone(),
            outputs: 0,
            missing: 0,
            empty: 0,
            comparisons: 0,
            judgments: 0,
        };
        let criterion = |name: &String| CriterionSummary {
            criterion: name.clone(),
            judgments: 0,
            min: f64::INFINITY,
            mean: 0.0,
            max: f64::NEG_INFINITY,
        };
        Ok(Self {
            with_source: 0,
            references: None,
            systems: index.systems().iter().map(system).collect(),
            criteria: index.criteria().iter().map(criterion).collect(),
            labels: Labels::default(),
            comparisons_without_output: 0,
            judgments_without_output: 0,
            has_outputs: index.has(Kind::Outputs),
            annotators: BTreeMap::new(),
            pairs: vec![Pair::default(); k * k.saturating_sub(1) / 2],
        })
    }

    pub fn add(&mut self, group: &Group) {
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
        for system in &mut self.systems {
            system.missing += u64::from(self.has_outputs);
        }
        for (i, output) in group.outputs.iter().enumerate() {
            let system = &mut self.systems[output.system.index()];
            system.outputs += 1;
            system.missing -= 1;
            system.empty += u64::from(output.text.is_empty());
            for other in &group.outputs[..i] {
                let pair = self.pair(other.system, output.system);
                pair.both += 1;
                pair.identical += u64::from(other.text == output.text);
            }
        }
    }

    fn add_comparison(&mut self, group: &Group, comparison: &GroupComparison) {
        let &GroupComparison { a, b, outcome, .. } = comparison;
        self.labels.count(outcome);
        if a < b {
            self.pair(a, b).labels.count(outcome);
        } else {
            self.pair(b, a).labels.count(outcome.flipped());
        }
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

    fn pair(&mut self, a: Arm, b: Arm) -> &mut Pair {
        let (a, b, k) = (a.index(), b.index(), self.systems.len());
        &mut self.pairs[a * (2 * k - a - 1) / 2 + b - a - 1]
    }

    /// All pairs, by name.
    pub fn pairs(&self, systems: &[String]) -> Vec<PairSummary> {
        let names = systems.iter().enumerate().flat_map(|(i, a)| {
            let later = systems[i + 1..].iter();
            later.map(move |b| (a, b))
        });
        let summary = |((a, b), pair): ((&String, &String), &Pair)| PairSummary {
            system_a: a.clone(),
            system_b: b.clone(),
            items: pair.both,
            identical: pair.identical,
            comparisons: pair.labels.total(),
            labels: pair.labels,
            preference: pair.labels.mean(),
        };
        names.zip(&self.pairs).map(summary).collect()
    }

    /// All annotators, the unknown ones first.
    pub fn annotators(&self) -> Vec<AnnotatorSummary> {
        let summary =
            |(name, &[comparisons, judgments]): (&Option<String>, &[u64; 2])| AnnotatorSummary {
                annotator: name.clone(),
                comparisons,
                judgments,
            };
        self.annotators.iter().map(summary).collect()
    }
}

impl Labels {
    /// The shares of loss, tie and win in percent; `None` without any.
    pub(super) fn percent(&self) -> Option<[f64; 3]> {
        let share = |outcome| super::share(outcome, self.total()).map(|share| 100.0 * share);
        Some([share(self.loss)?, share(self.tie)?, share(self.win)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Outcome;

    #[test]
    fn labels_have_a_mean_once_there_are_any() {
        let mut labels = Labels::default();
        assert_eq!((labels.mean(), labels.percent()), (None, None));
        for outcome in [Outcome::Win, Outcome::Tie, Outcome::Tie, Outcome::Loss] {
            labels.count(outcome);
        }
        assert_eq!(labels.mean(), Some(0.5));
        assert_eq!(labels.percent(), Some([25.0, 50.0, 25.0]));
    }
}
