//! Differences of means and win rates for every pair of systems, and the runs of systems that are not told apart.
//!
//! Sources: the error of a difference counts that both systems were judged on the same items, by what
//! each item contributes to each estimate (Liang and Zeger, Biometrika 1986). Which differences are
//! real is decided by Holm's procedure over all pairs (see `stats::holm`), so that any mistake among
//! them is as rare as the confidence says. Groups are the longest runs, in the order of the estimates, in which no two
//! systems are told apart, as those of a ranking.
//!
//! Where both systems have means of the same items, each with the same share, on a known scale, the difference is that
//! of `paired`: also where every annotator judged all of them. Elsewhere, with a known range, an end is the farthest of
//! the same three: Student's t, Hall's, and what outputs that nobody judged could still do, where items were chosen
//! with different probabilities or in strata by those that stand for most outputs. Of few items picked at random (see
//! `rule`) it is the hull with an interval from the range alone, for the items' differences. Of plain means at a level
//! of an end below .01 it is the nearer of the two, as in `paired`. A difference is then real only at an even share of
//! the error of all pairs (Bonferroni's; Holm's order would depend on errors that few items do not give). Without a
//! range there is no interval where nothing varies, and no difference is real.
//!
//! Intervals of differences and win rates are each for themselves; beside the former stands one at
//! the level at which Holm's procedure tested the pair, which leaves out 0 exactly where the difference
//! is real. A win is an item on which the mean judgment of one system is higher, by annotators who judged both there; a
//! tie is half a win; the interval of the rate is Wilson's with ties.
//!
//! Where most of the items that either of two systems has are judged for both, the difference is that on these alone. What
//! one system lacks is seldom lacking by chance: outputs fail, or time runs out, on hard items. With items that vary twice
//! as much as their judgments, the one system without the hardest 8 of 100 and the other without the easiest 8, means told
//! equal systems apart in 89 % of data sets. Where chance left items out, intervals are at most 1.22 times as wide for it,
//! and no wider where items make 60 % of the variance. Outputs that were chosen with known probabilities or in strata all
//! count: there the design says what chance did.
//!
//! Means of items that mostly differ are compared as if chance had chosen these. Where the items that one system has alone
//! stand out from those of both (see `unlike`), nothing is said of the pair. Nor should it be where two systems share no
//! item, unless chance is known to have chosen: who knows that takes them for [untested](EstimateDifference::untested).

use super::analysis::{analyse_with, on_scale, weighted};
use super::fixed_bets::BoundedSample;
use super::large_sample::{DifferenceScale, LEAST_SEPARATE_LEVEL, LargeSample, least_level};
use super::planned::{PlannedComparison, SoughtEnd};
use super::prospect::fewest;
use super::unlike::{self, UnlikeItems};
use super::{
    AnalysisTerms, AnnotatorAllocation, AnnotatorMeans, AnnotatorWeights, Contributions, Estimator,
    Judgments, NewAnnotators, PairedDifferences, Range, TheseItems, UnseenOutputs,
    UnsharedAnnotator, rule,
};
use crate::evaluation::standing::tied_groups;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::stats::bisection::bisected;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::special::student_t_above;
use tiebreak_base::stats::{holm, wilson};

/// The level below which levels of an end are not told apart.
const LEAST_LEVEL: f64 = 1e-9;

/// The relative distance up to which two means are equal.
const ROUNDING: f64 = 1e-12;

/// The probability with which the predicted number of items shows a difference.
const POWER: f64 = 0.8;

/// One system to be compared.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its place in the dealing.
    pub place: usize,
    /// Its estimated mean judgment.
    pub estimate: f64,
    /// The estimate's error, by item; `None` where too few items were judged to tell.
    pub error: Option<Contributions>,
    /// The mean judgment of each item as the estimator takes it, less what a metric says, and its share of the estimate.
    pub items: BTreeMap<u32, (f64, f64)>,
    /// The mean judgment of each item by each annotator, as they gave it.
    pub judged: BTreeMap<u32, Vec<(Option<u32>, f64)>>,
    /// The share of the outputs at hand that is not judged; 1 where they are not all that matter.
    pub left: f64,
    /// The mean of each annotator's judgments.
    pub people: AnnotatorMeans,
    /// The range of the judgments, where it is known.
    pub range: Option<Range>,
    /// As [`Estimator::unseen_by_design`].
    pub unseen: Option<UnseenOutputs>,
    /// As [`Estimator::these_items`]; the error is that for items like these.
    pub these: Option<TheseItems>,
}

impl Contender {
    /// The contender of an estimator with all its judgments; `None` where its estimates cannot be compared.
    pub fn new(
        place: usize,
        estimator: &dyn Estimator,
        judged: &Judgments,
        terms: &AnalysisTerms<'_>,
    ) -> Option<Self> {
        let estimate = estimator.value().filter(|_| estimator.is_comparable())?;
        let estimate = on_scale(estimate, terms.range);
        let (range, unseen) = (terms.range, estimator.unseen_by_design());
        let people = AnnotatorMeans::of_judgments(estimator, judged);
        let weights = terms
            .weights
            .and_then(|all| all.of_those_who_judged(judged));
        let terms = &AnalysisTerms {
            weights: weights.as_ref(),
            ..*terms
        };
        if let Some(weighted) = weighted(estimator, judged, terms) {
            let weighed = weights.as_ref().map(|all| all.weighed(judged));
            return Some(Self {
                place,
                estimate: on_scale(weighted.value, range),
                error: Some(weighted.error),
                items: weighted.items,
                judged: by_annotator(weighed.as_ref().unwrap_or(judged)),
                left: 1.0,
                people,
                range,
                unseen,
                these: None,
            });
        }
        let mut items: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for one in judged.rows() {
            let sums = items.entry(one.item).or_default();
            *sums = (sums.0 + one.y, sums.1 + 1.0);
        }
        let all = judged.len() as f64;
        for one in items.values_mut() {
            *one = (one.0 / one.1, one.1 / all);
        }
        Some(Self {
            place,
            estimate,
            error: estimator.contributions(),
            judged: by_annotator(judged),
            items,
            left: estimator.unjudged(),
            people,
            range,
            unseen,
            these: estimator.these_items(),
        })
    }

    /// The contender of a fresh estimator with the judgments of some items alone; `None` where its error is not known, or an
    /// annotator with a weight judged too few of these.
    pub fn of_items(
        place: usize,
        estimator: &mut dyn Estimator,
        judged: &Judgments,
        items: &BTreeSet<u32>,
        terms: &AnalysisTerms<'_>,
    ) -> Option<Self> {
        let rows = judged.rows().filter(|one| items.contains(&one.item));
        let judged: Judgments = rows.collect();
        analyse_with(estimator, &judged, terms).ok()?;
        let needs_weights = terms.weights.is_some() && estimator.is_weighable();
        if needs_weights && weighted(estimator, &judged, terms).is_none() {
            return None;
        }
        Self::new(place, estimator, &judged, terms).filter(|one| one.error.is_some())
    }

    /// The number of outputs picked at random of which one goes unseen as easily.
    fn effective_items(&self) -> f64 {
        let designed = self.unseen.map(|unseen| unseen.each.recip());
        designed.unwrap_or(self.items.len() as f64)
    }
}

/// The mean judgment of each item by each annotator.
fn by_annotator(judged: &Judgments) -> BTreeMap<u32, Vec<(Option<u32>, f64)>> {
    let mut sums: BTreeMap<(u32, Option<u32>), Moments> = BTreeMap::new();
    for one in judged.rows() {
        let key = (one.item, one.annotator);
        sums.entry(key).or_default().push(one.y);
    }
    let mut items: BTreeMap<u32, Vec<(Option<u32>, f64)>> = BTreeMap::new();
    for ((item, annotator), scores) in sums {
        let of_item = items.entry(item).or_default();
        of_item.extend(scores.mean().map(|mean| (annotator, mean)));
    }
    items
}

/// The difference of one pair of systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateDifference {
    /// The place of the first system.
    pub a: usize,
    /// The place of the second, later one.
    pub b: usize,
    /// The first's estimate minus the second's.
    pub difference: f64,
    /// Its interval; `None` where nothing varies and no range is known, or a system's error is unknown.
    pub interval: Option<(f64, f64)>,
    /// Its standard error; `None` where that of a system is unknown.
    pub standard_error: Option<f64>,
    /// The interval at the level of this pair's step in Holm's procedure.
    pub corrected: Option<(f64, f64)>,
    /// Whether it differs from 0, in the test of all pairs.
    pub significant: bool,
    /// How many times as many items would show the difference with probability .8, were it as observed; `None` where it
    /// is significant, where nothing is known, and for more than 50 times as many.
    pub needed_times: Option<f64>,
    /// The number of items judged for both.
    pub items: u64,
    /// The number of items of one of the two alone that the difference leaves out; 0 where it takes all judgments.
    pub left_out: u64,
    /// How often the first wins, ties half, and its interval over items; `None` without items that one annotator judged
    /// for both.
    pub wins: Option<ItemWins>,
    /// Why there is no comparison: the two were judged by different people.
    pub unshared: Option<UnsharedAnnotator>,
    /// Why there is no comparison: one system's own items are unlike those of both.
    pub unlike: Option<UnlikeItems>,
    /// The difference for new annotators; `None` where there is none.
    pub new_annotators: Option<NewAnnotators>,
}

impl EstimateDifference {
    /// The largest number of items that is predicted, in times those at hand.
    pub const MOST_TIMES: f64 = 50.0;

    /// The same where the systems are not compared.
    #[must_use]
    pub fn untested(self) -> Self {
        Self {
            interval: None,
            standard_error: None,
            corrected: None,
            significant: false,
            needed_times: None,
            new_annotators: None,
            ..self
        }
    }
}

/// How often the first of a pair wins, by items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemWins {
    /// The share of items that it wins, ties half.
    pub rate: f64,
    /// The lower end of the interval of that share.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// The number of items that one annotator judged for both.
    pub items: u64,
}

impl ItemWins {
    /// The same for the second of the pair.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            rate: 1.0 - self.rate,
            lower: 1.0 - self.upper,
            upper: 1.0 - self.lower,
            ..self
        }
    }
}

/// A function that makes the contender at a place anew, with the judgments of some items alone, and with the weights of a
/// pair where it has its own.
type ContenderOfItems<'a> =
    dyn Fn(usize, &BTreeSet<u32>, Option<&AnnotatorWeights>) -> Option<Contender> + 'a;

impl EstimateDifference {
    /// The differences of all pairs of systems, by place; none unless 0 < confidence < 1.
    pub fn all(
        systems: &[Contender],
        of_items: &ContenderOfItems<'_>,
        dealing: &AnnotatorAllocation,
        confidence: f64,
    ) -> Vec<EstimateDifference> {
        let pairs = (0..systems.len()).flat_map(|a| (a + 1..systems.len()).map(move |b| (a, b)));
        let pairs =
            pairs.map(|(a, b)| PairComparison::on_shared(systems, of_items, dealing, (a, b)));
        let pairs: Vec<PairComparison> = pairs.collect();
        if !(confidence > 0.0 && confidence < 1.0) {
            return Vec::new();
        }
        // Pairs that cannot be tested take no share of the error probability.
        let p_values: Vec<f64> = pairs.iter().filter_map(PairComparison::p_value).collect();
        let mut levels = holm::step_levels(&p_values, 1.0 - confidence).into_iter();
        let even = (1.0 - confidence) / p_values.len() as f64;
        let told = |pair: PairComparison| {
            // Only pairs with an error have a level.
            let error = pair.error.as_ref();
            let tested = error.and_then(|error| Some((error, levels.next()?)));
            let corrected = tested.and_then(|(error, level)| error.ends(level, even));
            let significant = corrected.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0);
            let open = tested.filter(|_| corrected.is_some() && !significant);
            EstimateDifference {
                a: pair.a,
                b: pair.b,
                difference: pair.difference,
                interval: pair.interval(1.0 - confidence),
                standard_error: pair.standard_error(),
                needed_times: open
                    .and_then(|(error, level)| error.needed_times(pair.difference, level, even)),
                significant,
                corrected,
                items: pair.shared(systems).count() as u64,
                left_out: pair.left_out,
                wins: pair.wins(systems, confidence),
                unshared: pair.unshared,
                unlike: pair.unlike,
                new_annotators: pair.new_annotators(confidence),
            }
        };
        pairs.into_iter().map(told).collect()
    }

    /// The groups of systems that were tested against each other and are not told apart, by estimate, highest first. Systems
    /// with an unknown error are left out.
    pub fn groups(systems: &[Contender], differences: &[EstimateDifference]) -> Vec<Vec<usize>> {
        let known = |&place: &usize| systems[place].error.is_some();
        let mut order: Vec<usize> = (0..systems.len()).filter(known).collect();
        order.sort_by(|&a, &b| {
            systems[b]
                .estimate
                .total_cmp(&systems[a].estimate)
                .then(a.cmp(&b))
        });
        let is_open = |one: &&EstimateDifference| !one.significant && one.corrected.is_some();
        let open = differences.iter().filter(is_open);
        let open: BTreeSet<(usize, usize)> = open.map(|one| (one.a, one.b)).collect();
        tied_groups(&order, |a, b| open.contains(&(a.min(b), a.max(b))))
    }
}

/// Two systems and their difference, before correction for multiple testing.
#[derive(Debug)]
pub struct PairComparison {
    a: usize,
    b: usize,
    difference: f64,
    /// Its error; `None` where that of a system is unknown, or different people or unlike items were judged.
    error: Option<DifferenceError>,
    /// The items of one system alone that are left out.
    left_out: u64,
    unshared: Option<UnsharedAnnotator>,
    unlike: Option<UnlikeItems>,
    /// The difference for new annotators without ends, and the largest possible one.
    of_new: Option<NewAnnotators>,
    most: Option<f64>,
}

/// What is known of the error of a difference.
#[derive(Debug)]
enum DifferenceError {
    /// The items' differences are a sample.
    Paired(PairedDifferences),
    /// The error is that of two estimates.
    Estimated(PairError),
}

impl DifferenceError {
    fn new(one: &Contender, other: &Contender) -> Option<Self> {
        let estimated = PairError::new(one, other)?;
        let same = paired(one, other, estimated.sample.standard);
        Some(same.map_or(Self::Estimated(estimated), Self::Paired))
    }

    /// The interval at a two-sided level; a bound from the range alone at the level `bounded`.
    fn ends(&self, level: f64, bounded: f64) -> Option<(f64, f64)> {
        match self {
            Self::Paired(differences) => Some(differences.ends(0.5 * level)),
            Self::Estimated(error) => error.ends(level, bounded),
        }
    }

    /// How many times as many items would show the difference with [`POWER`], by the same intervals.
    fn needed_times(&self, difference: f64, level: f64, bounded: f64) -> Option<f64> {
        let end = SoughtEnd {
            boundary: 0.0,
            level: 0.5 * level,
            bounded: 0.5 * bounded,
            power: POWER,
        };
        let is_found = |times: f64| match self {
            Self::Paired(found) => {
                found.is_found((times * found.items() as f64).round() as u64, &end)
            }
            Self::Estimated(error) => error.is_found(times, &end),
        };
        let found = bisected(0.0, EstimateDifference::MOST_TIMES.ln(), |ln| {
            is_found(ln.exp())
        });
        found.filter(|_| difference != 0.0).map(f64::exp)
    }

    /// The two-sided p-value of the hypothesis that there is no difference.
    fn p_value(&self) -> f64 {
        match self {
            Self::Paired(found) => (2.0 * found.p_above(0.0).min(found.p_below(0.0))).min(1.0),
            Self::Estimated(error) => error.p_value(),
        }
    }
}

/// The differences of items, where both systems' estimates are means of the same items, each with the same share, on known
/// scales, whose error they explain.
fn paired(one: &Contender, other: &Contender, standard: f64) -> Option<PairedDifferences> {
    let most = farthest(one, other).filter(|_| are_at_random(one, other))?;
    if !one.items.keys().eq(other.items.keys()) {
        return None;
    }
    let n = one.items.len() as f64;
    let pairs = || one.items.values().zip(other.items.values());
    let is_even = |share: f64| (share * n - 1.0).abs() < 1e-9;
    if !pairs().all(|(a, b)| is_even(a.1) && is_even(b.1)) {
        return None;
    }
    let values: Vec<f64> = pairs().map(|(a, b)| a.0 - b.0).collect();
    let yes_no = [one, other].map(|of| of.range.is_some_and(|range| range.is_yes_no()));
    let found = PairedDifferences::new(&values, most, yes_no == [true; 2])?;
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * most;
    let explained = close(found.mean(), one.estimate - other.estimate)
        && close(found.standard_error(), standard);
    explained.then_some(found)
}

/// The error of a difference of two estimates.
#[derive(Debug)]
struct PairError {
    sample: LargeSample,
    /// The sample for bounds from the range alone, where a range is known and items are few or means plain.
    bounded: Option<BoundedSample>,
    few: bool,
    /// Whether the difference is the mean of the sample's numbers.
    plain: bool,
    /// Whether nothing varies and no range is known.
    unknown: bool,
}

impl PairError {
    fn new(one: &Contender, other: &Contender) -> Option<Self> {
        let error = one.error.as_ref()?.minus(other.error.as_ref()?);
        let these = TheseItems::of_difference(one, other);
        let these = these.map(|these| these.factor(error.standard_error()));
        let error = error.scaled(these.unwrap_or(1.0));
        let numbers = numbers(one, other);
        let values: Vec<f64> = numbers.iter().map(|number| number.0).collect();
        let most = farthest(one, other);
        let left = one.left.max(other.left);
        let missing = |of: &Contender| of.unseen.map_or(0.0, |unseen| unseen.missing);
        // Judged items stand for all outputs alike, so that the range alone bounds the mean of their numbers.
        let is_bounded = are_at_random(one, other) && most.is_some();
        let few = values.len() < rule::ENOUGH_ITEMS;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let difference = one.estimate - other.estimate;
        let off = (mean - difference).abs();
        let plain = most.is_some_and(|most| off <= 1e-9 * most);
        let usable = left > 0.0 && is_bounded && (few || plain);
        let scale = most.map(|most| DifferenceScale {
            most,
            items: one.effective_items().min(other.effective_items()),
            missing: missing(one).max(missing(other)),
            left,
        });
        let sample = LargeSample::new(difference, &error, scale);
        let is_same = rule::nothing_varies(sample.standard, &values);
        Some(Self {
            unknown: left > 0.0 && most.is_none() && is_same,
            bounded: usable.then(|| BoundedSample::between(numbers.into_iter())),
            few,
            plain: plain && usable,
            sample,
        })
    }

    /// The interval at a two-sided level, with that of the range alone at the level `bounded`, cut to what the ranges allow.
    fn ends(&self, level: f64, bounded: f64) -> Option<(f64, f64)> {
        let end = 0.5 * level;
        let (lower, upper) = match &self.bounded {
            Some(sample) if self.plain && end < LEAST_SEPARATE_LEVEL => self
                .sample
                .ends_within(sample.interval(1.0 - bounded)?, end)?,
            Some(sample) if self.few => {
                let (own, of_range) = (self.sample.ends(end)?, sample.interval(1.0 - bounded)?);
                (own.0.min(of_range.0), own.1.max(of_range.1))
            }
            _ => self.sample.ends(end)?,
        };
        let most = self.sample.scale.map_or(f64::INFINITY, |scale| scale.most);
        let clipped = (lower.max(-most), upper.min(most));
        (!self.unknown && clipped.0.is_finite() && clipped.1.is_finite()).then_some(clipped)
    }

    /// Whether so many times as many items exclude a boundary, were the true difference the observed one.
    fn is_found(&self, times: f64, end: &SoughtEnd) -> bool {
        let scale = self.sample.scale.map(|scale| DifferenceScale {
            items: times * scale.items,
            ..scale
        });
        let alone = self.plain && end.level < LEAST_SEPARATE_LEVEL;
        let is_few = |scale: DifferenceScale| scale.items < rule::ENOUGH_ITEMS as f64;
        let few = self.few && scale.is_some_and(is_few);
        let sample = self.bounded.as_ref().filter(|_| alone || few);
        let study = PlannedComparison {
            degrees: ((times * (self.sample.df + 1) as f64) as u64).saturating_sub(1),
            error: self.sample.standard / times.sqrt(),
            shape: self.sample.shape_of(times),
            scale,
            sample: sample.map(|sample| (sample, times)),
        };
        !self.unknown && study.shows(self.sample.mean, end, alone)
    }

    /// The two-sided p-value: the level from which on its own interval leaves out 0.
    fn p_value(&self) -> f64 {
        let sample = &self.sample;
        if sample.mean == 0.0 || self.unknown || sample.df == 0 {
            return 1.0;
        }
        if sample.scale.is_none() {
            let statistic = (sample.mean / sample.standard).abs();
            return 2.0 * student_t_above(statistic, sample.df as f64);
        }
        let excludes = |level: f64| {
            let ends = sample.ends(level);
            ends.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0)
        };
        let bets = |sample: &BoundedSample| sample.p_above(0.0).min(sample.p_below(0.0));
        (2.0 * self.least_level(excludes, bets)).min(1.0)
    }

    /// The one-sided p-value of what the end of an interval is `beyond`.
    fn p_beyond(
        &self,
        beyond: impl Fn((f64, f64)) -> bool,
        bets: impl Fn(&BoundedSample) -> f64,
    ) -> f64 {
        let excludes = |level: f64| {
            let ends = match self.few {
                true => self.ends(2.0 * level, 2.0 * level),
                false => self.sample.ends(level).filter(|_| !self.unknown),
            };
            ends.is_some_and(&beyond)
        };
        self.least_level(excludes, bets)
    }

    /// The level from which on an interval excludes a value: where the range alone counts at small levels, with its p-value
    /// there.
    fn least_level(
        &self,
        excludes: impl Fn(f64) -> bool,
        bets: impl Fn(&BoundedSample) -> f64,
    ) -> f64 {
        match self.bounded.as_ref().filter(|_| self.plain) {
            Some(sample) => self.sample.least_level_within(excludes, || bets(sample)),
            None => least_level(LEAST_LEVEL, excludes),
        }
    }
}

/// The items of both systems, where these are most of those that either has, and not all; with the number of the others.
fn mostly_shared(one: &Contender, other: &Contender) -> Option<(BTreeSet<u32>, u64)> {
    let shared = one
        .items
        .keys()
        .filter(|item| other.items.contains_key(item));
    let shared: BTreeSet<u32> = shared.copied().collect();
    let alone = one.items.len() + other.items.len() - 2 * shared.len();
    let is_most = alone > 0 && unlike::are_mostly_shared(shared.len(), alone);
    let is_restricted = is_most && are_at_random(one, other);
    is_restricted.then_some((shared, alone as u64))
}

impl PairComparison {
    /// Compares two systems, by their places among all: on the items of both where these are most, else by all judgments.
    fn on_shared(
        systems: &[Contender],
        of_items: &ContenderOfItems<'_>,
        dealing: &AnnotatorAllocation,
        (a, b): (usize, usize),
    ) -> Self {
        let (one, other) = (&systems[a], &systems[b]);
        let own = dealing.of_pair(one.place, other.place);
        let weights = own.as_ref().and_then(AnnotatorAllocation::weights);
        let remade = |[of_one, of_other]: [&BTreeSet<u32>; 2], left_out: u64| {
            let pair = [
                of_items(a, of_one, weights)?,
                of_items(b, of_other, weights)?,
            ];
            let found = Self::new(&pair, dealing, 0, 1);
            Some(Self {
                a,
                b,
                left_out,
                ..found
            })
        };
        let on_both =
            mostly_shared(one, other).and_then(|(items, left_out)| remade([&items; 2], left_out));
        let by_all = || Self::new(systems, dealing, a, b);
        match (on_both, weights) {
            (Some(found), _) => found,
            (None, None) => by_all(),
            (None, Some(_)) => {
                let all = [one, other].map(|of| of.items.keys().copied().collect());
                remade(all.each_ref(), 0).unwrap_or_else(|| Self {
                    error: None,
                    of_new: None,
                    ..by_all()
                })
            }
        }
    }

    /// Compares two systems by all their judgments, by their places among all.
    pub fn new(systems: &[Contender], dealing: &AnnotatorAllocation, a: usize, b: usize) -> Self {
        let (one, other) = (&systems[a], &systems[b]);
        let unshared = dealing.unshared(one.place, other.place);
        let pairs = systems.len() * (systems.len() - 1) / 2;
        let items = [(one.place, &one.items), (other.place, &other.items)];
        let unlike = match are_at_random(one, other) {
            true => unlike::stands_out(items, |(mean, _)| *mean, pairs),
            false => None,
        };
        Self {
            a,
            b,
            difference: one.estimate - other.estimate,
            error: DifferenceError::new(one, other)
                .filter(|_| unshared.is_none() && unlike.is_none()),
            left_out: 0,
            unshared,
            unlike,
            of_new: one.people.minus(&other.people).unbounded(),
            most: farthest(one, other),
        }
    }

    /// The first's estimate minus the second's.
    pub fn difference(&self) -> f64 {
        self.difference
    }

    /// The largest possible difference, where the scale is known.
    pub fn largest(&self) -> Option<f64> {
        self.most
    }

    /// The standard error of the difference; `None` where that of a system is unknown.
    pub fn standard_error(&self) -> Option<f64> {
        self.error.as_ref().map(|error| match error {
            DifferenceError::Paired(differences) => differences.standard_error(),
            DifferenceError::Estimated(error) => error.sample.standard,
        })
    }

    /// The items' differences, where they are a sample of their own.
    pub fn paired(&self) -> Option<&PairedDifferences> {
        match self.error.as_ref()? {
            DifferenceError::Paired(differences) => Some(differences),
            DifferenceError::Estimated(_) => None,
        }
    }

    /// The interval at a two-sided level; `None` where nothing varies and no range is known, or an error is unknown.
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        let error = self.error.as_ref()?;
        error.ends(level, level)
    }

    /// The number of items at which an end at a level excludes `boundary` with probability `power`, from `items` now, were
    /// the true difference the observed one and did items differ as these do; `None` where no number does, or an error is
    /// unknown.
    pub fn needed(&self, items: u64, boundary: f64, level: f64, power: f64) -> Option<u64> {
        let end = SoughtEnd::new(boundary, level, power);
        match self.error.as_ref()? {
            DifferenceError::Paired(differences) => differences.needed(boundary, level, power),
            DifferenceError::Estimated(error) => {
                fewest(2, |n| error.is_found(n as f64 / items as f64, &end))
            }
        }
    }

    /// The two-sided p-value of the hypothesis that there is no difference; `None` where an error is unknown.
    pub fn p_value(&self) -> Option<f64> {
        let error = self.error.as_ref()?;
        Some(error.p_value())
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or less; 1 where nothing is known.
    pub fn p_above(&self, x: f64) -> f64 {
        match &self.error {
            Some(DifferenceError::Paired(differences)) => differences.p_above(x),
            Some(DifferenceError::Estimated(error)) => {
                error.p_beyond(|(lower, _)| lower > x, |sample| sample.p_above(x))
            }
            None => 1.0,
        }
    }

    /// The one-sided p-value of the hypothesis that the difference is `x` or more; 1 where nothing is known.
    pub fn p_below(&self, x: f64) -> f64 {
        match &self.error {
            Some(DifferenceError::Paired(differences)) => differences.p_below(x),
            Some(DifferenceError::Estimated(error)) => {
                error.p_beyond(|(_, upper)| upper < x, |sample| sample.p_below(x))
            }
            None => 1.0,
        }
    }

    /// Why there is no comparison: different people judged the two.
    pub fn unshared(&self) -> Option<UnsharedAnnotator> {
        self.unshared
    }

    /// The difference for new annotators; `None` where there is none.
    pub fn new_annotators(&self, confidence: f64) -> Option<NewAnnotators> {
        let scale = self.most.map(|most| [-most, most]);
        let found = self.of_new?.at(confidence, scale)?;
        Some(found.reaching(self.difference, self.interval(1.0 - confidence), scale))
    }

    /// The smallest level of an end from which on new annotators' interval excludes a value, as `beyond` tells of its ends;
    /// 1 where none does.
    pub fn p_of_new_annotators(&self, beyond: impl Fn((f64, f64)) -> bool) -> f64 {
        least_level(LEAST_LEVEL, |level| {
            let found = self.new_annotators(1.0 - 2.0 * level);
            found.is_some_and(|new| beyond((new.lower, new.upper)))
        })
    }

    /// The judgments of the items that both have.
    fn shared<'a>(
        &self,
        systems: &'a [Contender],
    ) -> impl Iterator<Item = [&'a [(Option<u32>, f64)]; 2]> {
        let (one, other) = (&systems[self.a].judged, &systems[self.b].judged);
        one.iter()
            .filter_map(|(item, by)| Some([&by[..], &other.get(item)?[..]]))
    }

    /// The win rate of the first, ties half, with an interval over items; `None` without items that one annotator judged
    /// for both. A judgment of somebody who judged one of them says how strict they are.
    fn wins(&self, systems: &[Contender], confidence: f64) -> Option<ItemWins> {
        let (mut wins, mut losses, mut items) = (0, 0, 0);
        for [one, other] in self.shared(systems) {
            let (mut first, mut second) = (Moments::default(), Moments::default());
            for (annotator, y) in one {
                if let Some((_, beside)) = other.iter().find(|by| by.0 == *annotator) {
                    first.push(*y);
                    second.push(*beside);
                }
            }
            let Some((y, other)) = first.mean().zip(second.mean()) else {
                continue;
            };
            // Means of the same judgments in another order differ by a rounding.
            let is_tie = (y - other).abs() <= ROUNDING * y.abs().max(other.abs());
            wins += u64::from(!is_tie && y > other);
            losses += u64::from(!is_tie && y < other);
            items += 1;
        }
        (items > 0).then(|| {
            let rate = 0.5 + 0.5 * (wins as f64 - losses as f64) / items as f64;
            let (lower, upper) = wilson::interval_with_ties(wins, losses, items, confidence);
            ItemWins {
                rate,
                lower,
                upper,
                items,
            }
        })
    }
}

/// Whether the judged items of both stand for all outputs alike.
fn are_at_random(one: &Contender, other: &Contender) -> bool {
    one.unseen.is_none() && other.unseen.is_none()
}

/// The largest possible difference of two means, where their ranges are known.
pub(super) fn farthest(one: &Contender, other: &Contender) -> Option<f64> {
    let (one, other) = one.range.zip(other.range)?;
    Some((one.upper() - other.lower()).max(other.upper() - one.lower()))
}

/// The values of the items that either system has, whose mean is the difference of the mean judgments, with
/// their bounds by the ranges; without ranges the value itself.
fn numbers(one: &Contender, other: &Contender) -> Vec<(f64, [f64; 2])> {
    let items: BTreeSet<u32> = one
        .items
        .keys()
        .chain(other.items.keys())
        .copied()
        .collect();
    let parts = |system: &Contender, item: u32| {
        system.items.get(&item).map_or([0.0; 3], |&(y, share)| {
            let weight = items.len() as f64 * share;
            let ends = system.range.map_or([y, y], |of| [of.lower(), of.upper()]);
            [weight * y, weight * ends[0], weight * ends[1]]
        })
    };
    let number = |&item: &u32| {
        let ([x, low, high], [y, bottom, top]) = (parts(one, item), parts(other, item));
        (x - y, [low - top, high - bottom])
    };
    items.iter().map(number).collect()
}
