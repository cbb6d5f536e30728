//! Tests whether the choice of what was compared depends on what was predicted.
//!
//! Answers correct predictions only where the items that were judged are a random sample of the predicted ones. Where
//! people were asked about what a judge was unsure of, they are not: the answers are about other items than the
//! predictions, and ranks were wrong in all of 60 simulated data sets.
//!
//! Two tests, each at half the level. The first: were outputs compared that the model was more, or less, sure about
//! than about others of the same pair of systems? It divides the covariance within pairs of |q| and the number of
//! comparisons by its error, with items as clusters. The second: were those compared of which it prefers one system? It
//! does the same with q, pair by pair, with Bonferroni's correction.

use super::{MarginPrediction, StrengthComparison};
use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;
use tiebreak_base::stats::quantiles::normal;

/// The probability that the two tests together find a dependence where there is none.
const LEVEL: f64 = 0.01;

/// The fewest items tested.
const LEAST: usize = 20;

impl MarginPrediction {
    /// Whether the choice of compared outputs depends on the predictions of them.
    pub fn are_selected(answers: &[StrengthComparison], predictions: &[MarginPrediction]) -> bool {
        let mut compared: BTreeMap<(Pair, u32), f64> = BTreeMap::new();
        for one in answers {
            *compared
                .entry((one.pair.lower_first(), one.item))
                .or_default() += 1.0;
        }
        let mut pairs: BTreeMap<Pair, Vec<PredictedPair>> = BTreeMap::new();
        for one in predictions {
            let pair = one.pair.lower_first();
            let score = if pair == one.pair {
                one.score
            } else {
                -one.score
            };
            let number = compared.get(&(pair, one.item)).copied().unwrap_or(0.0);
            pairs.entry(pair).or_default().push(PredictedPair {
                item: one.item,
                score,
                number,
            });
        }
        let tests = 2.0 * pairs.len().max(1) as f64;
        let by_pair = |seen: &Vec<PredictedPair>| {
            let products = products(seen, |one| one.score);
            stands_out(&products, LEVEL / tests)
        };
        let unsure = pairs
            .values()
            .flat_map(|seen| products(seen, |one| one.score.abs()));
        stands_out(&unsure.collect::<Vec<_>>(), LEVEL / 2.0) || pairs.values().any(by_pair)
    }
}

/// A prediction, and the number of comparisons of the two outputs.
struct PredictedPair {
    item: u32,
    score: f64,
    number: f64,
}

/// The terms of a pair's covariance of a score and the number of comparisons, by item.
fn products(seen: &[PredictedPair], score: impl Fn(&PredictedPair) -> f64) -> Vec<(u32, f64)> {
    let n = seen.len() as f64;
    let mean_score = seen.iter().map(&score).sum::<f64>() / n;
    let mean_number = seen.iter().map(|one| one.number).sum::<f64>() / n;
    let product = |one: &PredictedPair| {
        (
            one.item,
            (score(one) - mean_score) * (one.number - mean_number),
        )
    };
    seen.iter().map(product).collect()
}

/// Whether the sum of products is further from 0 than chance would have it with probability `level`.
fn stands_out(products: &[(u32, f64)], level: f64) -> bool {
    let mut by_item: BTreeMap<u32, f64> = BTreeMap::new();
    for &(item, product) in products {
        *by_item.entry(item).or_default() += product;
    }
    let sum: f64 = by_item.values().sum();
    let squares: f64 = by_item.values().map(|sum| sum * sum).sum();
    let reach = normal(1.0 - level / 2.0).unwrap_or(f64::INFINITY);
    by_item.len() >= LEAST && sum.abs() > reach * squares.sqrt()
}
