//! Outputs that people compared in pairs.
//!
//! A comparison is agreed on when the metric orders the two outputs as the annotator did, or both
//! call a tie; every comparison counts once. Between systems, people's side is a system's mean
//! preference: the mean over its opponents of its mean outcome against each, so that it does not
//! matter how often which opponent was met. Soft pairwise accuracy takes what people said on an item as
//! the difference of two scores.

use super::soft_pairwise::Differences;
use super::{Coefficient, Grouping, Human, Layout, Statistic, Value};
use super::{between_systems, system_means};
use crate::duel::Outcome;
use crate::stats::moments::Moments;
use crate::stats::tie_calibration::TieCalibration;
use std::cmp::Ordering;

/// How a person ordered two outputs of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// An output of the layout.
    pub first: usize,
    /// Another output of the same item.
    pub second: usize,
    /// How the first fared.
    pub outcome: Outcome,
}

/// Outputs with how people ordered them.
#[derive(Debug, Clone)]
pub struct Compared {
    layout: Layout,
    /// In the order of items.
    answers: Vec<Answer>,
}

impl Compared {
    /// Answers about outputs of the layout, in the order of items.
    ///
    /// # Panics
    /// If an answer is about outputs of two items, or of an earlier item than the one before.
    pub fn new(layout: Layout, answers: Vec<Answer>) -> Self {
        let items = answers.chunk_by(|a, b| {
            let item = item_of(&layout, a.first);
            assert!(layout.of_item(item).contains(&a.second), "one item");
            item == item_of(&layout, b.first)
        });
        assert!(items.map(|one| one[0].first).is_sorted(), "items in order");
        Self { layout, answers }
    }

    fn pairs(&self, scores: &[f64]) -> TieCalibration {
        let mut calibration = TieCalibration::default();
        for answer in &self.answers {
            let ordered = match answer.outcome {
                Outcome::Loss => Ordering::Less,
                Outcome::Tie => Ordering::Equal,
                Outcome::Win => Ordering::Greater,
            };
            calibration.push(ordered, scores[answer.first] - scores[answer.second], 1.0);
        }
        calibration
    }

    /// Whether a metric is as sure as people are which of two systems is better, on the items on which
    /// people compared them.
    fn soft_pairwise_accuracy(&self, scores: &[f64]) -> Value {
        let k = self.layout.systems();
        let (mut people, mut metric) = (Differences::new(k), Differences::new(k));
        let mut left = self.answers.as_slice();
        for item in 0..self.layout.items() {
            let end = self.layout.of_item(item).end;
            let (of_item, others) = left.split_at(left.partition_point(|one| one.first < end));
            left = others;
            let seen = |one: &Answer| match one.first < one.second {
                true => (one.first, one.second, one.outcome.value()),
                false => (one.second, one.first, one.outcome.flipped().value()),
            };
            let mut seen: Vec<(usize, usize, f64)> = of_item.iter().map(seen).collect();
            seen.sort_unstable_by_key(|&(first, second, _)| (first, second));
            for pair in seen.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                let (first, second, _) = pair[0];
                let systems = [first, second].map(|output| self.layout.system(output));
                // Outcomes are halves, so their sum does not depend on their order.
                let mean = pair.iter().map(|one| one.2).sum::<f64>() / pair.len() as f64;
                people.push(systems, 2.0 * mean - 1.0);
                metric.push(systems, scores[first] - scores[second]);
            }
        }
        let (value, n) = people.soft_accuracy(&metric);
        Value::new(value, n)
    }

    /// Each system's mean over opponents of its mean outcome; `None` for those never compared.
    fn preferences(&self) -> Vec<Option<f64>> {
        let k = self.layout.systems();
        let mut outcomes = vec![(0.0, 0_u32); k * k];
        for answer in &self.answers {
            let [a, b] = [answer.first, answer.second].map(|output| self.layout.system(output));
            for (at, outcome) in [
                (a * k + b, answer.outcome),
                (b * k + a, answer.outcome.flipped()),
            ] {
                outcomes[at].0 += outcome.value();
                outcomes[at].1 += 1;
            }
        }
        let preference = |opponents: &[(f64, u32)]| {
            let met = opponents.iter().filter(|(_, n)| *n > 0);
            let means: Moments = met.map(|(sum, n)| sum / f64::from(*n)).collect();
            means.mean()
        };
        outcomes.chunks_exact(k.max(1)).map(preference).collect()
    }
}

/// The item of an output.
fn item_of(layout: &Layout, output: usize) -> usize {
    let (mut low, mut high) = (0, layout.items());
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        match layout.of_item(middle).start <= output {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

impl Human for Compared {
    const STATISTICS: &'static [Statistic] = &[
        Grouping::Global.with(Coefficient::Accuracy),
        Grouping::Global.with(Coefficient::CalibratedAccuracy),
        Grouping::System.with(Coefficient::Pearson),
        Grouping::System.with(Coefficient::Spearman),
        Grouping::System.with(Coefficient::Kendall),
        Grouping::System.with(Coefficient::Accuracy),
        Grouping::System.with(Coefficient::SoftPairwiseAccuracy),
    ];

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn value(&self, scores: &[f64], statistic: Statistic) -> Value {
        let n = self.answers.len() as u64;
        match (statistic.grouping, statistic.coefficient) {
            (Grouping::Global, Coefficient::CalibratedAccuracy) => {
                Value::calibrated(self.pairs(scores), n)
            }
            (Grouping::Global, Coefficient::Accuracy) => {
                Value::new(self.pairs(scores).accuracy(), n)
            }
            (Grouping::System, Coefficient::SoftPairwiseAccuracy) => {
                self.soft_pairwise_accuracy(scores)
            }
            (Grouping::System, coefficient) => {
                let metric = system_means(&self.layout, scores);
                between_systems(coefficient, &self.layout, &self.preferences(), &metric)
            }
            _ => Value::default(),
        }
    }

    /// A comparison of systems drawn a and b times is there a·b times.
    fn resampled(&self, items: &[usize], systems: &[usize]) -> (Self, Vec<usize>) {
        let (layout, source) = self.layout.resampled(items, systems);
        let mut answers = Vec::with_capacity(self.answers.len());
        for (drawn, &item) in items.iter().enumerate() {
            let (old, new) = (self.layout.of_item(item), layout.of_item(drawn));
            let block = &source[new.clone()];
            let copies = |output: usize| {
                let end = |n: usize| new.start + block.partition_point(|&from| from < n);
                end(output)..end(output + 1)
            };
            let begin = self.answers.partition_point(|one| one.first < old.start);
            for answer in &self.answers[begin..] {
                if answer.first >= old.end {
                    break;
                }
                for first in copies(answer.first) {
                    answers.extend(copies(answer.second).map(|second| Answer {
                        first,
                        second,
                        outcome: answer.outcome,
                    }));
                }
            }
        }
        (Self { layout, answers }, source)
    }
}
