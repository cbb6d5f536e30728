//! The assignment of outputs to annotators, and the weights of annotators that follow from it.
//!
//! A result is about the annotators who judged, as one group: the same for all systems, or systems would differ by who
//! judged them. The judgments under one criterion are of one of four kinds:
//!
//! * *alike*: the shares of the annotators differ between systems as chance has it (drawn), or not at all while somebody
//!   chose items to judge again. Plain means are about the same people, and items pair: the differences are those of the
//!   items.
//! * *weighted*: they differ by more, and those who judged at least two items of every system gave half of each system's
//!   judgments or more. Each system's mean is Σ_a w_a ȳ_a with their pooled shares w, the same for all systems; its
//!   variance is that within annotators, since their proportions are conditioned on. Where all have the same shares it is
//!   the plain mean, and one annotator more of the same kind costs nothing. Who judged less of some system is left out: of
//!   200 outputs of two equal systems, ten of one of them by somebody four times as strict as outputs differ, the systems
//!   differed in 35 % of the data sets.
//! * *apart*: shares differ, and too few judged every system. Each plain mean is about the system's own annotators. A pair
//!   is compared as if there were no other system: by plain means, with the pair's own weights, or not at all, where
//!   systems and people are confounded. By plain means alone, of five equal systems one of which went to other people, some
//!   two differed in 22 % of data sets.
//! * *listed*: a campaign named its annotators before the first question. All weigh the same, however many outputs each
//!   has judged by now. Nothing is claimed of a pair of which one of them judged fewer than two items of either system,
//!   and the mean of such a system is without them, or of all its judgments where nobody judged two.
//!
//! Whether shares differ by more than chance is Pearson's test of annotators by systems. Where weights are possible, a
//! doubt suffices to use them; what prevents a comparison must be beyond doubt.
//!
//! The error by item is the jackknife's, within annotators: leaving out an item moves ȳ_a, and what it moves all of them
//! by together is what the item adds. With one annotator and equally many judgments an item it is the textbook's.

use super::{Contributions, Judgments};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tiebreak_base::stats::normal;

/// The number of items at which an annotator's spread is known well enough for weights that nothing requires.
const ENOUGH_ITEMS: usize = 5;

/// The fewest items of one annotator that have a spread.
const FEWEST_ITEMS: usize = 2;

/// The probability under chance below which shares call for weights. At .05, of three annotators as far apart as ±2 where
/// items vary by ±.7 and shares differ by .07, 8 % of the data sets said that equal systems differ.
const DOUBT: f64 = 0.2;

/// The probability under chance below which estimators that do not weigh annotators say nothing.
const REQUIRED: f64 = 0.05;

/// The probability under chance below which shares forbid a comparison, where weights are impossible.
const BEYOND_DOUBT: f64 = 0.001;

/// The least share of each system's judgments by annotators who judged every system, for the others to be left out.
const LEAST_SHARED: f64 = 0.5;

/// The probability under chance of shares that are all the same.
const ALL_THE_SAME: f64 = 1.0;

/// The annotator of a judgment, by number; all unnamed annotators are one.
type AnnotatorKey = Option<u32>;

/// The judgments of one system by one annotator.
#[derive(Debug, Clone, Default)]
struct Load {
    judgments: f64,
    items: BTreeSet<u32>,
}

/// The share of each annotator among some judgments, by number; all unnamed annotators are one.
pub type AnnotatorShares = BTreeMap<Option<u32>, f64>;

/// Annotators' shares of all judgments, where parts of the items did not go to them alike, as chance has it: the weights
/// that they then have in every part. Each judgment is its part, item and annotator. Where annotators with more than
/// `negligible` of the weight lack a part, about which nothing will be claimed, it must be beyond doubt.
pub fn uneven_shares(
    judged: impl Iterator<Item = (Option<u32>, u32, Option<u32>)>,
    negligible: f64,
) -> Option<AnnotatorShares> {
    let mut shares = AnnotatorShares::new();
    let mut parts: BTreeMap<u32, BTreeMap<AnnotatorKey, Load>> = BTreeMap::new();
    for (part, item, who) in judged {
        *shares.entry(who).or_default() += 1.0;
        let loads = part.map(|part| parts.entry(part).or_default());
        loads.map(|loads| loads.entry(who).or_default().items.insert(item));
    }
    let all: f64 = shares.values().sum();
    for share in shares.values_mut() {
        *share /= all;
    }
    // Who judges an item judges all its outputs, so only items go to annotators one by one.
    for load in parts.values_mut().flat_map(BTreeMap::values_mut) {
        load.judgments = load.items.len() as f64;
    }
    let parts: Vec<&BTreeMap<AnnotatorKey, Load>> = parts.values().collect();
    let lacks = |who: AnnotatorKey| unshared([who], &parts, FEWEST_ITEMS).is_some();
    let lacking = shares.iter().filter(|(who, _)| lacks(**who));
    let lacking: f64 = lacking.map(|(_, share)| share).sum();
    let least = match lacking > negligible {
        true => BEYOND_DOUBT,
        false => REQUIRED,
    };
    (chance(&parts) < least).then_some(shares)
}

/// The numbers of judgments of one system, by annotator.
#[derive(Debug, Clone)]
pub struct AnnotatorLoads(Arc<BTreeMap<AnnotatorKey, Load>>);

impl From<&Judgments> for AnnotatorLoads {
    fn from(judged: &Judgments) -> Self {
        let mut loads: BTreeMap<AnnotatorKey, Load> = BTreeMap::new();
        for one in judged.rows() {
            let load = loads.entry(one.annotator).or_default();
            load.judgments += 1.0;
            load.items.insert(one.item);
        }
        Self(Arc::new(loads))
    }
}

/// The judgments of each annotator and system under one criterion.
#[derive(Debug, Clone, Default)]
pub struct AnnotatorAllocation {
    /// Those of each system.
    loads: Vec<AnnotatorLoads>,
    kind: AllocationKind,
    /// Those who judged and are not listed any more.
    left: BTreeSet<AnnotatorKey>,
    /// Whether means in which everybody counts as often as they judged would be about other people.
    uneven: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
enum AllocationKind {
    #[default]
    Alike,
    Weighted(AnnotatorWeights),
    Apart,
    Listed(AnnotatorWeights),
}

/// The weights of annotators: shares that sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorWeights(BTreeMap<AnnotatorKey, f64>);

/// Why two systems cannot be compared: an annotator who judged one of them judged too little of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsharedAnnotator {
    /// The annotator; `None` for those who gave no name.
    pub annotator: Option<u32>,
    /// The place of the system of which they judged fewer than two items.
    pub system: usize,
    /// Whether they judged no item of it.
    pub never: bool,
}

impl AnnotatorAllocation {
    /// The allocation of the judgments of all systems under one criterion, in the order of systems.
    pub fn new<S: Into<AnnotatorLoads>>(systems: impl IntoIterator<Item = S>) -> Self {
        let loads: Vec<AnnotatorLoads> = systems.into_iter().map(Into::into).collect();
        let all = by_system(&loads);
        let people = annotators(&all);
        let fewer = |least: usize| unshared(people.iter().copied(), &all, least).is_some();
        let chance = chance(&all);
        let kind = if people.len() < 2 {
            AllocationKind::Alike
        } else if chance == ALL_THE_SAME && !fewer(ENOUGH_ITEMS) && is_regular(&all) {
            AllocationKind::Weighted(AnnotatorWeights::pooled(&all))
        } else if chance >= DOUBT {
            AllocationKind::Alike
        } else if let Some(weights) = AnnotatorWeights::of_sharing(people, &all) {
            AllocationKind::Weighted(weights)
        } else if chance >= BEYOND_DOUBT {
            AllocationKind::Alike
        } else {
            AllocationKind::Apart
        };
        let uneven = chance < REQUIRED && matches!(kind, AllocationKind::Weighted(_));
        Self {
            loads,
            kind,
            left: BTreeSet::new(),
            uneven,
        }
    }

    /// The allocation where annotators were listed, by number. Of others, who left the list, those count who judged
    /// enough of every system.
    pub fn of_listed<S: Into<AnnotatorLoads>>(
        systems: impl IntoIterator<Item = S>,
        listed: &[u32],
    ) -> Self {
        let loads: Vec<AnnotatorLoads> = systems.into_iter().map(Into::into).collect();
        let all = by_system(&loads);
        let listed: BTreeSet<AnnotatorKey> = listed.iter().map(|&number| Some(number)).collect();
        let mut left = annotators(&all);
        left.retain(|who| !listed.contains(who));
        let mut people = listed;
        let enough = |who: &&AnnotatorKey| unshared([**who], &all, FEWEST_ITEMS).is_none();
        people.extend(left.iter().filter(enough));
        let weights = AnnotatorWeights::equal(&people);
        let degrees = count_judged(&all) * people.len().saturating_sub(1);
        let uneven = upper_tail(statistic(&all, &weights), degrees) < REQUIRED;
        let kind = match people.len() {
            0 => AllocationKind::Alike,
            1 if left.is_empty() => AllocationKind::Alike,
            _ => AllocationKind::Listed(weights),
        };
        Self {
            loads,
            kind,
            left,
            uneven,
        }
    }

    /// The allocation of one pair where annotators weigh the same in all pairs: as these shares, but for those who judged
    /// less than two of its items, if they have less than `negligible` of the weight. Nothing is claimed if they have more.
    pub fn of_shares<S: Into<AnnotatorLoads>>(
        pair: [S; 2],
        shares: AnnotatorShares,
        negligible: f64,
    ) -> Self {
        let loads: Vec<AnnotatorLoads> = pair.into_iter().map(Into::into).collect();
        let all = by_system(&loads);
        let mut shares = shares;
        shares.retain(|_, share| *share > 0.0);
        let mut present = shares.clone();
        present.retain(|&who, _| unshared([who], &all, FEWEST_ITEMS).is_none());
        let weight: f64 = present.values().sum();
        let weights = match weight < 1.0 - negligible {
            true => shares,
            false => present
                .into_iter()
                .map(|(who, share)| (who, share / weight))
                .collect(),
        };
        Self {
            loads,
            kind: AllocationKind::Listed(AnnotatorWeights(weights)),
            left: BTreeSet::new(),
            uneven: true,
        }
    }

    /// The weights of the annotators, where plain means would be about different people.
    pub fn weights(&self) -> Option<&AnnotatorWeights> {
        match &self.kind {
            AllocationKind::Weighted(weights) | AllocationKind::Listed(weights) => Some(weights),
            AllocationKind::Alike | AllocationKind::Apart => None,
        }
    }

    /// Whether estimators that do not weigh annotators speak of other people, beyond what chance does.
    pub fn requires_weights(&self) -> bool {
        self.uneven
    }

    /// Those who were listed and judged fewer than two items of a system, with each such system by place; `None` where
    /// nobody was listed.
    pub fn lacking(&self) -> Option<Vec<UnsharedAnnotator>> {
        let AllocationKind::Listed(AnnotatorWeights(weights)) = &self.kind else {
            return None;
        };
        let all = by_system(&self.loads);
        Some(all_unshared(weights.keys().copied(), &all, FEWEST_ITEMS).collect())
    }

    /// Those whose judgments do not count, since shares differ and they judged fewer than two items of some system.
    pub fn left_out(&self) -> Vec<Option<u32>> {
        let AllocationKind::Weighted(AnnotatorWeights(weights)) = &self.kind else {
            return Vec::new();
        };
        let people = annotators(&by_system(&self.loads)).into_iter();
        people.filter(|who| !weights.contains_key(who)).collect()
    }

    /// Those who judged and are not listed any more, where somebody is: first those who weigh like the listed ones.
    pub fn left(&self) -> [Vec<Option<u32>>; 2] {
        let AllocationKind::Listed(AnnotatorWeights(weights)) = &self.kind else {
            return Default::default();
        };
        let (weighed, others) = self
            .left
            .iter()
            .copied()
            .partition(|who| weights.contains_key(who));
        [weighed, others]
    }

    /// Whether each system's mean is about its own annotators.
    pub fn is_apart(&self) -> bool {
        self.kind == AllocationKind::Apart
    }

    /// The allocation of two systems alone, by place, where each system's mean is about its own annotators: the two may have
    /// enough in common to be compared. `None` elsewhere.
    #[must_use]
    pub fn of_pair(&self, a: usize, b: usize) -> Option<Self> {
        let pair = [self.loads.get(a)?.clone(), self.loads.get(b)?.clone()];
        self.is_apart().then(|| Self::new(pair))
    }

    /// Why two systems, by place, cannot be compared; `None` where they can.
    pub fn unshared(&self, a: usize, b: usize) -> Option<UnsharedAnnotator> {
        let pair = [&*self.loads.get(a)?.0, &*self.loads.get(b)?.0];
        let unshared = match &self.kind {
            AllocationKind::Alike | AllocationKind::Weighted(_) => None,
            AllocationKind::Apart => unshared(annotators(&pair), &pair, FEWEST_ITEMS)
                .filter(|_| self.of_pair(a, b).is_some_and(|own| own.is_apart())),
            AllocationKind::Listed(AnnotatorWeights(weights)) => {
                unshared(weights.keys().copied(), &pair, FEWEST_ITEMS)
            }
        }?;
        Some(UnsharedAnnotator {
            system: [a, b][unshared.system],
            ..unshared
        })
    }
}

fn by_system(loads: &[AnnotatorLoads]) -> Vec<&BTreeMap<AnnotatorKey, Load>> {
    loads.iter().map(|one| &*one.0).collect()
}

/// All who judged; those who gave no name are one.
fn annotators(systems: &[&BTreeMap<AnnotatorKey, Load>]) -> BTreeSet<AnnotatorKey> {
    systems.iter().flat_map(|one| one.keys().copied()).collect()
}

/// The first of these annotators who judged fewer than `least` items of some system.
fn unshared(
    people: impl IntoIterator<Item = AnnotatorKey>,
    systems: &[&BTreeMap<AnnotatorKey, Load>],
    least: usize,
) -> Option<UnsharedAnnotator> {
    all_unshared(people, systems, least).next()
}

/// Each of these annotators with each system of which they judged fewer than `least` items.
fn all_unshared(
    people: impl IntoIterator<Item = AnnotatorKey>,
    systems: &[&BTreeMap<AnnotatorKey, Load>],
    least: usize,
) -> impl Iterator<Item = UnsharedAnnotator> {
    let each = people
        .into_iter()
        .flat_map(|who| (0..systems.len()).map(move |system| (who, system)));
    each.filter_map(move |(annotator, system)| {
        let items = systems[system]
            .get(&annotator)
            .map_or(0, |load| load.items.len());
        (items < least).then_some(UnsharedAnnotator {
            annotator,
            system,
            never: items == 0,
        })
    })
}

/// The probability under chance of shares that differ so much between systems.
fn chance(systems: &[&BTreeMap<AnnotatorKey, Load>]) -> f64 {
    let pooled = AnnotatorWeights::pooled(systems);
    let degrees = pooled.0.len().saturating_sub(1) * count_judged(systems).saturating_sub(1);
    upper_tail(statistic(systems, &pooled), degrees)
}

/// Whether every annotator judged the same items of all systems, or each item of a system was judged equally often: nobody
/// chose which items to judge again.
fn is_regular(systems: &[&BTreeMap<AnnotatorKey, Load>]) -> bool {
    let judged = || systems.iter().filter(|loads| !loads.is_empty());
    let is_same = |one: &BTreeMap<AnnotatorKey, Load>, other: &BTreeMap<AnnotatorKey, Load>| {
        let mut both = one.iter().zip(other);
        one.len() == other.len() && both.all(|(a, b)| a.0 == b.0 && a.1.items == b.1.items)
    };
    let is_even = |loads: &BTreeMap<AnnotatorKey, Load>| {
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for &item in loads.values().flat_map(|load| &load.items) {
            *numbers.entry(item).or_default() += 1;
        }
        let mut numbers = numbers.into_values();
        let first = numbers.next();
        numbers.all(|number| Some(number) == first)
    };
    let Some(first) = judged().next() else {
        return true;
    };
    judged().all(|loads| is_even(loads)) || judged().all(|loads| is_same(loads, first))
}

/// The number of systems that anybody judged.
fn count_judged(systems: &[&BTreeMap<AnnotatorKey, Load>]) -> usize {
    systems.iter().filter(|loads| !loads.is_empty()).count()
}

/// Pearson's X² of the judgments of each system beside those that annotators of these shares would give.
fn statistic(systems: &[&BTreeMap<AnnotatorKey, Load>], shares: &AnnotatorWeights) -> f64 {
    let mut statistic = 0.0;
    for loads in systems {
        let number = |who: &AnnotatorKey| loads.get(who).map_or(0.0, |load| load.judgments);
        let total: f64 = shares.0.keys().map(number).sum();
        for (who, share) in &shares.0 {
            let expected = total * share;
            statistic += (number(who) - expected).powi(2) / expected.max(f64::MIN_POSITIVE);
        }
    }
    statistic
}

/// The probability that χ² exceeds a statistic (Wilson and Hilferty).
fn upper_tail(statistic: f64, degrees: usize) -> f64 {
    let degrees = degrees as f64;
    if degrees == 0.0 || statistic < 1e-9 {
        return ALL_THE_SAME;
    }
    let spread = 2.0 / (9.0 * degrees);
    normal::cdf((1.0 - spread - (statistic / degrees).cbrt()) / spread.sqrt())
}

/// An estimate with weighted annotators, and the parts of its error and bounds.
pub(super) struct AnnotatorWeightedMean {
    pub value: f64,
    pub error: Contributions,
    /// The mean and the weight of each item; weights sum to 1.
    pub items: BTreeMap<u32, (f64, f64)>,
}

impl AnnotatorWeights {
    /// The shares of the annotators among the judgments of all systems.
    fn pooled(systems: &[&BTreeMap<AnnotatorKey, Load>]) -> Self {
        Self::pooled_among(&annotators(systems), systems)
    }

    /// The shares of these annotators among their judgments of all systems.
    fn pooled_among(
        people: &BTreeSet<AnnotatorKey>,
        systems: &[&BTreeMap<AnnotatorKey, Load>],
    ) -> Self {
        let number = |who| systems.iter().filter_map(move |loads| loads.get(who));
        let number = |who| number(who).map(|load| load.judgments).sum();
        let mut shares: BTreeMap<AnnotatorKey, f64> =
            people.iter().map(|who| (*who, number(who))).collect();
        let all: f64 = shares.values().sum();
        for share in shares.values_mut() {
            *share /= all;
        }
        Self(shares)
    }

    /// The pooled shares of those who judged two items of every system or more; `None` where they gave less than half of
    /// the judgments of one.
    fn of_sharing(
        mut people: BTreeSet<AnnotatorKey>,
        systems: &[&BTreeMap<AnnotatorKey, Load>],
    ) -> Option<Self> {
        people.retain(|who| unshared([*who], systems, FEWEST_ITEMS).is_none());
        let is_most = systems.iter().all(|loads| {
            let own = people
                .iter()
                .filter_map(|who| loads.get(who))
                .map(|load| load.judgments);
            let all = loads.values().map(|load| load.judgments);
            own.sum::<f64>() >= LEAST_SHARED * all.sum::<f64>()
        });
        (is_most && !people.is_empty()).then(|| Self::pooled_among(&people, systems))
    }

    /// The same weight for all.
    fn equal(people: &BTreeSet<AnnotatorKey>) -> Self {
        let weight = 1.0 / people.len() as f64;
        Self(people.iter().map(|&who| (who, weight)).collect())
    }

    /// The number of annotators.
    pub fn people(&self) -> usize {
        self.0.len()
    }

    /// The weights of those who judged two items of a system or more; `None` where nobody did.
    pub(super) fn of_those_who_judged(&self, judged: &Judgments) -> Option<Self> {
        let loads = AnnotatorLoads::from(judged);
        let mut weights = self.0.clone();
        weights.retain(|&who, _| unshared([who], &[&*loads.0], FEWEST_ITEMS).is_none());
        let all: f64 = weights.values().sum();
        if weights.len() < self.0.len() {
            for weight in weights.values_mut() {
                *weight /= all;
            }
        }
        (!weights.is_empty()).then_some(Self(weights))
    }

    /// The judgments of those who have a weight.
    pub(super) fn weighed(&self, judged: &Judgments) -> Judgments {
        let rows = judged.rows();
        rows.filter(|one| self.0.contains_key(&one.annotator))
            .collect()
    }

    /// The mean Σ_a w_a ȳ_a of values with annotators and items; `None` where an annotator has fewer than two items.
    pub(super) fn mean(
        &self,
        values: &[(AnnotatorKey, u32, f64)],
    ) -> Option<AnnotatorWeightedMean> {
        let offset = values.first()?.2;
        let mut value = offset;
        let (mut by_item, mut items) = (BTreeMap::new(), BTreeMap::new());
        let mut variances = Vec::with_capacity(self.0.len());
        let each = by_annotator(values, offset);
        for (who, weight) in &self.0 {
            let own = each
                .get(who)
                .filter(|own| own.items.len() >= FEWEST_ITEMS)?;
            value += weight * own.mean();
            for (item, moved) in own.moved() {
                *by_item.entry(item).or_default() += weight * moved;
            }
            // Degrees of freedom by numbers of items only: what varies by chance would add to the uncertainty.
            let judged = own.items.len() as f64;
            variances.push((weight * weight / judged, judged - 1.0));
            for (&item, &(n, y)) in &own.items {
                let sums: &mut (f64, f64) = items.entry(item).or_default();
                sums.0 += weight * n / own.n;
                sums.1 += weight * y / own.n;
            }
        }
        let most = by_item.len() as u64 - 1;
        Some(AnnotatorWeightedMean {
            value,
            error: Contributions::of_items(by_item, satterthwaite(&variances, most)),
            items: items
                .into_iter()
                .map(|(item, (weight, y)): (u32, (f64, f64))| (item, (offset + y / weight, weight)))
                .collect(),
        })
    }
}

/// The values of each annotator, less an offset.
fn by_annotator(
    values: &[(AnnotatorKey, u32, f64)],
    offset: f64,
) -> BTreeMap<AnnotatorKey, OneAnnotator> {
    let mut each: BTreeMap<AnnotatorKey, OneAnnotator> = BTreeMap::new();
    for &(who, item, value) in values {
        let own = each.entry(who).or_default();
        own.push(item, value - offset, 1.0);
    }
    each
}

/// The degrees of freedom of a sum of variances (Satterthwaite), each with its own; from 1 to `most`.
fn satterthwaite(variances: &[(f64, f64)], most: u64) -> u64 {
    let total: f64 = variances.iter().map(|one| one.0).sum();
    let squares: f64 = variances.iter().map(|(v, df)| v * v / df).sum();
    ((total * total / squares + 1e-9) as u64).clamp(1, most.max(1))
}

/// The values of one annotator, by item: their weight, and their weighted sum.
#[derive(Debug, Clone, Default)]
pub(super) struct OneAnnotator {
    pub items: BTreeMap<u32, (f64, f64)>,
    pub n: f64,
    sum: f64,
}

impl OneAnnotator {
    pub(super) fn push(&mut self, item: u32, value: f64, weight: f64) {
        let sums = self.items.entry(item).or_default();
        *sums = (sums.0 + weight, sums.1 + weight * value);
        self.n += weight;
        self.sum += weight * value;
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.n
    }

    /// The contribution of each item to the mean, scaled so that squares sum to the variance; none of a single item.
    pub(super) fn moved(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let items = self.items.len() as f64;
        let scale = ((items - 1.0) / items).sqrt();
        let several = self.items.iter().filter(|_| self.items.len() > 1);
        several.map(move |(&item, &(n, y))| {
            let without = (self.sum - y) / (self.n - n);
            (item, scale * (self.mean() - without))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::ScoredJudgment;

    #[test]
    fn parts_that_went_to_other_people_give_everybody_the_same_weight_in_each() {
        // The part of each item, and who judged it: both of its outputs.
        let shares = |who: &dyn Fn(u32) -> u32, items: u32| {
            let judged = (0..items).flat_map(|item| {
                let one = (Some(item % 2), item, Some(who(item)));
                [one, one]
            });
            uneven_shares(judged, 0.05)
        };
        let apart = shares(&|item| (item + u32::from(item % 20 < 2)) % 2, 200).unwrap();
        assert_eq!(apart, BTreeMap::from([(Some(0), 0.5), (Some(1), 0.5)]));
        // Alike, and as unlike as chance often has it.
        assert_eq!(shares(&|item| item / 2 % 2, 200), None);
        assert_eq!(shares(&|item| u32::from(item % 7 < 3), 200), None);
        assert_eq!(shares(&|_| 0, 200), None);
        // Six items say too little for a part to go without a claim.
        assert_eq!(shares(&|item| item % 2, 6), None);
        assert!(shares(&|item| item % 2, 200).is_some());
    }

    #[test]
    fn a_system_that_nobody_judged_adds_no_degree_of_freedom() {
        let judged = |item| ScoredJudgment {
            annotator: Some(0),
            ..ScoredJudgment::new(item, 1.0, &[])
        };
        // All of one annotator: X² is 5, whose tail is 0.03 with one degree of freedom and 0.08 with two.
        let (one, nobody): (Judgments, _) = ((0..5).map(judged).collect(), Judgments::new(0));
        for systems in [vec![&one], vec![&one, &nobody]] {
            let allocation = AnnotatorAllocation::of_listed(systems, &[0, 1]);
            assert!(allocation.requires_weights());
        }
    }
}
