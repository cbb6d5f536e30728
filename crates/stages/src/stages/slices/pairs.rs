//! Two systems under one criterion, on the items that both have.

use super::{APART, DifferenceSample, Slices, few_items, unlike_items};
use crate::inputs::source::{ItemClusters, PredictionTable, Source, UnbalancedPlaces};
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
    AnalysisTerms, AnnotatorAllocation, AnnotatorLoads, AnnotatorShares, Contender, ESTIMATORS,
    Estimator, Judgments, NewAnnotators, PairComparison, PairedDifferences, Range, ScoredJudgment,
    Survey, UnlikeItems,
};
use tiebreak_decide::evaluation::gate::GateEvidence;
use tiebreak_decide::evaluation::slices::SliceEstimate;
use tiebreak_decide::ranking::{Collection, NEGLIGIBLE, PREFERENCE};

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
    pub repeats: Option<RepeatVariances>,
    pub new_annotators: Option<NewAnnotators>,
    /// Whether the result is about these items alone, though no output was judged twice: the interval is wider than need be.
    pub is_unrepeated: bool,
    /// The items of one system alone, by its place among all, that are judged unlike those of both; `None` also where few
    /// items are of one alone.
    pub unlike: Option<UnlikeItems>,
    /// Whether a judge was shown the same one first too often: what it prefers may be a place.
    pub is_unbalanced: bool,
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
            repeats: None,
            new_annotators: None,
            is_unrepeated: false,
            unlike: None,
            is_unbalanced: false,
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
    pub(in crate::stages) fn slice_ends(
        &self,
        source: &Source,
        level: f64,
    ) -> (Option<(f64, f64)>, Option<String>) {
        match self.n >= SliceEstimate::FEWEST_ITEMS {
            true if self.sample.is_unshared() => (None, Some(APART.to_string())),
            true if self.is_open() => (None, self.open_reason(source)),
            true => (self.sample.ends(level), self.sample.why()),
            false => (None, Some(few_items())),
        }
    }

    /// What a gate decides by; `is_blind`: the items can show no difference.
    pub(in crate::stages) fn evidence(&self, margin: Option<f64>, is_blind: bool) -> GateEvidence {
        let evidence = match self.is_unbalanced {
            true => GateEvidence::nothing(margin, is_blind),
            false => self.sample.evidence(margin, is_blind),
        };
        match self.unlike {
            Some(_) => evidence.of_losses_alone(),
            None => evidence,
        }
    }

    /// Whether the difference may come from something else than the systems.
    pub(in crate::stages) fn is_open(&self) -> bool {
        self.unlike.is_some() || self.is_unbalanced
    }

    /// Why the difference may come from something else than the systems.
    pub(in crate::stages) fn open_reason(&self, source: &Source) -> Option<String> {
        if self.is_unbalanced {
            return Some(UNBALANCED.to_string());
        }
        let unlike = self.unlike.as_ref()?;
        let system = source.system(Arm::from(unlike.system));
        Some(unlike_items(system, unlike))
    }
}

/// Why nothing is said of two systems of which a judge was shown the same one first too often.
const UNBALANCED: &str = "the judge saw the same system first too often, so it may prefer a place (order = \"both\" asks in both orders)";

/// Comparisons of systems: of all items, and of each slice with its label.
#[derive(Default)]
pub(in crate::stages) struct ComparedPairs {
    pub all: Vec<PairedSystems>,
    pub sliced: Vec<(String, PairedSystems)>,
}

impl ComparedPairs {
    /// Adds what a function finds on all items and on those of each slice, by its number.
    pub(in crate::stages) fn add(
        &mut self,
        slices: Option<&Slices>,
        mut compare: impl FnMut(Option<usize>) -> Result<Option<PairedSystems>>,
    ) -> Result<()> {
        let Some(all) = compare(None)? else {
            return Ok(());
        };
        self.all.push(all);
        let slices = slices.map_or(&[][..], |slices| &slices.items);
        for (number, (label, _)) in slices.iter().enumerate() {
            let found = compare(Some(number))?;
            self.sliced
                .extend(found.map(|found| (label.clone(), found)));
        }
        Ok(())
    }

    /// The p-value of the hypothesis that a difference is the same in all slices, by those that have an interval; `None`
    /// with fewer than two.
    pub(in crate::stages) fn heterogeneity(&self, all: &PairedSystems) -> Option<f64> {
        let key = |one: &PairedSystems| (one.number, one.base, one.new);
        let slices = self.sliced.iter().map(|(_, one)| one);
        let slices =
            slices.filter(|one| key(one) == key(all) && one.n >= SliceEstimate::FEWEST_ITEMS);
        let each = slices.filter_map(|one| {
            let (difference, ends) = one.sample.for_these_annotators(SliceEstimate::END_LEVEL)?;
            Some((difference, ends, one.n))
        });
        SliceEstimate::homogeneity(&SliceEstimate::of_intervals(&each.collect::<Vec<_>>()))
    }

    /// The level that each slice has of one that all share.
    pub(in crate::stages) fn slice_level(&self, level: f64) -> f64 {
        SliceEstimate::shared_level(level, self.sliced.iter().map(|(_, one)| one.n))
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
    /// The number of pairs that are compared, in all slices.
    pub pairs: usize,
    /// Whether there is no other criterion.
    pub is_of_one: bool,
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
    slices: Option<&'a Slices>,
    /// How much everybody judged of each system, as annotators weigh the same in all pairs: on all items, then on those of
    /// each slice unless they weigh the same in all slices.
    loads: Vec<Vec<(usize, AnnotatorLoads)>>,
    /// The weights of annotators in every slice, where slices did not go to them alike.
    slice_shares: Option<AnnotatorShares>,
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
        slices: Option<&'a Slices>,
    ) -> Result<Self> {
        let judged = data.judgments.range((key, 0)..=(key, usize::MAX));
        let scores = judged.clone().map(|(_, judged)| judged);
        let range = range.ok_or_else(|| range_unknown((name.1, terms.is_of_one), &scores))?;
        let rows = judged.clone().flat_map(|(_, judged)| judged.rows());
        let rows = rows.map(|one| (one.item, one.annotator));
        let own = slices.filter(|_| !data.lists_annotators());
        let slice_shares = own.and_then(|slices| slices.uneven_shares(rows));
        let loads = |slice: Option<&BTreeSet<u32>>| {
            let each = judged.clone().map(|(&(_, system), judged)| {
                let items = by_item(data, judged, slice);
                (system, AnnotatorLoads::from(&averaged(items.iter())))
            });
            each.collect()
        };
        // Where annotators weigh the same in all slices, nothing else about these is needed.
        let loaded = slices.filter(|_| slice_shares.is_none());
        let numbers = 0..loaded.map_or(0, |slices| slices.items.len());
        let of_slices = numbers.map(|number| loads(Slices::numbered(slices, Some(number))));
        let loads = std::iter::once(loads(None)).chain(of_slices).collect();
        Ok(Self {
            terms,
            name,
            key,
            range,
            data,
            slices,
            loads,
            slice_shares,
        })
    }

    /// Compares two systems, on the items of a slice with a number where there is one; `None` where no item has judgments
    /// of both.
    pub(in crate::stages) fn compare(
        &self,
        base: Arm,
        new: Arm,
        slice: Option<usize>,
    ) -> Result<Option<PairedSystems>> {
        let of = |arm: Arm| self.data.judgments.get(&(self.key, arm.index()));
        let Some((new_judged, base_judged)) = of(new).zip(of(base)) else {
            return Ok(None);
        };
        let items = Slices::numbered(self.slices, slice);
        let [news, bases] =
            [new_judged, base_judged].map(|judged| by_item(self.data, judged, items));
        let both: BTreeSet<u32> = news
            .keys()
            .filter(|item| bases.contains_key(item))
            .copied()
            .collect();
        let pair =
            [&news, &bases].map(|one| averaged(one.iter().filter(|(item, _)| both.contains(item))));
        let dealing = self.allocation(&pair, (base, new), slice);
        let dealing = dealing.of_pair(0, 1).unwrap_or(dealing);
        if both.is_empty() {
            return Ok(None);
        }
        let level = self.terms.level;
        let terms = AnalysisTerms {
            confidence: 1.0 - level,
            range: Some(self.range),
            weights: dealing.weights(),
        };
        let contenders = |pair: &[Judgments; 2]| -> Result<Vec<Contender>> {
            let each = [(0, new), (1, base)].map(|(place, arm)| {
                let (key, range) = ((self.key, arm.index()), Some(self.range));
                let (seed, items) = (self.terms.seed, self.terms.items);
                let survey = self.data.survey(key, range, seed, items);
                contender(place, &survey, &pair[place], &terms)
            });
            each.into_iter().collect()
        };
        let by_annotator = contenders(&pair)?;
        let of_people = PairComparison::new(&by_annotator, &dealing, 0, 1);
        // Without weights of annotators each item counts once, however many judged it.
        let items_once = match dealing.weights() {
            Some(_) => None,
            None => Some(contenders(
                &[&news, &bases].map(|one| of_items(one, &both)),
            )?),
        };
        let contenders = items_once.as_ref().unwrap_or(&by_annotator);
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
        let n = items.len() as u64;
        let new_annotators = of_people.new_annotators(1.0 - level);
        let sample = match self.terms.is_of_new_annotators {
            true => DifferenceSample::NewAnnotators(of_people),
            false => {
                let of_items = items_once.map(|each| PairComparison::new(&each, &dealing, 0, 1));
                DifferenceSample::of_pair(of_items.unwrap_or(of_people), n)
            }
        };
        Ok(Some(PairedSystems {
            only_base: bases.len() as u64 - n,
            only_new: news.len() as u64 - n,
            repeats: repeat_variances(&items, noise),
            new_annotators,
            is_unrepeated,
            unlike: unlike_pair(
                [new, base],
                [&means(&news), &means(&bases)],
                self.terms.pairs,
            ),
            ..PairedSystems::new((base, new), self.name, n, sample)
        }))
    }

    /// The number of items of a slice that have judgments of a system.
    pub(in crate::stages) fn items(&self, system: Arm, slice: Option<usize>) -> u64 {
        let judged = self.data.judgments.get(&(self.key, system.index()));
        let slice = Slices::numbered(self.slices, slice);
        judged.map_or(0, |judged| by_item(self.data, judged, slice).len() as u64)
    }

    /// Whether annotators weigh the same in all slices, which did not go to them alike.
    pub(in crate::stages) fn has_slice_weights(&self) -> bool {
        self.slice_shares.is_some()
    }

    /// The allocation of the judgments of a pair: beside those of all other systems, or by annotators' shares of all items.
    fn allocation(
        &self,
        pair: &[Judgments; 2],
        (base, new): (Arm, Arm),
        slice: Option<usize>,
    ) -> AnnotatorAllocation {
        if let (Some(shares), Some(_)) = (&self.slice_shares, slice) {
            return AnnotatorAllocation::of_shares(pair.each_ref(), shares.clone(), NEGLIGIBLE);
        }
        let others = self.loads[slice.map_or(0, |number| number + 1)].iter();
        let others = others.filter(|(system, _)| ![new, base].contains(&Arm::from(*system)));
        let loads = pair.iter().map(AnnotatorLoads::from);
        let loads = loads.chain(others.map(|(_, loads)| loads.clone()));
        self.data.allocation(loads, |_| false)
    }
}

/// One side of a comparison: the plain mean of its items.
fn contender(
    place: usize,
    survey: &Survey,
    judged: &Judgments,
    terms: &AnalysisTerms<'_>,
) -> Result<Contender> {
    let entry = find_entry("estimator", ESTIMATORS, "mean")?;
    let mut estimator: Box<dyn Estimator> = (entry.build.build)(&Params::default(), survey)?;
    judged.rows().for_each(|one| estimator.push(&one));
    let found = Contender::new(place, estimator.as_ref(), judged, terms);
    found.ok_or_else(|| Error::failed("means cannot be compared"))
}

/// The scores of one output by annotator.
type ScoresByAnnotator = BTreeMap<Option<u32>, Vec<f64>>;

/// The scores of one system by item.
type ItemScores = BTreeMap<u32, ScoresByAnnotator>;

/// The scores of the items of a slice, where there is one; items with the same source are one.
fn by_item(data: &EstimationData, judged: &Judgments, slice: Option<&BTreeSet<u32>>) -> ItemScores {
    let mut items: ItemScores = BTreeMap::new();
    let inside = |item: u32| slice.is_none_or(|slice| slice.contains(&item));
    for one in judged.rows().filter(|one| inside(one.item)) {
        let people = items.entry(data.cluster(one.item)).or_default();
        people.entry(one.annotator).or_default().push(one.y);
    }
    items
}

/// One judgment an item and annotator: the mean of repeats.
fn averaged<'a>(items: impl Iterator<Item = (&'a u32, &'a ScoresByAnnotator)>) -> Judgments {
    let mut all = Judgments::new(0);
    for (&item, people) in items {
        for (&annotator, scores) in people {
            all.push(ScoredJudgment {
                annotator,
                ..ScoredJudgment::new(item, mean(scores), &[])
            });
        }
    }
    all
}

/// One judgment an item: the mean over its annotators.
fn of_items(items: &ItemScores, both: &BTreeSet<u32>) -> Judgments {
    let means = both
        .iter()
        .map(|item| ScoredJudgment::new(*item, item_mean(&items[item]), &[]));
    means.collect()
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// The mean over annotators, of the mean of each.
fn item_mean(scores: &ScoresByAnnotator) -> f64 {
    let means: Vec<f64> = scores.values().map(|scores| mean(scores)).collect();
    mean(&means)
}

/// The mean of each item.
fn means(items: &ItemScores) -> BTreeMap<u32, f64> {
    let means = items.iter().map(|(item, by)| (*item, item_mean(by)));
    means.collect()
}

/// The items of one of two systems that are judged unlike those of both, by the mean of each of their items and the number
/// of pairs that are compared.
pub(in crate::stages) fn unlike_pair(
    systems: [Arm; 2],
    means: [&BTreeMap<u32, f64>; 2],
    pairs: usize,
) -> Option<UnlikeItems> {
    let found = UnlikeItems::beside_shared(means, pairs)?;
    Some(UnlikeItems {
        system: systems[found.system].index(),
        ..found
    })
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
    found: BTreeMap<(Arm, Arm), PairOutcomes>,
    /// The weights of annotators in every pair, where pairs did not go to them alike.
    shares: Option<AnnotatorShares>,
    /// The weights of annotators in every slice, where pairs or slices did not go to them alike.
    slice_shares: Option<AnnotatorShares>,
    /// The pairs of which a judge was shown the same system first too often.
    places: Option<UnbalancedPlaces>,
    /// The clusters of the items, where some share theirs.
    clusters: Option<ItemClusters>,
}

/// How the first of a pair of systems fared, from -1 to 1. The one that is listed earlier is the first.
#[derive(Default)]
struct PairOutcomes {
    items: BTreeMap<u32, Vec<f64>>,
    /// Each with its annotator, where these have weights.
    each: Judgments,
}

impl Preferences {
    /// People's comparisons, with annotators' shares where these do not weigh alike in rankings; `number` is the place of
    /// the criterion.
    pub(in crate::stages) fn of_people(
        collection: &Collection,
        shares: Option<Vec<f64>>,
        number: usize,
        slices: Option<&Slices>,
    ) -> Self {
        let mut found = Self::none((number, PREFERENCE));
        let all = collection.comparisons().iter().zip(collection.annotators());
        let numbered = |shares: Vec<f64>| (0..).map(Some).zip(shares).collect();
        found.shares = shares.map(numbered);
        let rows = all.clone().map(|(one, &by)| (one.item, Some(by)));
        let by_slice = || slices.and_then(|slices| slices.uneven_shares(rows));
        found.slice_shares = found.shares.clone().or_else(by_slice);
        for (one, &annotator) in all {
            let (pair, value) = (one.pair, 2.0 * one.outcome.value() - 1.0);
            found.push(one.item, (pair.first, pair.second), (annotator, value));
        }
        found
    }

    /// Reads a judge's verdicts, shown in `places`; `number` is the place of the criterion.
    pub(in crate::stages) fn of_judge(
        source: &Source,
        table: &PredictionTable,
        number: usize,
        places: Option<UnbalancedPlaces>,
    ) -> Result<Self> {
        let mut found = Self::none((number, super::VERDICTS));
        found.places = places;
        for item in 0..source.index.items() {
            let position = u32::try_from(item).map_err(Error::failed)?;
            for (a, b, prediction) in table.of_item(item)? {
                found.push(position, (a, b), (0, 2.0 * prediction.p - 1.0));
            }
        }
        Ok(found)
    }

    fn none(name: (usize, &'static str)) -> Self {
        Self {
            name,
            found: BTreeMap::new(),
            shares: None,
            slice_shares: None,
            places: None,
            clusters: None,
        }
    }

    /// The same where the items of a cluster are one.
    #[must_use]
    pub(in crate::stages) fn of_clusters(mut self, clusters: Option<ItemClusters>) -> Self {
        self.clusters = clusters;
        self
    }

    /// The item that stands for its cluster.
    fn cluster(&self, item: u32) -> u32 {
        self.clusters
            .as_ref()
            .map_or(item, |shared| shared.cluster(item))
    }

    fn push(&mut self, item: u32, (a, b): (Arm, Arm), (annotator, value): (u32, f64)) {
        let (pair, value) = if a <= b {
            ((a, b), value)
        } else {
            ((b, a), -value)
        };
        let found = self.found.entry(pair).or_default();
        found.items.entry(item).or_default().push(value);
        if self.slice_shares.is_some() {
            found.each.push(ScoredJudgment {
                annotator: Some(annotator),
                ..ScoredJudgment::new(item, value, &[])
            });
        }
    }

    /// Whether annotators have weights, as pairs did not go to them alike.
    pub(in crate::stages) fn is_weighted(&self) -> bool {
        self.shares.is_some()
    }

    /// Whether annotators weigh the same in all slices, which did not go to them alike.
    pub(in crate::stages) fn has_slice_weights(&self) -> bool {
        self.shares.is_none() && self.slice_shares.is_some()
    }

    /// The number of items of a slice with comparisons of a system; those of a cluster are one.
    pub(in crate::stages) fn items(&self, system: Arm, slice: Option<&BTreeSet<u32>>) -> u64 {
        let found = self.found.iter();
        let own = found.filter(|((one, other), _)| [one, other].contains(&&system));
        let items = own.flat_map(|(_, found)| found.items.keys().copied());
        let inside = items.filter(|item| slice.is_none_or(|slice| slice.contains(item)));
        let clusters: BTreeSet<u32> = inside.map(|item| self.cluster(item)).collect();
        clusters.len() as u64
    }

    /// Compares two systems, on the items of a slice where there is one; `None` where none of their outputs were compared.
    pub(in crate::stages) fn compare(
        &self,
        base: Arm,
        new: Arm,
        slice: Option<&BTreeSet<u32>>,
    ) -> Result<Option<PairedSystems>> {
        let sign = if new <= base { 1.0 } else { -1.0 };
        let Some(found) = self.found.get(&(new.min(base), new.max(base))) else {
            return Ok(None);
        };
        let inside = |item: u32| slice.is_none_or(|slice| slice.contains(&item));
        let mut items: BTreeMap<u32, Moments> = BTreeMap::new();
        for (&item, values) in found.items.iter().filter(|(item, _)| inside(**item)) {
            let of_cluster = items.entry(self.cluster(item)).or_default();
            for &value in values {
                of_cluster.push(value);
            }
        }
        let single = items.values().all(|one| one.count() == 1);
        let means = items.values().filter_map(|one| Some(sign * one.mean()?));
        let values: Vec<f64> = means.collect();
        let n = values.len() as u64;
        // Wins, losses and ties are successes of the one, of the other, and of neither.
        let Some(paired) = PairedDifferences::new(&values, 1.0, single) else {
            return Ok(None);
        };
        let shares = match slice {
            Some(_) => &self.slice_shares,
            None => &self.shares,
        };
        let sample = match shares {
            None => DifferenceSample::Paired(paired),
            Some(shares) => {
                let each = found.each.rows().filter(|one| inside(one.item));
                let sides = [sign, -sign].map(|sign| {
                    let scored = each.clone().map(|one| ScoredJudgment {
                        y: 0.5 + 0.5 * sign * one.y,
                        item: self.cluster(one.item),
                        ..one
                    });
                    scored.collect::<Judgments>()
                });
                DifferenceSample::of_pair(weighed(&sides, shares, n)?, n)
            }
        };
        Ok(Some(PairedSystems {
            is_unbalanced: self
                .places
                .as_ref()
                .is_some_and(|places| places.has([base, new])),
            ..PairedSystems::new((base, new), self.name, n, sample)
        }))
    }
}

/// The difference of the two sides of comparisons, each a score from 0 to 1, by annotators with these shares.
fn weighed(sides: &[Judgments; 2], shares: &AnnotatorShares, items: u64) -> Result<PairComparison> {
    let dealing = AnnotatorAllocation::of_shares(sides.each_ref(), shares.clone(), NEGLIGIBLE);
    let survey = Survey::unscored(items).with_range(0.0, 1.0)?;
    let terms = AnalysisTerms {
        confidence: 0.95,
        range: survey.range,
        weights: dealing.weights(),
    };
    let [one, other] = [0, 1].map(|place| contender(place, &survey, &sides[place], &terms));
    Ok(PairComparison::new(&[one?, other?], &dealing, 0, 1))
}

/// The usual scales of scores.
const USUAL: [[f64; 2]; 4] = [[0.0, 1.0], [1.0, 5.0], [0.0, 10.0], [0.0, 100.0]];

/// A key as TOML has it: in quotes where it is not plain.
fn toml_key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    match name.chars().all(is_plain) {
        true => name.to_string(),
        false => toml::Value::from(name).to_string(),
    }
}

/// The error about scores on an unknown scale.
pub(in crate::stages) fn range_unknown<'a>(
    (criterion, is_of_one): (&str, bool),
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
    let range = Key("range").set(format!("{low},{high}"));
    Error::key("range", what).with_hint(match is_of_one {
        true => message!(
            "rare regressions can be as large as the scale: say what it is, such as {}, or name other criteria by {}",
            range,
            Key("criterion")
        ),
        false => message!(
            "declare it in dataset.toml, such as [criteria.{}] range = [{low}, {high}], or compare it alone: {} {}",
            toml_key(criterion),
            Key("criterion").set(criterion),
            range
        ),
    })
}
