//! Outputs that people compared in pairs.
//!
//! A comparison is agreed on when the metric orders the two outputs as the annotator did, or both
//! call a tie; every comparison counts once. Between systems, people's side is a system's mean
//! preference: the mean over its opponents of its mean outcome against each, so that it does not
//! matter how often which opponent was met. Soft pairwise accuracy takes people's answers on an item as
//! the difference of two scores.

use super::soft_pairwise::Differences;
use super::{Coefficient, Grouping, Human, Layout, Pairing, Statistic, Value};
use super::{between_systems, system_means};
use std::cell::LazyCell;
use tiebreak_base::duel::Outcome;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::tie_calibration::TieCalibration;

/// A person's preference between two outputs of one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputPreference {
    /// An output of the layout.
    pub first: usize,
    /// Another output of the same item.
    pub second: usize,
    /// The outcome for the first.
    pub outcome: Outcome,
}

/// Outputs with people's preferences between them.
#[derive(Debug, Clone)]
pub struct ComparedOutputs {
    layout: Layout,
    /// The pairs, in the order of items; each pair of outputs once.
    pairs: Vec<OutputPairAnswers>,
}

/// All answers about two outputs. A system's copies have the same answers, so only the first copy is stored, with the
/// weight of all of them.
#[derive(Debug, Clone, Copy)]
struct OutputPairAnswers {
    first: usize,
    second: usize,
    /// The number of losses, ties and wins of the first.
    answers: [f64; 3],
}

impl OutputPairAnswers {
    fn from_answer(answer: &OutputPreference) -> Self {
        let turned = answer.second < answer.first;
        let outcome = if turned {
            answer.outcome.flipped()
        } else {
            answer.outcome
        };
        let mut answers = [0.0; 3];
        answers[match outcome {
            Outcome::Loss => 0,
            Outcome::Tie => 1,
            Outcome::Win => 2,
        }] = 1.0;
        Self {
            first: answer.first.min(answer.second),
            second: answer.first.max(answer.second),
            answers,
        }
    }

    fn count(&self) -> f64 {
        self.answers.iter().sum()
    }
}

impl ComparedOutputs {
    /// The preferences between outputs of the layout, in the order of items.
    ///
    /// # Panics
    /// If an answer is about outputs of two items, or of an earlier item than the one before.
    pub fn new(layout: Layout, answers: &[OutputPreference]) -> Self {
        let items = answers.chunk_by(|a, b| {
            let item = item_of(&layout, a.first);
            assert!(layout.of_item(item).contains(&a.second), "one item");
            item == item_of(&layout, b.first)
        });
        assert!(items.map(|one| one[0].first).is_sorted(), "items in order");
        let mut all: Vec<OutputPairAnswers> =
            answers.iter().map(OutputPairAnswers::from_answer).collect();
        all.sort_by_key(|pair| (pair.first, pair.second));
        let mut pairs: Vec<OutputPairAnswers> = Vec::new();
        for pair in all {
            match pairs.last_mut() {
                Some(last) if (last.first, last.second) == (pair.first, pair.second) => {
                    let sums = last.answers.iter_mut().zip(pair.answers);
                    sums.for_each(|(sum, count)| *sum += count);
                }
                _ => pairs.push(pair),
            }
        }
        Self { layout, pairs }
    }

    fn calibration(&self, scores: &[f64]) -> TieCalibration {
        let mut calibration = TieCalibration::default();
        for pair in &self.pairs {
            calibration.push_all(pair.answers, scores[pair.first] - scores[pair.second]);
        }
        calibration
    }

    /// The soft pairwise accuracy of a metric, on the items on which people compared the systems.
    fn soft_pairwise_accuracy(&self, scores: &[f64]) -> Value {
        let all = || Differences::new(Pairing::all(self.layout.systems()));
        let (mut people, mut metric) = (all(), all());
        for pair in &self.pairs {
            let systems = [pair.first, pair.second].map(|output| self.layout.system(output));
            let [lost, _, won] = pair.answers;
            people.push(systems, (won - lost) / pair.count());
            metric.push(systems, scores[pair.first] - scores[pair.second]);
        }
        let firsts = self.layout.firsts();
        let [people, metric] = [people, metric].map(|of| of.copied(&firsts));
        let (value, n) = people.soft_accuracy(&metric);
        Value::new(value, n)
    }

    /// Each system's mean over opponents of its mean outcome; `None` for those never compared.
    fn preferences(&self) -> Vec<Option<f64>> {
        let k = self.layout.systems();
        let mut outcomes = vec![(0.0, 0.0); k * k];
        for pair in &self.pairs {
            let [a, b] = [pair.first, pair.second].map(|output| self.layout.system(output));
            let [lost, tied, won] = pair.answers;
            for (at, wins) in [(a * k + b, won), (b * k + a, lost)] {
                outcomes[at].0 += wins + 0.5 * tied;
                outcomes[at].1 += pair.count();
            }
        }
        let firsts = self.layout.firsts();
        let preference = |&system: &usize| {
            let of_system = &outcomes[system * k..][..k];
            let opponents = firsts.iter().map(|&opponent| of_system[opponent]);
            let met = opponents.filter(|(_, n)| *n > 0.0);
            met.map(|(sum, n)| sum / n).collect::<Moments>().mean()
        };
        firsts.iter().map(preference).collect()
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

impl Human for ComparedOutputs {
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

    /// The values over the pairs that people compared, whatever the pairing.
    fn values_of(&self, scores: &[f64], wanted: &[Statistic], _: &Pairing) -> Vec<Value> {
        let n = self.pairs.iter().map(OutputPairAnswers::count).sum::<f64>() as u64;
        let pairs = LazyCell::new(|| self.calibration(scores).calibrate());
        let sides = LazyCell::new(|| self.sides(scores));
        let value = |one: &Statistic| match one.grouping {
            Grouping::Item => Value::default(),
            Grouping::Global => Value::of_pairs(*pairs, one.coefficient, n),
            Grouping::System if one.coefficient == Coefficient::SoftPairwiseAccuracy => {
                self.soft_pairwise_accuracy(scores)
            }
            Grouping::System => between_systems(one.coefficient, &self.layout, &sides),
        };
        wanted.iter().map(value).collect()
    }

    fn sides(&self, scores: &[f64]) -> [Vec<Option<f64>>; 2] {
        [self.preferences(), system_means(&self.layout, scores)]
    }

    /// A comparison of systems drawn a and b times counts a·b times.
    fn resampled(&self, items: &[usize], systems: &[usize]) -> (Self, Vec<usize>) {
        let (layout, source) = self.layout.resampled(items, systems);
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (drawn, &item) in items.iter().enumerate() {
            let (old, new) = (self.layout.of_item(item), layout.of_item(drawn));
            let block = &source[new.clone()];
            // The first copy of an output, and how many there are.
            let copies = |output: usize| {
                let end = |n: usize| block.partition_point(|&from| from < n);
                let first = end(output);
                (new.start + first, end(output + 1) - first)
            };
            let begin = self.pairs.partition_point(|one| one.first < old.start);
            let of_item = self.pairs[begin..]
                .iter()
                .take_while(|one| one.first < old.end);
            for pair in of_item {
                let ((first, a), (second, b)) = (copies(pair.first), copies(pair.second));
                let times = (a * b) as f64;
                if times > 0.0 {
                    pairs.push(OutputPairAnswers {
                        first,
                        second,
                        answers: pair.answers.map(|count| times * count),
                    });
                }
            }
        }
        (Self { layout, pairs }, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// Every answer once for each pair of copies, as the definition has it.
    fn slowly(
        layout: &Layout,
        answers: &[OutputPreference],
        items: &[usize],
        systems: &[usize],
    ) -> (ComparedOutputs, Vec<usize>) {
        let (drawn, source) = layout.resampled(items, systems);
        let mut all = Vec::new();
        for item in 0..items.len() {
            let source = &source;
            let copies =
                |output: usize| drawn.of_item(item).filter(move |&at| source[at] == output);
            for answer in answers {
                for first in copies(answer.first) {
                    all.extend(copies(answer.second).map(|second| OutputPreference {
                        first,
                        second,
                        ..*answer
                    }));
                }
            }
        }
        (ComparedOutputs::new(drawn, &all), source)
    }

    #[test]
    fn weights_say_what_copies_would() {
        for run in 0..30 {
            let mut rng = Seed(run).stream("test", 0);
            let mut layout = Layout::new(5);
            for item in 0..6 {
                layout.push((0..5).filter(|system| (system + item) % 4 > 0));
            }
            let mut answers = Vec::new();
            for item in 0..6 {
                for _ in 0..rng.below(9) {
                    let outputs: Vec<usize> = layout.of_item(item).collect();
                    let (first, second) = (*rng.choose(&outputs), *rng.choose(&outputs));
                    if first != second {
                        let outcome = [Outcome::Loss, Outcome::Tie, Outcome::Win][rng.below(3)];
                        answers.push(OutputPreference {
                            first,
                            second,
                            outcome,
                        });
                    }
                }
            }
            let scores: Vec<f64> = (0..layout.outputs()).map(|_| rng.below(7) as f64).collect();
            let items: Vec<usize> = (0..6).map(|_| rng.below(6)).collect();
            let systems: Vec<usize> = (0..5).map(|_| rng.below(5)).collect();
            let compared = ComparedOutputs::new(layout.clone(), &answers);
            let (fast, source) = compared.resampled(&items, &systems);
            let (slow, same) = slowly(&layout, &answers, &items, &systems);
            assert_eq!(source, same);
            let scores: Vec<f64> = source.iter().map(|&output| scores[output]).collect();
            let values =
                |human: &ComparedOutputs| human.values(&scores, ComparedOutputs::STATISTICS);
            assert_eq!(values(&fast), values(&slow), "{run}");
        }
    }
}
