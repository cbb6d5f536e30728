//! Outputs that people judged, each with the mean of its judgments.

use super::counting::CountedJudgments;
use super::soft_pairwise::Differences;
use super::{Coefficient, Grouping, Human, Layout, Pairing, Resampler, Statistic, Value};
use super::{between_systems, copying_resampler, system_means};
use std::cell::LazyCell;
use tiebreak_base::stats::correlation::ascending;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::tie_calibration::TieCalibration;

/// Outputs with their mean human judgments.
#[derive(Debug, Clone)]
pub struct JudgedOutputs {
    layout: Layout,
    human: Vec<f64>,
}

impl JudgedOutputs {
    /// The outputs of a layout, with one finite number each in `human`; the larger, the better.
    ///
    /// # Panics
    /// If there are more or fewer numbers than outputs.
    pub fn new(layout: Layout, human: Vec<f64>) -> Self {
        assert_eq!(layout.outputs(), human.len(), "one judgment per output");
        Self { layout, human }
    }

    /// The mean over items of the coefficient within each of them, where it exists.
    fn mean_over_items(&self, scores: &[f64], coefficient: Coefficient) -> Value {
        let of_item = |item| {
            let outputs = self.layout.of_item(item);
            coefficient.correlation(&self.human[outputs.clone()], &scores[outputs])
        };
        let values: Moments = (0..self.layout.items()).filter_map(of_item).collect();
        Value::new(values.mean(), values.count())
    }

    /// The tie calibration over pairs, with equal weight for each item that has one, and the number of those items.
    fn pairs(&self, scores: &[f64], pairing: &Pairing) -> (TieCalibration, u64) {
        let (mut calibration, mut items) = (TieCalibration::default(), 0);
        let mut pairs = Vec::new();
        for item in 0..self.layout.items() {
            pairing.pairs(&self.layout, item, &mut pairs);
            items += u64::from(!pairs.is_empty());
            for &(a, b) in &pairs {
                let ordered = ascending(self.human[a], self.human[b]);
                calibration.push(ordered, scores[a] - scores[b], 1.0 / pairs.len() as f64);
            }
        }
        (calibration, items)
    }

    fn soft_pairwise_accuracy(&self, scores: &[f64], pairing: &Pairing) -> Value {
        let differences = |scores| Differences::from_scores(&self.layout, scores, pairing);
        let (value, n) = differences(&self.human).soft_accuracy(&differences(scores));
        Value::new(value, n)
    }
}

impl Human for JudgedOutputs {
    const STATISTICS: &'static [Statistic] = &[
        Grouping::Item.with(Coefficient::Pearson),
        Grouping::Item.with(Coefficient::Spearman),
        Grouping::Item.with(Coefficient::Kendall),
        Grouping::Item.with(Coefficient::Accuracy),
        Grouping::Item.with(Coefficient::CalibratedAccuracy),
        Grouping::Global.with(Coefficient::Pearson),
        Grouping::Global.with(Coefficient::Spearman),
        Grouping::Global.with(Coefficient::Kendall),
        Grouping::System.with(Coefficient::Pearson),
        Grouping::System.with(Coefficient::Spearman),
        Grouping::System.with(Coefficient::Kendall),
        Grouping::System.with(Coefficient::Accuracy),
        Grouping::System.with(Coefficient::SoftPairwiseAccuracy),
    ];

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn values_of(&self, scores: &[f64], wanted: &[Statistic], pairing: &Pairing) -> Vec<Value> {
        use Coefficient::{Accuracy, CalibratedAccuracy, SoftPairwiseAccuracy};
        let pairs = LazyCell::new(|| {
            let (pairs, n) = self.pairs(scores, pairing);
            (pairs.calibrate(), n)
        });
        let sides = LazyCell::new(|| self.sides(scores));
        let value = |one: &Statistic| match (one.grouping, one.coefficient) {
            (Grouping::Item, coefficient @ (Accuracy | CalibratedAccuracy)) => {
                Value::of_pairs(pairs.0, coefficient, pairs.1)
            }
            (Grouping::Item, coefficient) => self.mean_over_items(scores, coefficient),
            (Grouping::Global, coefficient) => {
                let value = coefficient.correlation(&self.human, scores);
                Value::new(value, scores.len() as u64)
            }
            (Grouping::System, SoftPairwiseAccuracy) => {
                self.soft_pairwise_accuracy(scores, pairing)
            }
            (Grouping::System, coefficient) => between_systems(coefficient, &self.layout, &sides),
        };
        wanted.iter().map(value).collect()
    }

    fn sides(&self, scores: &[f64]) -> [Vec<Option<f64>>; 2] {
        [&self.human, scores].map(|scores| system_means(&self.layout, scores))
    }

    fn resampled(&self, items: &[usize], systems: &[usize]) -> (Self, Vec<usize>) {
        let (layout, source) = self.layout.resampled(items, systems);
        let human = source.iter().map(|&output| self.human[output]).collect();
        (Self { layout, human }, source)
    }

    fn resampler<'a>(
        &'a self,
        metrics: &'a [Vec<f64>],
        wanted: &'a [Statistic],
    ) -> Box<Resampler<'a>> {
        match CountedJudgments::new(&self.layout, &self.human, metrics, wanted) {
            Some(counted) => {
                Box::new(move |buffers, items, systems, _| counted.values(buffers, items, systems))
            }
            None => copying_resampler(self, metrics, wanted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ResampleBuffers;
    use super::*;
    use tiebreak_base::rng::{Rng, Seed};

    /// Items by all systems, or by some; scores with many ties, with few or none.
    fn judged(rng: &mut Rng, whole: bool) -> (JudgedOutputs, Vec<Vec<f64>>) {
        let (systems, mut layout) = (2 + rng.below(7), Layout::new(9));
        for _ in 0..=rng.below(30) {
            let mut all: Vec<usize> = (0..systems).collect();
            if !whole {
                rng.shuffle(&mut all);
                all.truncate(rng.below(systems + 1));
            }
            layout.push(all);
        }
        let n = layout.outputs();
        let mut side = |few: usize| -> Vec<f64> {
            let number = |_| (rng.below(few) as f64 - 2.0) / 7.0;
            (0..n).map(number).collect()
        };
        let metrics = vec![side(4), side(60), side(1 << 20), side(1)];
        (JudgedOutputs::new(layout, side(5)), metrics)
    }

    #[test]
    fn counting_finds_what_copies_have() {
        let (mut defined, mut buffers) = (0, ResampleBuffers::default());
        for run in 0..200 {
            let mut rng = Seed(run).stream("test", 0);
            let (human, metrics) = judged(&mut rng, run % 2 == 0);
            let counted = human.resampler(&metrics, JudgedOutputs::STATISTICS);
            let copied = copying_resampler(&human, &metrics, JudgedOutputs::STATISTICS);
            let n = human.layout.items();
            let systems: Vec<usize> = match run % 3 {
                0 => (0..9).collect(),
                _ => (0..9).map(|_| rng.below(9)).collect(),
            };
            let items: Vec<usize> = (0..n * 4).map(|_| rng.below(n)).collect();
            let all = Pairing::all(9);
            let found = counted(&mut buffers, &items, &systems, &all);
            assert_eq!(found, copied(&mut buffers, &items, &systems, &all), "{run}");
            defined += found.iter().flatten().count();
        }
        assert!(defined > 4000, "{defined}");
    }
}
