//! Whether the outputs at hand are all there is, or a sample of what a system could write.
//!
//! Source: Cochran, "Sampling Techniques", 1977, section 2.6. When C of N outputs are judged, each at
//! most once and chosen without replacement, the variance of their mean as an estimate of the mean
//! that judging all N in the same way would give is smaller by the factor 1 − C/N; with C = N nothing
//! is left to estimate. That is for *these answers* (`population=finite`). The same annotators might have answered
//! otherwise: for *these items* (`--items these`) the factor applies to the variance between outputs only, and the
//! variance among judgments of one output remains, whatever C. It is estimated from outputs judged more than once;
//! without any it cannot be separated from the outputs' own, and the variance stays as it is. Where items have unequal
//! numbers of judgments, chance has weighed them, and what that adds remains, too: only what a mean of items of equal weight
//! would have disappears. Of a difference of two systems all variances are those of the items' differences: what makes an
//! item hard for both is in none.

use super::Contender;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::scope::ItemScope;
use tiebreak_base::stats::moments::Moments;

/// The population whose mean is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Extent {
    /// All that the system would write: no correction, intervals on the wide side.
    #[default]
    Infinite,
    /// The outputs in the data set, judged without replacement, as these annotators judge them.
    Finite,
    /// The same outputs, whatever these annotators would answer another time.
    #[serde(skip)]
    TheseItems,
}

/// What a result about these items alone takes from the error of one about items like these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheseItems {
    /// The share of the outputs that is not judged.
    pub left: f64,
    /// The variance that judgments of one output add to a mean of items of equal weight; `None` where none was judged twice.
    pub noise: Option<f64>,
    /// The variance of a mean of items of equal weight, as a share of the error's.
    pub even: f64,
}

impl TheseItems {
    /// The same of the error of a difference.
    pub(super) fn of_difference(one: &Contender, other: &Contender) -> Option<Self> {
        let (own, others) = one.these.zip(other.these)?;
        let separate = own.noise.zip(others.noise);
        let separate = separate.map(|(own, others)| own + others);
        Some(Self {
            left: own.left.max(others.left),
            noise: noise_of_difference(one, other).or(separate),
            even: even_of_difference(one, other),
        })
    }

    /// The factor of a standard error: what remains when all is judged is the variance among judgments of one output, and
    /// that of weights which are not equal.
    pub(super) fn factor(self, standard_error: f64) -> f64 {
        let noise = self
            .noise
            .map(|noise| 1.0 - self.even + noise / (standard_error * standard_error));
        let stays = noise.filter(|noise| noise.is_finite()).unwrap_or(1.0);
        (self.left + (1.0 - self.left) * stays.clamp(0.0, 1.0)).sqrt()
    }
}

/// The variance that judgments of one item add to a mean of the items' differences, from those who judged both outputs;
/// `None` where an item has not the same judges on both sides, or none has two.
fn noise_of_difference(one: &Contender, other: &Contender) -> Option<f64> {
    let (mut squares, mut spare, mut each) = (0.0, 0, 0.0);
    for (item, judged) in &one.judged {
        let beside = other.judged.get(item)?;
        let by = |by: &(Option<u32>, f64)| by.0;
        if !judged.iter().map(by).eq(beside.iter().map(by)) {
            return None;
        }
        let pairs = judged.iter().zip(beside).map(|(a, b)| a.1 - b.1);
        let found: Moments = pairs.collect();
        let degrees = found.count() - 1;
        squares += found.sample_variance().unwrap_or_default() * degrees as f64;
        spare += degrees;
        each += 1.0 / found.count() as f64;
    }
    let items = one.judged.len();
    let is_all = spare > 0 && items == other.judged.len();
    is_all.then(|| squares / spare as f64 * each / (items * items) as f64)
}

/// The variance of the mean difference of the items, by that of the difference of the means.
fn even_of_difference(one: &Contender, other: &Contender) -> f64 {
    let beside = |(item, own): (&u32, &(f64, f64))| Some((*own, *other.items.get(item)?));
    let both: Vec<_> = one.items.iter().filter_map(beside).collect();
    let differences: Moments = both.iter().map(|(own, others)| own.0 - others.0).collect();
    let part = |of: &Contender, (mean, share): (f64, f64)| share * (mean - of.estimate);
    let weighed = |&(own, others)| (part(one, own) - part(other, others)).powi(2);
    let alone = |of: &Contender, others: &Contender| -> f64 {
        let lone = of
            .items
            .iter()
            .filter(|(item, _)| !others.items.contains_key(item));
        lone.map(|(_, own)| part(of, *own).powi(2)).sum()
    };
    let error = both.iter().map(weighed).sum::<f64>() + alone(one, other) + alone(other, one);
    let items = one.items.len().max(other.items.len()) as f64;
    let spread = differences.sample_variance().unwrap_or_default();
    share_of(spread * (both.len() as f64 - 1.0) / (items * items), error)
}

/// A part of a variance as a share of at most 1.
pub(super) fn share_of(part: f64, whole: f64) -> f64 {
    if part < whole { part / whole } else { 1.0 }
}

/// The share of all outputs that can go unseen, from that of an infinite population, where the share `left` is not judged:
/// K outputs of N are all missed with a chance of about `left`^K, and only outputs that are left can be missed.
pub(super) fn hidden(share: f64, left: f64) -> f64 {
    match left {
        left if left >= 1.0 => share,
        left if left > 0.0 => (share * (1.0 - left) / -left.ln()).min(left),
        _ => 0.0,
    }
}

impl Extent {
    /// The population of a result about certain items.
    pub(super) fn over(self, items: ItemScope) -> Self {
        match (self, items) {
            (Self::Infinite, ItemScope::These) => Self::TheseItems,
            (extent, _) => extent,
        }
    }
}

/// The correction for a population of this many outputs; `None` for no correction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct FiniteCorrection(Option<u64>);

impl FiniteCorrection {
    pub(super) fn new(extent: Extent, outputs: u64) -> Self {
        Self((extent != Extent::Infinite).then_some(outputs))
    }

    /// The share of the outputs that is not judged; 1 of an infinite population.
    pub(super) fn left(self, judged: usize) -> f64 {
        let left = |outputs: u64| (1.0 - judged as f64 / outputs as f64).max(0.0);
        self.0.map_or(1.0, left)
    }

    /// The factor of standard errors when this many items are judged.
    pub(super) fn factor(self, judged: usize) -> f64 {
        self.left(judged).sqrt()
    }

    /// Refuses more judged items than there are outputs.
    pub(super) fn check(self, judged: usize) -> Result<()> {
        match self.0 {
            Some(outputs) if judged as u64 > outputs => Err(Error::usage(format!(
                "only these items are meant, but {judged} items are judged and only {outputs} outputs are known"
            ))
            .with_hint(message!(
                "give all outputs of the system, or leave out population=finite and {}",
                Key("items")
            ))),
            _ => Ok(()),
        }
    }
}
