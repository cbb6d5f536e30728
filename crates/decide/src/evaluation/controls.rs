//! Control variates: models' predictions for each item, less their mean over the items that may be drawn.
//!
//! ```text
//! c(x) = h(x) − h̄      h(x) = 2p(x) − 1, the predicted score of a pair's first on item x
//! ```
//!
//! h̄ is the mean of h under the very distribution from which the pair's item is drawn, so that c has mean
//! 0 whatever the model is worth; with the mean over any other items a certificate would not hold. An
//! item without a prediction has c = 0, which leaves that mean where it is.

use crate::bandits::Square;
use crate::feedback::names::{all_pairs, pair_index};
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Pair};

/// The predictions h of one model for the items of a pair, lower arm first.
pub type PairItemPredictor<'a> = Box<dyn Fn(Pair) -> Vec<(u32, f64)> + 'a>;

/// The centred predictions of some models.
#[derive(Debug, Clone)]
pub struct Controls {
    k: usize,
    models: usize,
    /// The controls of each pair, in the order of `pair_index`.
    by_pair: Vec<PairControls>,
    /// The largest |c| of each pair, by model.
    largest: Vec<Square>,
}

/// The controls of one pair, for its lower arm.
#[derive(Debug, Clone)]
struct PairControls {
    /// The items, ascending.
    items: Vec<u32>,
    /// The value c of each item by each model.
    centred: Vec<f64>,
}

impl PairControls {
    fn new(drawn: Vec<u32>, predicted: impl Iterator<Item = Vec<(u32, f64)>>) -> Self {
        let mut times: BTreeMap<u32, f64> = BTreeMap::new();
        for item in drawn {
            *times.entry(item).or_default() += 1.0;
        }
        let items: Vec<u32> = times.keys().copied().collect();
        let by_model: Vec<Vec<f64>> = predicted.map(|known| centred(&times, known)).collect();
        let rows = (0..items.len()).flat_map(|row| by_model.iter().map(move |model| model[row]));
        Self {
            centred: rows.collect(),
            items,
        }
    }
}

/// The value c of each item, drawn with the frequencies `times`.
fn centred(times: &BTreeMap<u32, f64>, known: Vec<(u32, f64)>) -> Vec<f64> {
    let known: BTreeMap<u32, f64> = known.into_iter().collect();
    let drawn = || times.iter().map(|(item, times)| (known.get(item), times));
    let total: f64 = drawn().filter_map(|(h, times)| h.and(Some(times))).sum();
    let sum: f64 = drawn().filter_map(|(h, times)| Some(h? * times)).sum();
    drawn()
        .map(|(h, _)| h.map_or(0.0, |h| h - sum / total))
        .collect()
}

/// The largest |c| of each pair by one of `models` models.
fn largest(k: usize, by_pair: &[PairControls], model: usize, models: usize) -> Square {
    Square::from_fn(k, |i, j| match i == j {
        true => 0.0,
        false => {
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            let centred = by_pair[pair_index(k, pair)].centred.iter();
            let own = centred.skip(model).step_by(models);
            own.fold(0.0, |largest: f64, c| largest.max(c.abs()))
        }
    })
}

impl Controls {
    /// The controls, where `drawn` lists the items on which a pair, lower arm first, may be asked about, each as
    /// often as it is likely to be drawn.
    pub fn new(
        k: usize,
        models: &[PairItemPredictor<'_>],
        drawn: impl Fn(Pair) -> Vec<u32>,
    ) -> Self {
        let of_pair =
            |pair| PairControls::new(drawn(pair), models.iter().map(|predicted| predicted(pair)));
        let by_pair: Vec<PairControls> = all_pairs(k).map(of_pair).collect();
        let of_model = |model| largest(k, &by_pair, model, models.len());
        Self {
            k,
            models: models.len(),
            largest: (0..models.len()).map(of_model).collect(),
            by_pair,
        }
    }

    /// The value c of the first of a pair on an item, by each model.
    pub fn variates(&self, pair: Pair, item: u32) -> Vec<f64> {
        let PairControls { items, centred } = &self.by_pair[pair_index(self.k, pair)];
        let sign = if pair.first < pair.second { 1.0 } else { -1.0 };
        match items.binary_search(&item) {
            Ok(row) => {
                let row = &centred[row * self.models..(row + 1) * self.models];
                row.iter().map(|c| sign * c).collect()
            }
            Err(_) => vec![0.0; self.models],
        }
    }

    /// The number of models.
    pub fn models(&self) -> usize {
        self.models
    }

    /// The largest |c| of each pair, by model.
    pub fn reach(&self) -> &[Square] {
        &self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_centred_under_the_draw_and_those_that_are_missing_are_nothing() {
        let pair = |i, j| Pair::new(Arm(i), Arm(j));
        // Item 3 is drawn twice as often as 5 and 7; the second model predicts only one of them; 9 is never drawn.
        let first: PairItemPredictor<'_> =
            Box::new(|_| vec![(3, 0.8), (5, -0.4), (7, 0.0), (9, 1.0)]);
        let second: PairItemPredictor<'_> = Box::new(|_| vec![(3, 0.5), (5, -0.4)]);
        let drawn = |pair: Pair| match pair.second.0 {
            1 => vec![7, 3, 5, 3],
            _ => Vec::new(),
        };
        let controls = Controls::new(3, &[first, second], drawn);
        let on = |item| controls.variates(pair(0, 1), item);
        let close = |found: Vec<f64>, wanted: [f64; 2]| {
            let far = found.iter().zip(wanted).any(|(a, b)| (a - b).abs() > 1e-15);
            assert!(!far, "{found:?}, not {wanted:?}");
        };
        close(on(3), [0.5, 0.3]);
        close(on(5), [-0.7, -0.6]);
        close(on(7), [-0.3, 0.0]);
        close(controls.variates(pair(1, 0), 5), [0.7, 0.6]);
        close(on(9), [0.0, 0.0]);
        close(controls.variates(pair(0, 2), 3), [0.0, 0.0]);
        for model in 0..2 {
            let mean = [3, 5, 7, 3].map(|item| on(item)[model]).iter().sum::<f64>();
            assert!(mean.abs() < 1e-15);
        }
        let reach = controls.reach();
        close(vec![reach[0].get(1, 0), reach[1].get(0, 1)], [0.7, 0.6]);
        assert_eq!(reach[0].get(0, 2), 0.0);
    }
}
