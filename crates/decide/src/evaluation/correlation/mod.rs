//! Correlations of metrics with people: coefficients, their intervals, and tests between two metrics.
//!
//! Sources: Deutsch, Dror and Roth, "A statistical analysis of summarization evaluation metrics using
//! resampling methods", TACL 2021, for groupings, BOOT-BOTH ([`Intervals`]) and PERM-BOTH
//! ([`PermutationTest::of_outputs`]); Deutsch, Foster and Freitag, EMNLP 2023, for accuracies with ties
//! ([`tie_calibration`](tiebreak_base::stats::tie_calibration)); Thompson et al., "Improving statistical
//! significance in human evaluation of automatic metrics via soft pairwise accuracy", WMT 2024.
//! People's answers are [`JudgedOutputs`] or [`ComparedOutputs`]. A larger score has to mean a better output:
//! callers change the sign of metrics that are better when lower.
//!
//! Intervals are about the annotators who answered; [`AnnotatorIntervals`] are about annotators like them.
//!
//! A coefficient that does not exist (a metric that never varies, a single system) is `None`, never NaN.

mod attenuation;
mod bootstrap;
mod compared;
mod counting;
mod judged;
mod layout;
mod new_annotators;
mod pairing;
mod permutation;
mod soft_pairwise;

pub use bootstrap::{FEW_TESTED_ITEMS, Intervals, ResamplingUnits};
pub use compared::{ComparedOutputs, OutputPreference};
pub use counting::ResampleBuffers;
pub use judged::JudgedOutputs;
pub use layout::{ItemUnits, Layout};
pub use new_annotators::{AnnotatorAnswers, AnnotatorCoefficient, AnnotatorIntervals};
pub use pairing::Pairing;
pub use permutation::{FEWEST_SWAPPED, PermutationTest};

use tiebreak_base::stats::correlation::{ascending, kendall, pearson, spearman};
use tiebreak_base::stats::tie_calibration::{TieCalibratedAccuracy, TieCalibration};

/// The units between which a coefficient is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grouping {
    /// Outputs of one item with each other; the mean over items.
    Item,
    /// All outputs, or all comparisons, together.
    Global,
    /// The systems' means.
    System,
}

/// A coefficient of agreement; the larger the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coefficient {
    /// Pearson's r.
    Pearson,
    /// Spearman's ρ.
    Spearman,
    /// Kendall's τ-b.
    Kendall,
    /// The share of pairs that both order alike, or both call tied.
    Accuracy,
    /// That share when the metric calls a tie what differs by at most the best ε.
    CalibratedAccuracy,
    /// One minus the mean difference between two p-values: that of one system being better than the
    /// other by people, and that by the metric.
    SoftPairwiseAccuracy,
}

/// One coefficient under one grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statistic {
    /// The units.
    pub grouping: Grouping,
    /// The coefficient.
    pub coefficient: Coefficient,
}

impl Statistic {
    /// Whether the answers of one annotator have this coefficient. A tie threshold fitted to a few answers flatters, and
    /// p-values of a few answers are all alike, so that soft pairwise accuracy is high for a metric of random numbers.
    pub fn is_of_one_annotator(&self) -> bool {
        !matches!(
            self.coefficient,
            Coefficient::CalibratedAccuracy | Coefficient::SoftPairwiseAccuracy
        )
    }
}

/// The value of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Value {
    /// `None` where it does not exist.
    pub value: Option<f64>,
    /// The number of items, outputs, comparisons or systems behind it.
    pub n: u64,
    /// The ε of a calibrated accuracy, in the metric's units.
    pub epsilon: Option<f64>,
}

/// People's answers about outputs, in a form that a metric's scores can be compared with.
pub trait Human: Sync + Sized {
    /// The statistics that exist.
    const STATISTICS: &'static [Statistic];

    /// The item and system of each output.
    fn layout(&self) -> &Layout;

    /// The values of some of the statistics for a metric with these scores, one per output, finite.
    /// Statistics over all pairs of systems use those of `pairing`.
    fn values_of(&self, scores: &[f64], wanted: &[Statistic], pairing: &Pairing) -> Vec<Value>;

    /// The two sides of coefficients between systems, in their order: people's, and that of a metric with these scores.
    fn sides(&self, scores: &[f64]) -> [Vec<Option<f64>>; 2];

    /// The values of the statistics over all pairs.
    fn values(&self, scores: &[f64], wanted: &[Statistic]) -> Vec<Value> {
        self.values_of(scores, wanted, &Pairing::all(self.layout().systems()))
    }

    /// The same data with items and systems resampled, and for each of its outputs the one it is a
    /// copy of.
    fn resampled(&self, items: &[usize], systems: &[usize]) -> (Self, Vec<usize>);

    /// What finds the values in many resamples of metrics with these scores, one per output.
    fn resampler<'a>(
        &'a self,
        metrics: &'a [Vec<f64>],
        wanted: &'a [Statistic],
    ) -> Box<Resampler<'a>> {
        copying_resampler(self, metrics, wanted)
    }
}

/// The values by metric and statistic where these items and systems are drawn, over pairs of the pairing.
pub(crate) type Resampler<'a> = dyn Fn(&mut ResampleBuffers, &[usize], &[usize], &Pairing) -> Vec<Option<f64>>
    + Send
    + Sync
    + 'a;

/// A resampler that copies what is drawn.
fn copying_resampler<'a, H: Human>(
    human: &'a H,
    metrics: &'a [Vec<f64>],
    wanted: &'a [Statistic],
) -> Box<Resampler<'a>> {
    Box::new(move |_, items, systems, pairing| {
        let (drawn, source) = human.resampled(items, systems);
        let of_metric = |scores: &Vec<f64>| {
            let scores: Vec<f64> = source.iter().map(|&output| scores[output]).collect();
            drawn.values_of(&scores, wanted, pairing)
        };
        let all = metrics.iter().flat_map(of_metric);
        all.map(|found| found.value).collect()
    })
}

impl Value {
    fn new(value: Option<f64>, n: u64) -> Self {
        let epsilon = None;
        Self { value, n, epsilon }
    }

    /// The accuracy or the calibrated accuracy of pairs.
    fn of_pairs(found: Option<TieCalibratedAccuracy>, coefficient: Coefficient, n: u64) -> Self {
        match coefficient {
            Coefficient::CalibratedAccuracy => Self {
                value: found.map(|found| found.calibrated),
                n,
                epsilon: found.map(|found| found.epsilon),
            },
            _ => Self::new(found.map(|found| found.accuracy), n),
        }
    }
}

impl Grouping {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Global => "global",
            Self::System => "system",
        }
    }

    const fn with(self, coefficient: Coefficient) -> Statistic {
        Statistic {
            grouping: self,
            coefficient,
        }
    }
}

impl Coefficient {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pearson => "pearson",
            Self::Spearman => "spearman",
            Self::Kendall => "kendall",
            Self::Accuracy => "accuracy",
            Self::CalibratedAccuracy => "calibrated-accuracy",
            Self::SoftPairwiseAccuracy => "soft-pairwise-accuracy",
        }
    }

    /// The coefficient of two lists, where it is a correlation; `None` where it is not, or undefined.
    fn correlation(self, x: &[f64], y: &[f64]) -> Option<f64> {
        match self {
            Self::Pearson => pearson(x, y),
            Self::Spearman => spearman(x, y),
            Self::Kendall => kendall(x, y),
            Self::Accuracy | Self::CalibratedAccuracy | Self::SoftPairwiseAccuracy => None,
        }
    }
}

/// The mean score of each system's outputs, in the order of the layout's systems; `None` for
/// those without any.
fn system_means(layout: &Layout, scores: &[f64]) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0_u32); layout.systems()];
    for (output, score) in scores.iter().enumerate() {
        let (sum, n) = &mut sums[layout.system(output)];
        *sum += score;
        *n += 1;
    }
    sums.iter()
        .map(|&(sum, n)| (n > 0).then(|| sum / f64::from(n)))
        .collect()
}

/// A coefficient between two sides whose places may be empty.
fn between_systems(
    coefficient: Coefficient,
    layout: &Layout,
    [human, metric]: &[Vec<Option<f64>>; 2],
) -> Value {
    let known: Vec<(usize, f64, f64)> = (0..layout.systems())
        .filter_map(|system| Some((system, human[system]?, metric[system]?)))
        .collect();
    let value = match coefficient {
        Coefficient::Accuracy => {
            let mut calibration = TieCalibration::default();
            for (at, &(a, human_a, metric_a)) in known.iter().enumerate() {
                let others = known[at + 1..].iter();
                for &(_, human_b, metric_b) in others.filter(|one| layout.differ(a, one.0)) {
                    let ordered = ascending(human_a, human_b);
                    calibration.push(ordered, metric_a - metric_b, 1.0);
                }
            }
            calibration.accuracy()
        }
        _ => {
            let x: Vec<f64> = known.iter().map(|one| one.1).collect();
            let y: Vec<f64> = known.iter().map(|one| one.2).collect();
            coefficient.correlation(&x, &y)
        }
    };
    Value::new(value, known.len() as u64)
}
