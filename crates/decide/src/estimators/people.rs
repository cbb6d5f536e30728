//! People's judgments behind an estimate, one number per item and without a metric. They give the interval from the
//! range alone, and show whether judgments vary enough for any other.

use super::Range;
use super::fixed_bets::BoundedSample;

/// The shares of all outputs that may go unseen.
///
/// Of outputs with the probability q, a share s, none is chosen with a chance of e^−c where s = c/(N q). If n are chosen of
/// N, and the others have the probability p > q, then n = (1 − s) N p + s N q, and those chosen stand for n/p outputs:
/// s (1 − q/p) too few. With s q/p = c/(N p) that is s: c times `each`, and `missing`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnseenOutputs {
    /// The share that goes unseen as easily as one output among the judged: that of the items that stand for most.
    pub each: f64,
    /// The share for which no judged item stands, where probabilities differ.
    pub missing: f64,
}

/// The mean judgment of each judged item, with its weight.
#[derive(Debug, Clone)]
pub(super) struct ItemJudgmentMeans {
    items: Vec<WeightedItemMean>,
    /// Whether every item was judged once.
    once: bool,
    design: SamplingDesign,
}

#[derive(Debug, Clone, Copy)]
struct WeightedItemMean {
    mean: f64,
    /// The weight in the mean of all, or the probability of being chosen.
    weight: f64,
}

/// The way items were chosen to be judged.
#[derive(Debug, Clone, Copy)]
enum SamplingDesign {
    /// At random; weights have the mean 1.
    Weighted,
    /// At random within strata; weights have the mean 1.
    Strata,
    /// Each with its own probability, from a population of this size.
    Chosen(u64),
}

impl ItemJudgmentMeans {
    /// Items picked at random, each with its number of judgments and their mean; each judgment counts alike.
    pub(super) fn at_random(items: impl Iterator<Item = (f64, f64)>) -> Self {
        let items: Vec<(f64, f64)> = items.collect();
        let each = items.len() as f64 / items.iter().map(|(n, _)| n).sum::<f64>();
        let rated = |&(n, mean): &(f64, f64)| WeightedItemMean {
            mean,
            weight: n * each,
        };
        Self {
            once: items.iter().all(|(n, _)| *n == 1.0),
            items: items.iter().map(rated).collect(),
            design: SamplingDesign::Weighted,
        }
    }

    /// Items of strata with their mean judgments and their weights in the estimate, which sum to 1.
    pub(super) fn of_strata(items: impl Iterator<Item = (f64, f64)>) -> Self {
        Self {
            design: SamplingDesign::Strata,
            ..Self::weighted(items)
        }
    }

    /// Items with their mean judgments and their weights in the estimate, which sum to 1.
    pub(super) fn weighted(items: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut items = Self::rated(items);
        let n = items.len() as f64;
        for one in &mut items {
            one.weight *= n;
        }
        Self {
            items,
            once: false,
            design: SamplingDesign::Weighted,
        }
    }

    /// Items with their mean judgments and probabilities of being chosen, from a population of size `of`.
    pub(super) fn chosen(items: impl Iterator<Item = (f64, f64)>, of: u64) -> Self {
        Self {
            items: Self::rated(items),
            once: false,
            design: SamplingDesign::Chosen(of),
        }
    }

    fn rated(items: impl Iterator<Item = (f64, f64)>) -> Vec<WeightedItemMean> {
        items
            .map(|(mean, weight)| WeightedItemMean { mean, weight })
            .collect()
    }

    /// The mean judgments of all items.
    pub(super) fn means(&self) -> Vec<f64> {
        self.items.iter().map(|one| one.mean).collect()
    }

    /// The number of items.
    pub(super) fn items(&self) -> usize {
        self.items.len()
    }

    /// The shares of all outputs that may go unseen.
    pub(super) fn unseen(&self) -> UnseenOutputs {
        let weights = || self.items.iter().map(|one| one.weight);
        let (each, missing) = match self.design {
            SamplingDesign::Weighted => (1.0 / self.items.len() as f64, 0.0),
            SamplingDesign::Strata => {
                let largest = weights().fold(0.0, f64::max);
                (largest / self.items.len() as f64, 0.0)
            }
            SamplingDesign::Chosen(of) => {
                let stood_for: f64 = weights().map(f64::recip).sum();
                let each = 1.0 / weights().fold(1.0, f64::min) / of as f64;
                (each, (1.0 - stood_for / of as f64).max(0.0))
            }
        };
        UnseenOutputs { each, missing }
    }

    /// The yeses (1) and all answers, for one yes-or-no answer per item; `None` for anything else.
    pub(super) fn yeses(&self) -> Option<(u64, u64)> {
        let binary = self.items.iter().all(|one| [0.0, 1.0].contains(&one.mean));
        let yeses = self.items.iter().filter(|one| one.mean == 1.0).count();
        (self.once && binary).then_some((yeses as u64, self.items.len() as u64))
    }

    /// The sample on this range, for an interval from the range alone.
    pub(super) fn bounded(&self, range: Range) -> BoundedSample {
        let scale = [range.lower(), range.upper()];
        let items = self.items.iter();
        match self.design {
            SamplingDesign::Weighted | SamplingDesign::Strata => {
                BoundedSample::between(items.map(|one| {
                    let weighed = scale.map(|end| one.weight * end);
                    (one.weight * one.mean, weighed)
                }))
            }
            SamplingDesign::Chosen(of) => {
                BoundedSample::chosen(items.map(|one| (one.mean, one.weight)), of, scale)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(values: &[f64]) -> ItemJudgmentMeans {
        ItemJudgmentMeans::at_random(values.iter().map(|&y| (1.0, y)))
    }

    #[test]
    fn yeses_are_those_of_single_answers() {
        assert_eq!(once(&[0.0, 1.0, 0.0]).yeses(), Some((1, 3)));
        assert_eq!(once(&[0.0, 0.5]).yeses(), None);
        let twice = ItemJudgmentMeans::at_random([(2.0, 1.0), (1.0, 0.0)].into_iter());
        assert_eq!(twice.yeses(), None);
        let chosen = ItemJudgmentMeans::chosen([(1.0, 0.5)].into_iter(), 9);
        assert_eq!(chosen.yeses(), None);
    }

    #[test]
    fn items_judged_more_often_count_more() {
        let range = Range::new(0.0, 10.0).unwrap();
        let interval = |items: &[(f64, f64)]| {
            let people = ItemJudgmentMeans::at_random(items.iter().copied());
            people.bounded(range).interval(0.95).unwrap()
        };
        let even: Vec<(f64, f64)> = (0..120).map(|i| (1.0, f64::from(i % 2) * 10.0)).collect();
        let uneven: Vec<(f64, f64)> = (0..120)
            .map(|i| (f64::from(1 + 3 * (i % 2)), f64::from(i % 2) * 10.0))
            .collect();
        let (lower, upper) = interval(&even);
        assert!(lower < 5.0 && upper > 5.0);
        let (lower, upper) = interval(&uneven);
        assert!(lower < 8.0 && upper > 8.0 && lower > 5.0, "{lower} {upper}");
    }
}
