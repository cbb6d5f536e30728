//! Ratings of several systems' outputs on common items, and bootstrap intervals for any number computed
//! from them.
//!
//! Source: the bootstrap of items (Efron and Tibshirani 1993, chapter 13). Items are drawn with all
//! systems' outputs and all their judgments, because outputs for one item are not independent.

use crate::estimators::{Judgments, RatedOutput, VarianceComponentSums};
use std::collections::BTreeMap;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::bootstrap::{percentile_interval, replicates};

/// The rated outputs of several systems, by item.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemRatings {
    items: usize,
    /// The rated output of every system for each item, if any.
    systems: Vec<Vec<Option<RatedOutput>>>,
}

/// The number, confidence and seed of the resamples of items.
#[derive(Debug, Clone, Copy)]
pub struct Resampling {
    /// The number of resamples.
    pub resamples: u64,
    /// The share of the resamples that an interval holds.
    pub confidence: f64,
    /// The seed of the draws.
    pub seed: Seed,
}

/// A number with its interval. `None` where it is undefined; there is no interval either where the
/// number is undefined in more resamples than one end of it leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct BootstrapEstimate {
    /// The number.
    pub value: Option<f64>,
    /// Lower and upper end.
    pub interval: Option<(f64, f64)>,
}

impl SystemRatings {
    /// The ratings, from the judgments of each system.
    pub fn new<'a>(systems: impl IntoIterator<Item = &'a Judgments>) -> Self {
        let rated: Vec<_> = systems.into_iter().map(RatedOutput::all).collect();
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        for &item in rated.iter().flat_map(BTreeMap::keys) {
            places.entry(item).or_default();
        }
        for (place, number) in places.values_mut().enumerate() {
            *number = place;
        }
        let laid_out = |outputs: &BTreeMap<u32, RatedOutput>| {
            let mut by_item = vec![None; places.len()];
            for (item, &output) in outputs {
                by_item[places[item]] = Some(output);
            }
            by_item
        };
        Self {
            items: places.len(),
            systems: rated.iter().map(laid_out).collect(),
        }
    }

    /// The ratings with the metric's sign changed, for one whose lower scores are better.
    #[must_use]
    pub fn negated(mut self) -> Self {
        for output in self.systems.iter_mut().flatten().flatten() {
            output.g = -output.g;
        }
        self
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The outputs of every system, by item.
    pub fn systems(&self) -> &[Vec<Option<RatedOutput>>] {
        &self.systems
    }

    /// The sums of each system over some items.
    pub fn outputs(&self, items: &[usize]) -> Vec<VarianceComponentSums> {
        let of = |system: &Vec<Option<RatedOutput>>| {
            let rated = items.iter().filter_map(|&item| system[item].as_ref());
            rated.collect()
        };
        self.systems.iter().map(of).collect()
    }

    /// The numbers that `statistics` computes from items, some possibly repeated, with their intervals. It must
    /// always return equally many.
    pub fn bounded(
        &self,
        resampling: &Resampling,
        statistics: impl Fn(&[usize]) -> Vec<Option<f64>>,
    ) -> Vec<BootstrapEstimate> {
        let all: Vec<usize> = (0..self.items).collect();
        let values = statistics(&all);
        let Resampling {
            resamples,
            confidence,
            seed,
        } = *resampling;
        let drawn = replicates(self.items, resamples, seed, |items| Some(statistics(items)));
        let bounded = |(place, value): (usize, Option<f64>)| {
            let mut defined: Vec<f64> = drawn.iter().filter_map(|one| one[place]).collect();
            let undefined = (drawn.len() - defined.len()) as f64;
            let often = undefined > (1.0 - confidence) / 2.0 * drawn.len() as f64;
            let interval = percentile_interval(&mut defined, confidence);
            BootstrapEstimate {
                value,
                interval: interval.filter(|_| value.is_some() && !often),
            }
        };
        values.into_iter().enumerate().map(bounded).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::ScoredJudgment;

    fn ratings() -> SystemRatings {
        let judged = |rows: &[(u32, f64)]| -> Judgments {
            let rows = rows.iter();
            rows.map(|&(item, y)| ScoredJudgment::new(item, y, &[]))
                .collect()
        };
        SystemRatings::new(&[
            judged(&[(4, 1.0), (9, 3.0), (4, 2.0)]),
            judged(&[(7, 5.0), (9, 4.0)]),
        ])
    }

    #[test]
    fn systems_share_the_items() {
        let ratings = ratings();
        assert_eq!(ratings.items(), 3);
        let means = |system: usize| {
            let outputs = ratings.systems()[system].iter();
            outputs
                .map(|one| one.map(|one| one.mean))
                .collect::<Vec<_>>()
        };
        assert_eq!(means(0), [Some(1.5), None, Some(3.0)]);
        assert_eq!(means(1), [None, Some(5.0), Some(4.0)]);
        let twice = ratings.outputs(&[2, 2, 1]);
        assert_eq!(twice[0].means().x().count(), 2);
        assert_eq!(twice[1].means().x().count(), 3);
    }

    #[test]
    fn what_is_often_undefined_has_no_interval() {
        let resampling = Resampling {
            resamples: 200,
            confidence: 0.9,
            seed: Seed(1),
        };
        let found = ratings().bounded(&resampling, |items| {
            let first = items.contains(&0).then_some(1.0);
            vec![Some(items[0] as f64), first, None]
        });
        assert_eq!(found[0].interval, Some((0.0, 2.0)));
        assert_eq!((found[1].value, found[1].interval), (Some(1.0), None));
        assert_eq!(found[2], BootstrapEstimate::default());
    }
}
