//! Two systems under one criterion, on the items that both have.

use super::{DifferenceSample, Slices, few_items};
use crate::inputs::source::{PredictionTable, Source};
use crate::stages::estimate::EstimationData;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::ItemScope;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::estimators::{
    AnalysisTerms, Contender, ESTIMATORS, Estimator, Judgments, NewAnnotators, PairComparison,
    PairedDifferences, Range, ScoredJudgment,
};
use tiebreak_decide::evaluation::slices::{FEWEST_ITEMS, shared_level};

/// The variances of items' differences, by what repeats of items show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct RepeatVariances {
    /// The variance of an item's difference by the scatter of its repeats.
    pub within: f64,
    /// The variance of the items' true differences.
    pub between: f64,
}

/// A base and a new system under one criterion; differences are the new one less the base.
pub(in crate::stages) struct PairedSystems {
    pub base: Arm,
    pub new: Arm,
    pub criterion: String,
    /// The number of the criterion among those that are compared.
    pub number: usize,
    pub n: u64,
    pub only_base: u64,
    pub only_new: u64,
    pub sample: DifferenceSample,
    /// The difference of each item, by its place.
    pub items: BTreeMap<u32, f64>,
    pub repeats: Option<RepeatVariances>,
    pub new_annotators: Option<NewAnnotators>,
    /// Whether the result is about these items alone, though no output was judged twice: the interval is wider than need be.
    pub is_unrepeated: bool,
}

impl PairedSystems {
    /// Creates a comparison of a difference and nothing else, under a criterion with its number.
    pub(in crate::stages) fn new(
        (base, new): (Arm, Arm),
        (number, criterion): (usize, &str),
        n: u64,
        sample: DifferenceSample,
    ) -> Self {
        Self {
            base,
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
            is_unrepeated: false,
        }
    }

    /// The same comparison where lower scores are better: it was made the other way round.
    #[must_use]
    pub(in crate::stages) fn turned(self) -> Self {
        Self {
            base: self.new,
            new: self.base,
            only_base: self.only_new,
            only_new: self.only_base,
            ..self
        }
    }

    /// The interval of a slice, each end of which is missed with probability `level` at most, or the reason why there is none.
    pub(in crate::stages) fn slice_ends(&self, level: f64) -> (Option<(f64, f64)>, Option<String>) {
        match self.n >= FEWEST_ITEMS {
            true => (self.sample.ends(level), self.sample.why()),
            false => (None, Some(few_items())),
        }
    }
}

/// Comparisons of systems: of all items, and of each slice with its label.
#[derive(Default)]
pub(in crate::stages) struct ComparedPairs {
    pub all: Vec<PairedSystems>,
    pub sliced: Vec<(String, PairedSystems)>,
}

impl ComparedPairs {
    /// Adds what a function finds on all items and on the items of each slice; says whether there is anything.
    ///
    /// # Errors
    /// As `compare`.
    pub(in crate::stages) fn add(
        &mut self,
        slices: Option<&Slices>,
        compare: impl Fn(Option<&BTreeSet<u32>>) -> Result<Option<PairedSystems>>,
    ) -> Result<bool> {
        let Some(all) = compare(None)? else {
            return Ok(false);
        };
        self.all.push(all);
        for (label, items) in slices.map_or(&[][..], |slices| &slices.items) {
            let found = compare(Some(items))?;
            self.sliced
                .extend(found.map(|found| (label.clone(), found)));
        }
        Ok(true)
    }

    /// The level that each slice has of one that all share.
    pub(in crate::stages) fn slice_level(&self, level: f64) -> f64 {
        shared_level(level, self.sliced.iter().map(|(_, one)| one.n))
    }
}

/// The terms on which systems are compared by judgments.
#[derive(Clone, Copy)]
pub(in crate::stages) struct PairTerms {
    /// The two-sided level of what is said of new annotators, in (0, 1).
    pub level: f64,
    /// The items that a result is about.
    pub items: ItemScope,
    /// Whether it is about new annotators alone.
    pub is_of_new_annotators: bool,
    pub seed: Seed,
}

/// The judgments under one criterion.
pub(in crate::stages) struct CriterionJudgments<'a> {
    terms: PairTerms,
    /// The criterion's place among those that are compared, and its name.
    name: (usize, &'a str),
    /// Its number in the data.
    key: usize,
    range: Range,
    data: &'a EstimationData,
}

impl<'a> CriterionJudgments<'a> {
    /// The judgments of the criterion `key` of the data, on a scale. `name` is its place among those that are compared, and
    /// its name.
    ///
    /// # Errors
    /// A scale that is not known.
    pub(in crate::stages) fn new(
        data: &'a EstimationData,
        (key, name): (usize, (usize, &'a str)),
        range: Option<Range>,
        terms: PairTerms,
    ) -> Result<Self> {
        let judged = data.judgments.range((key, 0)..=(key, usize::MAX));
        let range =
            range.ok_or_else(|| range_unknown(name.1, &judged.map(|(_, judged)| judged)))?;
        Ok(Self {
            terms,
            name,
            key,
            range,
            data,
        })
    }

    /// Compares two systems, on the items of a slice where there is one; `None` where no item has judgments of
    /// both.
    ///
    /// # Errors
    /// If the difference cannot be estimated.
    pub(in crate::stages) fn compare(
        &self,
        base: Arm,
        new: Arm,
        slice: Option<&BTreeSet<u32>>,
    ) -> Result<Option<PairedSystems>> {
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
        let level = self.terms.level;
        let terms = AnalysisTerms {
            confidence: 1.0 - level,
            range: Some(self.range),
            weights: dealing.weights(),
        };
        let contenders = [(0, new), (1, base)]
            .map(|(place, arm)| self.contender(place, arm, &pair[place], &terms));
        let contenders: Vec<Contender> = contenders.into_iter().collect::<Result<_>>()?;
        let compared = PairComparison::new(&contenders, &dealing, 0, 1);
        let mut these = contenders.iter().filter_map(|one| one.these);
        let is_unrepeated = these.any(|these| these.noise.is_none());
        let difference = |item: &u32| item_mean(&news[item]) - item_mean(&bases[item]);
        let items = both.iter().map(|item| (*item, difference(item)));
        let items: BTreeMap<u32, f64> = items.collect();
        let noise = |item: u32| {
            let each = [new, base].map(|arm| {
                let repeats = self.data.repeats.get(&(self.key, arm.index()))?;
                repeats.get(&item)?.noise_of_mean()
            });
            each.into_iter().sum::<Option<f64>>()
        };
        let n = both.len() as u64;
        let new_annotators = compared.new_annotators(1.0 - level);
        let sample = match self.terms.is_of_new_annotators {
            true => DifferenceSample::NewAnnotators(compared),
            false => DifferenceSample::of_pair(compared, n),
        };
        Ok(Some(PairedSystems {
            only_base: bases.len() as u64 - n,
            only_new: news.len() as u64 - n,
            repeats: repeat_variances(&items, noise),
            items,
            new_annotators,
            is_unrepeated,
            ..PairedSystems::new((base, new), self.name, n, sample)
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
        let key = (self.key, arm.index());
        let (range, seed) = (Some(self.range), self.terms.seed);
        let survey = self.data.survey(key, range, seed, self.terms.items);
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

/// The comparisons of outputs, by people or by a judge.
pub(in crate::stages) struct Preferences {
    /// The criterion's place among those that are compared, and its name.
    name: (usize, &'static str),
    /// How the first of a pair of systems fared, from -1 to 1, by item. The one that is listed earlier is the first.
    found: BTreeMap<(Arm, Arm), BTreeMap<u32, Moments>>,
}

impl Preferences {
    /// Reads people's comparisons; `number` is the place of the criterion.
    pub(in crate::stages) fn of_people(source: &Source, number: usize) -> Result<Self> {
        let mut found = Self::none((number, super::PREFERENCE));
        for group in source.index.all() {
            let group = group?;
            for one in group.comparisons {
                let value = 2.0 * one.outcome.value() - 1.0;
                found.push(group.position, (one.a, one.b), value)?;
            }
        }
        Ok(found)
    }

    /// Reads a judge's verdicts; `number` is the place of the criterion.
    pub(in crate::stages) fn of_judge(
        source: &Source,
        table: &PredictionTable,
        number: usize,
    ) -> Result<Self> {
        let mut found = Self::none((number, super::VERDICTS));
        for item in 0..source.index.items() {
            for (a, b, prediction) in table.of_item(item)? {
                found.push(item, (a, b), 2.0 * prediction.p - 1.0)?;
            }
        }
        Ok(found)
    }

    fn none(name: (usize, &'static str)) -> Self {
        Self {
            name,
            found: BTreeMap::new(),
        }
    }

    fn push(&mut self, item: u64, (a, b): (Arm, Arm), value: f64) -> Result<()> {
        let item = u32::try_from(item).map_err(Error::failed)?;
        let (pair, value) = if a <= b {
            ((a, b), value)
        } else {
            ((b, a), -value)
        };
        let items = self.found.entry(pair).or_default();
        items.entry(item).or_default().push(value);
        Ok(())
    }

    /// Compares two systems, on the items of a slice where there is one; `None` where none of their outputs were compared.
    pub(in crate::stages) fn compare(
        &self,
        base: Arm,
        new: Arm,
        slice: Option<&BTreeSet<u32>>,
    ) -> Option<PairedSystems> {
        let sign = if new <= base { 1.0 } else { -1.0 };
        let items = self.found.get(&(new.min(base), new.max(base)))?.iter();
        let inside = items.filter(|(item, _)| slice.is_none_or(|slice| slice.contains(*item)));
        let items: BTreeMap<u32, &Moments> = inside.map(|(&item, one)| (item, one)).collect();
        let single = items.values().all(|one| one.count() == 1);
        let means = items
            .iter()
            .filter_map(|(&item, one)| Some((item, sign * one.mean()?)));
        let means: BTreeMap<u32, f64> = means.collect();
        let values: Vec<f64> = means.values().copied().collect();
        // Wins, losses and ties are successes of the one, of the other, and of neither.
        let sample = DifferenceSample::Paired(PairedDifferences::new(&values, 1.0, single)?);
        Some(PairedSystems {
            items: means,
            ..PairedSystems::new((base, new), self.name, values.len() as u64, sample)
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
