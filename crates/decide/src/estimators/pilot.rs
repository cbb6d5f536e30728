//! The expected variation of judgments from a pilot, by the formula of its own intervals.
//!
//! Source: see [`Prospect`]. The variance per item is m times the squared standard error of the estimate from m items,
//! or of the difference of two. Outputs judged more than once show how it divides: the variance within outputs is
//! noise, σ_a². Where annotators are weighted it is that within annotators, as the standard error's is. For a
//! difference it is that of the differences of each annotator who judged both outputs; of their repeats, that within each
//! output. All are means over systems or pairs. Dependent items count as one: their judgments are those of one output, and
//! their differences, item by item, those of one pair of outputs.

use super::differences::farthest;
use super::noise::VarianceComponents;
use super::prospect::{ProspectBasis, ScaleKind, Widening};
use super::tails::TailShape;
use super::{
    Analysis, Contender, Judgments, Prospect, RatedOutput, ScoredJudgment, VarianceComponentSums,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::stats::moments::Moments;

/// The judged systems of a pilot under one criterion.
#[derive(Debug)]
pub struct Pilot {
    systems: Vec<PilotSystem>,
    /// Whether annotators are weighted.
    weighed: bool,
    scale: ScaleKind,
    /// The item that stands for its cluster, of items whose judgments are dependent.
    clusters: BTreeMap<u32, u32>,
}

/// One judged system of a pilot.
#[derive(Debug)]
struct PilotSystem {
    judged: Judgments,
    contender: Contender,
    widening: Widening,
}

/// The variances of one system, or of one pair.
struct PilotVariances {
    /// The variance per item, at the pilot's number of judgments per item.
    per_item: f64,
    degrees: u64,
    tastes: Option<f64>,
    /// The variance of the judgments of one output; `None` where none was judged twice.
    noise: Option<f64>,
    /// The correlation of a metric with the outputs' true means.
    rho: Option<f64>,
    /// The mean of 1/k over outputs with k judgments.
    once: f64,
    widening: Widening,
    /// The largest possible difference of a pair, on a known scale.
    most: Option<f64>,
}

impl Pilot {
    /// An empty pilot. `weighed`: annotators are weighted; `scale`: the kind of scale they judge on.
    pub fn new(weighed: bool, scale: ScaleKind) -> Self {
        let systems = Vec::new();
        Self {
            systems,
            weighed,
            scale,
            clusters: BTreeMap::new(),
        }
    }

    /// The same where dependent items count as one, each by the item that stands for its cluster. Contenders and analyses
    /// are of those; judgments that are added keep their own items.
    #[must_use]
    pub fn of_clusters(self, clusters: BTreeMap<u32, u32>) -> Self {
        Self { clusters, ..self }
    }

    /// Judgments by cluster.
    fn clustered<'a>(&self, judged: &'a Judgments) -> Cow<'a, Judgments> {
        if self.clusters.is_empty() {
            return Cow::Borrowed(judged);
        }
        let clustered = judged.rows().map(|one| ScoredJudgment {
            item: self.clusters.get(&one.item).copied().unwrap_or(one.item),
            ..one
        });
        Cow::Owned(clustered.collect())
    }

    /// Adds a system with its analysis; nothing if too few items were judged.
    pub fn add(&mut self, judged: &Judgments, contender: Contender, found: &Analysis) {
        if contender.error.is_some() {
            self.systems.push(PilotSystem {
                judged: judged.clone(),
                widening: found.widening(contender.range),
                contender,
            });
        }
    }

    /// The number of annotators with names.
    pub fn annotators(&self) -> u64 {
        let rows = self.systems.iter().flat_map(|one| one.judged.rows());
        let named: BTreeSet<u32> = rows.filter_map(|one| one.annotator).collect();
        named.len() as u64
    }

    /// The number of pairs of systems.
    pub fn pairs(&self) -> u64 {
        let k = self.systems.len() as u64;
        k * k.saturating_sub(1) / 2
    }

    /// The expected variation of judgments of one system; `None` where nothing varies.
    pub fn of_means(&self) -> Option<Prospect> {
        self.pooled(self.systems.iter().map(|one| self.of_system(one)))
    }

    /// The expected variation of differences on the same items; `None` for one system, or where nothing varies.
    pub fn of_differences(&self) -> Option<Prospect> {
        let pairs = self.systems.iter().enumerate();
        let pairs =
            pairs.flat_map(|(at, one)| self.systems[at + 1..].iter().map(move |two| (one, two)));
        self.pooled(pairs.map(|(one, other)| self.of_pair(one, other)))
    }

    fn of_system(&self, one: &PilotSystem) -> Option<PilotVariances> {
        let error = one.contender.error.as_ref()?;
        let (outputs, components) = noise_components(&self.clustered(&one.judged), self.weighed);
        Some(PilotVariances {
            per_item: error.standard_error().powi(2) * error.by_item.len() as f64,
            degrees: error.df,
            tastes: one.contender.people.tastes(),
            noise: components.map(|found| found.noise),
            rho: match components {
                Some(found) => found.rho(),
                None => VarianceComponents::pooled_correlation(&[outputs]),
            },
            once: outputs.mean_inverse()?,
            widening: one.widening,
            most: None,
        })
    }

    fn of_pair(&self, one: &PilotSystem, other: &PilotSystem) -> Option<PilotVariances> {
        let [a, b] = [one, other].map(|system| &system.contender);
        let errors = (a.error.as_ref()?, b.error.as_ref()?);
        let items = (errors.0.by_item.len() + errors.1.by_item.len()) as f64 / 2.0;
        let own = self.of_system(one)?;
        let both = || Some(own.noise? + self.of_system(other)?.noise?);
        let noise = match paired(&one.judged, &other.judged) {
            Some(differences) => {
                let (_, components) = noise_components(&self.clustered(&differences), self.weighed);
                let repeats = [&one.judged, &other.judged].map(repeat_noise);
                noise_of_pairs(components.map(|found| found.noise), repeats)
            }
            None => both(),
        };
        Some(PilotVariances {
            per_item: errors.0.standard_error_of_difference(errors.1).powi(2) * items,
            degrees: errors.0.df.min(errors.1.df),
            tastes: a.people.minus(&b.people).tastes(),
            noise,
            rho: None,
            once: own.once,
            widening: Widening::default(),
            most: farthest(a, b),
        })
    }

    fn pooled(&self, samples: impl Iterator<Item = Option<PilotVariances>>) -> Option<Prospect> {
        let samples: Vec<PilotVariances> = samples.flatten().collect();
        let mean = |of: &dyn Fn(&PilotVariances) -> Option<f64>| {
            samples.iter().filter_map(of).collect::<Moments>().mean()
        };
        let per_item = mean(&|one| Some(one.per_item)).filter(|&variance| variance > 0.0)?;
        let noise = mean(&|one| one.noise);
        let once = mean(&|one| Some(one.once)).unwrap_or(1.0);
        let shapes = samples.iter().filter_map(|one| one.widening.shape);
        let shapes: Vec<TailShape> = shapes.collect();
        // Noise cannot exceed the whole variance.
        let noise = noise.map(|noise| noise.min(per_item / once));
        Some(Prospect {
            signal: noise.map_or(per_item, |noise| (per_item - noise * once).max(0.0)),
            noise,
            tastes: mean(&|one| one.tastes),
            rho: mean(&|one| one.rho).unwrap_or_default(),
            basis: ProspectBasis::Pilot {
                degrees: samples.iter().map(|one| one.degrees).sum(),
                annotators: self.annotators(),
            },
            scale: self.scale,
            items: None,
            widening: Widening {
                shape: TailShape::mean(&shapes),
                excess: mean(&|one| Some(one.widening.excess)).unwrap_or_default(),
                items: mean(&|one| Some(one.widening.items)).unwrap_or_default(),
                unseen: [0, 1]
                    .map(|end| mean(&|one| Some(one.widening.unseen[end])).unwrap_or_default()),
            },
            most: mean(&|one| one.most),
        })
    }
}

/// The sums over outputs, and their variance components where some were judged more than once; within annotators where
/// these are weighted.
pub(super) fn noise_components(
    judged: &Judgments,
    weighed: bool,
) -> (VarianceComponentSums, Option<VarianceComponents>) {
    let judged = match weighed {
        true => &within_annotators(judged),
        false => judged,
    };
    let outputs: VarianceComponentSums = RatedOutput::all(judged).values().collect();
    (outputs, VarianceComponents::pooled(&[outputs]))
}

/// The variance of one annotator's repeats of an output, as single judgments and as part of that of their means; `None` where
/// nobody judged an output twice.
fn repeat_noise(judged: &Judgments) -> Option<[f64; 2]> {
    let items = by_item(judged);
    let outputs = items.values().flat_map(BTreeMap::values);
    let outputs: Vec<RatedOutput> = outputs
        .map(|scores| RatedOutput::new(scores.iter().copied()))
        .collect();
    let outputs: VarianceComponentSums = outputs.iter().collect();
    let noise = VarianceComponents::pooled(&[outputs])?.noise;
    Some([noise, noise * outputs.mean_inverse()?])
}

/// The variance of differences of single judgments of one pair of outputs. `of_means`: that between annotators, of
/// differences of the means of their repeats.
fn noise_of_pairs(of_means: Option<f64>, repeats: [Option<[f64; 2]>; 2]) -> Option<f64> {
    let of_means = of_means.or_else(|| Some(repeats[0]?[1] + repeats[1]?[1]))?;
    let averaged_away = repeats.iter().flatten().map(|[single, mean]| single - mean);
    Some(of_means + averaged_away.sum::<f64>())
}

/// Judgments less their annotator's mean, scaled to restore the variance that this removes.
fn within_annotators(judged: &Judgments) -> Judgments {
    let mut people: BTreeMap<Option<u32>, Moments> = BTreeMap::new();
    for one in judged.rows() {
        people.entry(one.annotator).or_default().push(one.y);
    }
    let left = judged.len().saturating_sub(people.len()).max(1);
    let scale = (judged.len() as f64 / left as f64).sqrt();
    let mut centred = Judgments::new(judged.metrics());
    for one in judged.rows() {
        let mean = people[&one.annotator].mean().unwrap_or_default();
        centred.push(ScoredJudgment {
            y: scale * (one.y - mean),
            ..one
        });
    }
    centred
}

/// The differences of two systems by item and annotator; `None` if one judged an item of only one system.
fn paired(one: &Judgments, other: &Judgments) -> Option<Judgments> {
    let [one, other] = [one, other].map(by_item);
    let mut all = Judgments::new(0);
    let shared = one
        .iter()
        .filter_map(|(item, own)| Some((*item, own, other.get(item)?)));
    for (item, own, others) in shared {
        if !own.keys().eq(others.keys()) {
            return None;
        }
        for (who, y) in own {
            let y = mean(y)? - mean(&others[who])?;
            all.push(ScoredJudgment {
                annotator: *who,
                ..ScoredJudgment::new(item, y, &[])
            });
        }
    }
    Some(all)
}

/// The judgments by item and annotator.
fn by_item(judged: &Judgments) -> BTreeMap<u32, BTreeMap<Option<u32>, Vec<f64>>> {
    let mut items: BTreeMap<u32, BTreeMap<Option<u32>, Vec<f64>>> = BTreeMap::new();
    for one in judged.rows() {
        let people = items.entry(one.item).or_default();
        people.entry(one.annotator).or_default().push(one.y);
    }
    items
}

fn mean(values: &[f64]) -> Option<f64> {
    values.iter().copied().collect::<Moments>().mean()
}
