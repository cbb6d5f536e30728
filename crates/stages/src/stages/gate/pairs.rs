//! The comparisons of a gate: the base and a new system under one criterion, on the items that both have.

use super::Gate;
use super::evidence::DifferenceSample;
use super::rows::RepeatVariances;
use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::Source;
use crate::stages::estimate::{EstimationData, OutputSamplingDesign, gather, ranges};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::ScaleRange;
use tiebreak_base::message;
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_base::stats::moments::Moments;
use tiebreak_data::records::index::GroupJudgment;
use tiebreak_decide::estimators::{
    AnalysisTerms, Contender, ESTIMATORS, Estimator, Judgments, NewAnnotators, PairComparison,
    PairedDifferences, Range, ScoredJudgment, Survey,
};

/// The base and a new system under one criterion.
pub(super) struct GateComparison {
    pub new: Arm,
    pub criterion: String,
    /// The number of the criterion among those of the gate.
    pub number: usize,
    pub n: u64,
    pub only_base: u64,
    pub only_new: u64,
    pub sample: DifferenceSample,
    /// The difference of each item, by its place.
    pub items: BTreeMap<u32, f64>,
    pub repeats: Option<RepeatVariances>,
    pub new_annotators: Option<NewAnnotators>,
}

impl GateComparison {
    /// Creates a comparison of a difference and nothing else, under a criterion with its number.
    pub(super) fn new(
        new: Arm,
        (number, criterion): (usize, &str),
        n: u64,
        sample: DifferenceSample,
    ) -> Self {
        Self {
            new,
            criterion: criterion.to_string(),
            number,
            n,
            only_base: 0,
            only_new: 0,
            sample,
            items: BTreeMap::new(),
            repeats: None,
            new_annotators: None,
        }
    }
}

/// The judgments under one criterion of a gate.
pub(super) struct CriterionJudgments<'a> {
    context: &'a Context<'a>,
    gate: &'a Gate,
    name: String,
    number: usize,
    /// Its number in the data.
    key: usize,
    range: Range,
    data: EstimationData,
    /// The variance of the mean of an output's repeats, by system and item.
    noise: BTreeMap<(usize, u32), f64>,
}

impl<'a> CriterionJudgments<'a> {
    /// Reads the judgments under a criterion.
    ///
    /// # Errors
    /// A criterion whose range is not known; judgments outside the range.
    pub(super) fn read(
        context: &'a Context<'a>,
        source: &Source,
        gate: &'a Gate,
        (number, name): (usize, &str),
    ) -> Result<Self> {
        let judging = JudgmentSelection::new(source, Some(name), None)?;
        let given = gate.range.map(ScaleRange::value);
        let given = given.map(|[low, high]| Range::new(low, high)).transpose()?;
        let design = OutputSamplingDesign::default();
        let data = gather(context, source, &[], &design, &judging, given)?;
        let ranges = ranges(source, &judging, given, &data)?;
        let key = data.judgments.keys().next().map_or(0, |key| key.0);
        let range = ranges.get(&key).copied();
        let range = range.ok_or_else(|| range_unknown(name, &data.judgments.values()))?;
        Ok(Self {
            context,
            gate,
            name: name.to_string(),
            number,
            key,
            range,
            data,
            noise: repeat_noise(source, &judging)?,
        })
    }

    /// Compares two systems, on the items of a slice where there is one; `None` where no item has judgments of
    /// both.
    ///
    /// # Errors
    /// If the difference cannot be estimated.
    pub(super) fn compare(
        &self,
        base: Arm,
        new: Arm,
        slice: Option<&BTreeSet<u32>>,
    ) -> Result<Option<GateComparison>> {
        let of = |arm: Arm| self.data.judgments.get(&(self.key, arm.index()));
        let Some((new_judged, base_judged)) = of(new).zip(of(base)) else {
            return Ok(None);
        };
        let inside = |item: u32| slice.is_none_or(|slice| slice.contains(&item));
        let [news, bases] = [new_judged, base_judged].map(|judged| by_item(judged, &inside));
        let both: BTreeSet<u32> = news
            .keys()
            .filter(|item| bases.contains_key(item))
            .copied()
            .collect();
        let pair = [&news, &bases].map(|one| averaged(one, &both));
        let dealing = self.data.allocation(&pair, |_| false);
        if both.is_empty() {
            return Ok(None);
        }
        let level = self.gate.level();
        let terms = AnalysisTerms {
            confidence: 1.0 - level,
            range: Some(self.range),
            weights: dealing.weights(),
        };
        let contenders = [(0, new), (1, base)]
            .map(|(place, arm)| self.contender(place, arm, &pair[place], &terms));
        let contenders: Vec<Contender> = contenders.into_iter().collect::<Result<_>>()?;
        let compared = PairComparison::new(&contenders, &dealing, 0, 1);
        let difference = |item: &u32| item_mean(&news[item]) - item_mean(&bases[item]);
        let items = both.iter().map(|item| (*item, difference(item)));
        let items: BTreeMap<u32, f64> = items.collect();
        let noise = |item: u32| {
            let each = [new, base].map(|arm| self.noise.get(&(arm.index(), item)));
            each.into_iter().sum::<Option<f64>>()
        };
        let n = both.len() as u64;
        let new_annotators = compared.new_annotators(&contenders, 1.0 - level);
        let sample = DifferenceSample::of_pair(compared, n);
        Ok(Some(GateComparison {
            only_base: bases.len() as u64 - n,
            only_new: news.len() as u64 - n,
            repeats: repeat_variances(&items, noise),
            items,
            new_annotators,
            ..GateComparison::new(new, (self.number, &self.name), n, sample)
        }))
    }

    /// One side of a comparison: the plain mean of its items.
    fn contender(
        &self,
        place: usize,
        arm: Arm,
        judged: &Judgments,
        terms: &AnalysisTerms<'_>,
    ) -> Result<Contender> {
        let survey = Survey {
            range: Some(self.range),
            seed: self.context.seed,
            items: self.gate.scope.items,
            ..Survey::new(self.data.populations[arm.index()].clone())
        };
        let entry = find_entry("estimator", ESTIMATORS, "mean")?;
        let mut estimator: Box<dyn Estimator> = (entry.build.build)(&Params::default(), &survey)?;
        judged.rows().for_each(|one| estimator.push(&one));
        let found = Contender::new(place, estimator.as_ref(), judged, terms);
        found.ok_or_else(|| Error::failed("means cannot be compared"))
    }
}

/// The scores of one output by annotator.
type ScoresByAnnotator = BTreeMap<Option<u32>, Vec<f64>>;

/// The scores of one system by item.
type ItemScores = BTreeMap<u32, ScoresByAnnotator>;

fn by_item(judged: &Judgments, inside: &impl Fn(u32) -> bool) -> ItemScores {
    let mut items: ItemScores = BTreeMap::new();
    for one in judged.rows().filter(|one| inside(one.item)) {
        let people = items.entry(one.item).or_default();
        people.entry(one.annotator).or_default().push(one.y);
    }
    items
}

/// One judgment an item and annotator: the mean of repeats.
fn averaged(items: &ItemScores, both: &BTreeSet<u32>) -> Judgments {
    let mut all = Judgments::new(0);
    for (&item, people) in items.iter().filter(|(item, _)| both.contains(item)) {
        for (&annotator, scores) in people {
            all.push(ScoredJudgment {
                annotator,
                ..ScoredJudgment::new(item, mean(scores), &[])
            });
        }
    }
    all
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// The mean over annotators, of the mean of each.
fn item_mean(scores: &ScoresByAnnotator) -> f64 {
    let means: Vec<f64> = scores.values().map(|scores| mean(scores)).collect();
    mean(&means)
}

/// The variance of the mean of each output's repeats, by system and item. Judgments of parts, and of several annotators,
/// differ by more than chance.
fn repeat_noise(
    source: &Source,
    judging: &JudgmentSelection,
) -> Result<BTreeMap<(usize, u32), f64>> {
    let mut noise = BTreeMap::new();
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        let mut outputs: BTreeMap<usize, Vec<GroupJudgment>> = BTreeMap::new();
        for one in judging.of_each_repeat(source, &group)? {
            outputs.entry(one.system.index()).or_default().push(one);
        }
        for (system, judged) in outputs {
            let is_repeat =
                |one: &GroupJudgment| one.part.is_none() && one.annotator == judged[0].annotator;
            let moments: Moments = judged.iter().map(|one| one.score).collect();
            if let (Some(variance), true) =
                (moments.sample_variance(), judged.iter().all(is_repeat))
            {
                noise.insert((system, item), variance / judged.len() as f64);
            }
        }
    }
    Ok(noise)
}

/// The variance of differences within items that have repeats on both sides, and what is left of all.
fn repeat_variances(
    items: &BTreeMap<u32, f64>,
    noise: impl Fn(u32) -> Option<f64>,
) -> Option<RepeatVariances> {
    let within: Moments = items.keys().filter_map(|&item| noise(item)).collect();
    let within = within.mean()?;
    let all: Moments = items.values().copied().collect();
    Some(RepeatVariances {
        within,
        between: (all.sample_variance()? - within).max(0.0),
    })
}

/// The comparisons of outputs of the base with those of every other system.
pub(super) struct Preferences {
    number: usize,
    /// How the other system fared, from -1 to 1, by system and item.
    found: BTreeMap<Arm, BTreeMap<u32, Moments>>,
}

impl Preferences {
    /// Reads the comparisons; `number` is that of the criterion.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(super) fn read(source: &Source, number: usize, base: Arm) -> Result<Self> {
        let mut found: BTreeMap<Arm, BTreeMap<u32, Moments>> = BTreeMap::new();
        for group in source.index.all() {
            let group = group?;
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            for one in group.comparisons {
                let value = 2.0 * one.outcome.value() - 1.0;
                let (new, value) = match (one.a, one.b) {
                    (a, b) if b == base => (a, value),
                    (a, b) if a == base => (b, -value),
                    _ => continue,
                };
                let items = found.entry(new).or_default();
                items.entry(item).or_default().push(value);
            }
        }
        Ok(Self { number, found })
    }

    /// Compares the base with another system, on the items of a slice where there is one; `None` where people compared
    /// none of their outputs.
    pub(super) fn compare(
        &self,
        new: Arm,
        slice: Option<&BTreeSet<u32>>,
    ) -> Option<GateComparison> {
        let items = self.found.get(&new)?.iter();
        let inside = items.filter(|(item, _)| slice.is_none_or(|slice| slice.contains(*item)));
        let items: BTreeMap<u32, &Moments> = inside.map(|(&item, one)| (item, one)).collect();
        let single = items.values().all(|one| one.count() == 1);
        let means = items
            .iter()
            .filter_map(|(&item, one)| Some((item, one.mean()?)));
        let means: BTreeMap<u32, f64> = means.collect();
        let values: Vec<f64> = means.values().copied().collect();
        // Wins, losses and ties are successes of the one, of the other, and of neither.
        let sample = DifferenceSample::Paired(PairedDifferences::new(&values, 1.0, single)?);
        let (criterion, n) = ((self.number, super::PREFERENCE), values.len() as u64);
        Some(GateComparison {
            items: means,
            ..GateComparison::new(new, criterion, n, sample)
        })
    }
}

/// The usual scales of scores.
const USUAL: [[f64; 2]; 4] = [[0.0, 1.0], [1.0, 5.0], [0.0, 10.0], [0.0, 100.0]];

/// The error about scores on an unknown scale.
fn range_unknown<'a>(
    criterion: &str,
    judged: &(impl Iterator<Item = &'a Judgments> + Clone),
) -> Error {
    let scores = || judged.clone().flat_map(Judgments::rows).map(|one| one.y);
    let lowest = scores().fold(f64::INFINITY, f64::min);
    let highest = scores().fold(f64::NEG_INFINITY, f64::max);
    let usual = USUAL
        .iter()
        .find(|[low, high]| *low <= lowest && highest <= *high);
    let [low, high] = usual.copied().unwrap_or([lowest, highest]);
    let what = format!(
        "the scale of `{criterion}` is not known, whose scores are from {lowest} to {highest}"
    );
    Error::key("range", what).with_hint(message!(
        "rare regressions can be as large as the scale: say what it is, such as {}, or name other criteria by {}",
        Key("range").set(format!("{low},{high}")),
        Key("criterion")
    ))
}
