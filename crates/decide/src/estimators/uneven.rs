//! Items that weigh more in means over judgments, since they have more of them.
//!
//! Estimates and rankings count judgments, a gate counts items. Where items have unequal numbers of judgments that are the
//! same only if the numbers have nothing to do with the scores.

use std::collections::BTreeMap;
use tiebreak_base::layout::decimals;
use tiebreak_base::stats::moments::{JointMoments, Moments};
use tiebreak_base::stats::quantiles;

/// The share of the weight that would change its item if all items weighed the same, up to which nothing is said: as many
/// judgments at random leave less.
const EVEN: f64 = 0.25;

/// How often chance gives any of several samples of items more judgments where scores are higher, or lower.
const CHANCE: f64 = 0.001;

/// The weights of the items of one sample of scores, such as those of a system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemWeights {
    items: u64,
    /// The items with more judgments than the average, and the share of all judgments that they have.
    heavy: u64,
    weight: f64,
    /// The correlation of items' scores with their numbers of judgments, times the root of the items.
    unlike: f64,
    /// The mean over judgments, and that over items.
    means: [f64; 2],
}

impl ItemWeights {
    /// The weights of scores, each with its item; `None` without scores.
    pub fn new(scores: impl Iterator<Item = (u32, f64)>) -> Option<Self> {
        let mut items: BTreeMap<u32, Moments> = BTreeMap::new();
        let mut all = Moments::default();
        for (item, score) in scores {
            items.entry(item).or_default().push(score);
            all.push(score);
        }
        let (judgments, n) = (all.count(), items.len() as u64);
        let numbers = items.values().map(Moments::count);
        let above = numbers.filter(|number| number * n > judgments);
        let (heavy, held) = above.fold((0, 0), |(heavy, held), number| (heavy + 1, held + number));
        let means = || {
            items
                .values()
                .filter_map(|one| Some((one.count(), one.mean()?)))
        };
        let both: JointMoments = means().map(|(count, mean)| (count as f64, mean)).collect();
        let of_items: Moments = means().map(|(_, mean)| mean).collect();
        Some(Self {
            items: n,
            heavy,
            weight: held as f64 / judgments as f64,
            unlike: both.correlation().unwrap_or_default() * (n as f64).sqrt(),
            means: [all.mean()?, of_items.mean()?],
        })
    }

    /// The share of the weight that would change its item if all items weighed the same.
    fn excess(&self) -> f64 {
        self.weight - self.heavy as f64 / self.items as f64
    }

    /// Whether the numbers of judgments have to do with the scores, in one of `samples`.
    fn is_unlike(&self, samples: usize) -> bool {
        let far = quantiles::normal(1.0 - 0.5 * CHANCE / samples as f64);
        far.is_some_and(|far| self.unlike.abs() > far)
    }

    /// Whether the means over judgments and over items are on either side of `middle`, in one of `samples`, and the former
    /// is above.
    pub fn turned(&self, middle: f64, samples: usize) -> Option<bool> {
        let [judgments, items] = self.means.map(|mean| mean - middle);
        (self.is_unlike(samples) && judgments * items < 0.0).then_some(judgments > 0.0)
    }

    /// Which items weigh more, of one of `samples`; `None` where their numbers of judgments are much alike and have nothing
    /// to do with scores.
    fn words(&self, name: &str, samples: usize) -> Option<String> {
        let Self {
            items,
            heavy,
            weight,
            unlike,
            ..
        } = *self;
        let which = match unlike {
            _ if !self.is_unlike(samples) => "",
            _ if unlike < 0.0 => ", and lower scores",
            _ => ", and higher scores",
        };
        let share = decimals(100.0 * weight, 0);
        (self.excess() > EVEN || !which.is_empty()).then(|| {
            format!("for {name}, {heavy} of {items} items have {share} % of the judgments{which}")
        })
    }
}

/// Which items weigh more in means over judgments, since they have more of them: "for b, 10 of 60 items have 67 % of the
/// judgments, and lower scores". `None` where their numbers are much alike and have nothing to do with scores. It is about
/// the named sample with the most uneven ones.
pub fn uneven_items<N: AsRef<str>>(samples: &[(N, ItemWeights)]) -> Option<String> {
    let told = samples.iter().filter_map(|(name, weights)| {
        let words = weights.words(name.as_ref(), samples.len())?;
        Some((weights.excess(), words))
    });
    told.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|one| one.1)
}

/// The sentence on these items where judgments are counted.
pub fn uneven_sentence(criterion: &str, which: &str) -> String {
    format!(
        "Items with more judgments weigh more under {criterion}: {which}. In a gate all items weigh the same."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 60 items the first ten have ten judgments each, with other scores.
    fn weights(first: f64, others: f64) -> ItemWeights {
        let scores = (0..60).flat_map(|item| {
            let (often, score) = if item < 10 { (10, first) } else { (1, others) };
            std::iter::repeat_n((item, score), often)
        });
        ItemWeights::new(scores).unwrap()
    }

    #[test]
    fn means_over_judgments_and_items_may_point_to_either_side() {
        // 100 of 150 judgments, but 10 of 60 items.
        let one = weights(0.9, 0.3);
        assert!((one.means[0] - 0.7).abs() < 1e-12 && (one.means[1] - 0.4).abs() < 1e-12);
        assert_eq!(one.turned(0.5, 1), Some(true));
        assert_eq!(weights(0.1, 0.7).turned(0.5, 1), Some(false));
        assert_eq!(weights(0.9, 0.6).turned(0.5, 1), None);
        assert_eq!(
            uneven_items(&[("b", one)]).unwrap(),
            "for b, 10 of 60 items have 67 % of the judgments, and higher scores"
        );
    }

    #[test]
    fn numbers_that_chance_relates_to_scores_are_rarely_said() {
        let mut rng = tiebreak_base::rng::Seed(5).stream("uneven", 0);
        let told = (0..2000).filter(|_| {
            let mut each = || {
                let scores: Vec<(u32, f64)> = (0..80)
                    .flat_map(|item| {
                        let score = rng.normal();
                        std::iter::repeat_n((item, score), 1 + rng.below(3))
                    })
                    .collect();
                ("a", ItemWeights::new(scores.into_iter()).unwrap())
            };
            let samples: Vec<_> = (0..10).map(|_| each()).collect();
            uneven_items(&samples).is_some()
        });
        // One in a thousand, and four standard deviations.
        let told = told.count();
        assert!(told <= 8, "{told}");
    }
}
