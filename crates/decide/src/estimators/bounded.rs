//! Judgments on a known scale, in order: the input of intervals without a central limit theorem.
//!
//! An item is one observation, the mean of its judgments, mapped to [0, 1] by the `--range`. With a
//! metric and `alpha`, the coefficient per standard deviation of g, the observation is y − α (g − ḡ),
//! whose mean is the same and whose bounds are the range widened by α times the extremes of g − ḡ over
//! all outputs: a metric has to explain more than this widening costs.
//!
//! An interval for a fixed number of judgments takes them in an order drawn by seed, or with
//! `order=recorded` as they stand in the table. With `anytime=true` they are always taken as recorded,
//! since looking after every judgment is covered only for the order in which they came; an item's
//! judgments must then stand together.
//!
//! With `population=finite` the items are drawn without replacement from all outputs of the system.

use super::finite::{Extent, FiniteCorrection};
use super::interval::Interval;
use super::{
    AdjustedJudgment, Adjuster, Estimator, InferenceScope, IntervalMethod, MeanEstimate,
    ScoredJudgment, Survey,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::finite;
use tiebreak_base::rng::Seed;

/// The order in which judgments are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum JudgmentOrder {
    /// Items at random, by seed.
    #[default]
    Shuffled,
    /// As they were recorded.
    Recorded,
}

/// Parameters that intervals of bounded judgments share.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct BoundedParameters {
    pub anytime: bool,
    pub alpha: f64,
    pub order: JudgmentOrder,
    pub population: Extent,
}

/// The judgments of one item.
#[derive(Debug, Clone, Copy)]
struct BoundedItemSums {
    n: f64,
    y: f64,
    /// The control α (g − ḡ).
    control: f64,
}

impl BoundedItemSums {
    fn value(&self) -> f64 {
        self.y / self.n - self.control
    }
}

/// The lower end of an interval in [0, 1], from the observations in order and the confidence.
type LowerEnd = fn(&BoundedObservations, &[f64], f64) -> f64;

/// An estimator of the mean of observations between 0 and 1, one per item.
pub(super) struct BoundedObservations {
    lower_end: LowerEnd,
    lower: f64,
    width: f64,
    /// The mean of g, and α per unit of g.
    control: (f64, f64),
    parameters: BoundedParameters,
    outputs: u64,
    seed: Seed,
    /// The items, in order of first appearance.
    items: Vec<BoundedItemSums>,
    place: BTreeMap<u32, usize>,
    judged: u64,
    sum: f64,
    /// The place of an item that returned after another one.
    again: bool,
}

impl BoundedObservations {
    pub(super) fn new(
        name: &str,
        parameters: BoundedParameters,
        survey: &Survey,
        lower_end: LowerEnd,
    ) -> Result<Self> {
        let range = survey.range.ok_or_else(|| {
            Error::usage(format!("{name} needs the range of the judgments")).with_hint(message!(
                "give it as {}, or declare it in dataset.toml: [criteria.NAME] range = [LO, HI]",
                Key("range").set("LO,HI")
            ))
        })?;
        let alpha = finite(name, "alpha", parameters.alpha)?;
        let population = &survey.population;
        let (mut control, mut ends) = ((0.0, 0.0), [0.0, 0.0]);
        if alpha != 0.0 {
            survey.needs_metric(name)?;
            let (mean, per_deviation) = population.standard()[0];
            control = (mean, alpha * per_deviation);
            ends = population.extremes().map(|g| control.1 * (g - mean));
            ends.sort_unstable_by(f64::total_cmp);
        }
        let lower = range.lower() - ends[1];
        Ok(Self {
            lower_end,
            lower,
            width: range.upper() - ends[0] - lower,
            control,
            parameters,
            outputs: population.n,
            seed: survey.seed,
            items: Vec::new(),
            place: BTreeMap::new(),
            judged: 0,
            sum: 0.0,
            again: false,
        })
    }

    /// Maps [0, 1] back to the original scale.
    fn on_scale(&self, x: f64) -> f64 {
        self.lower + self.width * x
    }

    /// The size of a finite population.
    pub(super) fn outputs(&self) -> Option<f64> {
        (self.parameters.population == Extent::Finite).then_some(self.outputs as f64)
    }

    pub(super) fn anytime(&self) -> bool {
        self.parameters.anytime
    }

    /// The observations, in the order in which they are taken.
    fn observations(&self) -> Vec<f64> {
        let unit =
            |item: &BoundedItemSums| ((item.value() - self.lower) / self.width).clamp(0.0, 1.0);
        if self.minds_order() {
            return self.items.iter().map(unit).collect();
        }
        let mut observations: Vec<f64> = self
            .place
            .values()
            .map(|&at| unit(&self.items[at]))
            .collect();
        self.seed.stream("order", 0).shuffle(&mut observations);
        observations
    }

    /// The interval on the original scale. The upper end is the lower one of one minus the observations. Ends that
    /// cross, which happens only where an interval misses or all is judged, tell nothing but what is certain.
    fn ends(&self, confidence: f64) -> Option<(f64, f64)> {
        let mut observations = self.observations();
        if observations.is_empty() {
            return None;
        }
        // What outputs that are not judged can still change.
        let sum: f64 = observations.iter().sum();
        let left = |outputs: f64| outputs - observations.len() as f64;
        let certain = self.outputs().filter(|outputs| left(*outputs) >= 0.0);
        let certain = certain.map(|outputs| (sum / outputs, (sum + left(outputs)) / outputs));
        let low = (self.lower_end)(self, &observations, confidence);
        for x in &mut observations {
            *x = 1.0 - *x;
        }
        let high = 1.0 - (self.lower_end)(self, &observations, confidence);
        let (low, high) = match low <= high {
            true => (low, high),
            false => certain.unwrap_or((0.0, 1.0)),
        };
        Some((self.on_scale(low), self.on_scale(high)))
    }
}

impl Estimator for BoundedObservations {
    fn push(&mut self, judged: &ScoredJudgment<'_>) {
        let (mean, alpha) = self.control;
        let control = judged.g.first().map_or(0.0, |g| alpha * (g - mean));
        let next = self.items.len();
        let at = *self.place.entry(judged.item).or_insert(next);
        if at == next {
            self.items.push(BoundedItemSums {
                n: 0.0,
                y: 0.0,
                control,
            });
        } else {
            self.sum -= self.items[at].value();
            self.again |= at + 1 != self.items.len();
        }
        let item = &mut self.items[at];
        item.n += 1.0;
        item.y += judged.y;
        self.sum += item.value();
        self.judged += 1;
    }

    /// The mean over items, on the original scale.
    fn value(&self) -> Option<f64> {
        let n = self.items.len() as f64;
        (n > 0.0).then(|| self.sum / n)
    }

    fn estimate(&self, confidence: f64) -> Option<MeanEstimate> {
        let value = self.value()?;
        let valid = confidence > 0.0 && confidence < 1.0;
        let ends = valid.then(|| self.ends(confidence)).flatten();
        Some(MeanEstimate {
            value,
            n: self.judged,
            alpha: None,
            interval: ends.map(|(lower, upper)| Interval {
                lower,
                upper,
                standard_error: None,
                unseen: 0.0,
            }),
            method: IntervalMethod::Bounded,
            over: match self.parameters.population {
                Extent::Infinite if self.parameters.alpha == 0.0 => InferenceScope::Items,
                _ => InferenceScope::OutputsAtHand,
            },
        })
    }

    fn check(&self) -> Result<()> {
        if self.parameters.anytime && self.again {
            return Err(Error::usage(
                "anytime=true, but the judgments of an item are not next to each other",
            )
            .with_hint("sort the table by time and item, or look once: anytime=false"));
        }
        FiniteCorrection::new(self.parameters.population, self.outputs).check(self.items.len())
    }

    fn holds_at_any_time(&self) -> bool {
        self.anytime()
    }

    fn minds_order(&self) -> bool {
        self.parameters.anytime || self.parameters.order == JudgmentOrder::Recorded
    }

    fn is_weighable(&self) -> bool {
        false
    }

    fn is_comparable(&self) -> bool {
        false
    }

    fn adjuster(&self) -> Adjuster<'_> {
        let (mean, alpha) = self.control;
        Box::new(move |judged| {
            let control = judged.g.first().map_or(0.0, |g| alpha * (g - mean));
            Some(AdjustedJudgment::even(judged.y - control))
        })
    }
}

/// The λ of confseq 0.0.11's `lambda_predmix_eb`, before truncation: from the variance of what came
/// before, for `n` observations or, without a fixed number, shrinking with time.
pub(super) fn bets(x: &[f64], ln_inverse_error: f64, fixed_n: Option<usize>) -> Vec<f64> {
    let (mut sum, mut squares) = (0.5, 0.25);
    let bet = |(before, &x): (usize, &f64)| {
        let t = (before + 1) as f64;
        let variance = squares / t;
        let scale = fixed_n.map_or_else(|| t * (1.0 + t).ln(), |n| n as f64);
        sum += x;
        let mean = f64::min(sum / (t + 1.0), 1.0);
        squares += (x - mean).powi(2);
        (2.0 * ln_inverse_error / (scale * variance)).sqrt()
    };
    x.iter().enumerate().map(bet).collect()
}
